"""What tools/lab/reproduce says of the bounds, simulated and on real TCP; nothing is measured here."""
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.dont_write_bytecode = True
LAB = Path(__file__).resolve().parents[2] / "tools" / "lab"
sys.path.insert(0, str(LAB / "reproduction"))

import bound  # noqa: E402
import bound_emulated  # noqa: E402
import bound_runs  # noqa: E402
import bound_tables  # noqa: E402
import bound_targets  # noqa: E402
import emulated_runs  # noqa: E402
import plots  # noqa: E402
import records  # noqa: E402
from bound_results import Results  # noqa: E402
from bound_targets import Target  # noqa: E402
from simulations import KI  # noqa: E402

HEADER = {"record": "header", "version": "0.1.0"}


class Bound(unittest.TestCase):
    CASE = bound_runs.Case(ranks=8, count=128 * KI)

    def results(self, times):
        """As if these post-arrival times had been measured."""
        results = object.__new__(Results)
        results.by_case = {
            self.CASE: {row: {"choice": row, "post_arrival_ms": {"mean": time}} for row, time in times.items()}
        }
        return results

    def test_segments_follow_the_costs(self):
        self.assertEqual(bound_runs.segments("slt", 48, KI * KI), 628)
        self.assertEqual(bound_runs.segments("late_join", 48, KI * KI), 205)

    def test_segments_stay_within_the_row_and_the_vector(self):
        self.assertEqual(bound_runs.segments("late_join", 2, KI), 1)
        self.assertEqual(bound_runs.segments("slt", 1024, 4), 4)
        self.assertEqual(bound_runs.segments("late_join", 1024, KI**4), 8192)

    def test_slow_rows_run_apart_and_some_not_at_all_where_ranks_are_many(self):
        few, many, most = (bound_runs.Case(ranks=ranks, count=KI) for ranks in (48, 512, 1024))
        self.assertEqual(len(bound_runs.runs_of([few])), 1)
        self.assertIn("direct:segments=1", many.runs()["direct"].text())
        self.assertNotIn("ring_segmented", many.runs())
        self.assertNotEqual(many.runs()["ring"], many.runs()["rabenseifner"])
        self.assertNotIn("direct", most.runs())

    def test_quantities_relate_a_row_to_the_ring_the_bound_and_the_rest(self):
        wire = self.CASE.wire()
        results = self.results({"ring": 2 * wire, "prr": 1.5 * wire, "slt": 1.2 * wire})
        self.assertAlmostEqual(results.share(self.CASE, "prr"), 0.5)
        self.assertAlmostEqual(results.over_bound(self.CASE, "prr"), 1.5)
        self.assertAlmostEqual(results.over_ring(self.CASE, "prr"), 0.75)
        self.assertAlmostEqual(results.over_rest(self.CASE, "prr"), 1.25)
        self.assertAlmostEqual(results.over_rest(self.CASE, "slt"), 0.8)
        self.assertEqual(results.fastest(self.CASE), "slt")

    def test_a_target_is_met_by_the_rows_that_know_who_is_late(self):
        times = {row: 10.0 for row in bound_runs.ROWS} | {"rabenseifner": 6.0, "prr": 7.0, "slt": 8.0}
        results = self.results(times)
        self.assertEqual(Target(self.CASE, Results.over_ring, 0.75).met_by(results), ["prr"])
        self.assertEqual(Target(self.CASE, Results.over_ring, 0.75, is_first=True).met_by(results), [])
        row = bound_tables.target_row(Target(self.CASE, Results.over_ring, 0.5), results)
        self.assertEqual(row[-2:], ["`rabenseifner`", "**no**"])

    def test_a_row_that_was_left_out_meets_nothing(self):
        case = bound_runs.Case(ranks=1024)
        target = Target(case, Results.over_rest, 1.0)
        self.assertFalse(target.is_met(None, "direct"))

    @unittest.skipUnless(plots.is_available(), f"there is no {plots.PACKAGE}")
    def test_the_document_is_written_whole(self):
        """From times that were never measured: 2 n beta for the ring, and 1.9 for every other row."""

        class Measured(Results):
            def __init__(self, cache, jobs):
                header = {"version": "0", "mpi": "an MPI"}
                self.runs = bound_runs.all_runs()
                self.outcomes = [records.Outcome(header, [], "2026-01-01", "")]
                self.by_case = {
                    case: {
                        row: {"choice": row, "post_arrival_ms": {"mean": case.wire() * (2 if row == "ring" else 1.9)}}
                        for row in case.rows()
                    }
                    for case in bound_runs.all_cases()
                }

        with tempfile.TemporaryDirectory() as folder, mock.patch("bound.Results", Measured):
            bound.write(Path(folder), None, 1)
            text = (Path(folder) / bound.FILE).read_text(encoding="utf-8")
            self.assertTrue((Path(folder) / "bound-delay.svg").exists())
            self.assertTrue((Path(folder) / "bound-late-ranks.svg").exists())
        for group in bound_targets.groups():
            self.assertIn(f"## {group.title}", text)
        self.assertIn("**One rank late**: blocks that", text)

    def test_every_target_is_among_the_cases_that_are_run(self):
        cases = bound_runs.all_cases()
        for group in bound_targets.groups():
            for target in group.targets:
                self.assertIn(target.case, cases)


class BoundOnTcp(unittest.TestCase):
    def written(self, times):
        """As if each algorithm had taken that many ms on 8 hosts in every case, the others 400; on 16 hosts, whose
        links are half as fast, twice as many."""

        def load(run):
            cases = (case for setup in emulated_runs.SETUPS for case in bound_emulated.cases(setup))
            found = next(case for case in cases if case.run() == run)
            slower = found.setup.hosts / 8
            header = HEADER | {"processor": "a processor", "mpi": "an MPI"}
            results = [
                {"post_arrival_ms": {"p50": slower * times.get(choice.partition(":")[0], 400)}} for choice in found.rows
            ]
            return records.Outcome(header, results, "2026-01-01", "")

        cache = mock.Mock(load=load)
        with tempfile.TemporaryDirectory() as folder:
            bound_emulated.write(Path(folder), cache, 1)
            return (Path(folder) / bound_emulated.FILE).read_text(encoding="utf-8")

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
        for setup in emulated_runs.SETUPS:
            for case in bound_emulated.cases(setup):
                self.assertIn("direct", [row.partition(":")[0] for row in case.rows])


if __name__ == "__main__":
    unittest.main()
