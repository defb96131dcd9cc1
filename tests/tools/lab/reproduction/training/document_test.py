"""What the document of the training says of made-up loops."""
import unittest

from reproduction.common.markdown import Document
from reproduction.training import document
from reproduction.training import runs as plan
from reproduction.training.cases import CASES
from training_samples import case_results


class Found:
    cases = [case_results(case) for case in CASES]


def rendered(section, *found):
    page = Document("")
    section(page, *found)
    return page.render()


class DocumentTest(unittest.TestCase):
    def test_the_aim_stands_beside_what_is_reached_and_what_could_be(self):
        text = rendered(document.aims, Found)
        # 209 over 206.5 ms in each iteration, and over 200 ms and n beta = 4.66 ms; 36 over 33.5 ms, and over 31.66 ms.
        self.assertIn("| all vary | 1.012 | 1.021 | not met | 1.075 | 1.137 | not met |", text)

    def test_the_papers_saving_is_told_apart_from_that_of_its_allreduce(self):
        text = rendered(document.unmet, Found).replace("\n  ", " ")
        self.assertIn("8.45 ms less, of which its allreduce saved 3.80 ms", text)

    def test_table_5_has_the_paper_and_all_cases_with_its_computation(self):
        text = rendered(document.table_5, Found)
        self.assertIn("| `prr`, paper | 31.9 | 1.119 | 78.60 | 1.042 |", text)
        self.assertEqual(text.count("| `ring`, "), len(CASES))

    def test_loops_are_put_to_the_ring_and_to_native(self):
        text = rendered(document.case_table, Found.cases[0])
        self.assertIn(f"| `{plan.ROWS[3]}` | 33.0 | 6.00 | 6.00 | 80.34 | 1.015 | 1.015 | - |", text)
        times = "33.5 | 6.50 | 6.50 | 80.53 | 1.012 | 1.012 | `slt:segments=130`"
        self.assertIn(f"| tuned, announced, first loop | {times} |", text)
        self.assertIn(f"The best row is `{plan.ROWS[3]}`", text)
        self.assertIn("--as-program --no-announce", text)


if __name__ == "__main__":
    unittest.main()
