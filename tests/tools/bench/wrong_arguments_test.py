"""Gives the small measuring programs arguments that they do not take: wrong_arguments_test.py FOOTPRINT SETUP_COST RANKING_COST."""
import subprocess
import sys
import unittest

FOOTPRINT, SETUP_COST, RANKING_COST = sys.argv[1:4]


class WrongArgumentsTest(unittest.TestCase):
    def assert_refused(self, program, *words):
        process = subprocess.run([program, *words], capture_output=True, text=True, timeout=30, check=False)
        self.assertEqual(process.returncode, 2, words)
        self.assertRegex(process.stderr, r"\Ausage: .*\n\Z")
        self.assertEqual(process.stdout, "")

    def test_footprint(self):
        for words in (["x"], ["8x"], [""], ["1"], ["-5"], ["99999999999"], ["100001"], ["8", "9"]):
            self.assert_refused(FOOTPRINT, *words)

    def test_ranking_cost(self):
        for words in ([], ["--loss"], ["x"], ["8", "8x"], ["1"], ["99999999999"], ["--gain", "8"],
                      ["--ranks-per-node", "8"], ["8", "--ranks-per-node"], ["--ranks-per-node", "1", "8"]):  # fmt: skip
            self.assert_refused(RANKING_COST, *words)

    def test_setup_cost(self):
        for value in ("5x", "0", "", "5,", ",5", "99999999999"):
            self.assert_refused(SETUP_COST, "--calls", value)
        for words in (["--calls"], ["--count", "1,2"], ["--rounds", "4294967297"], ["--unknown", "1"], ["5"]):
            self.assert_refused(SETUP_COST, *words)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
