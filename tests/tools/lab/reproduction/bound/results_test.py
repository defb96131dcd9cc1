"""How measured times relate to the bounds."""
import unittest

from bound_samples import CASE, results


class BoundResults(unittest.TestCase):
    def test_quantities_relate_a_row_to_the_ring_the_bound_and_the_rest(self):
        wire = CASE.wire()
        found = results({"ring": 2 * wire, "prr": 1.5 * wire, "slt": 1.2 * wire})
        self.assertAlmostEqual(found.share(CASE, "prr"), 0.5)
        self.assertAlmostEqual(found.over_bound(CASE, "prr"), 1.5)
        self.assertAlmostEqual(found.over_ring(CASE, "prr"), 0.75)
        self.assertAlmostEqual(found.over_rest(CASE, "prr"), 1.25)
        self.assertAlmostEqual(found.over_rest(CASE, "slt"), 0.8)
        self.assertEqual(found.fastest(CASE), "slt")


if __name__ == "__main__":
    unittest.main()
