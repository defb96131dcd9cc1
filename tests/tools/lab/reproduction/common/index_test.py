"""The README of the folder of benchmarks."""
import tempfile
import unittest
from pathlib import Path

from reproduction.common import index


class Index(unittest.TestCase):
    def test_a_document_that_is_not_there_is_not_linked(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "proficz-2018.md").write_text("", encoding="utf-8")
            index.write(folder)
            text = (folder / index.FILE).read_text(encoding="utf-8")
            self.assertIn("[proficz-2018.md](proficz-2018.md)", text)
            self.assertIn("emulated-cluster.md: not made yet", text)


if __name__ == "__main__":
    unittest.main()
