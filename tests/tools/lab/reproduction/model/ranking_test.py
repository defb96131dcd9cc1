"""How well predictions rank what was measured."""
import unittest

from reproduction.model import ranking


class Ranking(unittest.TestCase):
    MEASURED = {"ring": 10.0, "slt": 12.0, "prr": 11.0, "direct": 30.0}

    def test_equal_values_share_the_mean_of_their_places(self):
        self.assertEqual(ranking.places([5, 1, 5, 7]), [2.5, 1, 2.5, 4])

    def test_correlation_is_that_of_the_orders(self):
        scaled = {name: time**2 for name, time in self.MEASURED.items()}
        reversed_order = {name: -time for name, time in self.MEASURED.items()}
        self.assertAlmostEqual(ranking.rank_correlation(scaled, self.MEASURED), 1)
        self.assertAlmostEqual(ranking.rank_correlation(reversed_order, self.MEASURED), -1)
        exchanged = self.MEASURED | {"ring": 11.0, "prr": 10.0}
        self.assertAlmostEqual(ranking.rank_correlation(exchanged, self.MEASURED), 0.8)

    def test_there_is_no_correlation_where_there_is_no_order(self):
        self.assertIsNone(ranking.rank_correlation({"ring": 1, "slt": 1}, {"ring": 1, "slt": 2}))
        self.assertIsNone(ranking.rank_correlation({"ring": 1}, {"ring": 1}))

    def test_loss_is_that_of_the_choice_however_wrong_its_time(self):
        doubled = {name: 2 * time for name, time in self.MEASURED.items()}
        self.assertEqual(ranking.loss(doubled, self.MEASURED), 0)
        self.assertAlmostEqual(ranking.loss({**doubled, "slt": 1.0}, self.MEASURED), 0.2)

    def test_several_tries_lose_what_the_best_of_them_loses(self):
        predicted = {"ring": 4, "slt": 2, "prr": 3, "direct": 1}
        losses = [ranking.loss(predicted, self.MEASURED, tries) for tries in (1, 2, 3, 4, 9)]
        for found, expected in zip(losses, (2, 0.2, 0.1, 0, 0)):
            self.assertAlmostEqual(found, expected)


if __name__ == "__main__":
    unittest.main()
