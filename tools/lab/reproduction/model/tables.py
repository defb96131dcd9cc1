"""The tables of how well the cost model predicts."""
import statistics

from reproduction.common.markdown import ms, percent, ratio, signed_percent
from reproduction.model.results import TRIES, errors_by_row, row_name, summarise, worst_first

MOST_LISTED = 12
TOLD = 0.01  # an error that is told
SUMMARY = (
    "", "cases", "median loss", "worst loss", "within the aim", f"worst of {TRIES} tries", "median correlation",
    "least correlation",
)  # fmt: skip


def summary_row(title, comparisons, aim):
    found = summarise(comparisons, aim)
    return [
        title, found.cases, percent(found.median_loss, 1), percent(found.worst_loss, 1),
        percent(found.good / found.cases), percent(found.worst_after_tries, 1), ratio(found.median_correlation),
        ratio(found.least_correlation),
    ]  # fmt: skip


def summary_table(document, comparisons, aim, groups):
    """`groups`: functions that name the group of a case."""
    rows = [summary_row("all", comparisons, aim)]
    for name_of in groups:
        for name in dict.fromkeys(name_of(comparison.case) for comparison in comparisons):
            rows.append(summary_row(name, [each for each in comparisons if name_of(each.case) == name], aim))
    document.table("Loss and rank correlation", SUMMARY, rows)


def row_table(document, comparisons):
    best = [row_name(comparison.best()) for comparison in comparisons]
    predicted = [row_name(comparison.predicted_best()) for comparison in comparisons]
    rows = []
    for row, found in errors_by_row(comparisons).items():
        errors = [error for error, _ in found]
        furthest = max(found, key=lambda pair: abs(pair[0]))[1]
        rows.append([
            f"`{row}`", signed_percent(statistics.median(errors)), signed_percent(min(errors)),
            signed_percent(max(errors)), furthest.text() if max(map(abs, errors)) >= TOLD else None, best.count(row),
            predicted.count(row),
        ])  # fmt: skip
    header = [
        "", "median error", "most below", "most above", "furthest off", "times fastest", "times predicted to be",
    ]  # fmt: skip
    document.table("Error of the predicted times (predicted / measured - 1)", header, rows)
    errors = [abs(error) for found in errors_by_row(comparisons).values() for error, _ in found]
    close = sum(error < TOLD for error in errors)
    document.text(f"Of {len(errors)} predictions {close} ({percent(close / len(errors))}) are within {percent(TOLD)}.")


def time_text(value):
    """Short calls take less than a tenth of a millisecond."""
    return ms(value) if value >= 1 else f"{value:.3f}"


def choice_text(comparison, candidate):
    """Measured time, and how far its prediction was off."""
    error = signed_percent(comparison.error(candidate))
    return f"`{row_name(candidate)}` {time_text(comparison.measured[candidate])} ({error})"


def worst_table(document, comparisons, aim):
    missed = worst_first(comparisons, aim)
    if not missed:
        document.text(f"No case loses {percent(aim)} or more.")
        return
    rows = [
        [comparison.case.text(), percent(comparison.loss(), 1), choice_text(comparison, comparison.predicted_best()),
         choice_text(comparison, comparison.best())]
        for comparison in missed[:MOST_LISTED]
    ]  # fmt: skip
    header = ["", "loss", "predicted to be fastest, ms (error)", "fastest, ms (error)"]
    shown = f"the worst {MOST_LISTED} of {len(missed)}" if len(missed) > MOST_LISTED else "all"
    document.table(f"Cases that lose {percent(aim)} or more: {shown}", header, rows)


def case_table(document, comparisons):
    rows = []
    for comparison in comparisons:
        found = comparison.correlation()
        rows.append([
            comparison.case.text(), None if found is None else ratio(found), percent(comparison.loss(), 1),
            f"`{row_name(comparison.predicted_best())}`", f"`{row_name(comparison.best())}`",
            time_text(comparison.measured[comparison.best()]),
        ])  # fmt: skip
    document.table("", ["", "correlation", "loss", "predicted to be fastest", "fastest", "ms"], rows)
