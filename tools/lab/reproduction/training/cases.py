"""Who waits for whom in the training: the paper tells how long ranks wait on average, and no more."""
import dataclasses

from reproduction.common import papers

RANKS = papers.PROFICZ_TRAINING_RANKS
RING_ELAPSED, RING_TOTAL = papers.PROFICZ_TABLE_5["ring"]
# What the ring takes here when nobody is late, in ms; the rest of the paper's mean elapsed time is waiting.
BALANCED_RING = 8.86
WAIT = RING_ELAPSED - BALANCED_RING
# A rank is computing or in the allreduce.
COMPUTATION = RING_TOTAL / papers.PROFICZ_TRAINING_ITERATIONS - RING_ELAPSED
# The latest of 16 normally distributed values comes so many deviations after the mean.
LATEST_OF_RANKS = 1.766
# Of `gaussian`: the deviation by the delay.
DEVIATION = 0.25


@dataclasses.dataclass(frozen=True)
class Case:
    name: str
    text: str
    pattern: str
    delay: float  # ms
    compute: float  # ms, what every rank computes; its lateness comes on top

    def dilated(self, factor):
        """All of it so many times as long."""
        return dataclasses.replace(self, delay=round(factor * self.delay, 2), compute=round(factor * self.compute, 2))


def case_of(name, text, pattern, wait_by_delay, mean_by_delay):
    """Ranks wait for the latest, and lateness is mean, by so many times the delay."""
    delay = round(WAIT / wait_by_delay, 1)
    return Case(name, text, pattern, delay, round(COMPUTATION - mean_by_delay * delay, 1))


GAUSSIAN = case_of(
    "all vary", "each rank's computation is normally distributed, anew in each iteration", "gaussian",
    LATEST_OF_RANKS * DEVIATION, 1,
)  # fmt: skip
UNIFORM = case_of(
    "uniform", "each rank's computation is uniformly distributed, anew in each iteration", "rand-late",
    RANKS / (RANKS + 1) - 0.5, 0.5,
)  # fmt: skip
ONE_LATE = case_of(
    "one slow rank", "rank 1 takes longer in every iteration", "one-late", (RANKS - 1) / RANKS, 1 / RANKS
)
SHORT = dataclasses.replace(
    GAUSSIAN.dilated(0.1), name="a tenth of the computation", text="as the first, with computations a tenth as long",
)  # fmt: skip
CASES = (GAUSSIAN, UNIFORM, ONE_LATE, SHORT)
