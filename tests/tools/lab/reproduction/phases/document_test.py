"""What the document says of made-up sums."""
import tempfile
import unittest
from pathlib import Path

from phases_samples import results_of
from reproduction.phases import document, results


def decision(call, algorithm, table, measured=0.0412):
    return {
        "call": call, "algorithm": algorithm, "table": table, "measured": measured, "native": 0.0811,
        "reason": f"{algorithm} stays.",
    }  # fmt: skip


class DocumentTest(unittest.TestCase):
    def written(self):
        stories = {
            results.FIRST: [decision(4, "native", [0, 1, 2]), decision(61, "slt", [0, 2, 1])],
            results.SECOND: [decision(240, "slt", [0, 1, 2], None)],
        }  # fmt: skip
        found = document.Measurement(results_of(), stories, [0.25, 8.0, 9.0], [360.0, 90.0, 90.0])
        with tempfile.TemporaryDirectory() as name:
            document.write_document(found, Path(name))
            return (Path(name) / document.FILE).read_text(encoding="utf-8")

    def test_sums_ratios_and_bounds_are_told(self):
        text = " ".join(self.written().split())
        self.assertIn("| `native` | 5.00 | 5.00 | 5.00 | 5.00 | 20.00 | 1.00 | 2.22 |", text)
        self.assertIn("| tuned, first run | 2.50 | 2.50 | 3.00 | 2.00 | 10.00 | 2.00 | 1.11 |", text)
        self.assertIn("| tuned, first run, over the best row | 1.25 | 1.25 | 1.00 | 1.00 | 1.11 | - | - |", text)
        self.assertIn("- native over the second run, at least 1.80: 1.67, not met.", text)
        self.assertIn("load was 0.2, 8.0, 9.0", text)
        self.assertIn("9.0 minutes", text)

    def test_the_story_says_in_which_phase_and_who_is_last(self):
        text = self.written()
        self.assertIn("| 4 | rank 1 late | `native` | - | 41.2 | 81.1 | native stays. |", text)
        self.assertIn("| 61 | rank 5 late | `slt` | 1 | 41.2 | 81.1 | slt stays. |", text)
        self.assertIn("| 240 | another rank in each call | `slt` | - | - | 81.1 | slt stays. |", text)


if __name__ == "__main__":
    unittest.main()
