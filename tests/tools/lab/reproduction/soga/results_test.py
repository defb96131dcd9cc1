"""What is computed from the calls of a loop."""
import unittest

from reproduction.soga import runs as plan
from soga_samples import Sample, learned, loop


class LoopTest(unittest.TestCase):
    def test_the_exchange_is_where_the_order_of_ranks_is_left(self):
        self.assertEqual(loop(learned()).exchanged_after(), 4)
        self.assertIsNone(loop((0.5, 0.5, 0.25)).exchanged_after())  # it never was in that order
        self.assertIsNone(loop((0.5, 1.0, 1.0, 1.0)).exchanged_after())
        self.assertIsNone(loop((0.5, 1.0, 1.0, 0.5)).exchanged_after())  # the MPI library makes the calls

    def test_what_is_saved_in_steady_use_and_in_all(self):
        made = loop(learned())
        self.assertAlmostEqual(made.steady_saved(), 0.75)
        self.assertAlmostEqual(made.total(), 6.5004)
        self.assertAlmostEqual(made.total_saved(), 0.34996)
        self.assertAlmostEqual(made.steady_saved(plan.LIBRARY), 0.5)

    def test_it_is_paid_for_when_the_sum_stays_below(self):
        self.assertEqual(loop(learned()).paid_after(), 6)
        self.assertIsNone(loop(learned()).paid_after(plan.LIBRARY))
        self.assertEqual(loop((0.2, 0.2)).paid_after(), 1)

    def test_loops_are_found_by_what_was_set(self):
        ranks = plan.PROCESSES[-1]
        late = plan.first_receiver_of_library(ranks)
        found = Sample().find(ranks, plan.MIDDLE, late=late)
        self.assertEqual((found.ranks, found.count, found.late), (ranks, plan.MIDDLE, late))
        with self.assertRaises(KeyError):
            Sample().find(ranks, plan.LONG, plan.LOADS[0])


class RunsTest(unittest.TestCase):
    def test_loads_are_times_of_the_binomial_tree(self):
        # 6 rounds of 4 us and 1 KiB at 8 ns a byte.
        self.assertAlmostEqual(plan.load_ms(64, 256, 2), 2 * 6 * (0.004 + 1024 * 8e-6), places=6)
        self.assertEqual([plan.first_receiver_of_library(ranks) for ranks in (8, 64)], [4, 32])

    def test_a_loop_begins_with_nothing_learned(self):
        words = plan.tuned(8, plan.SHORT, 2).words
        self.assertIn("--from-first-call", words)
        self.assertNotIn("--late-rank", words)
        self.assertEqual(words[words.index("--delay") + 1].count(","), 0)
        runs = plan.all_runs()
        self.assertEqual(len({run.key() for run in runs}), len(runs))


if __name__ == "__main__":
    unittest.main()
