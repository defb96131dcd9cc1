"""What tools/lab/harmless does, and what it is about: harmless_test.py HARMLESS BUILD MPIRUN..."""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HARMLESS, BUILD, MPIRUN = sys.argv[1], Path(sys.argv[2]), sys.argv[3:]
STARLING = BUILD / "bin" / "starling"
# One schedule step per segment: many times as slow as the MPI library on any machine.
SLOW = "slt:segments=512"
COUNT = 16384  # floats


def harmless(*arguments):
    environment = {**os.environ, "STARLING_BUILD": str(BUILD)}
    return subprocess.run([HARMLESS, *arguments], env=environment, capture_output=True, text=True, timeout=200, check=False)


class CommandTest(unittest.TestCase):
    def test_loops_are_run_plain_learning_and_on_what_was_learned(self):
        process = harmless("-n", "1", "--ranks", "2", "--sizes", "4,64", "--types", "float,char")
        self.assertEqual(process.returncode, 0, process.stderr)
        self.assertEqual(process.stdout.count("geometric mean"), 2)
        self.assertIn("2 ranks, char, medians of n = 1 runs", process.stdout)
        self.assertRegex(process.stdout, r"(?m)^ +64 +\d+\.\d\d +\d+\.\d\d +\d+\.\d{3}")

    def test_bad_input_gets_one_clear_error(self):
        for arguments, sentence in (
            (("-n", "0"), "give 1 run or more"),
            (("--sizes", "5"), "5 is none of 4, 8"),
            (("--types", "int"), "int is none of float, char"),
            (("--ranks", "1"), "give numbers of ranks, 2 or more each"),
        ):
            process = harmless(*arguments)
            self.assertEqual(process.returncode, 2)
            self.assertIn(sentence, process.stderr)


class WrongChoiceTest(unittest.TestCase):
    """In a loop of this kind, from one place and without anything between the calls."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="starling-harmless-test-")
        self.addCleanup(self.folder.cleanup)

    def loop(self, database, calls):
        environment = {**os.environ, "STARLING_DB": str(database), "LD_PRELOAD": str(BUILD / "lib/libstarling_preload.so"),
                       "STARLING_PREPARE": "always"}  # fmt: skip
        words = [*MPIRUN, "-n", "2", str(BUILD / "bin/starling-bench"), "--back-to-back", "--count", str(COUNT)]
        process = subprocess.run([*words, "--warmup", "0", "--iterations", str(calls)], env=environment,
                                 capture_output=True, text=True, timeout=100, check=False)  # fmt: skip
        self.assertEqual(process.returncode, 0, process.stderr)

    def starling(self, database, *words):
        process = subprocess.run([STARLING, "--db", database, *words], capture_output=True, text=True, check=False)
        self.assertEqual(process.returncode, 0, process.stderr)
        return process.stdout

    def test_what_was_chosen_wrongly_is_given_up(self):
        learned, planted = (Path(self.folder.name) / name for name in ("learned.db", "planted.db"))
        self.loop(learned, 500)
        document = json.loads(self.starling(learned, "export"))
        self.assertEqual(len(document["policies"]), 1)
        document["policies"][0] |= {"choice": SLOW, "table": [], "lateness_ns": []}
        file = Path(self.folder.name) / "policies.json"
        file.write_text(json.dumps(document), encoding="utf-8")
        self.starling(planted, "import", file)
        self.loop(planted, 500)
        decisions = json.loads(self.starling(planted, "decisions", "--json"))
        self.assertIn(SLOW, json.dumps(decisions), "it was never in use")
        last = json.loads(self.starling(planted, "export"))["policies"][0]
        self.assertNotEqual(last["choice"], SLOW)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
