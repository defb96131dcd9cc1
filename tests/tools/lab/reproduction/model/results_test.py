"""What was measured, beside what the cost model predicted."""
import unittest

from model_samples import CASE, comparison
from reproduction.model import results


class Comparisons(unittest.TestCase):
    def test_a_case_has_the_results_of_its_delay(self):
        found = comparison({"ring": 2, "slt:segments=8": 3}, {"ring": 4, "slt:segments=8": 3})
        self.assertEqual(found.measured, {"ring": 4, "slt:segments=8": 3})
        self.assertEqual((found.predicted_best(), found.best()), ("ring", "slt:segments=8"))
        self.assertAlmostEqual(found.error("ring"), -0.5)

    def test_a_summary_counts_what_is_within_the_aim(self):
        good = comparison({"ring": 2, "slt": 3}, {"ring": 4, "slt": 5})
        bad = comparison({"ring": 2, "slt": 3}, {"ring": 4, "slt": 3.2})
        found = results.summarise([good, bad], 0.03)
        self.assertEqual((found.cases, found.good), (2, 1))
        self.assertAlmostEqual(found.median_loss, 0.125)
        self.assertAlmostEqual(found.worst_loss, 0.25)
        self.assertEqual(found.worst_after_tries, 0)
        self.assertEqual(results.worst_first([good, bad], 0.03), [bad])

    def test_errors_are_kept_by_row_whatever_its_parameters(self):
        one = comparison({"slt:segments=8": 2}, {"slt:segments=8": 4})
        other = comparison({"slt:segments=9": 3}, {"slt:segments=9": 2})
        self.assertEqual(results.errors_by_row([one, other]), {"slt": [(-0.5, CASE), (0.5, CASE)]})


if __name__ == "__main__":
    unittest.main()
