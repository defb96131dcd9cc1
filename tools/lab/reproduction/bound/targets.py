"""What the rows that are told who will be late are to reach, and whether they do."""
import dataclasses

from reproduction.bound import runs as plan
from reproduction.bound.results import Results
from reproduction.common.markdown import percent, ratio
from reproduction.common.simulations import KI

SHORTEST = 128 * KI  # floats: here latency is a good part of the bound
LONG_DELAYS = (50, 100, 500)  # ms: so long that all but the late rank's part can be done before
SHORT_DELAYS = (1, 2, 5, 10)  # ms


@dataclasses.dataclass(frozen=True)
class Target:
    """`quantity` is a method of Results."""

    case: plan.Case
    quantity: object
    limit: float
    is_first: bool = False  # and faster than all other rows

    def show(self, value):
        return percent(value, 1) if self.quantity is Results.share else ratio(value, 3)

    def text(self):
        if self.quantity is Results.share:
            return f"at least {percent(self.limit)}"
        return f"at most {ratio(self.limit)}" + (", and fastest" if self.is_first else "")

    def value(self, results, row):
        """None where the row was left out."""
        return self.quantity(results, self.case, row) if row in self.case.rows() else None

    def is_met(self, results, row):
        value = self.value(results, row)
        if value is None or (self.is_first and results.over_rest(self.case, row) >= 1):
            return False
        return value >= self.limit if self.quantity is Results.share else value <= self.limit

    def met_by(self, results):
        return [row for row in plan.TARGETED if self.is_met(results, row)]


@dataclasses.dataclass(frozen=True)
class Group:
    """Targets of one quantity, a table of the document."""

    title: str
    quantity: str  # in words
    targets: list
    reason: str = ""  # why a target is out of reach, where it is


def one_late():
    targets = [Target(case, Results.share, 0.95) for case in plan.over_delay() if case.delay in LONG_DELAYS]
    targets += [Target(case, Results.share, 0.90) for case in plan.over_ranks()]
    targets += [Target(case, Results.share, 0.75 if case.count == SHORTEST else 0.90) for case in plan.over_size()]
    return Group(
        "One rank late", "Share of the possible saving", targets,
        "blocks that each go when the one before has come, as all do here, take (S + ceil(log2 P) - 1) (alpha + n "
        f"beta/S) to reach all ranks: {plan.broadcast_time():.2f} ms on {plan.RANKS} ranks with the best S, a little "
        "more than the target leaves.",
    )  # fmt: skip


def several_late():
    targets = [Target(plan.together(late), Results.over_bound, 1.15) for late in (2, 4, 12)]
    return Group("Several ranks late together", "Post-arrival time over the bound", targets)


def at_random():
    return Group(
        "All ranks late at random", "Post-arrival time over the ring's",
        [Target(case, Results.over_ring, 0.75, is_first=True) for case in plan.at_random()],
    )  # fmt: skip


def balanced():
    return Group(
        "Nobody late", "Post-arrival time over that of the fastest of the other rows",
        [Target(plan.BALANCED, Results.over_rest, 1.02)],
    )  # fmt: skip


def no_harm():
    short = [case for case in plan.over_delay() if case.delay in SHORT_DELAYS]
    return Group(
        "Short delays, and a wrong prediction", "Post-arrival time over the ring's",
        [
            *(Target(case, Results.over_ring, 1.02) for case in short),
            Target(plan.wrongly_predicted(), Results.over_ring, 1.10),
        ],
    )  # fmt: skip


def unknown_beforehand():
    return Group(
        "One rank late, another in each call, unknown beforehand", "Share of the possible saving",
        [Target(plan.unknown_beforehand(), Results.share, 0.75)],
    )  # fmt: skip


def many_ranks():
    return Group(
        "Many ranks", "Post-arrival time over that of the fastest of the other rows",
        [Target(case, Results.over_rest, 1.00) for case in plan.many_ranks()],
        "`rabenseifner`, which is among the fastest when nobody is late, takes the bound's time and that of 2 log2 P "
        "messages, so that little is left to save.",
    )  # fmt: skip


def groups():
    return [one_late(), several_late(), at_random(), balanced(), no_harm(), unknown_beforehand(), many_ranks()]
