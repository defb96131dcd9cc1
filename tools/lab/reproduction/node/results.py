"""What came out, and what was to be reached."""
import dataclasses

from reproduction.node import runs as plan
from reproduction.node.runs import KI

# Native's time over that of a call through shared memory, from and up to so many bytes.
AIMS = {
    2: ((8, 8, 1.1), (64, KI, 1.5), (4 * KI, 64 * KI, 1.8), (256 * KI, KI * KI, 1.3), (4 * KI * KI, 16 * KI * KI, 1.1)),
    4: ((64, 64 * KI, 2.0), (256 * KI, 16 * KI * KI, 1.6)),
}
# After a late rank: over the time of two copies of the vector.
LATE_AIM = 1.5
LATE_FROM = 64 * KI  # bytes
# Native's post-arrival time over that of the row, in the loop of tools/quickstart.
QUICKSTART_AIM = 1.8


@dataclasses.dataclass(frozen=True)
class Loop:
    """One size in one way; times in us."""

    size: int
    native: float
    time: float
    gain: float  # native's time over it: the median of the pairs
    least: float  # of the middle half of the pairs
    most: float
    copy: float  # of a vector, on all ranks at once
    flags: float  # by which all ranks wait for each other

    def most_gain(self):
        """No call takes less than a copy, and than waiting for all ranks."""
        return self.native / (self.copy + self.flags)


def loop_of(record):
    return Loop(record["bytes"], record["pmpi_us"], record["mpi_us"], 1 / record["ratio"], 1 / record["ratio_75"],
                1 / record["ratio_25"], record["copy_us"], record["flags_us"])  # fmt: skip


def aim_of(ranks, size):
    """None where there is none."""
    return next((aim for first, last, aim in AIMS.get(ranks, ()) if first <= size <= last), None)


@dataclasses.dataclass(frozen=True)
class Late:
    """One length of the vector: medians of post-arrival times in ms, by row, and two copies of the vector."""

    size: int
    times: dict
    copies: float

    def gain(self):
        return self.times[plan.NATIVE] / self.times[plan.NODE]

    def over_copies(self):
        return self.times[plan.NODE] / self.copies


def late_of(found, copy_ms=plan.copy_ms):
    rows = {}
    for record in found:
        rows.setdefault(record["bytes"], {})[record["algorithm"]] = record["post_arrival_ms"]["p50"]
    return [Late(size, times, 2 * copy_ms(size)) for size, times in rows.items()]
