"""The document of late ranks that move."""
import dataclasses
import os
import time

from reproduction.common import index, records
from reproduction.common.markdown import Document, ms, ratio
from reproduction.common.simulations import count_text
from reproduction.emulated.cluster import Cluster, forget
from reproduction.phases import results
from reproduction.phases import runs as plan

FILE = "phases.md"
TITLE = "Late ranks that move: how fast the tuner follows"
TOLD = (results.FIRST, results.SECOND)


@dataclasses.dataclass
class Measurement:
    results: results.Results
    stories: dict  # decisions, by run
    loads: list  # of the machine before each run
    seconds: list  # of each run


def timed(run, loads, seconds):
    loads.append(os.getloadavg()[0])
    started = time.monotonic()
    found = [line for line in records.perform(run) if line["record"] == "result"]
    seconds.append(time.monotonic() - started)
    return found


def measure():
    """One run at a time: they share the machine."""
    for program in (plan.PROGRAM, plan.story_words()[0]):
        records.require(program)
    forget(plan.DATABASE)
    loads, seconds, stories, tuned = [], [], {}, []
    with Cluster(plan.SETUP):
        rows = [results.sums_of(*pair) for pair in zip(plan.ROWS, timed(plan.rows_run(), loads, seconds))]
        for label in TOLD:
            result = timed(plan.tuned_run(), loads, seconds)[0]
            tuned.append(results.sums_of(label, result))
            stories[label] = plan.story()
    return Measurement(results.Results(rows, *tuned), stories, loads, seconds)


def sums_table(document, found):
    def line(sums, label):
        cells = (f"{sums.by_phase[phase]:.2f}" for phase in plan.PHASES)
        return [label, *cells, f"{sums.whole():.2f}", ratio(found.gain(sums)), ratio(found.over_best(sums))]

    def line_over_best(sums):
        cells = (ratio(found.over_best(sums, phase)) for phase in plan.PHASES)
        return [f"{sums.label}, over the best row", *cells, ratio(found.over_best(sums)), None, None]

    best = ["best row of each phase", *(f"`{found.best[phase].label}`" for phase in plan.PHASES), None, None, None]
    rows = [line(row, f"`{row.label}`") for row in found.rows]
    rows += [best, line(found.best_sums(), "its sums")]
    rows += [line(sums, sums.label) for sums in (found.first, found.second)]
    rows += [line_over_best(sums) for sums in (found.first, found.second)]
    header = ["", *plan.PHASES.values(), "in all", "native over it", "over the best rows"]
    document.table(f"Sums of post-arrival time, seconds, {plan.CALLS} calls in each phase", header, rows)


def last_ranks(table):
    """Who comes at the end of the order of ranks; nobody where they are in their own order."""
    return "-" if table == sorted(table) else str(table[-1])


def story_lines(decisions):
    names = list(plan.PHASES.values())
    lines = []
    for each in decisions:
        phase = names[min((each["call"] - 1) // plan.CALLS, len(names) - 1)]
        figures = ["-" if each[name] is None else ms(1e3 * each[name]) for name in ("measured", "native")]
        choice = f"`{each['algorithm']}`"
        # A bar would end the cell of the table.
        reason = each["reason"].replace("|", "\\|")
        lines.append([str(each["call"]), phase, choice, last_ranks(each["table"]), *figures, reason])
    return lines


def story_section(document, label, decisions):
    document.heading(f"What `starling decisions` tells: {label}")
    header = ["call", "phase", "choice", "last rank", "measured, ms", "native, ms", "reason"]
    document.table("", header, story_lines(decisions))


def introduction(document, found):
    minutes = sum(found.seconds) / 60
    document.text(
        f"A program of {len(plan.PHASES) * plan.CALLS} calls of {count_text(plan.COUNT)} floats on {plan.SETUP.hosts} "
        f"emulated hosts at {plan.SETUP.megabits} Mbit/s, in phases of {plan.CALLS}: "
        f"{', '.join(plan.PHASES.values())}; late means by {plan.DELAY} ms. Nobody announces who will be late: "
        "`tuned`, which is not warmed up, learns it from its calls, and so do the rows, each of which is one algorithm "
        "throughout. The rows take turns call by call. The first run of `tuned` begins with an empty database, the "
        "second one with that of the first."
    )
    document.text(
        f"Real TCP on {index.processor()}, {os.cpu_count()} cores, whose load was "
        f"{', '.join(f'{load:.1f}' for load in found.loads)} before the runs (eight ranks that poll make 8). All took "
        f"{minutes:.1f} minutes: {found.seconds[0] / len(plan.ROWS):.0f} s for a row, which is why there are few of "
        "them. They were chosen by 8 calls in each phase, in which `ring`, `rabenseifner`, `recursive_doubling`, "
        "`prr`, `late_join` and `direct`, with their default parameters, were nowhere near to the best of these."
    )


def write_document(found, folder):
    document = Document(TITLE)
    introduction(document, found)
    sums_table(document, found.results)
    document.items(f"{bound.sentence()}." for bound in found.results.bounds())
    for label in TOLD:
        story_section(document, label, found.stories[label])
    document.code([
        " ".join(plan.SETUP.up()), plan.rows_run().text(), *2 * [plan.tuned_run().text()], "tools/lab/cluster down",
        " ".join([*plan.story_words(), "--run", "all"]),
    ])  # fmt: skip
    (folder / FILE).write_text(document.render(), encoding="utf-8")


def write(folder, _cache, _jobs):
    """Measures each time: what the load of the machine was belongs to the figures."""
    write_document(measure(), folder)
    return [], []
