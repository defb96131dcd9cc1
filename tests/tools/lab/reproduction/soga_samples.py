"""Made-up loops of broadcasts."""
from reproduction.soga import results
from reproduction.soga import runs as plan

FIXED = {plan.UNMOVED: 1.0, plan.BINOMIAL: 0.3, plan.LIBRARY: 0.5}  # ms


def loop(each, ranks=8, count=plan.SHORT, load=plan.MAIN_LOAD, late=plan.FIRST_RECEIVER):
    return results.Loop(ranks, count, load, late, tuple(each), FIXED)


def learned(calls=10):
    """Two calls of the MPI library, the first with what starting takes; two in the order of ranks; then an exchange."""
    return (2.5, 0.5, 1.0, 1.0004, *(calls - 4) * (0.25,))


class Sample:
    """As results.Results, but measured nowhere."""

    runs = ()

    def __init__(self, each=learned()):
        self.loops = [loop(each, *setting) for setting in plan.settings()]
        self.balanced = {(ranks, count): 0.1 for count in plan.CALLS for ranks in plan.PROCESSES}

    find = results.Results.find

    @property
    def outcomes(self):
        from reproduction.common.records import Outcome

        return [Outcome({"version": "0.1.0", "mpi": "SMPI Version 3.32. Copyright"}, [], "2026-11-23", "")]
