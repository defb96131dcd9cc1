"""The runs that stand beside Soga et al. (2007): broadcasts whose first receiver has a load before each call."""
from reproduction.common.simulations import KI, simulation

PROCESSES = (8, 16, 32, 64)
# Floats: 1 KiB and 3 KiB, which go over a binomial tree, and 1 MiB, which goes over a chain.
SHORT, MIDDLE, LONG = 256, 768, 256 * KI
CALLS = {SHORT: 1000, MIDDLE: 1000, LONG: 200}  # of the loop
# The load, in times that the binomial tree takes when nobody has one: the paper's abstract does not print it.
LOADS = (0.5, 1, 2, 4, 8)
MAIN_LOAD = 4
FIRST_RECEIVER = 1  # of Starling's tree, from root 0
# What the simulator has by default: a message crosses two links of 2 us and 125 MB/s.
ALPHA = 4e-3  # ms
BETA = 8e-6  # ms per byte
UNMOVED = "planned"  # the tree of tuned_bcast in the order of ranks: what it would be if it exchanged nobody
BINOMIAL = "native:binomial_tree"
LIBRARY = "native:ompi"
FIXED = (UNMOVED, BINOMIAL, LIBRARY)
TUNED = "tuned"
BROADCAST = ("--collective", "bcast", "--predict", "none")


def message_bytes(count):
    return 4 * count


def rounds(ranks):
    return (ranks - 1).bit_length()


def tree_ms(ranks, count):
    """What a binomial tree takes: one message after the other in each round."""
    return rounds(ranks) * (ALPHA + message_bytes(count) * BETA)


def load_ms(ranks, count, load):
    """As it stands in the command."""
    return float(f"{load * tree_ms(ranks, count):g}")


def loads(count):
    return LOADS if count != LONG else (MAIN_LOAD,)


def fixed(ranks, count, late=FIRST_RECEIVER):
    """What is the same in every call is called once, with each load and without one."""
    delays = [0, *(load_ms(ranks, count, load) for load in (loads(count) if late == FIRST_RECEIVER else (MAIN_LOAD,)))]
    return simulation(ranks, FIXED, count, "one-late", delays, (*BROADCAST, *late_rank(late)))


def tuned(ranks, count, load, late=FIRST_RECEIVER):
    """The whole loop. One run for each load, so that each begins with nothing learned."""
    options = (*BROADCAST, *late_rank(late), "--iterations", str(CALLS[count]), "--from-first-call")
    return simulation(ranks, (TUNED,), count, "one-late", (load_ms(ranks, count, load),), options)


def late_rank(late):
    return () if late == FIRST_RECEIVER else ("--late-rank", str(late))


def first_receiver_of_library(ranks):
    """Of its binomial tree, which sends to the farthest rank first."""
    return 1 << (rounds(ranks) - 1)


def settings():
    """Ranks, count, load and who has it."""
    for count in CALLS:
        for ranks in PROCESSES:
            for load in loads(count):
                yield ranks, count, load, FIRST_RECEIVER
            if count != LONG:
                yield ranks, count, MAIN_LOAD, first_receiver_of_library(ranks)


def all_runs():
    runs = []
    for ranks, count, load, late in settings():
        runs += [fixed(ranks, count, late), tuned(ranks, count, load, late)]
    return list(dict.fromkeys(runs))
