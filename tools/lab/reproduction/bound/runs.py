"""The runs that hold Starling's algorithms against what an allreduce takes at least after late arrivals."""
import dataclasses
import math

from reproduction.common import quantities
from reproduction.common.simulations import ELEMENT_BYTES, KI, count_text, simulation

RANKS = 48
MEBI = KI * KI
BANDWIDTH = 125e6  # bytes per second, of tools/lab/simulate
ALPHA = 4e-6  # seconds per message: two links
FLOAT = ELEMENT_BYTES["float"]
DELAY = 100  # ms
DELAYS = (0, 1, 2, 5, 10, 20, 50, 100, 200, 500)
LATE = (1, 2, 4, 8, 12, 16, 24)  # ranks that come together
PROCESSES = (8, 16, 33, 128)
# Floats, and ms of the late rank: a delay shorter than a balanced allreduce cannot hide it.
SIZES = ((128 * KI, DELAY), (512 * KI, DELAY), (8 * MEBI, 8 * DELAY))
RANDOM = ("rand-late", "gamma")
RANDOM_CALLS = 4
# Ranks and floats: short vectors, because the number of messages is what takes the time of a simulation.
MANY = ((512, 64 * KI), (1024, 16 * KI))
# Ranks on each node, where several share one: of the fewer ranks only, for the same reason.
PER_NODE = 8
WRONG = ("--predict", "wrong")
# Another rank is late in each call, and nobody knows beforehand.
UNKNOWN_CALLS = 16
UNKNOWN = ("--predict", "none", "--iterations", str(UNKNOWN_CALLS))

# The rows that are to reach the bounds, as they know who will be late, or who shares a node; and the others.
TARGETED = ("slt", "prr", "late_join", "direct", "two_level")
OTHERS = ("ring", "ring_segmented", "rabenseifner", "recursive_doubling", "reduce_bcast", "binary_tree",
          "static_optimal", "local_redirect", "native:ompi")  # fmt: skip
ROWS = (*OTHERS, *TARGETED)
# Elsewhere they are the row that they are made of.
WITH_NODES = ("two_level",)
# Rabenseifner's algorithm between the nodes: vectors are short where ranks share them.
WITH_PARAMETERS = {"two_level": "two_level:inner=2"}
# Of these, flags in the call can name the late rank.
FLAGGING = ("slt", "late_join", "direct", "static_optimal", "local_redirect")
# The most segments that the catalogue allows.
MOST_SEGMENTS = {"slt": 65536, "late_join": 8192}
# From so many ranks on `direct` is not cut into parts, which take a message for each pair of ranks.
UNCUT_RANKS = 512
# Left out from so many ranks on, as one run takes minutes: P (P - 1) messages and more each.
FEWER_RANKS = {"ring_segmented": 512, "ring": 1024, "prr": 1024, "direct": 1024}
# These take a run of their own, since a run of all would be long: from so many ranks on.
APART_RANKS = 128
APART = ("ring", "prr", "slt", "direct")


def segments(row, ranks, count):
    """The number of segments S that minimises (stages + S) (alpha + n beta / S), where the first segment takes
    `stages` steps before the others follow it; within the range of the row, and not more than there are elements."""
    stages = {"slt": ranks - 1, "late_join": math.ceil(math.log2(ranks)) - 1}[row]
    best = round(math.sqrt(stages * FLOAT * count / BANDWIDTH / ALPHA))
    return max(1, min(best, MOST_SEGMENTS[row], count))


def broadcast_time():
    """Of a late rank's vector that follows in `late_join`'s blocks, in ms, with the best number of them."""
    count = segments("late_join", RANKS, MEBI)
    rounds = count + math.ceil(math.log2(RANKS)) - 1
    return 1e3 * rounds * (ALPHA + FLOAT * MEBI / BANDWIDTH / count)


def separator(text):
    return "," if ":" in text else ":"


def named_choice(row, ranks, count):
    """The same with flags that name the late rank, where the row can."""
    text = choice(row, ranks, count)
    return f"{text}{separator(text)}flagged=1" if row in FLAGGING else text


def choice(row, ranks, count):
    """As the benchmark takes it."""
    if row in MOST_SEGMENTS:
        return f"{row}:segments={segments(row, ranks, count)}"
    if row == "direct" and ranks >= UNCUT_RANKS:
        return "direct:segments=1"
    return WITH_PARAMETERS.get(row, row)


@dataclasses.dataclass(frozen=True)
class Case:
    """One arrival pattern; all rows are measured under it."""

    ranks: int = RANKS
    count: int = MEBI
    pattern: str = "one-late"
    delay: int = DELAY  # ms
    options: tuple = ()
    per_node: int = 1

    def text(self):
        late = f"`{self.pattern}` {self.delay} ms" if self.delay else "nobody late"
        nodes = f", {self.per_node} on each node" if self.per_node > 1 else ""
        return f"{self.ranks} ranks{nodes}, {count_text(self.count)} floats, {late}"

    def rows(self):
        return [
            row for row in ROWS
            if self.ranks < FEWER_RANKS.get(row, self.ranks + 1) and (self.per_node > 1 or row not in WITH_NODES)
        ]  # fmt: skip

    def run(self, rows):
        chosen = named_choice if self.options == UNKNOWN else choice
        choices = [chosen(row, self.ranks, self.count) for row in rows]
        network = ("--ranks-per-node", str(self.per_node)) if self.per_node > 1 else ()
        return simulation(self.ranks, choices, self.count, self.pattern, (self.delay,), self.options, network)

    def runs(self):
        """By row; slow ones apart where ranks are many."""
        apart = {row: self.run([row]) for row in self.rows() if self.ranks >= APART_RANKS and row in APART}
        others = [row for row in self.rows() if row not in apart]
        return apart | dict.fromkeys(others, self.run(others))

    def bound(self):
        """Least post-arrival time in ms."""
        late = int(self.pattern.removeprefix("late:")) if self.pattern.startswith("late:") else 1
        if self.delay == 0:
            late = 0
        delay = math.inf if self.pattern in RANDOM else self.delay
        # The ranks of a node share its link.
        return quantities.late_bound(self.ranks // self.per_node, late, delay, FLOAT * self.count, BANDWIDTH)

    def wire(self):
        """n beta in ms."""
        return quantities.wire_bound(FLOAT * self.count, BANDWIDTH)


BALANCED = Case(delay=0)


def over_delay():
    return [Case(delay=delay) for delay in DELAYS]


def together(late):
    """One late rank is one-late, which another table has as well."""
    return Case() if late == 1 else Case(pattern=f"late:{late}")


def over_late():
    return [together(late) for late in LATE]


def over_ranks():
    return [Case(ranks=ranks) for ranks in PROCESSES]


def over_size():
    return [Case(count=count, delay=delay) for count, delay in SIZES]


def at_random():
    return [Case(pattern=pattern, options=("--iterations", str(RANDOM_CALLS))) for pattern in RANDOM]


def wrongly_predicted():
    return Case(options=WRONG)


def unknown_beforehand():
    return Case(pattern="any-late", options=UNKNOWN)


def many_ranks():
    cases = [Case(ranks, count, delay=delay) for ranks, count in MANY for delay in (0, DELAY)]
    return [*cases, Case(*MANY[0], delay=0, per_node=PER_NODE)]


def runs_of(cases):
    return list(dict.fromkeys(run for case in cases for run in case.runs().values()))


def all_cases():
    """The longest begin early."""
    longest = [*many_ranks(), *reversed(over_size()), *reversed(over_ranks()), *at_random()]
    return list(dict.fromkeys([*longest, *over_late(), *over_delay(), wrongly_predicted(), unknown_beforehand()]))


def all_runs():
    return runs_of(all_cases())
