"""What learning is to cost at most, and whether it does."""
import dataclasses
import statistics

from reproduction.common.markdown import percent, ratio
from reproduction.learning import runs as plan
from reproduction.learning.results import figures, tail


def calls(value):
    return f"{value:.0f}"


def one_digit(value):
    return percent(value, 1)


@dataclasses.dataclass(frozen=True)
class Aim:
    """Of the tuner's figure `name` over the worlds where it is defined."""

    text: str
    name: str
    summary: object  # makes one number of many
    limit: float
    show: object  # makes text of a number

    def reached(self, worlds):
        """None where the figure is defined in no world."""
        found = figures(worlds, plan.TUNER, self.name)
        return self.summary(found) if found else None

    def row(self, worlds):
        value = self.reached(worlds)
        shown = None if value is None else self.show(value)
        is_met = value is not None and value <= self.limit
        return [self.text, f"at most {self.show(self.limit)}", shown, verdict(is_met)]


def verdict(is_met):
    return "met" if is_met else "**not met**"


AIMS = (
    Aim("regret, median", "regret", statistics.median, 0.03, one_digit),
    Aim("regret, 95 of 100 worlds", "regret", tail, 0.10, one_digit),
    Aim("left native for what costs over 2 % more, share of worlds", "left_wrongly", statistics.mean, 0.02, one_digit),
    Aim("missed a gain of more than 10 %, share of worlds", "missed", statistics.mean, 0.05, one_digit),
    Aim("calls until settled, median", "settled", statistics.median, 14, calls),
    Aim("calls until settled, 95 of 100 worlds", "settled", tail, 20, calls),
    Aim("calls until ranks that came otherwise were followed, 95 of 100 worlds", "followed_rank", tail, 24, calls),
    Aim("calls until changed costs were followed, 95 of 100 worlds", "followed_cost", tail, 40, calls),
    Aim("worst 50 calls over native's, 95 of 100 worlds", "worst_stretch", tail, 1.15, ratio),
    Aim("worst 50 calls over native's, all worlds", "worst_stretch", max, 1.15, ratio),
)


def rival_row(worlds, text, summary):
    """The tuner's regret is to be below that of each rival."""
    least, rival = min((summary(figures(worlds, name, "regret")), name) for name in plan.RIVALS)
    reached = summary(figures(worlds, plan.TUNER, "regret"))
    return [f"regret below every rival's, {text}", f"below {one_digit(least)} (`{rival}`)", one_digit(reached),
            verdict(reached < least)]  # fmt: skip


def rows(worlds):
    return [
        *(aim.row(worlds) for aim in AIMS[:2]), rival_row(worlds, "median", statistics.median),
        rival_row(worlds, "95 of 100 worlds", tail), *(aim.row(worlds) for aim in AIMS[2:]),
    ]  # fmt: skip
