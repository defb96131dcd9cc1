"""The tables of how well the cost model predicts."""
import unittest

from model_samples import comparison
from reproduction.common.markdown import Document
from reproduction.model import tables


class Tables(unittest.TestCase):
    def test_a_row_has_the_range_of_its_errors(self):
        one = comparison({"slt:segments=8": 2}, {"slt:segments=8": 4})
        other = comparison({"slt:segments=9": 3}, {"slt:segments=9": 2})
        document = Document("title")
        tables.row_table(document, [one, other])
        text = document.render()
        self.assertIn("| `slt` | 0.0 % | -50.0 % | +50.0 % | 8 ranks, 16Ki floats, `one-late` 10 ms |", text)
        self.assertIn("Of 2 predictions 0 (0 %) are within 1 %.", text)

    def test_a_case_that_loses_says_who_was_taken_for_whom(self):
        bad = comparison({"ring": 2, "slt:segments=8": 3}, {"ring": 4, "slt:segments=8": 3.2})
        document = Document("title")
        tables.worst_table(document, [bad], 0.03)
        self.assertIn("| 25.0 % | `ring` 4.00 (-50.0 %) | `slt` 3.20 (-6.2 %) |", document.render())
        tables.worst_table(document, [], 0.03)
        self.assertIn("No case loses 3 % or more.", document.render())


if __name__ == "__main__":
    unittest.main()
