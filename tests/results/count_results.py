#!/usr/bin/env python3
"""Counts the cases in a JUnit file of CTest.

Prints "PASSED FAILED" and the names of what failed. A unit test is a program of GoogleTest, whose cases count; any other
test counts as one. A test that was not run, because its program is missing, has failed. What was skipped does not count
and is named on standard error.
"""

import re
import sys
import xml.etree.ElementTree as xml

UNIT_TEST = "unit."
# What GoogleTest says of a case; of a failed one it says so again at its end.
CASE = re.compile(r"\[ +(RUN|OK|FAILED|SKIPPED) +\] (\w+(?:/\w+)*\.\w+(?:/\w+)*)")


class Results:
    """Of all tests of a run: how many passed, and the names of those that failed or were skipped."""

    def __init__(self):
        self.passed = 0
        self.failed = []
        self.skipped = []

    def add(self, test):
        """Adds a test of CTest."""
        name = test.get("name")
        passed = test.get("status") == "run"
        if name.startswith(UNIT_TEST):
            self._add_cases(name, passed, test.findtext("system-out", ""))
        elif any("SKIP" in reason.get("message", "") for reason in test.iter("skipped")):
            self.skipped.append(name)
        elif passed:
            self.passed += 1
        else:
            self.failed.append(name)

    def _add_cases(self, name, passed, output):
        # Of a case that ended the program, or that the time limit ended, only its beginning is told.
        outcomes = {case: outcome for outcome, case in CASE.findall(output)}
        self.passed += sum(outcome == "OK" for outcome in outcomes.values())
        self.skipped += [case for case, outcome in outcomes.items() if outcome == "SKIPPED"]
        failed = [case for case, outcome in outcomes.items() if outcome in ("FAILED", "RUN")]
        if not failed and (not passed or not outcomes):
            failed = [name]
        self.failed += failed


def main():
    """Counts the results in the file that the command line names."""
    results = Results()
    for test in xml.parse(sys.argv[1]).getroot().iter("testcase"):
        results.add(test)
    if results.skipped:
        print("skipped by themselves, not counted:", *results.skipped, file=sys.stderr)
    print(results.passed, len(results.failed), *results.failed)


if __name__ == "__main__":
    main()
