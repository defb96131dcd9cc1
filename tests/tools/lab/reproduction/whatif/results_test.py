"""How predictions are held against replays, in made-up times."""
import unittest

from reproduction.common import records
from reproduction.whatif import document
from reproduction.whatif import runs as plan
from reproduction.whatif.results import Answer, predictions_in

CASE = plan.CASES[-1]


def answer(predicted, replayed):
    return Answer(CASE, predicted, replayed, "ring", 0.8, None)


class ResultsTest(unittest.TestCase):
    def test_errors_are_those_of_the_prediction(self):
        found = answer({"ring": 1.1, "slt": 1.0, "direct": 1.8}, {"ring": 1.0, "slt": 1.0, "direct": 2.0})
        self.assertAlmostEqual(found.error("ring"), 0.1)
        self.assertAlmostEqual(found.error("direct"), -0.1)
        self.assertEqual(found.within(0.05), ["slt"])
        self.assertEqual(found.loss(), 0)
        self.assertEqual([row[1] for row in document.missed_rows([found])], ["`ring`", "`direct`"])

    def test_what_is_in_force_is_held_against_what_was_recorded(self):
        self.assertAlmostEqual(answer({"ring": 1.0}, {"ring": 1.0}).recorded_error(), 0.25)
        self.assertIsNone(answer({"slt": 1.0}, {"slt": 1.0}).recorded_error())
        self.assertEqual(document.recorded_row(answer({"slt": 1.0}, {"slt": 1.0}))[2:], [None, "0.8", None])

    def test_a_wrong_order_loses_what_the_fastest_would_save(self):
        found = answer({"ring": 1.0, "slt": 1.2}, {"ring": 1.5, "slt": 1.2})
        self.assertAlmostEqual(found.loss(), 0.25)

    def test_native_has_no_prediction(self):
        native = {"algorithm": "native", "predicted": None, "measured": 0.004, "in_force": False}
        ring = {"algorithm": "ring", "predicted": 0.002, "measured": 0.003, "in_force": True}
        told = {"site": 1, "unknown": None, "algorithm": "ring", "algorithms": [native, ring]}
        self.assertEqual(predictions_in([told]), ({"ring": 2.0}, "ring", 3.0))
        with self.assertRaisesRegex(records.RunError, "not recorded"):
            predictions_in([{"site": 1, "unknown": "Costs were not recorded."}])

    def test_sites_are_told_apart(self):
        self.assertEqual(len({case.database() for case in plan.CASES}), len(plan.CASES))
        self.assertEqual(len({case.recording().key() for case in plan.CASES}), len(plan.CASES))
        self.assertIn(f"recorded:{CASE.database()}:1", CASE.replay(["ring", "slt"]).words)


if __name__ == "__main__":
    unittest.main()
