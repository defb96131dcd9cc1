"""How whole programs are run, and what is known of them afterwards."""
import tempfile
import unittest

from reproduction.common import preloaded, records
from reproduction.common.preloaded import AGAIN, LATER, LEARNING, PLAIN
from reproduction.programs import runs as plan

SHORT = ("conjugate_gradient", "2", "1")


class Programs(unittest.TestCase):
    def test_the_program_of_the_build_is_run_and_others_are_found_by_their_names(self):
        build = preloaded.Build()
        self.assertIn(str(build.folder / "bin" / "conjugate_gradient"), plan.command(build, 2, SHORT))
        self.assertIn("lmp", plan.command(build, 2, ("lmp", "-in", "file")))

    def test_each_round_runs_a_program_plain_learning_and_on_what_it_has_learned(self):
        with tempfile.TemporaryDirectory(prefix="starling-programs-test-") as folder:
            trials = plan.measure(preloaded.Build(), plan.build_timer(folder), 2, SHORT, runs=1)
        self.assertEqual(list(trials), [PLAIN, LEARNING, LATER, AGAIN])
        for way, (trial,) in trials.items():
            self.assertEqual(trial.calls, trials[PLAIN][0].calls, way)
            self.assertGreater(trial.calls, 3, way)
            self.assertGreater(trial.seconds, trial.allreduce, way)
            self.assertGreater(trial.allreduce, 0, way)
            self.assertLess(trial.tuned_calls, trial.calls, way)

    def test_a_program_that_fails_is_told(self):
        with tempfile.TemporaryDirectory(prefix="starling-programs-test-") as folder:
            timer = plan.build_timer(folder)
            with self.assertRaisesRegex(records.RunError, "usage: conjugate_gradient"):
                plan.measure(preloaded.Build(), timer, 2, ("conjugate_gradient", "0"), runs=1)


if __name__ == "__main__":
    unittest.main()
