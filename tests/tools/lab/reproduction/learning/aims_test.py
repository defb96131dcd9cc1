"""Which aims are met."""
import unittest

from learning_samples import player, world
from reproduction.learning import aims


class Aims(unittest.TestCase):
    def rows(self, *worlds):
        return {row[0]: row[1:] for row in aims.rows(worlds)}

    def test_what_is_within_its_limit_is_met(self):
        rows = self.rows(*(world(tuned=player(0.03, settled=14.0)) for _ in range(20)))
        self.assertEqual(rows["regret, median"], ["at most 3.0 %", "3.0 %", "met"])
        self.assertEqual(rows["calls until settled, median"], ["at most 14", "14", "met"])
        self.assertEqual(rows["worst 50 calls over native's, all worlds"], ["at most 1.15", "1.10", "met"])

    def test_what_is_not_is_said(self):
        rows = self.rows(*(world(tuned=player(0.5, left_wrongly=n == 0, worst_stretch=1.0 + n)) for n in range(20)))
        self.assertEqual(rows["regret, median"], ["at most 3.0 %", "50.0 %", "**not met**"])
        self.assertEqual(rows["left native for what costs over 2 % more, share of worlds"],
                         ["at most 2.0 %", "5.0 %", "**not met**"])  # fmt: skip
        self.assertEqual(rows["worst 50 calls over native's, all worlds"][1:], ["20.00", "**not met**"])

    def test_what_no_world_defines_is_not_met(self):
        self.assertEqual(self.rows(world())["missed a gain of more than 10 %, share of worlds"],
                         ["at most 5.0 %", None, "**not met**"])  # fmt: skip

    def test_the_best_rival_is_named(self):
        one = world(rival_regret=0.2)
        one["players"]["ucb1"] = player(0.01)
        self.assertEqual(self.rows(one)["regret below every rival's, median"],
                         ["below 1.0 % (`ucb1`)", "2.0 %", "**not met**"])  # fmt: skip
        self.assertEqual(self.rows(world(rival_regret=0.2))["regret below every rival's, 95 of 100 worlds"][1:],
                         ["2.0 %", "met"])  # fmt: skip

    def test_no_aim_has_the_name_of_another(self):
        self.assertEqual(len(self.rows(world())), len(aims.rows([world()])))


if __name__ == "__main__":
    unittest.main()
