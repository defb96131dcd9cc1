"""Slurm on one machine as a user has it, and Starling under it: slurm_test.py CASE SLURM BUILD_FOLDER

Exits with 77, which CTest counts as skipped, where the machine cannot do what the case needs.
"""
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

CASE, SLURM, BUILD = sys.argv[1:4]
STATE_ROOT = Path("/var/lib/starling-lab")
NAME = f"test{os.getpid()}"
STARLING = f"{BUILD}/bin/starling"
LOOP = f"{BUILD}/bin/training_loop"
PRELOAD = f"{BUILD}/lib/libstarling_preload.so"
SKIPPED = 77


def lab(*words, name=NAME, **variables):
    """Runs tools/lab/slurm to its end."""
    environment = {**os.environ, "STARLING_LAB_NAME": name, "STARLING_BUILD": BUILD, **variables}
    return subprocess.run(
        [SLURM, *words], env=environment, capture_output=True, text=True, timeout=200, check=False
    )


def wait_for(holds, what):
    deadline = time.monotonic() + 60
    while not holds():
        if time.monotonic() > deadline:
            raise AssertionError(f"waited 60 s for {what}")
        time.sleep(0.05)


def running(words):
    """The processes whose command line these words are."""
    wanted = "\0".join(words).encode() + b"\0"
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if (process / "cmdline").read_bytes() == wanted:
                found.append(process.name)
        except OSError:
            pass  # it has ended meanwhile
    return found


def end_leftovers():
    """Ends what earlier tests have left that were killed."""
    for folder in STATE_ROOT.glob("test[0-9]*"):
        if not Path("/proc", folder.name.removeprefix("test")).exists():
            lab("down", name=folder.name)


def why_not():
    """Why the case cannot run Slurm here; None where it can."""
    if CASE == "jobs" and Path("/tmp") in Path(BUILD).resolve().parents:
        return "what is built below /tmp is not seen on the nodes, each of which has a /tmp of its own"
    asked = lab("status")
    return asked.stderr.strip() if asked.returncode == 1 else None


class LabTest(unittest.TestCase):
    def refuses(self, status, text, *words, **variables):
        """The command fails with this exit status and one line that has the text in it."""
        process = lab(*words, **variables)
        self.assertEqual(process.returncode, status, process.stderr)
        self.assertIn(text, process.stderr)
        self.assertEqual(process.stderr.count("\n"), 1, process.stderr)

    def prints(self, text, *words, status=0):
        """The command ends with this exit status and prints this line alone."""
        process = lab(*words)
        self.assertEqual((process.returncode, process.stdout), (status, text + "\n"), process.stderr)


class ArgumentsTest(LabTest):
    def test_help_names_the_commands(self):
        process = lab("--help")
        self.assertEqual(process.returncode, 0, process.stderr)
        for command in ("up", "run", "down", "status"):
            self.assertIn(f"\n    {command} ", process.stdout)

    def test_what_is_not_understood_is_said_in_one_sentence(self):
        self.refuses(2, "COMMAND")
        self.refuses(2, "swim", "swim")
        self.refuses(2, "'0' is no whole number from 1 to 16", "up", "-n", "0")
        self.refuses(2, "'17' is no whole number from 1 to 16", "up", "-n", "17")
        self.refuses(2, "'many' is no whole number from 1 to 64", "up", "--cpus", "many")
        self.refuses(2, "unrecognized arguments: now", "down", "now")
        self.refuses(2, "stands after --", "run")
        self.refuses(2, "stands after --", "run", "--")
        self.refuses(2, "stands after --", "up", "--", "true")
        self.refuses(2, "unrecognized arguments: hostname", "run", "hostname")
        self.refuses(2, "'0' is no whole number", "run", "--timeout", "0", "--", "true")
        self.refuses(2, "is no name", "status", STARLING_LAB_NAME="No/Name")

    def test_what_is_missing_is_said_in_one_sentence(self):
        if os.geteuid() != 0:
            self.refuses(1, "need root", "up")
            return
        with tempfile.TemporaryDirectory(prefix="starling-slurm-test-") as folder:
            os.symlink(sys.executable, f"{folder}/python3")
            self.refuses(1, "install the Debian package munge", "up", PATH=folder)
            lab_copy = shutil.copytree(Path(SLURM).parent, f"{folder}/lab")
            for path in (folder, lab_copy):
                os.chmod(path, 0o755)
            process = subprocess.run(
                ["setpriv", "--reuid", "65534", "--clear-groups", f"{lab_copy}/slurm", "up"],
                capture_output=True, text=True, check=False,
            )  # fmt: skip
        self.assertEqual((process.returncode, process.stderr.count("\n")), (1, 1), process.stderr)
        self.assertIn("run this with sudo", process.stderr)


class StateTest(LabTest):
    """up, down and what is left when something is killed."""

    def tearDown(self):
        self.assertEqual(lab("down").returncode, 0)
        self.assertFalse((STATE_ROOT / NAME).exists())

    def in_background(self, *words, **variables):
        environment = {**os.environ, "STARLING_LAB_NAME": NAME, **variables}
        process = subprocess.Popen(
            [SLURM, *words], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def pid_of(self, daemon):
        return int((STATE_ROOT / NAME / f"{daemon}.pid").read_text().split()[0])

    def test_up_and_down_may_be_said_twice(self):
        self.prints("down", "status", status=3)
        self.refuses(1, "Slurm is down", "run", "--", "true")
        self.prints("up: -n 2 --cpus 3", "up", "--cpus", "3")
        self.prints("already up: -n 2 --cpus 3", "up", "-n", "2", "--cpus", "3")
        self.refuses(1, "up with another shape (-n 2 --cpus 3)", "up", "-n", "1")
        self.prints("up: tools/lab/slurm up -n 2 --cpus 3", "status")
        daemons = [self.pid_of(name) for name in ("munge", "controller", "n1", "n2")]
        self.prints("down", "down")
        self.assertEqual([pid for pid in daemons if Path(f"/proc/{pid}/exe").exists()], [])
        self.prints("down", "down")

    def path_with(self, name, script):
        """A PATH on which a script stands in for a program."""
        folder = tempfile.TemporaryDirectory(prefix="starling-slurm-test-")
        self.addCleanup(folder.cleanup)
        program = Path(folder.name, name)
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
        return f"{folder.name}:{os.environ['PATH']}"

    def test_a_daemon_that_does_not_start_is_told(self):
        path = self.path_with("slurmctld", "echo 'error: first' >&2; echo 'fatal: second' >&2; exit 1")
        self.refuses(1, "controller does not start; it says: fatal: second", "up", PATH=path)
        self.prints("down", "status", status=3)

    def up_that_waits_for_ever(self):
        """It has started all daemons and believes that the nodes are not ready, because sinfo fails."""
        process = self.in_background("up", "-n", "1", PATH=self.path_with("sinfo", "exit 1"))
        wait_for((STATE_ROOT / NAME / "n1.pid").exists, "the node's pid file")
        return process

    def test_what_was_killed_is_found_and_made_anew(self):
        killed = self.up_that_waits_for_ever()
        killed.kill()
        killed.wait()
        self.prints("not whole; run: tools/lab/slurm down", "status", status=3)
        self.refuses(1, "Slurm is not whole", "run", "--", "true")
        self.prints("up: -n 1 --cpus 4", "up", "-n", "1")
        self.prints("down", "down")
        interrupted = self.up_that_waits_for_ever()
        interrupted.send_signal(signal.SIGTERM)
        self.assertEqual(interrupted.wait(60), 143)
        self.assertFalse((STATE_ROOT / NAME).exists())
        self.prints("up: -n 1 --cpus 4", "up", "-n", "1")
        os.kill(self.pid_of("n1"), signal.SIGKILL)
        wait_for(lambda: lab("status").returncode == 3, "the end of a node")
        self.prints("up: -n 1 --cpus 4", "up", "-n", "1")

    def test_commands_end_with_their_jobs(self):
        sleeper = [shutil.which("sleep"), f"9{os.getpid()}"]
        job = ["run", "--", "srun", "-n", "2", *sleeper]
        self.prints("up: -n 1 --cpus 4", "up", "-n", "1")
        self.assertEqual(lab("run", "--", "srun", "-n", "1", "sh", "-c", "exit 7").returncode, 7)
        self.refuses(127, "cannot start no-such-program", "run", "--", "no-such-program")
        timed_out = lab("run", "--timeout", "2", *job[1:])
        self.assertEqual(timed_out.returncode, 124)
        self.assertIn("did not end within 2 s", timed_out.stderr)
        wait_for(lambda: not running(sleeper), "the end of the job that took too long")
        interrupted = self.in_background(*job)
        wait_for(lambda: len(running(sleeper)) == 2, "two ranks that sleep")
        interrupted.send_signal(signal.SIGTERM)
        self.assertEqual(interrupted.wait(60), 143)
        wait_for(lambda: not running(sleeper), "the end of the job that was interrupted")
        left = self.in_background(*job)
        wait_for(lambda: len(running(sleeper)) == 2, "two ranks that sleep")
        self.prints("down", "down")
        self.assertEqual(running(sleeper), [])
        self.assertNotEqual(left.wait(60), 0)


class JobsTest(LabTest):
    """Programs under Slurm with Starling: each run has to reach the database."""

    @classmethod
    def setUpClass(cls):
        started = lab("up", "-n", "2", "--cpus", "4")
        if started.returncode != 0:
            raise AssertionError(started.stderr)

    @classmethod
    def tearDownClass(cls):
        lab("down")

    def setUp(self):
        # Not in /tmp, which each node has for itself.
        self.folder = Path(BUILD, "tests", "slurm")
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        self.addCleanup(shutil.rmtree, self.folder)
        self.database = self.folder / "tuning.db"

    def job(self, *words):
        process = lab("run", "--timeout", "120", "--", *words, STARLING_DB=str(self.database), STARLING_PREPARE="always")
        self.assertEqual(process.returncode, 0, process.stdout + process.stderr)
        return process.stdout

    def starling(self, *words):
        environment = {**os.environ, "STARLING_DB": str(self.database)}
        return subprocess.run([STARLING, *words], env=environment, capture_output=True, text=True, check=True).stdout

    def runs(self):
        """(ranks, calls of the loop) of each run that has come to its end."""
        with sqlite3.connect(self.database) as connection:
            return connection.execute(
                "SELECT communicators.size, max(keys.calls) FROM runs JOIN communicators ON communicators.run = "
                "runs.number JOIN keys ON keys.communicator = communicators.number WHERE runs.finished IS NOT NULL "
                "GROUP BY runs.number"
            ).fetchall()

    def allocated(self, *words):
        return self.job("salloc", "--quiet", "-N", "2", "--ntasks-per-node=2", *words)

    def test_srun_preloads(self):
        # Late by so much that no scheduling of four ranks on few cores can hide it.
        self.job("srun", "-N", "2", "--ntasks-per-node=2", f"--export=ALL,LD_PRELOAD={PRELOAD}", LOOP,
                 "--iterations", "40", "--late-rank", "2", "--late-ms", "200", "--compute-ms", "1")  # fmt: skip
        self.assertEqual(self.runs(), [(4, 40)])
        self.assertIn("Rank 2 stands out", self.starling("arrivals", "1"))

    def test_starling_run_in_an_allocation_by_mpirun(self):
        self.allocated("starling", "run", "--", LOOP, "--iterations", "20")
        self.assertEqual(self.runs(), [(4, 20)])

    def test_starling_run_in_an_allocation_by_srun(self):
        self.allocated("starling", "run", "--launcher", "srun", "--", LOOP, "--iterations", "20")
        self.assertEqual(self.runs(), [(4, 20)])

    def test_starling_run_by_srun_keeps_what_the_user_exports(self):
        environment = self.job("starling", "run", "--launcher", "srun", "--export=GIVEN=yes", "-n", "1", "--",
                               "/usr/bin/env")  # fmt: skip
        lines = environment.splitlines()
        for wanted in ("GIVEN=yes", f"STARLING_DB={self.database}", f"LD_PRELOAD={PRELOAD}"):
            self.assertIn(wanted, lines)
        self.assertNotIn("OMPI_MCA_mpi_yield_when_idle=1", lines)

    def test_several_programs_side_by_side_by_mpirun(self):
        self.allocated("starling", "run", "-n", "1", "--", LOOP, "--iterations", "20", ":", "-n", "3", LOOP,
                       "--iterations", "20", "--compute-ms", "6")  # fmt: skip
        self.assertEqual(self.runs(), [(4, 20)])

    def test_several_programs_side_by_side_by_srun(self):
        programs = self.folder / "programs"
        programs.write_text(f"0 {LOOP} --iterations 20\n1-3 {LOOP} --iterations 20 --compute-ms 6\n")
        self.allocated("starling", "run", "--launcher", "srun", "--multi-prog", "--", str(programs))
        self.assertEqual(self.runs(), [(4, 20)])

    def test_an_array_of_jobs_shares_a_database(self):
        script = self.folder / "array.sh"
        script.write_text(f"#!/bin/sh\nstarling run --launcher srun -- {LOOP} --iterations 20\n")
        self.job("sbatch", "--array=1-4", "--ntasks=2", f"--output={self.folder}/array-%a.txt", str(script))
        wait_for(lambda: self.job("squeue", "--noheader") == "", "the end of the jobs")
        said = "".join(each.read_text() for each in sorted(self.folder.glob("array-*.txt")))
        self.assertEqual(self.runs(), [(2, 20)] * 4, said)

    def test_doctor_says_what_starts_ranks(self):
        findings = json.loads(self.job("salloc", "--quiet", "-n", "1", "starling", "doctor", "--json"))
        (found,) = [each for each in findings if each["subject"] == "batch system"]
        self.assertEqual(found["health"], "ok", found)
        self.assertRegex(found["text"], r"^in Slurm job \d+; .*/srun starts ranks by pmix ")


def main():
    suite = {"arguments": ArgumentsTest, "state": StateTest, "jobs": JobsTest}[CASE]
    if suite is not ArgumentsTest:
        reason = why_not()
        if reason:
            print(f"SKIPPED: {reason}")
            return SKIPPED
        end_leftovers()
    try:
        tests = unittest.defaultTestLoader.loadTestsFromTestCase(suite)
        return 0 if unittest.TextTestRunner(verbosity=2).run(tests).wasSuccessful() else 1
    finally:
        if suite is not ArgumentsTest:
            lab("down")


if __name__ == "__main__":
    sys.exit(main())
