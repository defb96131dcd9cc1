"""What the preload library costs: medians over runs, and their ratios to those of plain runs."""
import dataclasses
import math
import statistics

from reproduction.harmless import runs as plan

# Ratios that are to be kept at every size, at the shortest ones, and in the geometric mean over sizes.
LIMIT, SHORT_LIMIT, MEAN_LIMIT = 1.05, 1.10, 1.03
LONGEST_SHORT = 64  # bytes


@dataclasses.dataclass(frozen=True)
class Row:
    """One size: medians in microseconds, by way."""

    size: int
    median: dict

    def ratio(self, way):
        return self.median[way] / self.median[plan.PLAIN]

    def limit(self):
        return SHORT_LIMIT if self.size <= LONGEST_SHORT else LIMIT


def rows_of(times):
    sizes = times[plan.PLAIN][0]
    return [
        Row(size, {way: statistics.median(run[size] for run in of_way) for way, of_way in times.items()})
        for size in sizes
    ]


def mean_ratio(rows, way):
    return math.exp(statistics.fmean(math.log(row.ratio(way)) for row in rows))


def beyond(rows, way):
    """The sizes that are above their limit."""
    return [row.size for row in rows if row.ratio(way) > row.limit()]


def is_met(rows, way):
    return not beyond(rows, way) and mean_ratio(rows, way) <= MEAN_LIMIT


# What is plain again is compared, too: by so much runs of the same thing differ.
HEADER = ("bytes", "plain, us", "learning, us", "ratio", "later, us", "ratio", "plain again")


def cells(rows):
    """Rows of text under HEADER, the geometric means last."""
    lines = []
    for row in rows:
        line = [str(row.size), f"{row.median[plan.PLAIN]:.2f}"]
        for way in (plan.LEARNING, plan.LATER):
            line += [f"{row.median[way]:.2f}", f"{row.ratio(way):.3f}{' !' if row.ratio(way) > row.limit() else ''}"]
        lines.append([*line, f"{row.ratio(plan.AGAIN):.3f}"])
    means = [f"{mean_ratio(rows, way):.3f}" for way in (plan.LEARNING, plan.LATER, plan.AGAIN)]
    return [*lines, ["geometric mean", "", "", means[0], "", means[1], means[2]]]
