"""A made-up case of the cost model, for tests that measure nothing."""
from reproduction.common import records
from reproduction.common.simulations import KI
from reproduction.model import runs
from reproduction.model.results import compare
from samples import HEADER

CASE = runs.Case(8, 16 * KI, "one-late", 10, None)


def comparison(predicted, measured):
    """Of CASE: candidates with these times in ms, and what was predicted."""
    lines = [
        {"choice": name, "delay_ms": 10.0, "post_arrival_ms": {"mean": time}, "modelled_ms": predicted[name]}
        for name, time in measured.items()
    ]
    other = {"choice": "ring", "delay_ms": 1.0, "post_arrival_ms": {"mean": 9}, "modelled_ms": 9}
    outcome = records.Outcome(HEADER, [other, *lines], "", "")
    return compare(CASE, outcome, "mean")
