"""The runs that stand beside Proficz (2018)."""
from reproduction.common import papers
from reproduction.common.simulations import KI, simulation

RANKS = papers.PROFICZ_RANKS
MEBI = KI * KI
OWN = ("ring", "rabenseifner", "slt", "prr")
LIBRARY = "native:ompi"
# The same pipeline with the segments and the window that suit this network.
PIPELINED = "slt:segments=1152,window=3"
PATTERNS = ("one-late", "rand-late")
FIGURE_11_DELAY = 50  # ms
FIGURE_12_DELAY = 100  # ms
# `tuned` makes up to 64 calls before it is measured, which takes minutes for longer vectors.
TUNED_SIZES = papers.PROFICZ_SIZES[:4]
# Calls per setting of a random pattern.
FEW_CALLS = 4
MANY_CALLS = 8


def table_3():
    return simulation(RANKS, (*OWN, LIBRARY, PIPELINED), MEBI, "one-late", papers.PROFICZ_DELAYS)


def table_3_tuned():
    return [simulation(RANKS, ("tuned",), MEBI, "one-late", (delay,)) for delay in papers.PROFICZ_DELAYS]


def table_4(pattern):
    """One run for each size."""
    runs = []
    for size in papers.PROFICZ_SIZES:
        # All own rows at 1 Mi floats, for the second part of Figure 10.
        algorithms = OWN if size == KI and pattern == "rand-late" else ("ring", "prr")
        calls = FEW_CALLS if size > KI else MANY_CALLS
        options = ("--iterations", str(calls)) if pattern == "rand-late" else ()
        runs.append(simulation(RANKS, algorithms, size * KI, pattern, papers.PROFICZ_DELAYS, options))
    return runs


def figure_11():
    return [
        simulation(RANKS, (*OWN, LIBRARY), size * KI, "one-late", (FIGURE_11_DELAY,)) for size in papers.PROFICZ_SIZES
    ]


def figure_11_tuned():
    return [simulation(RANKS, ("tuned",), size * KI, "one-late", (FIGURE_11_DELAY,)) for size in TUNED_SIZES]


def figure_12():
    return [
        simulation(ranks, (*OWN, LIBRARY), MEBI, "one-late", (FIGURE_12_DELAY,)) for ranks in papers.PROFICZ_PROCESSES
    ]


def figure_12_tuned():
    return [simulation(ranks, ("tuned",), MEBI, "one-late", (FIGURE_12_DELAY,)) for ranks in papers.PROFICZ_PROCESSES]


def fixed_runs():
    """All but those of `tuned`; the longest begin early."""
    longest = [*reversed(table_4("rand-late")), *reversed(table_4("one-late"))]
    return [table_3(), *longest, *figure_11(), *figure_12()]


def tuned_runs():
    return [*table_3_tuned(), *figure_11_tuned(), *figure_12_tuned()]
