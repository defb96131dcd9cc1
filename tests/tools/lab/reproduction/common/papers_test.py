"""The papers' own figures."""
import unittest

from reproduction.common import papers
from reproduction.proficz import runs


class Papers(unittest.TestCase):
    def test_every_row_has_a_figure_for_every_delay(self):
        for row in papers.PROFICZ_TABLE_3.values():
            self.assertEqual(len(row), len(papers.PROFICZ_DELAYS))
        for pattern in runs.PATTERNS:
            for size in papers.PROFICZ_SIZES:
                for row in papers.PROFICZ_TABLE_4[pattern, size]:
                    self.assertEqual(len(row), len(papers.PROFICZ_DELAYS))
        for row in papers.MARENDIC_TABLE_1.values():
            self.assertEqual(len(row), len(papers.MARENDIC_DELAYS))


if __name__ == "__main__":
    unittest.main()
