"""The document of what learning costs, from made-up worlds."""
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from learning_samples import player, world
from reproduction.common import plots, records
from reproduction.learning import document, runs


class LearningDocument(unittest.TestCase):
    def written(self, worlds, again=None):
        outcomes = [[records.Outcome({}, found, "2026-01-01", "")] for found in (worlds, again or worlds)]
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(records, "measure", side_effect=outcomes):
            made, unexplained = document.write(Path(folder), None, 1)
            self.assertEqual((made, unexplained), ([*runs.first_runs(), *runs.second_runs()], []))
            self.assertTrue((Path(folder) / document.PICTURE).exists())
            return (Path(folder) / document.FILE).read_text(encoding="utf-8")

    @unittest.skipUnless(plots.is_available(), f"there is no {plots.PACKAGE}")
    def test_the_document_is_written_whole(self):
        tuned = player(
            settled=12.0, near_best=7.0, left_wrongly=False, missed=False, claimed_wrongly=True, followed_rank=9.0
        )
        worlds = [world(0, tuned), world(1, arrivals="drift", noise="normal", program="two sizes")]
        text = self.written(worlds, [world(0, player(0.01))])
        self.assertIn("learn in 2 synthetic worlds", text)
        self.assertIn("| regret, median | at most 3.0 % | 2.0 % | met |", text)
        row = "| `tuned` | 2.0 % | 2.0 % | 0.0 % | 0.0 % | 100.0 % | 12 / 12 | 7 / 7 | 9 / 9 | - | 1.10 / 1.10 | 1.10 | 8 |"
        self.assertIn(row, text)
        self.assertIn("| `tuned`, second run | 1.0 % | 1.0 % |", text)
        self.assertIn("| drift | 1 | 2.0 % | 2.0 % | 20.0 % (`epsilon`) | - | - | 1.10 |", text)
        for name in runs.PLAYERS:
            self.assertIn(f"| `{name}` |", text)
        for name, what in runs.RIVALS.items():
            self.assertIn(f"- `{name}` {what[:30]}", text)
        self.assertIn(f"--worlds {runs.WORLDS} ", text)

    @unittest.skipUnless(plots.is_available(), f"there is no {plots.PACKAGE}")
    def test_what_the_regret_is_made_of_is_told_of_all_worlds_and_of_the_worst(self):
        text = self.written([world(0, player(0.03)), world(1, player(0.15))], [world(0, player(0.01))])
        self.assertIn("| that were made to learn | 1.8 % | 3.0 % | 0.2 % | - |", text)
        self.assertIn("| regret, mean | 9.0 % | 15.0 % | 1.0 % | - |", text)
        self.assertIn("| worlds | 2 | 1 | 1 | 0 |", text)

    @unittest.skipUnless(plots.is_available(), f"there is no {plots.PACKAGE}")
    def test_a_regret_below_zero_can_be_drawn(self):
        self.assertIn("-1.0 %", self.written([world(0, player(-0.01))]))

    def test_every_player_has_a_look_of_its_own(self):
        self.assertEqual(set(document.LOOKS), set(runs.PLAYERS))
        self.assertEqual(len({plots.STYLES[look] for look in document.LOOKS.values()}), len(runs.PLAYERS))

    def test_points_are_among_those_that_are_recorded(self):
        for call in document.SHOWN_CALLS:
            self.assertEqual(call % document.CURVE_STEP, 0)
            self.assertLessEqual(call, runs.CALLS)


class LearningRuns(unittest.TestCase):
    def test_every_world_is_played_in_each(self):
        for all_runs in (runs.first_runs(), runs.second_runs()):
            firsts = [int(run.words[run.words.index("--first") + 1]) for run in all_runs]
            worlds = [first + number for first in firsts for number in range(runs.WORLDS_PER_RUN)]
            self.assertEqual(worlds, list(range(runs.WORLDS)))
        self.assertEqual(runs.WORLDS % 968, 0)

    def test_no_two_runs_share_a_record(self):
        all_runs = [*runs.first_runs(), *runs.second_runs()]
        self.assertEqual(len({run.key() for run in all_runs}), len(all_runs))


if __name__ == "__main__":
    unittest.main()
