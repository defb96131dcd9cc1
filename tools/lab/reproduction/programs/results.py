"""What came out: medians over the rounds, and ratios within them."""
import dataclasses
import statistics

from reproduction.common.preloaded import AGAIN, PLAIN

# The plain run's time in allreduce over that of another one; its whole time is to be no less.
AIM = 1.2
# No difference less than this is told, nor one less than plain runs of a round have among themselves.
LEAST_NOISE = 0.02


@dataclasses.dataclass(frozen=True)
class Ratio:
    """The mean of the plain runs' over that of the same round: the median of the rounds, and the least and the most."""

    median: float
    least: float
    most: float

    def text(self):
        return f"{self.median:.2f} ({self.least:.2f} to {self.most:.2f})"


def ratios_of(trials, way, figure):
    rounds = zip(trials[PLAIN], trials[AGAIN], trials[way])
    return [(figure(plain) + figure(again)) / 2 / figure(other) for plain, again, other in rounds]


def ratio_of(trials, way, figure):
    ratios = ratios_of(trials, way, figure)
    return Ratio(statistics.median(ratios), min(ratios), max(ratios))


def difference(trials, figure):
    """By what share the plain runs of a round differ, as a rule."""
    rounds = zip(trials[PLAIN], trials[AGAIN])
    return statistics.median(abs(figure(again) / figure(plain) - 1) for plain, again in rounds)


def in_allreduce(trial):
    return trial.allreduce


def whole(trial):
    return trial.seconds


def allreduce_ratio(trials, way):
    return ratio_of(trials, way, in_allreduce)


def total_ratio(trials, way):
    return ratio_of(trials, way, whole)


def plain_median(trials, figure):
    """Of the means of both plain runs of a round."""
    return statistics.median((figure(plain) + figure(again)) / 2 for plain, again in zip(trials[PLAIN], trials[AGAIN]))


def tuned_calls(trials, way):
    return statistics.median(trial.tuned_calls for trial in trials[way])


def is_met(trials, way):
    """A gain that is no more than what plain runs differ by is none."""
    gain = allreduce_ratio(trials, way).median
    return gain >= AIM and gain - 1 > difference(trials, in_allreduce)


def is_never_worse(trials, way):
    """Of whole times, as far as these tell."""
    return total_ratio(trials, way).median >= 1.0 - max(LEAST_NOISE, difference(trials, whole))
