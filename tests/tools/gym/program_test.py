"""The gym's program: what it prints and writes, and what it refuses. program_test.py STARLING_GYM"""
import json
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

GYM = sys.argv[1]
LOSSES = {"lost_to_trials", "lost_to_native", "lost_to_leaving", "lost_to_algorithm", "lost_to_parameters"}
PLAYERS = ["tuned", "native", "star-mpi", "one-each", "epsilon", "ucb1", "thompson", "halving"]


def run(*words):
    return subprocess.run([GYM, *words], capture_output=True, text=True, timeout=100, check=False)


class Plays(unittest.TestCase):
    def test_help_names_options_and_players(self):
        process = run("--help")
        self.assertEqual(process.returncode, 0)
        for word in ("--worlds", "--first", "--calls", "--players", "--jobs", "--json", "--each", "--story", *PLAYERS):
            self.assertIn(word, process.stdout)

    def test_a_row_for_each_player(self):
        process = run("--worlds", "2", "--calls", "500")
        self.assertEqual((process.returncode, process.stderr), (0, ""))
        header, *rows = process.stdout.splitlines()
        self.assertRegex(header, "player +regret")
        self.assertEqual([row.split()[0] for row in rows], PLAYERS)

    def test_only_who_is_named_plays(self):
        process = run("--worlds", "1", "--calls", "500", "--players", "native,one-each")
        self.assertEqual([row.split()[0] for row in process.stdout.splitlines()], ["player", "native", "one-each"])

    def test_each_world_is_told(self):
        process = run("--worlds", "2", "--first", "1", "--calls", "500", "--players", "native", "--each")
        told = [line for line in process.stdout.splitlines() if line.startswith("world")]
        self.assertEqual([line.split(":")[0] for line in told], ["world 1", "world 2"])
        self.assertIn("one late, none noise, one key", told[0])
        self.assertRegex(process.stdout, r"  native +regret +[0-9.]+ %, worst 50 [0-9.]+")

    def test_a_story_says_of_which_world_and_communicator_it_is(self):
        short_lives = str(5 * 88)
        process = run("--worlds", "1", "--first", short_lives, "--calls", "500", "--players", "tuned", "--story")
        self.assertIn(f"world {short_lives}: ", process.stdout)
        self.assertIn("short lives", process.stdout)
        self.assertRegex(process.stdout, r"  communicator 0, call [0-9]+ of line[0-9]+: ")
        self.assertRegex(process.stdout, r"  communicator 24, call [0-9]+ of line[0-9]+: ")

    def test_a_story_has_all_decisions_however_many(self):
        # A staircase of 64 ranks, whose plans followed every change of their arrivals when this was written.
        process = run("--worlds", "1", "--first", "46", "--players", "tuned", "--story")
        self.assertNotIn("older decisions", process.stdout)
        told = r"world 46: .*\n  best of 1000 calls: .*, where native takes .*\n  communicator 0, call ([0-9]+) of "
        first = re.match(told, process.stdout)
        self.assertLess(int(first[1]), 100)

    def test_a_story_ends_with_what_is_believed_and_what_is_true(self):
        process = run("--worlds", "1", "--players", "tuned,native", "--story")
        told = re.findall(r"  at the end (.*): believed .* \+- [0-9]+% \(n=[0-9]+\), in truth .*s\n", process.stdout)
        self.assertIn("native", told, "of the tuner, since the other player believes nothing")
        self.assertEqual(len(told), len(set(told)))


class Json(unittest.TestCase):
    def records(self, *words):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "worlds.json"
            process = run(*words, "--json", str(path))
            self.assertEqual((process.returncode, process.stderr), (0, ""))
            return path.read_text(encoding="utf-8")

    def test_a_line_for_each_world(self):
        text = self.records("--worlds", "3", "--calls", "500", "--players", "tuned,native")
        worlds = [json.loads(line) for line in text.splitlines()]
        self.assertEqual({world["record"] for world in worlds}, {"world"})
        self.assertEqual([world["world"] for world in worlds], [0, 1, 2])
        self.assertEqual([world["arrivals"] for world in worlds], ["balanced", "one late", "staircase"])
        for world in worlds:
            self.assertEqual((world["noise"], world["program"]), ("none", "one key"))
            self.assertGreaterEqual(world["ranks"], 2)
            self.assertGreaterEqual(world["bytes"], 8)
            self.assertEqual(set(world["players"]), {"tuned", "native"})
            for player in world["players"].values():
                self.assertEqual(len(player["curve"]), 25)
                self.assertAlmostEqual(player["curve"][-1], player["regret"])
                self.assertAlmostEqual(sum(player[part] for part in LOSSES), player["regret"])
                self.assertIn("left_wrongly", player)
        self.assertEqual(worlds[0]["players"]["native"]["worst_stretch"], 1.0)

    def test_figures_that_are_not_defined_are_left_out(self):
        text = self.records("--worlds", "1", "--first", "88", "--calls", "500", "--players", "native")
        (player,) = json.loads(text)["players"].values()
        self.assertEqual(set(player), {"regret", *LOSSES, "over_native", "worst_stretch", "exploration_calls", "curve"})

    def test_worlds_side_by_side_and_one_by_one_give_the_same_bytes(self):
        words = ("--worlds", "6", "--first", "4", "--calls", "500")
        self.assertEqual(self.records(*words, "--jobs", "1"), self.records(*words, "--jobs", "3"))

    def test_a_world_is_the_same_whoever_plays_and_whichever_is_first(self):
        alone = json.loads(self.records("--worlds", "1", "--first", "5", "--calls", "500", "--players", "thompson"))
        lines = self.records("--worlds", "3", "--first", "3", "--calls", "500", "--players", "halving,thompson")
        among = json.loads(lines.splitlines()[2])
        self.assertEqual(alone["players"]["thompson"], among["players"]["thompson"])


class Refuses(unittest.TestCase):
    def refused(self, *words, status=2):
        """What is said, in one line."""
        process = run(*words)
        self.assertEqual((process.returncode, process.stdout), (status, ""), words)
        self.assertRegex(process.stderr, r"\Astarling-gym: [^\n]+\n\Z")
        return process.stderr

    def test_players_that_are_not_there_or_named_twice(self):
        self.assertIn("there is no 'nobody'; see the list", self.refused("--players", "native,nobody"))
        self.assertIn("'native' is named twice", self.refused("--players", "native,tuned,native"))

    def test_numbers_that_are_out_of_range_or_none(self):
        for option, values in {
            "--worlds": ("0", "-3", "x", "1000001"),
            "--calls": ("499", "-1", ""),
            "--jobs": ("0", "-1", "2000"),
            "--first": ("-1", "1.5", "x", "99999999999999999999"),
        }.items():
            for value in values:
                self.assertIn(option, self.refused(option, value))

    def test_words_that_it_does_not_know(self):
        self.assertIn("--nonsense", self.refused("--nonsense"))
        self.assertIn("extra", self.refused("extra"))

    def test_a_file_that_cannot_be_written_before_anything_is_played(self):
#Played, these worlds would take longer than the test may.
        words = ("--worlds", "1000000", "--json", "/dev/null/worlds.json")
        self.assertIn("/dev/null/worlds.json cannot be written", self.refused(*words, status=1))

    def test_a_file_without_room_is_told(self):
        process = run("--worlds", "1", "--calls", "500", "--players", "native", "--json", "/dev/full")
        self.assertEqual(process.returncode, 1)
        self.assertIn("/dev/full cannot be written", process.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
