"""What the document of several nodes says of made-up records."""
import unittest

from reproduction.common.markdown import Document
from reproduction.node import emulated


def results(times):
    """As the benchmark writes them: a header, then the rows of each count."""
    lines = [{"record": "header"}]
    for _ in emulated.COUNTS:
        lines += [{"record": "result", "post_arrival_ms": {"p50": times[row]}} for row in emulated.ROWS]
    return lines


TIMES = {
    "native": 3.0, "two_level:inner=1": 2.5, "two_level:inner=1,memory=0": 5.0, "two_level": 2.0,
    "two_level:memory=0": 3.0, "two_level:inner=5": 2.6, "two_level:inner=5,memory=0": 5.2, "ring": 4.0, "slt": 6.0,
}  # fmt: skip


class CallsTest(unittest.TestCase):
    def test_the_fastest_row_is_compared_with_native(self):
        calls = emulated.calls_of(results(TIMES))
        self.assertEqual([one.count for one in calls], list(emulated.COUNTS))
        for one in calls:
            self.assertEqual((one.best(), one.gain(one.best()), one.memory_gain("two_level")), ("two_level", 1.5, 1.5))

    def test_the_bound_is_that_of_a_ring_of_the_hosts(self):
        # 4 MiB, three quarters of them twice, at 50 MB/s
        self.assertAlmostEqual(emulated.ring_bound_ms(1 << 20), 125.8, places=1)


class DocumentTest(unittest.TestCase):
    def said(self, times):
        document = Document("title")
        emulated.table(document, 0, emulated.calls_of(results(times)))
        return " ".join(document.render().split())

    def test_aims_are_met_or_not(self):
        usual = self.said(TIMES)
        self.assertIn("native over the fastest row 1.50, aim 1.5 met (with what the links need it would be 0.02);", usual)
        self.assertIn("`two_level:memory=0` over `two_level`, the fastest through memory, 1.50, aim 1.15 met", usual)
        chain = self.said(TIMES | {"two_level:inner=5": 1.5})
        self.assertIn("`two_level:memory=0` over `two_level:inner=5`, the fastest through memory, 2.00,", chain)
        slow = self.said(TIMES | {"two_level": 2.9, "two_level:inner=1": 2.9, "two_level:inner=5": 2.9})
        self.assertIn("aim 1.5 not met", slow)
        self.assertIn("aim 1.15 not met", slow)


if __name__ == "__main__":
    unittest.main()
