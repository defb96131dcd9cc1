"""What count_results takes from the files that CTest writes."""

import unittest
import xml.etree.ElementTree as xml

from count_results import Results


def count(name, status, output="", skipped=""):
    """What a file of one test counts."""
    test = xml.Element("testcase", name=name, status=status)
    if skipped:
        xml.SubElement(test, "skipped", message=skipped)
    xml.SubElement(test, "system-out").text = output
    results = Results()
    results.add(test)
    return results.passed, results.failed, results.skipped


class OtherTestsTest(unittest.TestCase):
    """Tests that are no program of GoogleTest, or whose ranks are."""

    def test_each_counts_once(self):
        output = "[       OK ] Ring.sends (0 ms)\n" * 4
        self.assertEqual(count("mpi.ring.np4", "run", output), (1, [], []))
        self.assertEqual(count("mpi.ring.np4", "fail", output), (0, ["mpi.ring.np4"], []))

    def test_what_was_not_run_has_failed(self):
        self.assertEqual(count("lab.gate", "notrun"), (0, ["lab.gate"], []))

    def test_what_skipped_itself_is_named(self):
        self.assertEqual(count("lab.gate", "notrun", skipped="SKIP_RETURN_CODE=77"), (0, [], ["lab.gate"]))


class UnitTestsTest(unittest.TestCase):
    """Programs whose cases count."""

    def test_each_case_counts(self):
        output = (
            "[==========] Running 3 tests from 2 test suites.\n"
            "[ RUN      ] Ring.sends\n[       OK ] Ring.sends (0 ms)\n"
            "[ RUN      ] AllRanks/Ring.ends/0\nno newline[       OK ] AllRanks/Ring.ends/0 (12 ms)\n"
            "[ RUN      ] Typed/1.ends\n[       OK ] Typed/1.ends (12 ms)\n"
            "[  PASSED  ] 3 tests.\n"
        )
        self.assertEqual(count("unit.algos.ring", "run", output), (3, [], []))

    def test_failed_cases_are_named_once(self):
        output = (
            "[ RUN      ] Ring.sends\n[       OK ] Ring.sends (0 ms)\n"
            "[ RUN      ] All/Ring.ends/0\n[  FAILED  ] All/Ring.ends/0, where GetParam() = 1 (12 ms)\n"
            "[  PASSED  ] 1 test.\n[  FAILED  ] 1 test, listed below:\n"
            "[  FAILED  ] All/Ring.ends/0, where GetParam() = 1\n\n 1 FAILED TEST\n"
        )
        self.assertEqual(count("unit.algos.ring", "fail", output), (1, ["All/Ring.ends/0"], []))

    def test_the_case_that_did_not_end_has_failed(self):
        output = "[ RUN      ] Ring.sends\n[       OK ] Ring.sends (0 ms)\n[ RUN      ] Ring.ends\nsegmentation"
        self.assertEqual(count("unit.algos.ring", "fail", output), (1, ["Ring.ends"], []))

    def test_skipped_cases_are_named(self):
        output = "[ RUN      ] Ring.ends\n[  SKIPPED ] Ring.ends (0 ms)\n[  SKIPPED ] 1 test, listed below:\n"
        self.assertEqual(count("unit.algos.ring", "run", output), (0, [], ["Ring.ends"]))

    def test_a_program_that_fails_after_its_cases_is_named(self):
        output = "[ RUN      ] Ring.sends\n[       OK ] Ring.sends (0 ms)\nLeakSanitizer: detected memory leaks"
        self.assertEqual(count("unit.algos.ring", "fail", output), (1, ["unit.algos.ring"], []))

    def test_a_program_without_cases_has_failed(self):
        self.assertEqual(count("unit.algos.ring", "run", "[  PASSED  ] 0 tests."), (0, ["unit.algos.ring"], []))
        self.assertEqual(count("unit.algos.ring", "notrun"), (0, ["unit.algos.ring"], []))


if __name__ == "__main__":
    unittest.main()
