"""The document of whole programs under the preload library."""
import os
import tempfile

from reproduction.common import index, preloaded
from reproduction.common.markdown import Document, percent
from reproduction.common.preloaded import LATER, LEARNING, PLAIN
from reproduction.programs import results
from reproduction.programs import runs as plan

FILE = "programs.md"
TITLE = "Whole programs under the preload library"
HEADER = (
    "program", "ranks", "plain, s", "in allreduce, ms", "share", "calls", "tuned calls, learning", "later",
    "in allreduce, plain over learning", "plain over later", "plain runs differ by",
    "whole run, plain over learning", "plain over later", "plain runs differ by",
)  # fmt: skip


def row(name, ranks, trials):
    allreduce, seconds = (results.plain_median(trials, figure) for figure in (results.in_allreduce, results.whole))
    return [
        name, ranks, f"{seconds:.2f}", f"{1e3 * allreduce:.1f}", percent(allreduce / seconds, 1),
        f"{results.plain_median(trials, lambda trial: trial.calls):.0f}",
        *(f"{results.tuned_calls(trials, way):.0f}" for way in (LEARNING, LATER)),
        *(results.allreduce_ratio(trials, way).text() for way in (LEARNING, LATER)),
        percent(results.difference(trials, results.in_allreduce)),
        *(results.total_ratio(trials, way).text() for way in (LEARNING, LATER)),
        percent(results.difference(trials, results.whole)),
    ]  # fmt: skip


def verdict(name, ranks, trials):
    """A sentence on one program."""
    slower = [way for way in (LEARNING, LATER) if not results.is_never_worse(trials, way)]
    total = f"the whole run is slower ({' and '.join(slower)})" if slower else "the whole run is no slower"
    aim = "met" if results.is_met(trials, LATER) else "**not met**"
    if results.tuned_calls(trials, LATER) == 0:
        aim = "**not met**, since most of these runs are left alone"
    return f"{name}, {ranks} ranks: {total}; {results.AIM} times as fast in allreduce: {aim}."


def introduction(document, load):
    document.text(
        "Programs as they are, while Starling learns with an empty database, on what it has learned then, and as they "
        f"are once more, by turns: medians of n = {plan.RUNS} rounds, of ratios those within a round, with the least and "
        "the greatest; plain is the mean of both plain runs. A library "
        "above Starling, as a profiler is one, adds up the time from entering MPI_Allreduce to leaving it, mean over the "
        "ranks: most of that is waiting for the other ranks. All calls come from that library, so that those of several "
        "places are one site. Whole runs last from the start of mpirun to its end."
    )
    document.text(
        "MPI_COMM_WORLD is prepared once its calls have taken six times as long as that takes, or the program has done "
        "little else so far ([docs/epochs.md](../epochs.md#preparing-a-communicator)); before that calls are counted, "
        "and some are timed. Where calls are milliseconds apart, as in LAMMPS, the code and data which do that are no "
        "longer in the caches: it takes a microsecond or two of each call, which whole runs do not show. To be "
        f"reached: {results.AIM} times as fast in allreduce on what was learned, and by more than plain runs of a round "
        "differ as a rule; and whole runs never slower, by more than they differ so, or "
        f"{percent(results.LEAST_NOISE)}. Open MPI on {index.processor()}, {os.cpu_count()} cores, "
        f"whose load was {load:.1f} before the runs. Where ranks outnumber cores, allreduce waits for ranks to get one."
    )


def write(folder, _cache, _jobs):
    """Measures each time: what the load of the machine was belongs to the figures."""
    build = preloaded.Build()
    document = Document(TITLE)
    introduction(document, os.getloadavg()[0])
    rows, verdicts = [], []
    with tempfile.TemporaryDirectory(prefix="starling-programs-") as place:
        timer = plan.build_timer(place)
        for name, words in plan.PROGRAMS.items():
            for ranks in plan.RANKS:
                trials = plan.measure(build, timer, ranks, words)
                rows.append(row(name, ranks, trials))
                verdicts.append(verdict(name, ranks, trials))
    document.table("Times and ratios", list(HEADER), rows)
    document.items(verdicts)
    document.code(["mpicc -shared -fPIC -O2 tools/lab/allreduce_time.c -o allreduce_time.so -ldl", *(
        "ALLREDUCE_TIME_FILE=time.txt LD_PRELOAD=./allreduce_time.so:build/release/lib/libstarling_preload.so "
        + " ".join([*preloaded.LAUNCHER, "-n", str(plan.RANKS[0]), *words])
        for words in plan.PROGRAMS.values()
    )])  # fmt: skip
    (folder / FILE).write_text(document.render(), encoding="utf-8")
    return [], []
