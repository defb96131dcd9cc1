"""The document of several nodes, each with several ranks that share its memory."""
import dataclasses
import os

from reproduction.common import index, records
from reproduction.common.markdown import Document, ms, ratio
from reproduction.common.simulations import KI, count_text
from reproduction.emulated.cluster import Cluster
from reproduction.emulated.runs import PROGRAM, Setup

FILE = "node-cluster.md"
TITLE = "Several nodes of several ranks: shared memory within, TCP between"
SETUP = Setup(4, 400)
RANKS = 16
COUNTS = (16, KI, 16 * KI, 128 * KI, KI * KI)  # floats
FLOAT = 4  # bytes
NATIVE = "native"
# Through the memory of a node, and the same by messages.
MEMORY = {
    "two_level:inner=1": "two_level:inner=1,memory=0", "two_level": "two_level:memory=0",
    "two_level:inner=5": "two_level:inner=5,memory=0",
}  # fmt: skip
BY_MESSAGES = "two_level:memory=0"
ROWS = (NATIVE, *(row for pair in MEMORY.items() for row in pair), "ring", "slt")
CALLS = 10
DELAYS = (0, 300)  # ms of rank 1
# At the longest vector: native's time over that of the best row, and that of BY_MESSAGES over the best through memory.
AIM = 1.5
MEMORY_AIM = 1.15


def run_of(delay):
    words = ["tools/lab/cluster", "run", "-n", str(RANKS), "--", PROGRAM, "--algorithm", ",".join(ROWS)]
    words += ["--count", ",".join(map(count_text, COUNTS)), "--pattern", "one-late", "--delay", str(delay)]
    words += ["--compute", "20ms", "--iterations", str(CALLS)]
    return records.Run(tuple(words), PROGRAM, SETUP.shape())


@dataclasses.dataclass(frozen=True)
class Calls:
    """Medians of post-arrival times of one length of the vector, by row, ms."""

    count: int
    times: dict

    def gain(self, row):
        return self.times[NATIVE] / self.times[row]

    def best(self):
        return min((row for row in ROWS if row != NATIVE), key=self.times.get)

    def memory_gain(self, row):
        return self.times[MEMORY[row]] / self.times[row]

    def best_of_two_level(self):
        return min(MEMORY, key=self.times.get)

    def gain_over_messages(self):
        return self.times[BY_MESSAGES] / self.times[self.best_of_two_level()]


def calls_of(found):
    """The benchmark's results come by count, and then in the order of the rows."""
    results = [line for line in found if line["record"] == "result"]
    calls = []
    for place, count in enumerate(COUNTS):
        rows = results[place * len(ROWS) : (place + 1) * len(ROWS)]
        calls.append(Calls(count, {row: line["post_arrival_ms"]["p50"] for row, line in zip(ROWS, rows)}))
    return calls


def ring_bound_ms(count):
    """What the links need for a ring of the nodes, or any allreduce in which each waits for all."""
    share = 2 * (SETUP.hosts - 1) / SETUP.hosts
    return 1e3 * share * FLOAT * count / SETUP.bytes_per_second()


def table(document, delay, calls):
    rows = [
        [
            count_text(one.count), *(ms(one.times[row]) for row in ROWS), f"`{one.best()}`", ratio(one.gain(one.best())),
            *(ratio(one.memory_gain(row)) for row in MEMORY), ms(ring_bound_ms(one.count)),
        ]
        for one in calls
    ]  # fmt: skip
    header = ["floats", *(f"`{row}`" for row in ROWS), "fastest", "native over it",
              *(f"memory's gain, `{row}`" for row in MEMORY), "ring's bound"]  # fmt: skip
    title = "Nobody late" if delay == 0 else f"Rank 1 late by {delay} ms"
    document.table(f"{title}: post-arrival times in ms, medians of {CALLS} calls", header, rows)
    longest = calls[-1]
    gain, memory = longest.gain(longest.best()), longest.gain_over_messages()
    # Of a late rank's vector alone less may remain.
    most = longest.times[NATIVE] / ring_bound_ms(longest.count)
    limit = f" (with what the links need it would be {ratio(most)})" if delay == 0 else ""
    document.text(
        f"{count_text(longest.count)} floats: native over the fastest row {ratio(gain)}, aim {AIM} "
        f"{'met' if gain >= AIM else 'not met'}{limit}; `{BY_MESSAGES}` over `{longest.best_of_two_level()}`, the fastest "
        f"through memory, {ratio(memory)}, aim {MEMORY_AIM} {'met' if memory >= MEMORY_AIM else 'not met'}."
    )


def write_document(found, load, folder):
    document = Document(TITLE)
    document.text(
        f"{SETUP.hosts} emulated hosts at {SETUP.megabits} Mbit/s, {RANKS // SETUP.hosts} ranks on each. `two_level` "
        "combines within each host through memory that its ranks share, so that only what goes between hosts is "
        "messages; with `memory=0` all of it is messages, which go through Open MPI's own shared memory within a host. "
        "Between the hosts it runs a ring, recursive doubling (`inner=1`), or a chain in segments (`inner=5`). "
        "`native` is Open MPI's own choice."
    )
    document.text(
        f"Where all are in time no link can carry more: the last column is what the links need for an allreduce among "
        f"the hosts, 2 n beta (N - 1)/N, without TCP's headers. Real TCP on {index.processor()}, {os.cpu_count()} cores "
        f"for {RANKS} ranks, whose load was {load:.1f} before; a few per cent are noise."
    )
    for delay, calls in found.items():
        table(document, delay, calls)
    document.code([" ".join(SETUP.up()), *(run_of(delay).text() for delay in found), "tools/lab/cluster down"])
    (folder / FILE).write_text(document.render(), encoding="utf-8")


def write(folder, _cache, _jobs):
    """Measures each time: what the load of the machine was belongs to the figures."""
    records.require(PROGRAM)
    load = os.getloadavg()[0]
    with Cluster(SETUP):
        found = {delay: calls_of(records.perform(run_of(delay))) for delay in DELAYS}
    write_document(found, load, folder)
    return [], []
