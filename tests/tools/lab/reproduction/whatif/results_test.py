"""How predictions are held against replays, in made-up times."""
import unittest

from reproduction.common import records
from reproduction.whatif import document
from reproduction.whatif import runs as plan
from reproduction.whatif.results import Answer, predictions_in

CASE = plan.CASES[-1]


def answer(predicted, replayed):
    return Answer(CASE, predicted, replayed, None)


class ResultsTest(unittest.TestCase):
    def test_errors_are_those_of_the_prediction(self):
        found = answer({"ring": 1.1, "slt": 1.0, "direct": 1.8}, {"ring": 1.0, "slt": 1.0, "direct": 2.0})
        self.assertAlmostEqual(found.error("ring"), 0.1)
        self.assertAlmostEqual(found.error("direct"), -0.1)
        self.assertEqual(found.within(0.05), ["slt"])
        self.assertEqual(found.loss(), 0)
        self.assertEqual([row[1] for row in document.missed_rows([found])], ["`ring`", "`direct`"])

    def test_a_wrong_order_loses_what_the_fastest_would_save(self):
        found = answer({"ring": 1.0, "slt": 1.2}, {"ring": 1.5, "slt": 1.2})
        self.assertAlmostEqual(found.loss(), 0.25)

    def test_native_has_no_prediction(self):
        rows = [{"algorithm": "native", "predicted": None}, {"algorithm": "ring", "predicted": 0.002}]
        self.assertEqual(predictions_in([{"site": 1, "unknown": None, "algorithms": rows}]), {"ring": 2.0})
        with self.assertRaisesRegex(records.RunError, "not recorded"):
            predictions_in([{"site": 1, "unknown": "Costs were not recorded."}])

    def test_sites_are_told_apart(self):
        self.assertEqual(len({case.database() for case in plan.CASES}), len(plan.CASES))
        self.assertEqual(len({case.recording().key() for case in plan.CASES}), len(plan.CASES))
        self.assertIn(f"recorded:{CASE.database()}:1", CASE.replay(["ring", "slt"]).words)


if __name__ == "__main__":
    unittest.main()
