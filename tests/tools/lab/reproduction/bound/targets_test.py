"""Which targets are met, and by which rows."""
import unittest

from bound_samples import CASE, results
from reproduction.bound import runs, tables, targets
from reproduction.bound.results import Results
from reproduction.bound.targets import Target


class Targets(unittest.TestCase):
    def test_a_target_is_met_by_the_rows_that_know_who_is_late(self):
        times = {row: 10.0 for row in runs.ROWS} | {"rabenseifner": 6.0, "prr": 7.0, "slt": 8.0}
        found = results(times)
        self.assertEqual(Target(CASE, Results.over_ring, 0.75).met_by(found), ["prr"])
        self.assertEqual(Target(CASE, Results.over_ring, 0.75, is_first=True).met_by(found), [])
        row = tables.target_row(Target(CASE, Results.over_ring, 0.5), found)
        self.assertEqual(row[-2:], ["`rabenseifner`", "**no**"])

    def test_a_row_that_was_left_out_meets_nothing(self):
        case = runs.Case(ranks=1024)
        target = Target(case, Results.over_rest, 1.0)
        self.assertFalse(target.is_met(None, "direct"))

    def test_every_target_is_among_the_cases_that_are_run(self):
        cases = runs.all_cases()
        for group in targets.groups():
            for target in group.targets:
                self.assertIn(target.case, cases)


if __name__ == "__main__":
    unittest.main()
