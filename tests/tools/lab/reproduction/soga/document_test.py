"""What the document says of made-up loops."""
import tempfile
import unittest
from pathlib import Path

from reproduction.soga import document
from soga_samples import Sample, learned


class DocumentTest(unittest.TestCase):
    def written(self, sample):
        with tempfile.TemporaryDirectory() as name:
            document.write_document(sample, Path(name), lambda *_: None)
            return (Path(name) / document.FILE).read_text(encoding="utf-8")

    def test_what_is_saved_stands_beside_the_aim(self):
        text = self.written(Sample(learned(100)))
        self.assertIn("8 ranks, load 4: the time of MPI_Bcast falls by 40 %. **Met**: with 1 KiB, 3 KiB, 1 MiB by 75 %,", text)
        self.assertIn("| 8 | 146.3 | 100.0 | 1000 | 300.0 | 500.0 | 250.0 | 75 % | 71 % |", text)
        # The loop of ten calls does not pay for its beginning.
        self.assertIn("**Not met**: with", self.written(Sample(learned(10))))


if __name__ == "__main__":
    unittest.main()
