"""The document that holds Starling's algorithms against the bounds on the emulated cluster."""
import dataclasses

from reproduction.common import quantities, records
from reproduction.common.markdown import Document, ms, percent, ratio
from reproduction.common.simulations import ELEMENT_BYTES, KI, count_text
from reproduction.emulated import cluster
from reproduction.emulated import runs as emulated_runs

FILE = "bound-cluster.md"
TITLE = "The bounds on real TCP"
COUNT = KI * KI  # floats
BYTES = ELEMENT_BYTES["float"] * COUNT
DELAY = 1500  # ms
CALLS = 5
# Its rows give the same bits whoever is late, for operations that do not commute, too.
REPRODUCIBLE = "direct"
MOST_OVER_FASTEST = 1.10  # of the reproducible row


@dataclasses.dataclass(frozen=True)
class Case:
    """One arrival pattern on one cluster; all rows are measured in one run, interleaved."""

    setup: emulated_runs.Setup
    title: str
    pattern: str
    delay: int  # ms
    rows: tuple  # as the benchmark names them
    options: tuple = ()

    def run(self):
        words = ["tools/lab/cluster", "run", "--", emulated_runs.PROGRAM, "--algorithm", ",".join(self.rows)]
        words += ["--count", count_text(COUNT), "--pattern", self.pattern, "--delay", str(self.delay), *self.options]
        words += ["--compute", "100ms", "--iterations", str(CALLS)]
        return records.Run(tuple(words), emulated_runs.PROGRAM, context=self.setup.shape())


@dataclasses.dataclass(frozen=True)
class Aim:
    """`value` of the times by row; met where it is at least, or at most, `limit`."""

    text: str
    value: object
    limit: float
    is_least: bool
    show: object

    def is_met(self, value):
        return value >= self.limit if self.is_least else value <= self.limit

    def row(self, times):
        value = self.value(times)
        limit = f"{'at least' if self.is_least else 'at most'} {self.show(self.limit)}"
        return [self.text, limit, self.show(value), "yes" if self.is_met(value) else "**no**"]


def exact_ratio(value):
    return ratio(value, 3)


def algorithm(choice):
    return choice.partition(":")[0]


def fastest(times, *without):
    """Of Starling's rows."""
    return min(time for choice, time in times.items() if algorithm(choice) not in ("native", *without))


def over_native(limit):
    def value(times):
        return times["native"] / fastest(times)

    return Aim("Open MPI's own choice over the fastest row", value, limit, True, ratio)


def over_fastest():
    def value(times):
        own_time = next(time for choice, time in times.items() if algorithm(choice) == REPRODUCIBLE)
        return own_time / fastest(times)

    text = f"the reproducible row, `{REPRODUCIBLE}`, over the fastest"
    return Aim(text, value, MOST_OVER_FASTEST, False, exact_ratio)


def share(setup, limit):
    def value(times):
        bound = quantities.wire_bound(BYTES, setup.bytes_per_second())
        return quantities.share_of_saving(times["ring"], fastest(times), bound)

    return Aim("the fastest row's share of the possible saving", value, limit, True, percent)


def over_bound(setup, late, limit):
    def value(times):
        return fastest(times) / quantities.late_bound(setup.hosts, late, DELAY, BYTES, setup.bytes_per_second())

    return Aim(f"the fastest row over the bound, (P + {late - 1})/P n beta", value, limit, False, ratio)


def over_ring(limit):
    def value(times):
        return fastest(times, "ring") / times["ring"]

    return Aim("the fastest other row over the ring", value, limit, False, ratio)


def cases(setup):
    """With what is aimed at in each."""
    chain = f"slt:segments={16 * setup.hosts}"
    join = "late_join"
    unknown = ("--predict", "none")
    return {
        Case(setup, "One rank late", "one-late", DELAY, ("native", "ring", chain, join, REPRODUCIBLE)):
            [share(setup, 0.95), over_native(2), over_fastest()],
        Case(setup, "Two ranks late together", "late:2", DELAY, ("native", "ring", chain, REPRODUCIBLE)):
            [over_bound(setup, 2, 1.15), over_fastest()],
        Case(setup, "One rank late, another in each call, unknown beforehand", "any-late", DELAY,
             ("ring", f"{chain},flagged=1", f"{join}:flagged=1", f"{REPRODUCIBLE}:flagged=1"), unknown):
            [share(setup, 0.75), over_fastest()],
        Case(setup, "Nobody late", "none", 0,
             ("native", "ring", "ring_segmented:segments=2", REPRODUCIBLE)):
            [over_ring(1.02), over_native(1.5), over_fastest()],
    }  # fmt: skip


def times_of(case, cache):
    """Median post-arrival times in ms, by row as it was asked for: results come in this order."""
    results = cache.load(case.run()).results
    return {choice: result["post_arrival_ms"]["p50"] for choice, result in zip(case.rows, results, strict=True)}


def section(document, case, aims, cache):
    document.heading(f"{case.setup.hosts} hosts, {case.setup.megabits} Mbit/s: {case.title[0].lower()}{case.title[1:]}")
    times = times_of(case, cache)
    document.table("Post-arrival time", ["", "ms"], [[f"`{row}`", ms(time)] for row, time in times.items()])
    document.table("Aims", ["", "aim", "reached", "met"], [aim.row(times) for aim in aims])
    document.code([case.run().text()])


def introduction(document, outcomes):
    header = outcomes[0].header
    document.text(
        "How near the algorithms come on real TCP (`tools/lab/cluster`: every rank in a network namespace of its own, "
        "every link limited in both directions) to what no allreduce can do better; bound.md has the bounds and the "
        f"terms. {count_text(COUNT)} floats; late ranks come {DELAY} ms after the others, and the plans know it "
        f"beforehand unless told. Measured on {records.days(outcomes)} on {header['processor']} with {header['mpi']}, "
        f"starling-bench {header['version']}. Medians of {CALLS} calls; they vary from run to run, mostly by some per "
        "cent, by up to a tenth where many ranks exchange short messages. Made by `tools/lab/reproduce bound-cluster`."
    )
    burst = emulated_runs.BURST // KI
    document.items([
        f"A host that was idle may send {burst} KB at once before its link is limited, so that figures may fall a "
        "little below the bound.",
        "Of 1514 bytes on the wire 1448 are the vector's, so a row that keeps every link busy all the time takes 1.046 "
        "times what the bounds say.",
        "Balanced, the ring's own traffic, 2 (P-1)/P n beta, is the bound; 2 % are granted, as in bound.md.",
        f"`{REPRODUCIBLE}` adds up all contributions to a block at its owner, in the order of the ranks. Late ranks "
        "own nothing, so the others send (P-1)/(P-m) n beta after m late ones. Balanced, every rank has a message for "
        "every other one, and on TCP these exchanges take longer than those with a neighbour on the ring.",
    ])  # fmt: skip


def summary(document, plans, cache):
    rows = []
    for case, aims in plans.items():
        times = times_of(case, cache)
        met = sum(aim.is_met(aim.value(times)) for aim in aims)
        rows.append([f"{case.setup.hosts} hosts: {case.title[0].lower()}{case.title[1:]}", len(aims), met])
    document.table("What is met", ["", "aims", "met"], rows)


def write(folder, cache, _jobs):
    """One run at a time: they share the machine. Returns what has been measured, and no rows without a reason."""
    plans = {}
    for setup in emulated_runs.SETUPS:
        of_setup = cases(setup)
        cluster.measure(setup, [case.run() for case in of_setup], [], cache)
        plans |= of_setup
    runs = [case.run() for case in plans]
    document = Document(TITLE)
    introduction(document, [cache.load(run) for run in runs])
    summary(document, plans, cache)
    for case, aims in plans.items():
        section(document, case, aims, cache)
    document.text("The clusters are made by:")
    document.code([" ".join(setup.up()) for setup in emulated_runs.SETUPS] + ["tools/lab/cluster down"])
    (folder / FILE).write_text(document.render(), encoding="utf-8")
    return runs, []
