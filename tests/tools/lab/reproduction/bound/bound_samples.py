"""A made-up case of the bounds, for tests that measure nothing."""
from reproduction.bound import runs
from reproduction.bound.results import Results
from reproduction.common.simulations import KI

CASE = runs.Case(ranks=8, count=128 * KI)


def results(times):
    """As if these post-arrival times had been measured."""
    made = object.__new__(Results)
    made.by_case = {CASE: {row: {"choice": row, "post_arrival_ms": {"mean": time}} for row, time in times.items()}}
    return made
