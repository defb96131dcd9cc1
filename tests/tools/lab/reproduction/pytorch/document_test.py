"""What the document says of made-up trainings."""
import json
import tempfile
import unittest
from pathlib import Path

from reproduction.pytorch import document, runs


def epochs(seconds, loss):
    return [{"epoch": number, "loss": loss, "accuracy": 0.5, "seconds": each} for number, each in enumerate(seconds, 1)]


class DocumentTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def trial(self, loss):
        for name, seconds, its_loss in (("alone", [9, 3, 3], 2.0), ("tuned", [9, 2, 2], loss)):
            log = {"ranks": 8, "bytes": 827432, "epochs": epochs(seconds, its_loss)}
            (self.folder / f"{name}.json").write_text(json.dumps(log), encoding="utf-8")
        return runs.read(self.folder)

    def written(self):
        trials = {case: self.trial(2.0 if case == runs.LAST else 2.00001) for case in runs.CASES}
        document.write_document(trials, ["Run 1, train.py"], 0.25, self.folder)
        return (self.folder / document.FILE).read_text(encoding="utf-8")

    def test_medians_and_their_ratio_are_told(self):
        self.assertIn(f"| {runs.LEADING} | 3.00 | 2.00 | 1.50 | 5.0e-06 |", self.written())

    def test_times_of_another_algorithm_are_not_compared(self):
        self.assertIn(f"| {runs.LAST} | - | - | - | 0 |", self.written())

    def test_the_commands_are_those_that_were_run(self):
        text = self.written()
        for case in runs.CASES:
            self.assertIn(" ".join(runs.words_of(case)), text)


if __name__ == "__main__":
    unittest.main()
