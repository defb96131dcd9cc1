"""What is computed from measured times."""
import unittest

from reproduction.common import quantities


class Quantities(unittest.TestCase):
    def test_deviation_is_relative_to_the_paper(self):
        self.assertAlmostEqual(quantities.deviation(110, 100), 0.1)
        self.assertAlmostEqual(quantities.deviation(50, 100), -0.5)

    def test_a_figure_is_met_within_15_percent_on_either_side(self):
        self.assertTrue(quantities.is_met(114.9, 100))
        self.assertTrue(quantities.is_met(85.1, 100))
        self.assertFalse(quantities.is_met(115.1, 100))
        self.assertFalse(quantities.is_met(84.9, 100))

    def test_share_is_one_at_the_bound_and_none_at_the_ring_and_negative_beyond(self):
        self.assertEqual(quantities.share_of_saving(60, 30, 30), 1)
        self.assertEqual(quantities.share_of_saving(60, 60, 30), 0)
        self.assertEqual(quantities.share_of_saving(60, 90, 30), -1)

    def test_there_is_no_share_where_the_ring_is_at_the_bound(self):
        self.assertIsNone(quantities.share_of_saving(30, 20, 30))

    def test_share_of_the_papers_prr_at_1000_ms_is_0_46(self):
        late = [quantities.one_late_post_arrival(time, 1000, 48) for time in (1047.0, 1031.5)]
        bound = quantities.wire_bound(4 * 2**20, 125e6)
        self.assertAlmostEqual(quantities.share_of_saving(late[0], late[1], bound), 0.45, places=2)

    def test_ring_wire_time_is_almost_twice_the_bound(self):
        self.assertAlmostEqual(quantities.ring_wire_time(2, 1e6, 1e9), 1.0)
        self.assertAlmostEqual(quantities.ring_wire_time(4, 1e6, 1e9), 1.5)

    def test_bound_grows_with_the_ranks_that_come_last_together(self):
        self.assertAlmostEqual(quantities.late_bound(4, 1, 10000, 1e6, 1e9), 1.0)
        self.assertAlmostEqual(quantities.late_bound(4, 2, 10000, 1e6, 1e9), 1.25)
        self.assertAlmostEqual(quantities.late_bound(4, 3, 10000, 1e6, 1e9), 1.5)
        self.assertAlmostEqual(quantities.late_bound(4, 4, 10000, 1e6, 1e9), 1.5)

    def test_a_delay_hides_no_more_than_itself(self):
        self.assertAlmostEqual(quantities.late_bound(4, 0, 0, 1e6, 1e9), 1.5)
        self.assertAlmostEqual(quantities.late_bound(4, 1, 0.2, 1e6, 1e9), 1.3)
        self.assertAlmostEqual(quantities.late_bound(4, 1, 0.6, 1e6, 1e9), 1.0)

    def test_implied_ring_holds_the_time_that_was_rounded(self):
        ring, other = 276.4, 246.8
        low, high = quantities.implied_ring(round(other - ring, 1), round(ring / other, 2))
        self.assertTrue(low <= ring <= high)
        self.assertLess(high - low, 25)

    def test_no_more_is_saved_than_the_delay_and_what_was_saved_without_it(self):
        self.assertEqual(quantities.most_saving(5.0, -1.0), 6.0)
        self.assertEqual(quantities.most_saving(5.0, 1.0), 4.0)

    def test_no_ring_is_implied_by_a_speedup_of_1_00(self):
        self.assertIsNone(quantities.implied_ring(-0.9, 1.00))


if __name__ == "__main__":
    unittest.main()
