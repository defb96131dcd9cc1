"""The runs that stand beside Marendic et al. (2012)."""
from reproduction.common import papers
from reproduction.common.simulations import KI, simulation

RANKS = papers.MARENDIC_RANKS
ELEMENTS = KI * KI  # of Figures 6 to 9
ALGORITHMS = (
    "recursive_doubling", "reduce_bcast", "rabenseifner", "ring", "slt", "prr", "native:mvapich2", "native:ompi",
)  # fmt: skip
# Those that keep the order of ranks, which an operator that does not commute needs. The simulator's version of
# native:mvapich2 does not: its products are wrong.
ORDERED = ("recursive_doubling", "reduce_bcast", "rabenseifner", "slt", "slt:window=1", "native:ompi")
# Of Figure 7. Where combining takes longer than the wire, it matters how many segments are taken on at once.
WITH_NARROW = (*ALGORITHMS, "slt:window=1")
PROCESSES = (8, 16, 32, 64, 128)
SIZES = (128, 4 * KI, 64 * KI)
LATE = 120  # ms, of Figure 8
GAMMA_MEAN = 4  # ms, of Figure 9, about what a reduction of two vectors takes: the paper does not print it
GAMMA_CALLS = 4
# A message crosses two links.
NETWORK = (
    "--bandwidth", f"{papers.MARENDIC_BANDWIDTH / 1e6:g}MBps", "--latency", f"{1e6 * papers.MARENDIC_ALPHA / 2:g}us",
)  # fmt: skip
PLUS_COST = 8 * papers.MARENDIC_GAMMA  # seconds per double
SLOW_FACTOR = 100  # "two orders of magnitude slower"


def cost_text(seconds):
    return f"{1e9 * seconds:.3g}ns"


PLUS = ("--op", "slow-sum", "--slow-cost", cost_text(PLUS_COST))
SLOW = ("--op", "slow-sum", "--slow-cost", cost_text(SLOW_FACTOR * PLUS_COST))
# Matrices are half as long as doubles: twice as many make the same bytes and the same time of the operator.
MATRIX = ("--op", "slow-matrix", "--slow-cost", cost_text(SLOW_FACTOR * PLUS_COST / 2))


def doubles(ranks, count, pattern, delays, options, algorithms=ALGORITHMS):
    return simulation(ranks, algorithms, count, pattern, delays, options, NETWORK, "double")


def table_1():
    """One run for each delay: together they would take too long to be resumed."""
    return [doubles(RANKS, papers.MARENDIC_ELEMENTS, "one-late", (delay,), PLUS) for delay in papers.MARENDIC_DELAYS]


def sizes():
    return [doubles(RANKS, size, "none", (0,), PLUS) for size in SIZES]


def figure_6():
    return [doubles(ranks, ELEMENTS, "none", (0,), PLUS) for ranks in PROCESSES]


def figure_7():
    return [doubles(ranks, ELEMENTS, "none", (0,), SLOW, WITH_NARROW) for ranks in PROCESSES]


def figure_7_ordered():
    return [
        simulation(ranks, ORDERED, 2 * ELEMENTS, "none", (0,), MATRIX, NETWORK, "uint32") for ranks in PROCESSES
    ]


def figure_8():
    return [doubles(ranks, ELEMENTS, "one-late", (LATE,), PLUS) for ranks in PROCESSES]


def figure_9():
    options = (*PLUS, "--iterations", str(GAMMA_CALLS))
    return [doubles(ranks, ELEMENTS, "gamma", (GAMMA_MEAN,), options) for ranks in PROCESSES]


def all_runs():
    return [*figure_6(), *figure_8(), *figure_7(), *figure_7_ordered(), *table_1(), *figure_9(), *sizes()]
