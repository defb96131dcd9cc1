"""Who waits for whom in the training, put to the paper's mean times."""
import random
import statistics
import unittest

from reproduction.training.cases import CASES, COMPUTATION, RANKS, SHORT, WAIT


def latenesses(case, draw):
    if case.pattern == "one-late":
        return [case.delay, *[0.0] * (RANKS - 1)]
    if case.pattern == "rand-late":
        return [draw.uniform(0, case.delay) for _ in range(RANKS)]
    return [max(0.0, draw.gauss(case.delay, case.delay / 4)) for _ in range(RANKS)]


class CasesTest(unittest.TestCase):
    def test_ranks_wait_and_compute_as_long_as_the_paper_implies(self):
        draw = random.Random(1)
        for case in CASES:
            calls = [latenesses(case, draw) for _ in range(4000)]
            scale = 0.1 if case == SHORT else 1.0
            wait = statistics.fmean(max(late) - statistics.fmean(late) for late in calls)
            computation = case.compute + statistics.fmean(statistics.fmean(late) for late in calls)
            self.assertAlmostEqual(wait / (scale * WAIT), 1, delta=0.02, msg=case.name)
            self.assertAlmostEqual(computation / (scale * COMPUTATION), 1, delta=0.01, msg=case.name)

    def test_a_slower_network_makes_all_of_it_longer(self):
        slow = CASES[0].dilated(10)
        self.assertEqual((slow.delay, slow.compute), (10 * CASES[0].delay, 10 * CASES[0].compute))
        self.assertEqual(slow.name, CASES[0].name)


if __name__ == "__main__":
    unittest.main()
