"""What tools/lab/start_cost does: start_cost_test.py START_COST PRELOAD_LIBRARY"""
import subprocess
import sys
import unittest

START_COST, LIBRARY = sys.argv[1:3]


def start_cost(*arguments):
    return subprocess.run([START_COST, "--library", LIBRARY, *arguments], capture_output=True, text=True, check=False)


class StartCostTest(unittest.TestCase):
    def test_a_command_is_started_with_the_library_and_without(self):
        code = ("import os; path = os.environ.get('LD_PRELOAD', 'none'); "
                "maps = open('/proc/self/maps').read(); os.write(2, f'{path} {path in maps}\\n'.encode())")
        result = start_cost("-n", "2", "--", sys.executable, "-c", code)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stderr, f"none False\n{LIBRARY} True\n" * 2)
        self.assertRegex(result.stdout, r"^without +\d+\.\d\d ms .*\nwith +\d+\.\d\d ms .*\ndifference of medians .*, 2 runs")

    def test_a_command_that_fails_has_no_cost(self):
        result = start_cost("-n", "2", "--", "false")
        self.assertEqual(result.returncode, 1)
        self.assertIn("the command failed: false", result.stderr)

    def test_one_run_is_too_few(self):
        result = start_cost("-n", "1", "--", "true")
        self.assertEqual(result.returncode, 2)
        self.assertIn("2 at least", result.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
