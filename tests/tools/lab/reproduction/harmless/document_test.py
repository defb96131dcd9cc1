"""What is said of ratios."""
import unittest

from harmless_samples import times_of
from reproduction.common.markdown import Document
from reproduction.harmless import document, results


class DocumentTest(unittest.TestCase):
    def test_a_section_says_what_is_met(self):
        rows = results.rows_of(times_of([1.0], [1.08], [1.0]))
        page = Document("title")
        document.section(page, 2, "char", rows, 1)
        text = page.render()
        self.assertIn("## 2 ranks, char", text)
        self.assertIn("geometric mean 1.080 (not met), above the limit at 128 bytes.", text)
        self.assertIn("geometric mean 1.000 (met), every size within its limit.", text)


if __name__ == "__main__":
    unittest.main()
