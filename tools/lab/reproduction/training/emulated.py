"""The document of the training's loop on the emulated cluster."""
import dataclasses
import os
import time

from reproduction.common import index, papers, records
from reproduction.common.markdown import Document, ms, ratio
from reproduction.emulated.cluster import Cluster, forget
from reproduction.emulated.runs import PROGRAM, Setup
from reproduction.training.cases import COMPUTATION, GAUSSIAN, ONE_LATE, RANKS
from reproduction.training.results import AIM, loop_of

FILE = "training-cluster.md"
TITLE = "Proficz (2018), section 6, on real TCP: training on 16 emulated hosts"
SETUP = Setup(RANKS, 100)
DILATION = 1000 // SETUP.megabits  # the paper's network is of 1 Gbit/s
ITERATIONS = 45
# The rest of the computation, in which nobody waits, is left out and added to the loop's time afterwards.
COMPUTE = 100  # ms
ROWS = ("ring", "slt:segments=132,window=8", "native", "tuned")
TIMEOUT = 400  # seconds: more than twice as long as a run takes
DATABASE = "build/lab/training.db"
# Written after looking at the numbers.
REMARKS = (
    "Hosts that were idle may send 256 KiB at once (the token buckets of tools/lab/cluster), which is nearly half of "
    "the vector: so rows are faster than 100 Mbit/s allow, and some take less than n beta = 46.6 ms.",
    "The loop of `tuned` holds all that it learns from: a good deal of 45 calls. Its median post-arrival time is what "
    "it comes to. Over the 390 iterations of the paper learning is a smaller share, which takes too long here.",
)
CASES = tuple(case.dilated(DILATION) for case in (GAUSSIAN, ONE_LATE))


def run_of(case):
    words = ["env", f"STARLING_DB={DATABASE}", "tools/lab/cluster", "run", "--timeout", str(TIMEOUT), "--", PROGRAM]
    words += ["--as-program", "--algorithm", ",".join(ROWS), "--count", str(papers.PROFICZ_TRAINING_PARAMETERS)]
    words += ["--pattern", case.pattern, "--delay", f"{case.delay:g}", "--compute", f"{COMPUTE}ms"]
    words += ["--iterations", str(ITERATIONS)]
    return records.Run(tuple(words), PROGRAM, SETUP.shape())


@dataclasses.dataclass(frozen=True)
class CaseLoops:
    case: object
    loops: list

    def whole(self, loop):
        """With the computation that was left out, ms."""
        return loop.total + ITERATIONS * (self.case.compute - COMPUTE)

    def ratio(self, loop):
        """The ring's whole loop over this one's."""
        return self.whole(self.loops[0]) / self.whole(loop)


def measure():
    """Returns the loops of each case, the load of the machine before, and how many seconds all took."""
    records.require(PROGRAM)
    load, started = os.getloadavg()[0], time.monotonic()
    with Cluster(SETUP):
        found = []
        for case in CASES:
            forget(DATABASE)
            results = [line for line in records.perform(run_of(case)) if line["record"] == "result"]
            found.append(CaseLoops(case, [loop_of(name, result) for name, result in zip(ROWS, results)]))
    return found, load, time.monotonic() - started


def case_section(document, case):
    document.heading(case.case.name)
    rows = []
    for loop in case.loops:
        rows.append([
            f"`{loop.label}`" + (f" (`{loop.chosen}`)" if loop.chosen else ""), ms(loop.elapsed), ms(loop.post_arrival),
            ms(loop.post_arrival_median), f"{case.whole(loop) / 1e3:.2f}", ratio(case.ratio(loop), 3),
            ratio(case.loops[0].elapsed / loop.elapsed, 3),
        ])  # fmt: skip
    header = ["", "elapsed, ms", "post-arrival, ms", "median", "loop, s", "ring over it", "ring's elapsed over it"]
    document.table("", header, rows)
    tuned = case.ratio(case.loops[-1])
    document.text(
        f"Ring over `tuned`, whole loop: {ratio(tuned, 3)}; the aim of {ratio(AIM)} is "
        f"{'met' if tuned >= AIM else 'not met, and cannot be: see [training.md](training.md)'}."
    )
    document.code([" ".join(SETUP.up()), run_of(case.case).text(), "tools/lab/cluster down"])


def write_document(measured, folder):
    found, load, seconds = measured
    document = Document(TITLE)
    document.text(
        f"The loop of [training.md](training.md) on {SETUP.hosts} emulated hosts at {SETUP.megabits} Mbit/s, with real "
        f"Open MPI: {DILATION} times as slow as the paper's network, so that computations and latenesses are "
        f"{DILATION} times as long, too. {ITERATIONS} iterations for each row, one row after the other. Of the "
        f"computation of {COMPUTATION * DILATION / 1e3:.2f} s in each iteration, that part in which nobody waits is "
        f"not made but for {COMPUTE} ms, and is added to the loop's time. `native` is Open MPI's own choice. `tuned` "
        "begins with an empty database, and ranks announce their arrivals."
    )
    document.text(
        f"Real TCP on {index.processor()}, {os.cpu_count()} cores, whose load was {load:.1f} before. All took "
        f"{seconds / 60:.1f} minutes, once: what differs by a per cent or two may be noise."
    )
    document.items(REMARKS)
    for case in found:
        case_section(document, case)
    (folder / FILE).write_text(document.render(), encoding="utf-8")


def write(folder, _cache, _jobs):
    """Measures each time: what the load of the machine was belongs to the figures."""
    write_document(measure(), folder)
    return [], []
