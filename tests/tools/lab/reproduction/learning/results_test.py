"""Figures of players over made-up worlds."""
import statistics
import unittest

from learning_samples import player, world
from reproduction.learning import results


class Results(unittest.TestCase):
    def test_the_tail_lies_between_the_values_around_it(self):
        self.assertAlmostEqual(results.tail(list(range(101))), 95.0)
        self.assertAlmostEqual(results.tail([0.0, 1.0]), 0.95)
        self.assertEqual(results.tail([7.0]), 7.0)

    def test_a_figure_is_of_the_worlds_where_it_is_defined(self):
        worlds = [world(tuned=player(missed=True)), world(), world(tuned=player(missed=False))]
        self.assertEqual(results.figures(worlds, "tuned", "missed"), [1.0, 0.0])
        self.assertEqual(results.figures(worlds, "native", "missed"), [])

    def test_a_curve_is_made_call_by_call(self):
        worlds = [world(tuned=player(regret)) for regret in (0.1, 0.2, 0.9)]
        found = results.curve(worlds, "tuned", statistics.median)
        self.assertEqual(len(found), 50)
        self.assertAlmostEqual(found[-1], 0.2)

    def test_groups_come_in_the_order_of_their_worlds(self):
        worlds = [world(0, noise="none"), world(1, noise="normal"), world(2, noise="none")]
        self.assertEqual({name: len(those) for name, those in results.groups(worlds, "noise").items()},
                         {"none": 2, "normal": 1})  # fmt: skip
        self.assertEqual(list(results.groups(worlds, "noise")), ["none", "normal"])


if __name__ == "__main__":
    unittest.main()
