"""What is made of sums by phase."""
import unittest

from phases_samples import results_of
from reproduction.phases import results
from reproduction.phases import runs as plan


class ResultsTest(unittest.TestCase):
    def test_sums_of_the_benchmark_come_in_seconds(self):
        record = {"post_arrival_sum_ms": {"rank_1": 1000, "rank_5": 2000, "nobody": 500, "any_rank": 250, "all": 3750}}
        sums = results.sums_of("ring", record)
        self.assertEqual(sums.by_phase, {"rank_1": 1.0, "rank_5": 2.0, "nobody": 0.5, "any_rank": 0.25})
        self.assertEqual(sums.whole(), 3.75)

    def test_each_phase_has_a_best_row_of_its_own(self):
        found = results_of()
        best = {phase: row.label for phase, row in found.best.items()}
        self.assertEqual(best, {
            "rank_1": "slt:segments=64", "rank_5": "slt:segments=64", "nobody": "ring_segmented",
            "any_rank": "slt:segments=64,flagged=1",
        })  # fmt: skip
        self.assertEqual(found.best_sums().whole(), 9.0)
        self.assertAlmostEqual(found.over_best(found.first), 10 / 9)
        self.assertAlmostEqual(found.over_best(found.first, "rank_1"), 1.25)
        self.assertAlmostEqual(found.gain(found.second), 20 / 12)

    def test_each_bound_is_met_or_not_by_itself(self):
        self.assertEqual([bound.is_met for bound in results_of().bounds()], [True, True, False])
        slow = results_of(first=(4.0, 4.0, 3.0, 2.0), second=(2.0, 2.0, 3.0, 2.0))
        self.assertEqual([bound.is_met for bound in slow.bounds()], [False, False, True])
        self.assertEqual(slow.bounds()[1].sentence(), "native over the first run, at least 1.65: 1.54, not met")


class Runs(unittest.TestCase):
    def test_native_is_among_the_rows(self):
        self.assertIn(plan.NATIVE, plan.ROWS)

    def test_rows_and_tuned_know_no_more_than_the_calls_before_have_shown(self):
        self.assertIn("--predict learned", plan.rows_run().text())
        self.assertIn("--no-announce", plan.tuned_run().text())

    def test_phases_have_equally_many_calls(self):
        words = plan.tuned_run().words
        self.assertEqual(int(words[words.index("--iterations") + 1]), 4 * plan.CALLS)

    def test_tuned_goes_on_with_a_database_and_rows_have_none(self):
        self.assertIn(f"STARLING_DB={plan.DATABASE}", plan.tuned_run().words)
        self.assertNotIn("STARLING_DB", plan.rows_run().text())


if __name__ == "__main__":
    unittest.main()
