"""The runs that are held against the bounds."""
import unittest

from reproduction.bound import runs
from reproduction.common.simulations import KI


class BoundRuns(unittest.TestCase):
    def test_segments_follow_the_costs(self):
        self.assertEqual(runs.segments("slt", 48, KI * KI), 628)
        self.assertEqual(runs.segments("late_join", 48, KI * KI), 205)

    def test_segments_stay_within_the_row_and_the_vector(self):
        self.assertEqual(runs.segments("late_join", 2, KI), 1)
        self.assertEqual(runs.segments("slt", 1024, 4), 4)
        self.assertEqual(runs.segments("late_join", 1024, KI**4), 8192)

    def test_slow_rows_run_apart_and_some_not_at_all_where_ranks_are_many(self):
        few, many, most = (runs.Case(ranks=ranks, count=KI) for ranks in (48, 512, 1024))
        self.assertEqual(len(runs.runs_of([few])), 1)
        self.assertIn("direct:segments=1", many.runs()["direct"].text())
        self.assertNotIn("ring_segmented", many.runs())
        self.assertNotEqual(many.runs()["ring"], many.runs()["rabenseifner"])
        self.assertNotIn("direct", most.runs())


if __name__ == "__main__":
    unittest.main()
