"""The document of calls through the memory of one node."""
import os

from reproduction.common import index, plots, preloaded
from reproduction.common.markdown import Document, ratio
from reproduction.node import results
from reproduction.node import runs as plan
from reproduction.node.runs import KI

FILES = [scope.file for scope in (plan.FEW_PROCESSORS, plan.MANY_PROCESSORS)]
TITLE = "Within a node: calls through shared memory"


def size_text(size):
    return f"{size} B" if size < KI else f"{size // KI} KiB" if size < KI * KI else f"{size // KI // KI} MiB"


def us(value):
    return f"{value:.2f}" if value < 100 else f"{value:.0f}"


def met(value, aim):
    return "-" if aim is None else f"{aim:.1f}" if value >= aim else f"{aim:.1f}, **not met**"


def aim_cell(loop, aim):
    cell = met(loop.gain, aim)
    return cell if aim is None or loop.gain >= aim else f"{cell} (at most {ratio(loop.most_gain())})"


def loop_table(document, ranks, loops):
    rows = []
    for copy, read, first, second in zip(*(loops[way] for way in plan.WAYS)):
        rows.append([
            size_text(copy.size), us(copy.native), us(copy.time), ratio(copy.gain), us(read.time), ratio(read.gain),
            ratio(first.gain), ratio(second.gain), f"{second.least:.2f} to {second.most:.2f}",
            aim_cell(second, results.aim_of(ranks, copy.size)), us(second.copy), us(second.flags), us(second.time),
        ])  # fmt: skip
    header = ["bytes", "native, us", *(word for way in plan.FORCED for word in (f"{way}, us", "native over it")),
              f"native over {plan.FIRST}", f"native over {plan.SECOND}", "middle half", "aim", "a copy, us",
              "flags, us", f"{plan.SECOND}, us"]  # fmt: skip
    document.table(f"{ranks} ranks: loops of calls right after each other", header, rows)


def late_table(document, ranks, lates):
    rows = [
        [
            f"{late.size // plan.FLOAT}", *(f"{late.times[row]:.2f}" for row in plan.LATE_ROWS), ratio(late.gain()),
            f"{late.copies:.2f}", ratio(late.over_copies()),
        ]
        for late in lates
    ]  # fmt: skip
    header = ["floats", *(f"`{row}`, ms" for row in plan.LATE_ROWS), "native over `node`", "two copies, ms", "`node` over them"]
    title = f"{ranks} ranks, one {plan.LATE_MS} ms late: post-arrival times, medians of {plan.LATE_CALLS} calls"
    document.table(title, header, rows)


def busy_table(document, ranks, busy, lates):
    rows = [
        [f"{late.size // plan.FLOAT}", *(f"{late.times[row]:.2f}" for row in plan.BUSY_ROWS), ratio(late.gain())]
        for late in lates
    ]  # fmt: skip
    header = ["floats", *(f"`{row}`, ms" for row in plan.BUSY_ROWS), "native over `node`"]
    beside = f"{ranks} ranks, one {plan.LATE_MS} ms late, and {busy} busy beside them"
    document.table(f"{beside}: post-arrival times, medians of {plan.LATE_CALLS} calls", header, rows)


def draw(scope, loops, path):
    lines = []
    for ranks in scope.ranks:
        for way in (*plan.FORCED, plan.SECOND):
            found = loops[ranks][way]
            label = f"{ranks} ranks, {way.replace('`', '')}"
            lines.append(plots.Line(label, [loop.size for loop in found], [loop.gain for loop in found]))
    panel = plots.Panel("Loops of MPI_Allreduce", "bytes", "native's time over it", lines, x_scale=plots.LOGARITHMIC, bound=1.0)
    plots.draw([panel], path)


def introduction(document, scope, loads):
    pairs = sorted({group.pairs for group in scope.groups}, reverse=True)
    document.text(
        "Where all ranks run on one node the row `node` combines through memory that they share, and `node_read` reads "
        "vectors where the others have them. Loops have calls of "
        "MPI_Allreduce under the preload library and of PMPI_Allreduce, which is Open MPI's own choice, by turns in one "
        "process, with no wait in between; figures are medians of "
        f"{' or '.join(map(str, pairs))} such pairs. Native's time over another one: above 1 that is faster. A row "
        "is forced, or the tuner chooses: in a run that begins with an empty database, and in one that begins with what "
        "the first has learned, for which the aims are. Calls of a forced row are noted one by one; calls of a choice "
        "that has settled rest, and take less. A copy is that of the vector, which all ranks make at once: no rank can "
        "have the sum before its own vector was read and a result was written. Each rank also has a flag in memory that "
        "all share, which it raises before it waits until all are raised: no rank can have the sum before all have "
        "come. Native's time over both together is about the most that can be reached; where ranks are many, groups of "
        "them that wait for each other first may take less."
    )
    document.text(
        f"Open MPI on {index.processor()}, {os.cpu_count()} cores, whose load was {loads[0]:.1f} before the runs and "
        f"{loads[1]:.1f} after them (ranks that poll make {max(scope.ranks)}). With more ranks than cores every call "
        "waits for ranks to get a core."
    )


def late_part(document, scope, lates, quickstart):
    document.heading("When a rank comes late")
    document.text(
        f"What remains after it came are its copy into shared memory, with its sum, and the copies out: two passes over "
        f"the vector, where cores are free for all. The aim is {results.LATE_AIM} times that from "
        f"{size_text(results.LATE_FROM)} on, by what a copy of the vector takes here (memmove)."
    )
    for ranks in scope.ranks:
        late_table(document, ranks, lates[ranks])
    ranks, count, late_ms = plan.QUICKSTART
    document.text(
        f"The calls of the loop in tools/quickstart, {count} floats on {ranks} ranks, one {late_ms} ms late: native "
        f"{quickstart.times[plan.NATIVE]:.2f} ms, `{plan.NODE}` {quickstart.times[plan.NODE]:.2f} ms, "
        f"{ratio(quickstart.gain())} times as fast; aim {met(quickstart.gain(), results.QUICKSTART_AIM)}."
    )
    document.code([" ".join(plan.late_words(scope.ranks[0])), " ".join(plan.quickstart_words())])


def busy_part(document, scope, busy):
    document.heading("When other processes want the cores")
    processes = "another process, which takes" if scope.busy == 1 else f"{scope.busy} other processes, which take each"
    document.text(
        f"Beside the ranks run {processes} all that a core gives: the system puts two ranks together for some "
        "milliseconds, or a rank and such a process. Ranks of `node` that wait find that out, and yield to the rank, or "
        "sleep, since whoever is woken usually gets the core at once (src/node/core_sharing.h)."
    )
    for ranks in scope.ranks:
        busy_table(document, ranks, scope.busy, busy[ranks])
    loop = "(while :; do :; done) &"
    document.code([*[loop] * scope.busy, *(" ".join(plan.busy_words(ranks)) for ranks in scope.ranks)])


def write(folder, _cache, _jobs):
    """Measures each time: what the load of the machine was belongs to the figures."""
    build = preloaded.Build()
    scope = plan.scope_of(os.cpu_count())
    before = os.getloadavg()[0]
    loops, lates, busy = {}, {}, {}
    for ranks in scope.ranks:
        found = plan.measure_loops(ranks, scope.groups, build)
        loops[ranks] = {way: [results.loop_of(record) for record in found[way]] for way in plan.WAYS}
        lates[ranks] = results.late_of(plan.measure_late(plan.late_words(ranks), build))
    [quickstart] = results.late_of(plan.measure_late(plan.quickstart_words(), build))
    after = os.getloadavg()[0]
    with plan.busy_processes(scope.busy):
        for ranks in scope.ranks:
            busy[ranks] = results.late_of(plan.measure_late(plan.busy_words(ranks), build))
    document = Document(TITLE)
    introduction(document, scope, (before, after))
    if plots.is_available():
        draw(scope, loops, folder / scope.plot)
        document.image("Native's time over that of node, and of the tuner's choice, by size", scope.plot)
    for ranks in scope.ranks:
        loop_table(document, ranks, loops[ranks])
    document.code(
        plan.loop_text(ranks, group, way)
        for ranks in scope.ranks
        for group in scope.groups
        for way in (*plan.FORCED, plan.FIRST)
    )
    late_part(document, scope, lates, quickstart)
    busy_part(document, scope, busy)
    (folder / scope.file).write_text(document.render(), encoding="utf-8")
    return [], []
