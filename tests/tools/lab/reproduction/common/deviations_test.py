"""Which deviations are told, and with which reason."""
import unittest

from reproduction.common.deviations import Cell, Deviations


class DeviationText(unittest.TestCase):
    CELLS = [
        Cell("Table 3", "prr", "elapsed", "0 ms", 120, 100),
        Cell("Table 3", "prr", "elapsed", "1 ms", 101, 100),
        Cell("Table 3", "prr", "elapsed", "5 ms", 70, 100),
    ]

    def collected(self, reasons):
        deviations = Deviations(reasons)
        for cell in self.CELLS:
            deviations.compare(cell)
        return deviations

    def test_only_what_was_not_met_is_told_with_its_range_and_reason(self):
        deviations = self.collected({("Table 3", "prr", None): "Because."})
        self.assertEqual(deviations.met(), (1, 3))
        self.assertEqual(
            deviations.sentences(), ["**Table 3, prr**, elapsed at 0 ms, 5 ms: -30.0 % to +20.0 %. Because."]
        )
        self.assertEqual(deviations.unexplained(), [])

    def test_the_nearest_reason_is_taken(self):
        reasons = {("Table 3", None, None): "far", ("Table 3", "prr", "elapsed"): "near"}
        self.assertTrue(self.collected(reasons).sentences()[0].endswith("near"))

    def test_a_row_without_a_reason_is_named(self):
        deviations = self.collected({})
        self.assertEqual(deviations.unexplained(), [("Table 3", "prr", "elapsed")])
        self.assertTrue(deviations.sentences()[0].endswith("Not explained yet."))


if __name__ == "__main__":
    unittest.main()
