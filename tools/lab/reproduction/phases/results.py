"""What came out: sums of post-arrival time, and what is to be reached."""
import dataclasses

from reproduction.common.markdown import ratio
from reproduction.phases import runs as plan

FIRST, SECOND = "tuned, first run", "tuned, second run"
# The first run over the best rows, and native's time over that of a run.
MOST_EXCESS = 1.12
FIRST_GAIN, SECOND_GAIN = 1.65, 1.8


@dataclasses.dataclass(frozen=True)
class Sums:
    """Seconds by phase, of one row or one run of `tuned`."""

    label: str
    by_phase: dict

    def whole(self):
        return sum(self.by_phase.values())


def sums_of(label, result):
    """From a result of the benchmark, which has milliseconds."""
    found = result["post_arrival_sum_ms"]
    return Sums(label, {phase: found[phase] / 1e3 for phase in plan.PHASES})


@dataclasses.dataclass(frozen=True)
class Bound:
    text: str
    value: float
    is_met: bool

    def sentence(self):
        return f"{self.text}: {ratio(self.value)}, {'met' if self.is_met else 'not met'}"


class Results:
    def __init__(self, rows, first, second):
        self.rows = rows
        self.first = first
        self.second = second
        # The row that takes least, for each phase by itself.
        self.best = {phase: min(rows, key=lambda row: row.by_phase[phase]) for phase in plan.PHASES}

    def native(self):
        return next(row for row in self.rows if row.label == plan.NATIVE)

    def best_sums(self):
        return Sums("best row of each phase", {phase: row.by_phase[phase] for phase, row in self.best.items()})

    def gain(self, sums):
        """Native's time over this one's."""
        return self.native().whole() / sums.whole()

    def over_best(self, sums, phase=None):
        """This one's time over that of the best rows: in one phase, or in all."""
        best = self.best_sums()
        return sums.by_phase[phase] / best.by_phase[phase] if phase else sums.whole() / best.whole()

    def bounds(self):
        excess = self.over_best(self.first)
        first, second = self.gain(self.first), self.gain(self.second)
        return [
            Bound(f"first run over the best rows of the phases, at most {ratio(MOST_EXCESS)}", excess,
                  excess <= MOST_EXCESS),
            Bound(f"native over the first run, at least {ratio(FIRST_GAIN)}", first, first >= FIRST_GAIN),
            Bound(f"native over the second run, at least {ratio(SECOND_GAIN)}", second, second >= SECOND_GAIN),
        ]  # fmt: skip
