"""What is kept of a run, and when runs are made."""
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from reproduction.common import records
from samples import HEADER, result


class Records(unittest.TestCase):
    RUN = records.Run(("tools/lab/simulate", "-n", "4"), "no-such-program")

    def test_key_depends_on_words_and_context_alone(self):
        same = records.Run(self.RUN.words, "other", memory=7)
        self.assertEqual(self.RUN.key(), same.key())
        self.assertNotEqual(self.RUN.key(), records.Run((*self.RUN.words, "-q"), "no-such-program").key())
        self.assertNotEqual(self.RUN.key(), records.Run(self.RUN.words, "no-such-program", "-n 8").key())
        self.assertNotEqual(records.Run(("ab", "c"), "").key(), records.Run(("a", "bc"), "").key())

    def test_what_was_stored_is_loaded_unless_fresh(self):
        with tempfile.TemporaryDirectory() as folder:
            records.Cache(folder).store(self.RUN, "build", [HEADER, result(count=7, delay=5.0)])
            outcome = records.Cache(folder).load(self.RUN)
            self.assertEqual(outcome.find("ring", 7, 5)["count"], 7)
            self.assertEqual(outcome.build, "build")
            self.assertIsNone(records.Cache(folder, fresh=True).load(self.RUN))
            self.assertEqual([path.suffix for path in Path(folder).iterdir()], [".json"])

    def test_a_fresh_cache_knows_what_it_measured_itself(self):
        with tempfile.TemporaryDirectory() as folder:
            cache = records.Cache(folder, fresh=True)
            cache.store(self.RUN, "", [HEADER, result()])
            self.assertIsNotNone(cache.load(self.RUN))

    def test_a_damaged_record_is_told(self):
        with tempfile.TemporaryDirectory() as folder:
            cache = records.Cache(folder)
            cache.path(self.RUN).write_text("{", encoding="utf-8")
            with self.assertRaisesRegex(records.RunError, "remove it"):
                cache.load(self.RUN)

    def test_wrong_sums_are_no_record(self):
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaisesRegex(records.RunError, "wrong sums of slt"):
                records.Cache(folder).store(self.RUN, "", [HEADER, result("slt", wrong=3)])
            self.assertEqual(list(Path(folder).iterdir()), [])

    def test_results_are_found_with_and_without_parameters(self):
        outcome = records.Outcome(HEADER, [result("slt:segments=8"), result("slt"), result("prr:tau_ns=5")], "", "")
        self.assertEqual(outcome.find("slt")["choice"], "slt")
        self.assertEqual(outcome.find("slt:segments=8")["choice"], "slt:segments=8")
        self.assertEqual(outcome.find("prr")["choice"], "prr:tau_ns=5")
        with self.assertRaises(KeyError):
            outcome.find("ring")

    def test_a_failing_run_does_not_stop_the_others(self):
        failing = records.Run((sys.executable, "-c", "import sys; sys.exit('no such cluster')"), "any")
        writing = records.Run(
            (sys.executable, "-c", f"import json, sys; print(json.dumps({HEADER!r}), file=open(sys.argv[2], 'w'))"),
            "any",
        )
        with tempfile.TemporaryDirectory() as folder, mock.patch.dict("os.environ", STARLING_BUILD=folder):
            (Path(folder) / "bin").mkdir()
            (Path(folder) / "bin" / "any").touch()
            cache = records.Cache(folder)
            failures = records.attempt([failing, writing], cache)
            self.assertEqual(len(failures), 1)
            self.assertIn("no such cluster", failures[0])
            self.assertEqual(cache.load(writing).header, HEADER)
            with self.assertRaises(records.RunError):
                records.measure([failing, writing], cache)

    def test_a_run_that_begins_with_its_program_is_that_of_the_build_folder(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.dict("os.environ", STARLING_BUILD=folder):
            (Path(folder) / "bin").mkdir()
            program = Path(folder) / "bin" / "worlds"
            program.write_text('#!/bin/sh\n[ $# = 4 ] && echo \'{"record": "world", "world": 7}\' > "$4"\n')
            program.chmod(0o755)
            run = records.Run(("worlds", "--first", "7"), "worlds", flags=())
            (outcome,) = records.measure([run], records.Cache(folder))
            self.assertEqual((outcome.header, outcome.results), ({}, [{"record": "world", "world": 7}]))

    def test_no_run_is_tried_without_its_program(self):
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaisesRegex(records.RunError, "no-such-program is not built: run `tools/setup"):
                records.attempt([self.RUN], records.Cache(folder))

    def test_one_run_may_take_more_memory_than_there_is(self):
        gate = records.MemoryGate(limit=10)
        gate.enter(100)
        gate.leave(100)
        self.assertEqual(gate.used, 0)


if __name__ == "__main__":
    unittest.main()
