"""The runs that hold the cost model against what is measured, simulated and emulated."""
import dataclasses

from reproduction.common import candidates, records
from reproduction.common.simulations import KI, count_text, simulation
from reproduction.emulated.runs import Setup

MEBI = KI * KI
MODEL = ("--model",)
RANDOM = ("rand-late", "gamma")
RANDOM_CALLS = 2

# Of the simulated network.
ALPHA = 4000  # ns per message: two links
BETA = 8  # ns per byte
RANKS = (4, 8, 16, 33, 48)
COUNTS = (KI, 16 * KI, 128 * KI, MEBI)
DELAYS = (1, 10, 100)  # ms
PATTERNS = (
    ("none", (0,)), ("one-late", DELAYS), ("late:2", DELAYS), ("rand-late", DELAYS), ("gamma", DELAYS),
)  # fmt: skip

# Of so many ranks the library predicts from fewer: ranks, ranks on each node, counts, patterns.
LATE = ("one-late", 100)
MANY_RANKS = (
    (128, 1, (2, KI, 16 * KI), (("none", 0), LATE, ("late:4", 100))),
    (128, 8, (KI, 16 * KI), (("none", 0), LATE)),
    (256, 1, (KI,), (("none", 0), LATE)),
    (512, 1, (2, KI), (("none", 0), LATE)),
    (512, 8, (KI,), (("none", 0), LATE)),
    (1024, 1, (2,), (("none", 0), LATE)),
)  # fmt: skip

# Of the emulated one. Alpha only chooses the number of segments.
SETUP = Setup(8, 200)
EMULATED_ALPHA = 100_000
EMULATED_COUNTS = (16 * KI, 128 * KI, MEBI)
EMULATED_PATTERNS = (("none", 0), ("one-late", 800), ("late:2", 800))
EMULATED_CALLS = 5
EMULATED_PROGRAM = "starling-bench"


@dataclasses.dataclass(frozen=True)
class Case:
    """One arrival pattern; all candidates are measured under it."""

    ranks: int
    count: int
    pattern: str
    delay: int  # ms
    run: records.Run
    per_node: int = 1

    def place(self):
        return f"{self.ranks} ranks" + (f", {self.per_node} on each node" if self.per_node > 1 else "")

    def text(self):
        late = f"`{self.pattern}` {self.delay} ms" if self.delay else "nobody late"
        return f"{self.place()}, {count_text(self.count)} floats, {late}"


def simulated_run(ranks, count, pattern, delays):
    options = (*MODEL, "--iterations", str(RANDOM_CALLS)) if pattern in RANDOM else MODEL
    return simulation(ranks, candidates.of_call(ranks, count, ALPHA, BETA), count, pattern, delays, options)


def simulated_cases():
    """The longest begin early."""
    return [
        Case(ranks, count, pattern, delay, run)
        for ranks in reversed(RANKS)
        for count in reversed(COUNTS)
        for pattern, delays in PATTERNS
        for run in [simulated_run(ranks, count, pattern, delays)]
        for delay in delays
    ]


def many_ranks_run(ranks, per_node, count, pattern, delay):
    network = ("--ranks-per-node", str(per_node)) if per_node > 1 else ()
    chosen = candidates.of_call(ranks, count, ALPHA, BETA)
    return simulation(ranks, chosen, count, pattern, (delay,), MODEL, network)


def many_ranks_cases():
    return [
        Case(ranks, count, pattern, delay, many_ranks_run(ranks, per_node, count, pattern, delay), per_node)
        for ranks, per_node, counts, patterns in MANY_RANKS
        for count in counts
        for pattern, delay in patterns
    ]


def emulated_run(count, pattern, delay):
    beta = 1e9 / SETUP.bytes_per_second()
    chosen = candidates.of_call(SETUP.hosts, count, EMULATED_ALPHA, beta)
    words = ["tools/lab/cluster", "run", "--", EMULATED_PROGRAM, "--algorithm", ",".join(chosen)]
    words += ["--count", count_text(count), "--pattern", pattern, "--delay", str(delay), *MODEL]
    words += ["--compute", "200ms", "--iterations", str(EMULATED_CALLS)]
    return records.Run(tuple(words), EMULATED_PROGRAM, context=SETUP.shape())


def emulated_cases():
    return [
        Case(SETUP.hosts, count, pattern, delay, emulated_run(count, pattern, delay))
        for count in EMULATED_COUNTS
        for pattern, delay in EMULATED_PATTERNS
    ]


def runs_of(cases):
    return list(dict.fromkeys(case.run for case in cases))
