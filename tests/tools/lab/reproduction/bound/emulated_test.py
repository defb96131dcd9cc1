"""The document of the bounds on real TCP, from made-up times."""
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from reproduction.bound import emulated
from reproduction.common import records
from reproduction.emulated import runs
from samples import HEADER


class BoundOnTcp(unittest.TestCase):
    def written(self, times):
        """As if each algorithm had taken that many ms on 8 hosts in every case, the others 400; on 16 hosts, whose
        links are half as fast, twice as many."""

        def load(run):
            cases = (case for setup in runs.SETUPS for case in emulated.cases(setup))
            found = next(case for case in cases if case.run() == run)
            slower = found.setup.hosts / 8
            header = HEADER | {"processor": "a processor", "mpi": "an MPI"}
            results = [
                {"post_arrival_ms": {"p50": slower * times.get(choice.partition(":")[0], 400)}} for choice in found.rows
            ]
            return records.Outcome(header, results, "2026-01-01", "")

        cache = mock.Mock(load=load)
        with tempfile.TemporaryDirectory() as folder:
            emulated.write(Path(folder), cache, 1)
            return (Path(folder) / emulated.FILE).read_text(encoding="utf-8")

    def test_aims_compare_the_fastest_row_with_the_ring_the_bound_and_the_mpi_library(self):
        text = self.written({"slt": 200, "direct": 222, "ring": 300, "native": 600, "ring_segmented": 309})
        self.assertIn("| 8 hosts: one rank late | 3 | 1 |", text)
        self.assertIn("the possible saving | at least 95 % | 76 % | **no** |", text)  # (300 - 200) / (300 - 167.8)
        self.assertIn("over the fastest row | at least 2.00 | 3.00 | yes |", text)
        self.assertIn("over the fastest | at most 1.100 | 1.110 | **no** |", text)
        self.assertIn("(P + 1)/P n beta | at most 1.15 | 1.06 | yes |", text)  # 200 / (9/8 167.8)
        self.assertIn("other row over the ring | at most 1.02 | 0.74 | yes |", text)  # that of direct
        self.assertIn("tools/lab/cluster run -- starling-bench --algorithm native,ring,slt:segments=256", text)

    def test_every_case_has_the_reproducible_row(self):
        for setup in runs.SETUPS:
            for case in emulated.cases(setup):
                self.assertIn("direct", [row.partition(":")[0] for row in case.rows])


if __name__ == "__main__":
    unittest.main()
