"""What came out of the training's loops."""
import dataclasses

from reproduction.common import quantities, records
from reproduction.training import runs as plan
from reproduction.training.cases import CASES

BYTES_PER_SECOND = 125e6
BOUND = quantities.wire_bound(4 * plan.COUNT, BYTES_PER_SECOND)  # ms of one allreduce
# Of the ring over `tuned`: of whole loops, and of mean elapsed times of the allreduce.
AIM = 1.10


@dataclasses.dataclass(frozen=True)
class Loop:
    label: str
    elapsed: float  # ms, mean
    post_arrival: float
    post_arrival_median: float
    total: float  # ms
    chosen: str = ""  # by `tuned`, in the end


def loop_of(label, result):
    return Loop(
        label, result["elapsed_ms"]["mean"], result["post_arrival_ms"]["mean"], result["post_arrival_ms"]["p50"],
        result["loop_ms"], result.get("chosen", ""),
    )  # fmt: skip


class CaseResults:
    """`tuned` comes in two pairs of loops: ranks announce their arrivals, or do not."""

    def __init__(self, case, rows, announced, unannounced):
        self.case = case
        self.rows = [loop_of(name, result) for name, result in zip(plan.ROWS, rows)]
        pairs = (
            ("tuned, announced", announced), ("tuned, not announced", unannounced),
        )  # fmt: skip
        self.tuned = [
            loop_of(f"{label}, {loop} loop", result)
            for label, results in pairs
            for loop, result in zip(("first", "second"), results)
        ]

    def row(self, name):
        return next(loop for loop in self.rows if loop.label == name)

    def first(self):
        """`tuned` as the paper's algorithms are: announced, and with all that learning costs."""
        return self.tuned[0]

    def best(self):
        """The row of ours that takes least in all; the MPI libraries' are no rows of ours."""
        return min((loop for loop in self.rows if not loop.label.startswith("native")), key=lambda loop: loop.total)

    def total_ratio(self, loop, reference="ring"):
        return self.row(reference).total / loop.total

    def elapsed_ratio(self, loop):
        return self.row("ring").elapsed / loop.elapsed

    def most(self):
        """Of the ring's total over any other's: what a last rank that comes alone brings needs n beta."""
        ring = self.row("ring")
        return ring.total / (ring.total - plan.ITERATIONS * (ring.post_arrival - BOUND))

    def most_elapsed(self):
        ring = self.row("ring")
        return ring.elapsed / (ring.elapsed - ring.post_arrival + BOUND)


class Results:
    def __init__(self, cache, jobs):
        self.runs = plan.all_runs()
        self.outcomes = records.measure(self.runs, cache, jobs)
        self.cases = [
            CaseResults(
                case, cache.load(plan.rows_run(case)).results, cache.load(plan.tuned_run(case, True)).results,
                cache.load(plan.tuned_run(case, False)).results,
            )
            for case in CASES
        ]  # fmt: skip
