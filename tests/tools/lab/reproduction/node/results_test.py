"""Gains of loops, and post-arrival times over copies."""
import unittest
from unittest import mock

from reproduction.node import document, results
from reproduction.node import runs as plan


def overhead(size, pmpi, mpi):
    return {"bytes": size, "pmpi_us": pmpi, "mpi_us": mpi, "ratio": mpi / pmpi, "ratio_25": 0.9 * mpi / pmpi,
            "ratio_75": 1.1 * mpi / pmpi, "copy_us": 0.1, "flags_us": 0.9}  # fmt: skip


class Loops(unittest.TestCase):
    def test_the_gain_is_natives_time_over_the_calls(self):
        loop = results.loop_of(overhead(64, 3.0, 2.0))
        self.assertAlmostEqual(loop.gain, 1.5)
        self.assertLess(loop.least, loop.gain)
        self.assertGreater(loop.most, loop.gain)
        self.assertAlmostEqual(loop.most_gain(), 3.0)

    def test_an_aim_that_is_not_met_is_told_with_what_can_be_reached(self):
        loop = results.loop_of(overhead(64, 3.0, 2.0))
        self.assertEqual(document.aim_cell(loop, 2.0), "2.0, **not met** (at most 3.00)")
        self.assertEqual(document.aim_cell(loop, 1.5), "1.5")
        self.assertEqual(document.aim_cell(loop, None), "-")

    def test_aims_are_those_of_the_size(self):
        self.assertEqual(results.aim_of(2, 8), 1.1)
        self.assertEqual(results.aim_of(2, 1024), 1.5)
        self.assertEqual(results.aim_of(4, 16 << 20), 1.6)
        self.assertIsNone(results.aim_of(4, 8))
        self.assertIsNone(results.aim_of(16, 1024))
        self.assertEqual(document.met(1.49, 1.5), "1.5, **not met**")
        self.assertEqual(document.met(1.5, 1.5), "1.5")
        self.assertEqual(document.met(1.5, None), "-")


class LateRanks(unittest.TestCase):
    def test_rows_are_held_against_two_copies(self):
        found = [
            {"bytes": 4096, "algorithm": row, "post_arrival_ms": {"p50": time}}
            for row, time in zip(plan.LATE_ROWS, (3.0, 1.5, 2.0))
        ]
        late = results.late_of(found, copy_ms=lambda size: size / 4096)[0]
        self.assertEqual(late.size, 4096)
        self.assertAlmostEqual(late.gain(), 2.0)
        self.assertAlmostEqual(late.over_copies(), 0.75)


class Commands(unittest.TestCase):
    def test_loops_have_every_size_of_their_group(self):
        for scope in (plan.FEW_PROCESSORS, plan.MANY_PROCESSORS):
            for group in scope.groups:
                words = plan.loop_words(2, group)
                counts = words[words.index("--count") + 1].split(",")
                self.assertEqual([plan.FLOAT * int(count) for count in counts], list(group.sizes))
                self.assertEqual(words[words.index("--iterations") + 1], str(group.pairs))

    def test_commands_can_be_typed(self):
        short, *_, longest = plan.MANY_PROCESSORS.groups
        forced = plan.loop_text(4, longest, plan.COPY)
        self.assertTrue(forced.startswith("STARLING_ALGORITHM=node mpirun --oversubscribe -n 4 -x LD_PRELOAD="))
        self.assertIn(" starling-bench --overhead --count ", forced)
        self.assertTrue(forced.endswith("--iterations 4 --warmup 50 --calls 10"))
        self.assertTrue(plan.loop_text(2, short, plan.FIRST).startswith("STARLING_PREPARE=always STARLING_DB="))

    def test_a_large_machine_has_more_ranks(self):
        self.assertEqual(plan.scope_of(2).ranks, (2, 4))
        self.assertEqual(plan.scope_of(64).ranks, (8, 16))

    def test_busy_processes_end(self):
        with mock.patch.object(plan, "BUSY_LOOP", ("sleep", "60")):
            with plan.busy_processes(2) as processes:
                self.assertEqual([process.poll() for process in processes], [None, None])
        self.assertNotIn(None, [process.poll() for process in processes])


if __name__ == "__main__":
    unittest.main()
