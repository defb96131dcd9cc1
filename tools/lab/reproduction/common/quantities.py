"""What is computed from measured times. Times in ms, vectors in bytes."""

TOLERANCE = 0.15  # a paper's figure is met within this


def deviation(ours, paper):
    """Relative: 0.1 is 10% above the paper's."""
    return ours / paper - 1


def is_met(ours, paper):
    return abs(deviation(ours, paper)) <= TOLERANCE


def share_of_saving(ring, time, bound):
    """How much of what can be saved over the ring at all was saved: 1 at the bound, 0 at the ring, below 0 where
    slower. None where the ring is at the bound, so that nothing can be saved. All are post-arrival times."""
    saving = ring - bound
    return (ring - time) / saving if saving > 0 else None


def wire_bound(vector_bytes, bytes_per_second):
    """n beta: what an allreduce takes at least after a last rank that comes alone."""
    return 1e3 * vector_bytes / bytes_per_second


def ring_wire_time(ranks, vector_bytes, bytes_per_second):
    """2 (P-1)/P n beta: what the ring takes at least."""
    return 2 * (ranks - 1) / ranks * wire_bound(vector_bytes, bytes_per_second)


def late_bound(ranks, late, delay, vector_bytes, bytes_per_second):
    """What an allreduce takes at least after `late` ranks that come together, `delay` after all others. Their vectors
    have to meet the sum of the others', and the sum of all has to reach the other P - 1: P + late - 1 vectors over P
    links. When the delay is short much of the rest is still to be done, as nothing ends earlier because ranks come
    later."""
    balanced = ring_wire_time(ranks, vector_bytes, bytes_per_second)
    if late in (0, ranks):
        return balanced
    together = (ranks + late - 1) / ranks * wire_bound(vector_bytes, bytes_per_second)
    return max(together, balanced - delay)


def one_late_post_arrival(elapsed, delay, ranks):
    """Of a mean elapsed time, where one rank comes `delay` after all others: these wait (P-1)/P of it on average."""
    return elapsed - delay * (ranks - 1) / ranks


def most_saving(delay, difference_when_balanced):
    """What can be saved over the ring in mean elapsed time when ranks are late by `delay` at most: nothing ends earlier
    because ranks come later, so it is the delay and what was saved without it."""
    return delay - difference_when_balanced


def implied_ring(difference, speedup):
    """The range of the ring's time that a printed difference (other - ring, to 0.1 ms) and a printed speedup (ring /
    other, to 0.01) leave; None where they leave no upper end."""
    ends = []
    for d in (difference - 0.05, difference + 0.05):
        for s in (speedup - 0.005, speedup + 0.005):
            if (s - 1) * (speedup - 1) <= 0 or d * difference <= 0:
                return None
            ends.append(-d * s / (s - 1))
    return (min(ends), max(ends)) if min(ends) > 0 else None
