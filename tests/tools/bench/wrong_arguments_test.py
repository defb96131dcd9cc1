"""Gives the small measuring programs arguments that they do not take: wrong_arguments_test.py FOOTPRINT SETUP_COST RANKING_COST."""
import subprocess
import sys
import unittest

FOOTPRINT, SETUP_COST, RANKING_COST = sys.argv[1:4]


class WrongArgumentsTest(unittest.TestCase):
    def assert_refused(self, program, *words, says=""):
        process = subprocess.run([program, *words], capture_output=True, text=True, timeout=30, check=False)
        self.assertEqual(process.returncode, 2, words)
        self.assertRegex(process.stderr, rf"\A{says}usage: .*\n\Z")
        self.assertEqual(process.stdout, "")

    def test_footprint(self):
        for words in (["x"], ["8x"], [""], ["1"], ["-5"], ["99999999999"], ["100001"], ["8", "9"]):
            self.assert_refused(FOOTPRINT, *words)

    def test_ranking_cost(self):
        for words, fault in (
            ([], "no number of ranks is given"),
            (["--loss"], "no number of ranks is given"),
            (["x"], "x is not a number of ranks"),
            (["8", "8x"], "8x is not a number of ranks"),
            (["1"], "1 is not a number of ranks"),
            (["99999999999"], "99999999999 is not a number of ranks"),
            (["--gain", "8"], "--gain is not a number of ranks"),
            (["--ranks-per-node", "8"], "no number of ranks is given"),
            (["8", "--ranks-per-node"], "--ranks-per-node needs a number of ranks"),
            (["--ranks-per-node", "1", "8"], "1 is not a number of ranks"),
            (["--ranks-per-node", "--loss"], "--loss is not a number of ranks"),
        ):
            self.assert_refused(RANKING_COST, *words, says=f"starling-ranking-cost: {fault}.*\n")

    def test_setup_cost(self):
        for value in ("5x", "0", "", "5,", ",5", "99999999999"):
            self.assert_refused(SETUP_COST, "--calls", value)
        for words in (["--calls"], ["--count", "1,2"], ["--rounds", "4294967297"], ["--unknown", "1"], ["5"]):
            self.assert_refused(SETUP_COST, *words)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
