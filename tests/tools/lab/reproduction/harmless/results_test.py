"""Ratios of runs by turns."""
import unittest

from harmless_samples import times_of
from reproduction.harmless import results
from reproduction.harmless import runs as plan


class Ratios(unittest.TestCase):
    def test_ratios_are_those_of_medians(self):
        rows = results.rows_of(times_of([1.0, 9.0, 1.0], [1.08, 1.08, 50.0], [1.0, 0.5, 1.02]))
        self.assertEqual([row.size for row in rows], [64, 128])
        self.assertAlmostEqual(rows[0].ratio(plan.LEARNING), 1.08)
        self.assertAlmostEqual(results.mean_ratio(rows, plan.LEARNING), 1.08)
        self.assertAlmostEqual(rows[1].ratio(plan.LATER), 1.0)

    def test_short_vectors_may_lose_more(self):
        rows = results.rows_of(times_of([1.0], [1.08], [1.0]))
        self.assertEqual(results.beyond(rows, plan.LEARNING), [128])
        self.assertEqual(results.beyond(rows, plan.LATER), [])
        self.assertFalse(results.is_met(rows, plan.LEARNING))
        self.assertTrue(results.is_met(rows, plan.LATER))

    def test_the_mean_over_sizes_has_a_limit_of_its_own(self):
        rows = results.rows_of(times_of([1.0], [1.04], [1.02]))
        self.assertEqual(results.beyond(rows, plan.LEARNING), [])
        self.assertFalse(results.is_met(rows, plan.LEARNING))

    def test_what_is_above_its_limit_is_marked(self):
        lines = results.cells(results.rows_of(times_of([1.0], [1.08], [1.0])))
        self.assertEqual(lines[0], ["64", "1.00", "1.08", "1.080", "1.00", "1.000", "1.000"])
        self.assertEqual(lines[1][3], "1.080 !")
        self.assertEqual(lines[2], ["geometric mean", "", "", "1.080", "", "1.000", "1.000"])
        self.assertTrue(all(len(line) == len(results.HEADER) for line in lines))


if __name__ == "__main__":
    unittest.main()
