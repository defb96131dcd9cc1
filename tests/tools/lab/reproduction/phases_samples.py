"""Made-up sums of phases."""
from reproduction.phases import results
from reproduction.phases import runs as plan

# Seconds of rank_1, rank_5, nobody and any_rank.
ROWS = {
    "native": (5.0, 5.0, 5.0, 5.0), "slt:segments=64": (2.0, 2.0, 4.0, 3.5),
    "slt:segments=64,flagged=1": (2.5, 2.5, 4.5, 2.0), "ring_segmented": (4.0, 4.0, 3.0, 4.0),
}  # fmt: skip


def sums(label, seconds):
    return results.Sums(label, dict(zip(plan.PHASES, seconds)))


def results_of(first=(2.5, 2.5, 3.0, 2.0), second=(2.5, 2.5, 3.0, 4.0)):
    """The best rows take 9 s in all."""
    rows = [sums(label, ROWS[label]) for label in plan.ROWS]
    return results.Results(rows, sums(results.FIRST, first), sums(results.SECOND, second))
