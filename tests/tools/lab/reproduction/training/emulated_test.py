"""What the document of the emulated training says of made-up loops."""
import tempfile
import unittest
from pathlib import Path

from reproduction.training import emulated
from reproduction.training.results import loop_of
from training_samples import record


class EmulatedTest(unittest.TestCase):
    def test_the_computation_that_was_left_out_is_in_the_loops_time(self):
        case = emulated.CASES[1]
        loop = loop_of("ring", {**record(90.0), "loop_ms": 20000.0})
        loops = emulated.CaseLoops(case, [loop])
        self.assertAlmostEqual(loops.whole(loop), 20000 + 45 * (1725 - 100))

    def test_ratios_and_the_aim_are_told(self):
        found = [
            emulated.CaseLoops(
                case, [loop_of(name, record(90.0 if name == "ring" else 60.0)) for name in emulated.ROWS]
            )
            for case in emulated.CASES
        ]
        with tempfile.TemporaryDirectory() as name:
            emulated.write_document((found, 0.25, 240.0), Path(name))
            text = (Path(name) / emulated.FILE).read_text(encoding="utf-8")
        self.assertIn("| `ring` | 117.0 | 90.0 | 90.0 |", text)
        self.assertIn("not met, and cannot be", text)
        self.assertIn("All took 4.0 minutes", text)
        self.assertIn("tools/lab/cluster up -n 16 --rate 100mbit", text)


if __name__ == "__main__":
    unittest.main()
