"""Which processes a pid file may end."""
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from batch_system import daemons
from requirements import MachineError


class PidFileTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="starling-daemons-test-")
        self.addCleanup(folder.cleanup)
        self.pid_file = Path(folder.name) / "daemon.pid"
        self.boot = daemons.BOOT_ID.read_text().strip()

    def write(self, pid, started, boot=None):
        self.pid_file.write_text(f"{pid} {started} {boot or self.boot}\n")

    def test_a_process_is_known_by_when_it_started(self):
        pid = os.getpid()
        self.write(pid, daemons.start_time(pid))
        self.assertEqual(daemons.running_pid(self.pid_file), pid)
        self.write(pid, daemons.start_time(pid) - 1)
        self.assertIsNone(daemons.running_pid(self.pid_file))
        self.write(pid, daemons.start_time(pid), "another-boot")
        self.assertIsNone(daemons.running_pid(self.pid_file))

    def test_only_the_process_of_the_file_is_ended(self):
        other = subprocess.Popen(["sleep", "60"])
        self.addCleanup(other.wait)
        self.addCleanup(other.kill)
        self.write(other.pid, daemons.start_time(other.pid) + 1)
        daemons.end(self.pid_file)
        self.assertIsNone(other.poll())
        self.assertFalse(self.pid_file.exists())
        self.write(other.pid, daemons.start_time(other.pid))
        daemons.end(self.pid_file)
        self.assertEqual(other.wait(), -9)

    def test_a_file_that_is_missing_or_cut_short_names_nothing(self):
        self.assertIsNone(daemons.running_pid(self.pid_file))
        self.pid_file.write_text("12")
        self.assertIsNone(daemons.running_pid(self.pid_file))
        daemons.end(self.pid_file)
        self.assertFalse(self.pid_file.exists())

    def test_a_process_that_has_only_its_status_left_has_ended(self):
        process = subprocess.Popen(["true"])
        self.addCleanup(process.wait)
        daemons.wait_until(lambda: daemons.start_time(process.pid) is None, 30, "it does not end")


class WaitTest(unittest.TestCase):
    def test_a_wait_in_vain_is_told(self):
        with self.assertRaisesRegex(MachineError, "nothing came"):
            daemons.wait_until(lambda: False, 0, "nothing came")


if __name__ == "__main__":
    unittest.main()
