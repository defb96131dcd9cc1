"""Ratios within rounds."""
import dataclasses
import unittest

from reproduction.common.preloaded import AGAIN, LATER, LEARNING, PLAIN
from reproduction.programs import document, results
from reproduction.programs.runs import Trial


def trials_of(plain, later, seconds=(10.0, 10.0, 10.0)):
    """Of three rounds: seconds in allreduce, and those of the whole later runs."""
    return {
        PLAIN: [Trial(9.9, each, 50.0) for each in plain],
        AGAIN: [Trial(10.1, each, 50.0) for each in plain],
        LEARNING: [Trial(10.0, 1.0, 50.0, 40) for _ in plain],
        LATER: [Trial(total, each, 50.0, 45) for total, each in zip(seconds, later)],
    }


class Ratios(unittest.TestCase):
    def test_they_are_of_the_same_round(self):
        trials = trials_of([1.0, 2.0, 3.0], [1.0, 1.0, 1.0])
        ratio = results.allreduce_ratio(trials, LATER)
        self.assertEqual((ratio.median, ratio.least, ratio.most), (2.0, 1.0, 3.0))
        self.assertEqual(ratio.text(), "2.00 (1.00 to 3.00)")

    def test_whole_runs_may_scatter(self):
        trials = trials_of([1.0] * 3, [1.0] * 3, (10.1, 10.1, 10.1))
        self.assertAlmostEqual(results.difference(trials, results.whole), 10.1 / 9.9 - 1)
        self.assertTrue(results.is_never_worse(trials, LATER))
        self.assertFalse(results.is_never_worse(trials_of([1.0] * 3, [1.0] * 3, (10.3, 10.3, 10.3)), LATER))

    def test_a_row_has_a_cell_for_each_heading(self):
        self.assertEqual(len(document.row("a", 2, trials_of([1.0] * 3, [0.5] * 3))), len(document.HEADER))

    def test_the_verdict_says_what_is_met(self):
        met = document.verdict("a", 2, trials_of([1.0] * 3, [0.5] * 3))
        self.assertEqual(met, "a, 2 ranks: the whole run is no slower; 1.2 times as fast in allreduce: met.")
        missed = document.verdict("a", 2, trials_of([1.0] * 3, [1.0] * 3, (11.0, 11.0, 11.0)))
        self.assertIn("slower (later); 1.2 times as fast in allreduce: **not met**", missed)

    def test_what_is_left_alone_meets_nothing_by_chance(self):
        trials = trials_of([1.0] * 3, [0.5] * 3)
        trials[LATER] = [dataclasses.replace(trial, tuned_calls=0) for trial in trials[LATER]]
        self.assertIn("**not met**, since most of these runs are left alone", document.verdict("a", 2, trials))

    def test_a_gain_that_plain_runs_have_over_each_other_is_none(self):
        trials = trials_of([1.0] * 3, [0.8] * 3)
        self.assertTrue(results.is_met(trials, LATER))
        trials[AGAIN] = [dataclasses.replace(trial, allreduce=1.5) for trial in trials[AGAIN]]
        trials[LATER] = [dataclasses.replace(trial, allreduce=0.9) for trial in trials[LATER]]
        self.assertGreater(results.allreduce_ratio(trials, LATER).median, results.AIM)
        self.assertFalse(results.is_met(trials, LATER))


if __name__ == "__main__":
    unittest.main()
