"""How trees are read from what a simulated call tells, and the matrices that the documents use."""
import unittest

from reproduction.links import runs as plan
from reproduction.links import trees


def transfer(source, target, offset, reduces=True):
    return {"source": source, "target": target, "offset": offset, "reduces": reduces}


class TreesTest(unittest.TestCase):
    def test_a_tree_is_the_way_of_its_element_in_the_reduction(self):
        reductions = [transfer(0, 1, 0), transfer(2, 0, 1), transfer(2, 1, 0), transfer(1, 0, 1)]
        transfers = [*reductions, transfer(1, 0, 0, False)]
        first, second = trees.trees_in({"timelines": [{"transfers": transfers}]})
        self.assertEqual((first.root, first.links), (1, ((0, 1), (2, 1))))
        self.assertEqual((second.root, second.links), (0, ((2, 0), (1, 0))))
        self.assertEqual(first.weights([[0, 3, 1], [3, 0, 2], [1, 2, 0]]), [3, 2])

    def test_the_matrices_are_of_one_machine(self):
        matrix, nvlinks, ring = (trees.read_matrix(path) for path in (plan.MATRIX, plan.NVLINKS, plan.RING_ORDER))
        for a, row in enumerate(matrix):
            self.assertEqual([weight for weight in sorted(row) if weight], [1, 1, 1, 2, 2, 3, 3])
            self.assertEqual([matrix[b][a] for b in range(plan.RANKS)], row)
            self.assertEqual(nvlinks[a], [weight if weight > 1 else 0 for weight in row])
            self.assertEqual(ring[a][(a + 1) % plan.RANKS], 3)
            self.assertEqual(sorted(ring[a]), sorted(row))


if __name__ == "__main__":
    unittest.main()
