"""The folder of a batch system, its lock and its ports."""
import os
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from batch_system import place
from requirements import MachineError, UsageError


class NameTest(unittest.TestCase):
    def test_a_name_comes_from_the_environment(self):
        with mock.patch.dict(os.environ, {"STARLING_LAB_NAME": "second-lab"}):
            self.assertEqual(place.lab_name(), "second-lab")

    def test_a_name_is_no_path(self):
        for wrong in ("", "../up", "Upper", "a" * 21):
            with mock.patch.dict(os.environ, {"STARLING_LAB_NAME": wrong}):
                self.assertRaises(UsageError, place.lab_name)


class LockTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="starling-place-test-")
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name) / "root"
        patch = mock.patch.object(place, "STATE_ROOT", self.root)
        patch.start()
        self.addCleanup(patch.stop)

    def test_one_holds_it_at_a_time(self):
        with place.locked():
            with self.assertRaises(MachineError), place.locked(seconds=0):
                self.fail("two hold the lock")
        with place.locked(seconds=0):
            pass

    def test_the_folder_goes_when_it_is_empty(self):
        with place.locked():
            (self.root / "lab").mkdir()
        self.assertTrue(self.root.exists())
        with place.locked():
            (self.root / "lab").rmdir()
        self.assertFalse(self.root.exists())


class PortsTest(unittest.TestCase):
    def test_ports_differ(self):
        self.assertEqual(len(set(place.free_ports(20))), 20)

    def test_too_many_are_refused(self):
        self.assertRaises(MachineError, place.free_ports, 2000)


if __name__ == "__main__":
    unittest.main()
