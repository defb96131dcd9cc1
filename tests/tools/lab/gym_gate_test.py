"""What tools/lab/gym_gate takes for worse: gym_gate_test.py GYM_GATE"""
import importlib.machinery
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("gym_gate", sys.argv[1])
gate = importlib.util.module_from_spec(importlib.util.spec_from_loader("gym_gate", loader))
loader.exec_module(gate)

PLAYED = [
    {"world": 7, "regret": 0.10, "worst_stretch": 1.0, "left_wrongly": True, "missed": False},
    {"world": 8, "regret": 0.30, "worst_stretch": 1.0},
    {"world": 9, "regret": 0.20, "worst_stretch": 1.2, "left_wrongly": False, "missed": True, "claimed_wrongly": True},
]


class FiguresTest(unittest.TestCase):
    def test_shares_are_of_all_worlds_and_faults_are_counted(self):
        found = gate.figures(PLAYED)
        self.assertAlmostEqual(found["regret, median"], 0.20)
        self.assertAlmostEqual(found["regret, 95%"], 0.29)
        self.assertAlmostEqual(found["share of native's, worst 50 calls, 95%"], 1.18)
        self.assertEqual(found["worlds left native wrongly"], 1)
        self.assertEqual(found["worlds missed a gain"], 1)
        self.assertEqual(found["worlds told a wrong gain"], 1)

    def test_the_worlds_of_most_regret_are_named(self):
        self.assertEqual(gate.worst_of(PLAYED, 2), [8, 9])


class BoundsTest(unittest.TestCase):
    def test_what_was_recorded_is_within_its_bounds(self):
        found = gate.figures(PLAYED)
        self.assertEqual(gate.faults_of(gate.bounds_of(found), found), [])

    def test_there_is_a_little_room(self):
        bounds = gate.bounds_of({"regret, median": 0.2, "worlds missed a gain": 1})
        self.assertEqual(bounds, {"regret, median": 0.22, "worlds missed a gain": 2})

    def test_more_is_told_with_its_bound(self):
        bounds = {"regret, median": 0.22, "worlds missed a gain": 2}
        self.assertEqual(
            gate.faults_of(bounds, {"regret, median": 0.2211, "worlds missed a gain": 3}),
            ["regret, median: 22.11 %, and at most 22.00 % is allowed",
             "worlds missed a gain: 3, and at most 2 is allowed"],
        )  # fmt: skip


class RecordedTest(unittest.TestCase):
    def test_worlds_are_of_all_kinds(self):
        recorded = json.loads(gate.RECORDED.read_text(encoding="utf-8"))
        worlds = recorded["worlds"]
        self.assertEqual(len(set(worlds)), 40)
        # Kinds take turns as tools/gym/world.cc makes worlds: of 11 programs in turn the first and the last 5 have one key.
        self.assertEqual({world % 11 for world in worlds}, set(range(11)), "arrivals")
        self.assertEqual({world // 11 % 8 for world in worlds}, set(range(8)), "noise")
        self.assertLessEqual(set(range(6)), {world // 88 % 11 for world in worlds}, "programs")
        self.assertEqual(set(recorded["bounds"]), set(gate.figures(PLAYED)))

    def test_a_program_that_is_not_built_is_told(self):
        with tempfile.TemporaryDirectory() as folder:
            process = subprocess.run(
                [sys.executable, sys.argv[1]], capture_output=True, text=True, check=False,
                env={**os.environ, "STARLING_BUILD": folder},
            )  # fmt: skip
        self.assertEqual((process.returncode, process.stdout), (1, ""))
        self.assertRegex(process.stderr, r"\Atools/lab/gym_gate: .*is starling-gym built.*\n\Z")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
