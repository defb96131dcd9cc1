"""What was measured, beside what the cost model predicted. Times are post-arrival times in ms."""
import dataclasses
import statistics

from reproduction.model import ranking

TRIES = 4  # algorithms of which the best counts


@dataclasses.dataclass(frozen=True)
class Comparison:
    """Of one case: times by candidate."""

    case: object
    measured: dict
    predicted: dict

    def correlation(self):
        return ranking.rank_correlation(self.predicted, self.measured)

    def loss(self, tries=1):
        return ranking.loss(self.predicted, self.measured, tries)

    def predicted_best(self):
        return ranking.first(self.predicted)[0]

    def best(self):
        return ranking.first(self.measured)[0]

    def error(self, candidate):
        """Of its prediction: 0.1 is 10 % too long."""
        return self.predicted[candidate] / self.measured[candidate] - 1


def row_name(candidate):
    return candidate.partition(":")[0]


def compare(case, outcome, figure):
    """`figure` is the one of several calls: mean or p50."""
    results = [result for result in outcome.results if result["delay_ms"] == case.delay]
    return Comparison(
        case,
        {result["choice"]: result["post_arrival_ms"][figure] for result in results},
        {result["choice"]: result["modelled_ms"] for result in results},
    )


@dataclasses.dataclass(frozen=True)
class Summary:
    """Of several comparisons."""

    cases: int
    median_loss: float
    worst_loss: float
    worst_after_tries: float
    good: int  # cases whose loss is within the aim
    median_correlation: float
    least_correlation: float


def summarise(comparisons, aim):
    losses = [comparison.loss() for comparison in comparisons]
    correlations = [comparison.correlation() for comparison in comparisons]
    correlations = [value for value in correlations if value is not None]
    return Summary(
        len(losses), statistics.median(losses), max(losses), max(each.loss(TRIES) for each in comparisons),
        sum(loss < aim for loss in losses), statistics.median(correlations), min(correlations),
    )  # fmt: skip


def errors_by_row(comparisons):
    """Errors of all predictions with their cases, by row of the catalogue."""
    errors = {}
    for comparison in comparisons:
        for candidate in comparison.measured:
            errors.setdefault(row_name(candidate), []).append((comparison.error(candidate), comparison.case))
    return dict(sorted(errors.items()))


def worst_first(comparisons, aim):
    """Those whose loss misses the aim."""
    missed = [comparison for comparison in comparisons if comparison.loss() >= aim]
    return sorted(missed, key=lambda comparison: -comparison.loss())
