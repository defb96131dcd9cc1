"""What was measured for Soga et al. (2007): mean time of the ranks in MPI_Bcast, call by call."""
import dataclasses
import itertools

from reproduction.common import records
from reproduction.soga import runs as plan

# Calls in the order of ranks take so little more than the tree itself; other orders differ by more.
SAME = 1e-3
# MPI_Bcast may have the tree that an exchange makes, too. Only what surrounds the calls differs then, by some 20 ns; in
# the simulator equal calls take equal times.
EQUAL_MS = 1e-5


def saved(before, after):
    """The share of a time that is gone."""
    return 1 - after / before


@dataclasses.dataclass(frozen=True)
class Loop:
    """One loop of calls: the times in ms that each call of `tuned` took, and that every call of the others takes."""

    ranks: int
    count: int
    load: float
    late: int
    each: tuple
    fixed: dict

    def calls(self):
        return len(self.each)

    def load_ms(self):
        return plan.load_ms(self.ranks, self.count, self.load)

    def exchanged_after(self):
        """How many calls were made until others came in another order; None: never, or the MPI library makes them. The
        first period is the library's, the second one in the order of ranks."""
        unmoved = self.fixed[plan.UNMOVED]
        in_order = [abs(time - unmoved) <= SAME * unmoved for time in self.each]
        if True not in in_order[1:]:
            return None
        first = in_order.index(True, 1)
        if False not in in_order[first:]:
            return None
        after = in_order.index(False, first)
        return after if abs(self.each[after] - self.each[first - 1]) > EQUAL_MS else None

    def steady(self):
        """The mean of a call of `tuned` in the second half of the loop."""
        half = self.each[self.calls() // 2 :]
        return sum(half) / len(half)

    def steady_saved(self, row=plan.UNMOVED):
        return saved(self.fixed[row], self.steady())

    def total(self, row=plan.TUNED):
        return sum(self.each) if row == plan.TUNED else self.calls() * self.fixed[row]

    def total_saved(self, row=plan.UNMOVED):
        return saved(self.total(row), self.total())

    def paid_after(self, row=plan.UNMOVED):
        """After so many calls `tuned` has taken less time in all than the other, to the end; None: not in this loop."""
        sums = list(itertools.accumulate(self.each))
        last = max((calls for calls, time in enumerate(sums, 1) if time > calls * self.fixed[row]), default=0)
        return last + 1 if last < self.calls() else None


class Results:
    def __init__(self, cache, jobs):
        self.runs = plan.all_runs()
        self.outcomes = records.measure(self.runs, cache, jobs)
        self.loops = [self.read(cache, *setting) for setting in plan.settings()]
        self.balanced = {
            (ranks, count): cache.load(plan.fixed(ranks, count)).find(plan.UNMOVED, delay=0)["elapsed_ms"]["mean"]
            for count in plan.CALLS
            for ranks in plan.PROCESSES
        }

    @staticmethod
    def read(cache, ranks, count, load, late):
        fixed = cache.load(plan.fixed(ranks, count, late))
        times = {
            row: fixed.find(row, delay=plan.load_ms(ranks, count, load))["elapsed_ms"]["mean"] for row in plan.FIXED
        }
        each = cache.load(plan.tuned(ranks, count, load, late)).find(plan.TUNED)["elapsed_each_ms"]
        return Loop(ranks, count, load, late, tuple(each), times)

    def find(self, ranks, count, load=plan.MAIN_LOAD, late=plan.FIRST_RECEIVER):
        for loop in self.loops:
            if (loop.ranks, loop.count, loop.load, loop.late) == (ranks, count, load, late):
                return loop
        raise KeyError(f"no loop of {ranks} ranks, {count} floats, load {load} on rank {late}")
