"""The picture of README is what its command draws."""
import re
import tempfile
import unittest
import unittest.mock
from pathlib import Path

from reproduction.common import plots, records
from reproduction.timeline import picture

PAGE = records.ROOT / "docs" / picture.FILE
TEXT = re.compile(r"<text[^>]*>([^<]*)</text>")
# Bars, each with its colour and outline.
BAR = re.compile(r"fill: (#\w{6})\"")


class Command(unittest.TestCase):
    def test_values_by_virtual_rank_are_put_in_the_order_of_ranks(self):
        self.assertEqual(picture.by_rank([0, 2, 1], [10, 30, 20]), [10, 20, 30])

    def test_a_program_that_is_not_there_is_named(self):
        with self.assertRaisesRegex(records.RunError, "starling is not built"):
            with unittest.mock.patch.dict("os.environ", {"STARLING_BUILD": "/nowhere"}):
                picture.simulate()


@unittest.skipUnless(plots.is_available(), f"there is no {plots.PACKAGE}")
@unittest.skipUnless(records.program_path("starling").is_file(), "starling is not built")
class Picture(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.call = picture.simulate()

    def drawn(self, folder):
        path = Path(folder) / picture.FILE
        picture.draw(self.call, path)
        return path.read_text(encoding="utf-8")

    def test_it_says_what_the_simulator_says_today(self):
        """Versions of matplotlib differ in bytes, so that only texts and the bars' colours are compared."""
        with tempfile.TemporaryDirectory() as folder:
            fresh, kept = self.drawn(folder), PAGE.read_text(encoding="utf-8")
        self.assertEqual(TEXT.findall(kept), TEXT.findall(fresh), "make it anew: tools/lab/reproduce timeline")
        self.assertEqual(BAR.findall(kept), BAR.findall(fresh), "make it anew: tools/lab/reproduce timeline")

    def test_the_same_call_has_the_same_bytes(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(self.drawn(folder), self.drawn(folder))

    def test_each_algorithm_has_its_time_after_the_last_arrival(self):
        with tempfile.TemporaryDirectory() as folder:
            texts = TEXT.findall(self.drawn(folder))
        for row in self.call["algorithms"]:
            self.assertIn(picture.title(row["algorithm"], row["post_arrival"]), texts)

    def test_no_rank_does_anything_outside_its_call(self):
        for timeline in self.call["timelines"]:
            self.assertEqual(len(timeline["exits"]), self.call["ranks"])
            self.assertLessEqual(max(transfer["end"] for transfer in timeline["transfers"]), max(timeline["exits"]))


if __name__ == "__main__":
    unittest.main()
