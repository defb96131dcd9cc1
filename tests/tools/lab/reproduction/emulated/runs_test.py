"""The runs on the emulated cluster."""
import unittest

from reproduction.emulated import runs


class EmulatedRuns(unittest.TestCase):
    def test_emulated_pipeline_has_16_segments_per_host(self):
        choices = [row.choice for setup in runs.SETUPS for row in runs.rows(setup)]
        self.assertIn("slt:segments=128,window=8", choices)
        self.assertIn("slt:segments=256,window=8", choices)


if __name__ == "__main__":
    unittest.main()
