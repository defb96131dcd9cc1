"""How well predictions rank what was measured. Both are times by candidate."""
import statistics


def places(values):
    """1 for the least; equal values share the mean of their places."""
    ordered = sorted(values)
    return [ordered.index(value) + (ordered.count(value) + 1) / 2 for value in values]


def rank_correlation(predicted, measured):
    """Spearman's: 1 where the order is the same, -1 where it is reversed; None where either has no order."""
    names = list(measured)
    of_predicted = places([predicted[name] for name in names])
    of_measured = places([measured[name] for name in names])
    if len(set(of_predicted)) < 2 or len(set(of_measured)) < 2:
        return None
    return statistics.correlation(of_predicted, of_measured)


def first(times, number=1):
    """The candidates with the least times; the earlier of equal ones."""
    return sorted(times, key=times.get)[:number]


def loss(predicted, measured, tries=1):
    """By how much the best of the `tries` candidates that are predicted to be fastest is slower than the best of all:
    0.03 is 3 %."""
    return min(measured[name] for name in first(predicted, tries)) / min(measured.values()) - 1
