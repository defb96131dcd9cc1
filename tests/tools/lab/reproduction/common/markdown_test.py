"""Markdown text, and how numbers are written in it."""
import unittest

from reproduction.common import markdown


class Markdown(unittest.TestCase):
    def test_table_has_a_rule_and_dashes_for_what_is_missing(self):
        text = markdown.table(["", "0 ms"], [["ring", 66.1], ["tuned", None]])
        self.assertEqual(text, "|  | 0 ms |\n| --- | ---: |\n| ring | 66.1 |\n| tuned | - |")

    def test_table_refuses_a_row_of_another_length(self):
        with self.assertRaises(ValueError):
            markdown.table(["", "0 ms"], [["ring", 1, 2]])

    def test_numbers_that_round_to_zero_have_no_sign(self):
        self.assertEqual(markdown.signed_ms(-0.04), "0.0")
        self.assertEqual(markdown.signed_percent(-0.0004), "0.0 %")
        self.assertEqual(markdown.percent(-0.004), "0 %")
        self.assertEqual(markdown.percent(-0.0004, 1), "0.0 %")
        self.assertEqual(markdown.percent(1.0), "100 %")
        self.assertEqual(markdown.percent(0.9956), "99.6 %")
        self.assertEqual(markdown.signed_percent(0.046), "+4.6 %")

    def test_milliseconds_have_three_digits_at_least(self):
        self.assertEqual([markdown.ms(value) for value in (4.213, 66.1, 1047.0)], ["4.21", "66.1", "1047.0"])

    def test_a_range_of_times_that_read_alike_is_one_time(self):
        self.assertEqual(markdown.ms_range([43.11, 43.08]), "43.1")
        self.assertEqual(markdown.ms_range([4.1, 43.08, 9.0]), "4.10 to 43.1")

    def test_wrapped_lines_are_short_and_keep_code_whole(self):
        code = "`tools/lab/simulate -n 48 -- --algorithm ring`"
        text = markdown.wrap("word " * 21 + code + " end")
        self.assertLessEqual(max(map(len, text.splitlines())), markdown.WIDTH)
        self.assertIn(code, text)


if __name__ == "__main__":
    unittest.main()
