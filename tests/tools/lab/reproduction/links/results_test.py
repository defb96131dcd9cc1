"""Which rows of trees are compared, and which of them is best, in made-up times."""
import unittest

from reproduction.links import runs as plan
from reproduction.links.results import Results

COUNT = plan.COUNTS[0]


class FakeCache:
    """The n-th row of a run takes n ms less than 100, but that the first of all is the slowest."""

    def load(self, run):
        algorithms = run.words[run.words.index("--algorithm") + 1].split(",topology_tree")
        return type("Outcome", (), {
            "results": [{"post_arrival_ms": {"mean": 100.0 - n}, "chosen": "ring"} for n in range(len(algorithms))],
        })  # fmt: skip


def results():
    found = Results.__new__(Results)
    found.cache = FakeCache()
    return found


class ResultsTest(unittest.TestCase):
    def test_the_best_row_of_so_many_trees_is_found(self):
        rows = len(plan.tree_rows(1))
        for index, trees in enumerate(plan.TREES):
            row, time = results().trees(plan.KNOWN, COUNT, trees)
            self.assertEqual(row, plan.tree_rows(trees)[-1])
            self.assertAlmostEqual(time, 1e3 * (100.0 - (rows * (index + 1) - 1)))
        self.assertEqual(results().best_trees(plan.KNOWN, COUNT)[0], plan.tree_rows(plan.TREES[-1])[-1])
        self.assertAlmostEqual(results().usual_tree(COUNT), 100e3)

    def test_rows_name_what_is_not_the_default(self):
        self.assertEqual(plan.tree_rows(1)[0], "topology_tree")
        self.assertEqual(plan.tree_rows(4)[0], "topology_tree:trees=4")
        self.assertIn("topology_tree:trees=2,segments=64,window=8,pacing=8", plan.tree_rows(2))

    def test_the_library_is_told_of_the_links_or_not(self):
        self.assertEqual(plan.trees_run(plan.KNOWN, COUNT).words[:2], ("env", f"STARLING_LINKS={plan.NVLINKS}"))
        self.assertEqual(plan.trees_run(plan.UNKNOWN, COUNT).words[0], "tools/lab/simulate")


if __name__ == "__main__":
    unittest.main()
