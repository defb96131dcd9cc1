"""What a rank does over time, from the transfers of a call."""
import unittest

from reproduction.timeline import activity


def transfer(source, target, start, end, reduces=True):
    return {"source": source, "target": target, "start": start, "end": end, "reduces": reduces}


class Spans(unittest.TestCase):
    def test_spans_are_one_when_the_pause_between_them_is_shorter(self):
        self.assertEqual(activity.merged([(5, 6), (0, 1), (1.4, 2), (2, 3)], 0.5), [(0, 3), (5, 6)])

    def test_a_span_within_another_does_not_shorten_it(self):
        self.assertEqual(activity.merged([(0, 9), (1, 2)], 0.0), [(0, 9)])

    def test_what_others_cover_is_left_out(self):
        self.assertEqual(activity.without([(0, 10), (12, 14)], [(2, 3), (9, 13)]), [(0, 2), (3, 9), (13, 14)])

    def test_nothing_is_left_when_others_cover_all(self):
        self.assertEqual(activity.without([(1, 2)], [(0, 3)]), [])


class OfRank(unittest.TestCase):
    def test_the_time_between_arrival_and_exit_is_filled_once(self):
        transfers = [transfer(0, 1, 2, 4), transfer(1, 2, 3, 6), transfer(0, 1, 7, 8, reduces=False)]
        shown = activity.of_rank(1, 1, 9, transfers, 0.0)
        self.assertEqual(shown[activity.ADDS], [(2, 4)])
        self.assertEqual(shown[activity.SENDS], [(4, 6)])
        self.assertEqual(shown[activity.RECEIVES], [(7, 8)])
        self.assertEqual(shown[activity.WAITS], [(1, 2), (6, 7), (8, 9)])

    def test_transfers_of_others_are_not_shown(self):
        shown = activity.of_rank(3, 0, 5, [transfer(0, 1, 2, 4)], 0.0)
        self.assertEqual(shown[activity.WAITS], [(0, 5)])


if __name__ == "__main__":
    unittest.main()
