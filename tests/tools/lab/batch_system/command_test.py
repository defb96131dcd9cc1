"""What a command in a batch system is given, and how it ends."""
import os
import unittest
from unittest import mock

from batch_system import command


class FakeSlurm:
    """Notes which jobs are ended."""

    def __init__(self):
        self.running = {"1"}
        self.ended = set()

    def environment(self):
        return {**os.environ, "SLURM_CONF": "/lab/slurm.conf"}

    def jobs(self):
        return set(self.running)

    def cancel(self, jobs):
        self.ended |= jobs


class EnvironmentTest(unittest.TestCase):
    def test_it_finds_this_slurm_and_the_build_and_no_other_slurm(self):
        given = {"PATH": "/bin", "SLURM_JOB_ID": "7", "SLURM_CONF": "/other", "STARLING_BUILD": "/built",
                 "OMPI_MCA_mpi_yield_when_idle": "0"}  # fmt: skip
        with mock.patch.dict(os.environ, given, clear=True):
            environment = command.environment_of(FakeSlurm())
        self.assertEqual(environment["SLURM_CONF"], "/lab/slurm.conf")
        self.assertEqual(environment["PATH"], "/built/bin:/bin")
        self.assertEqual(environment["OMPI_MCA_mpi_yield_when_idle"], "0")
        self.assertNotIn("SLURM_JOB_ID", environment)


class RunTest(unittest.TestCase):
    def setUp(self):
        self.slurm = FakeSlurm()
        self.said = []
        patch = mock.patch.object(command.signal, "signal")
        patch.start()
        self.addCleanup(patch.stop)

    def run_command(self, *words, limit=30):
        return command.run(self.slurm, words, limit, self.said.append)

    def test_the_status_is_the_commands(self):
        self.assertEqual(self.run_command("sh", "-c", "exit 7"), 7)
        self.assertEqual(self.run_command("sh", "-c", "kill -9 $$"), 137)
        self.assertEqual((self.said, self.slurm.ended), ([], set()))

    def test_a_command_that_is_not_there_is_told(self):
        self.assertEqual(self.run_command("/no/program"), 127)
        self.assertEqual(self.run_command("/"), 126)
        self.assertEqual(self.said[0], "cannot start /no/program: No such file or directory")

    def test_jobs_that_came_with_a_command_end_with_it(self):
        with mock.patch.object(self.slurm, "jobs", side_effect=[{"1"}, {"1", "2"}]):
            self.assertEqual(self.run_command("sleep", "60", limit=0.1), 124)
        self.assertEqual(self.slurm.ended, {"2"})
        self.assertEqual(self.said, ["the command did not end within 0.1 s and is ended"])


if __name__ == "__main__":
    unittest.main()
