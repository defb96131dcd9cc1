"""Made-up loops of the training."""
from reproduction.training import results
from reproduction.training import runs as plan


def record(post_arrival, wait=27.0, chosen=None):
    """A result of the benchmark: a loop of iterations of 200 ms and the post-arrival time."""
    found = {
        "elapsed_ms": {"mean": wait + post_arrival}, "post_arrival_ms": {"mean": post_arrival, "p50": post_arrival},
        "loop_ms": plan.ITERATIONS * (200.0 + post_arrival),
    }  # fmt: skip
    return {**found, "chosen": chosen} if chosen else found


def case_results(case, best=6.0, tuned=6.5):
    """The row after the paper's three takes `best`, all others 9 ms."""
    rows = [record(best if name == plan.ROWS[3] else 9.0) for name in plan.ROWS]
    loops = [record(tuned, chosen="slt:segments=130"), record(best, chosen="slt:segments=130")]
    return results.CaseResults(case, rows, loops, loops)
