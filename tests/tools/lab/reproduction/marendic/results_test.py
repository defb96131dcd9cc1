"""Which runs stand for which table of Marendic et al. (2012), and what is read of made-up ones."""
import unittest

from reproduction.common import papers
from reproduction.common.records import Outcome
from reproduction.marendic import claims, results
from reproduction.marendic import runs as plan


class MadeUp:
    """A cache in which every call takes 1 ms, and 2 ms where it was learned."""

    def load(self, run):
        names = run.words[run.words.index("--algorithm") + 1].split(",")
        time = 2.0 if plan.TUNED in names else 1.0
        rows = [{"algorithm": name, "choice": name, "post_arrival_ms": {"mean": time}} for name in names]
        return Outcome({}, [{**row, "count": 1, "delay_ms": 0} for row in rows], "2026-11-23", "")


class ResultsTest(unittest.TestCase):
    def setUp(self):
        self.results = results.Results(MadeUp(), 1)

    def test_reductions_are_measured_and_a_few_allreduces(self):
        reductions = [run for run in plan.all_runs() if "reduce" in run.words]
        self.assertEqual(len(plan.all_runs()) - len(reductions), len(plan.FIGURES))
        self.assertEqual(len({run.key() for run in plan.all_runs()}), len(plan.all_runs()))
        for run in reductions:
            self.assertEqual("env" in run.words, plan.TUNED in run.words)

    def test_times_at_the_root_have_the_delay_in_them(self):
        self.assertEqual(self.results.completion(plan.PLANNED), [delay + 1 for delay in papers.MARENDIC_DELAYS])
        self.assertEqual(self.results.completion(plan.TUNED), [delay + 2 for delay in papers.MARENDIC_DELAYS])

    def test_what_was_learned_is_compared_with_foreknowledge_where_both_were_run(self):
        self.assertEqual(tuple(self.results.over_ranks(8, plan.TUNED)), plan.LEARNED_PROCESSES)
        self.assertEqual(tuple(self.results.over_ranks(9, plan.TUNED)), plan.PROCESSES)
        self.assertEqual(self.results.foreknowledge(), 1.0)

    def test_every_claim_has_a_verdict(self):
        found = {(claim.place, claim.is_met) for claim in claims.all_claims(self.results)}
        self.assertIn(("Section 5.3", False), found)
        self.assertIn(("Figure 8", True), found)


if __name__ == "__main__":
    unittest.main()
