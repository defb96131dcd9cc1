"""The runs that stand beside Marendic et al. (2012)."""
import dataclasses

from reproduction.common import papers
from reproduction.common.simulations import KI, simulation

RANKS = papers.MARENDIC_RANKS
ELEMENTS = KI * KI  # of Figures 6 to 9
# The paper's rows, as far as the simulated MPI library has them, what libraries choose, and Starling's plan where it
# knows who comes when.
DEFAULT = "native:binomial"
BINARY = "native:ompi_binary"
SCATTER = "native:scatter_gather"
PLANNED = "planned"
REDUCTIONS = (DEFAULT, BINARY, SCATTER, "native:ompi", "native:mvapich2", PLANNED)
# Those that keep the order of ranks, which an operator that does not commute needs. The simulator's versions of the
# others do not: their products are wrong.
ORDERED = (DEFAULT, "native:ompi", PLANNED)
TUNED = "tuned"
# Simulated times have no noise, so two calls tell as much as the usual sixteen; a call on 128 ranks takes seconds.
PERIOD = ("env", "STARLING_ROOTED_PERIOD=2")
# The paper's algorithms, which the catalogue has as allreduces, and the fastest of the others.
ALLREDUCES = ("static_optimal", "local_redirect", "binary_tree", "direct", "slt", "native:mvapich2")
PROCESSES = (8, 16, 32, 64, 128)
LEARNED_PROCESSES = (8, 16, 32)  # `tuned` needs some 20 calls to learn
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
REDUCE = ("--collective", "reduce")
# Of Figures 6 to 9: pattern, its delay in ms, and what else is said.
FIGURES = {
    6: ("none", 0, PLUS),
    7: ("none", 0, SLOW),
    8: ("one-late", LATE, PLUS),
    9: ("gamma", GAMMA_MEAN, (*PLUS, "--iterations", str(GAMMA_CALLS))),
}  # fmt: skip


def doubles(ranks, count, pattern, delay, options, algorithms):
    return simulation(ranks, algorithms, count, pattern, (delay,), options, NETWORK, "double")


def learning(run):
    """The same run of what learns before."""
    return dataclasses.replace(run, words=(*PERIOD, *run.words))


def table_1(algorithms=REDUCTIONS):
    """One run for each delay: together they would take too long to be resumed."""
    return [
        doubles(RANKS, papers.MARENDIC_ELEMENTS, "one-late", delay, (*REDUCE, *PLUS), algorithms)
        for delay in papers.MARENDIC_DELAYS
    ]


def table_1_tuned():
    return [learning(run) for run in table_1((TUNED,))]


def sizes():
    return [doubles(RANKS, size, "none", 0, (*REDUCE, *PLUS), REDUCTIONS) for size in SIZES]


def figure(number, algorithms=REDUCTIONS, processes=PROCESSES):
    pattern, delay, options = FIGURES[number]
    return [doubles(ranks, ELEMENTS, pattern, delay, (*REDUCE, *options), algorithms) for ranks in processes]


def processes_of_tuned(number):
    """Where every call has other latenesses what was learned differs from what is true, on few ranks and many."""
    return PROCESSES if number == 9 else LEARNED_PROCESSES


def figure_tuned(number):
    return [learning(run) for run in figure(number, (TUNED,), processes_of_tuned(number))]


def figure_7_ordered():
    return [
        simulation(ranks, ORDERED, 2 * ELEMENTS, "none", (0,), (*REDUCE, *MATRIX), NETWORK, "uint32")
        for ranks in PROCESSES
    ]


def allreduces():
    """By the figure, on as many ranks as there are."""
    return {
        number: doubles(RANKS, ELEMENTS, pattern, delay, options, ALLREDUCES)
        for number, (pattern, delay, options) in FIGURES.items()
    }


def all_runs():
    figures = [run for number in FIGURES for run in (*figure(number), *figure_tuned(number))]
    return [*sizes(), *figures, *table_1(), *table_1_tuned(), *figure_7_ordered(), *allreduces().values()]
