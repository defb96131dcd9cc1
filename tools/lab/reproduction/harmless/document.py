"""The document of what the preload library costs."""
import os

from reproduction.common import index
from reproduction.common.markdown import Document
from reproduction.harmless import results
from reproduction.harmless import runs as plan

FILE = "harmless.md"
TITLE = "Doing no harm: loops of benchmark suites under the preload library"


def sizes_text(sizes):
    return ", ".join(str(size) for size in sizes) + " bytes"


def verdict(rows, way):
    """A sentence on one way."""
    what = {plan.LEARNING: "While it learns", plan.LATER: "On what it has learned"}[way]
    mean = results.mean_ratio(rows, way)
    above = results.beyond(rows, way)
    sentence = f"{what}: geometric mean {mean:.3f} ({'met' if mean <= results.MEAN_LIMIT else 'not met'})"
    return f"{sentence}, above the limit at {sizes_text(above)}." if above else f"{sentence}, every size within its limit."


def section(document, ranks, kind, rows, runs):
    document.heading(f"{ranks} ranks, {kind}")
    document.table(f"Medians of n = {runs} runs by turns, and their ratios to the plain ones; ! is above the limit",
                   list(results.HEADER), results.cells(rows))  # fmt: skip
    document.items([verdict(rows, way) for way in (plan.LEARNING, plan.LATER)])


def write(folder, _cache, _jobs):
    """Measures each time: what the load of the machine was belongs to the figures."""
    document = Document(TITLE)
    load = os.getloadavg()[0]
    document.text(
        "The loops of the OSU and Intel suites, as starling-bench --back-to-back has them: after a barrier calls of "
        "MPI_Allreduce right after each other, which is the hardest case for what is done beside a call. Each round runs "
        "them plain, with an empty database, on what has been learned then, and plain once more: the last column is what "
        "differs between runs of the same thing."
    )
    document.text(
        f"To be kept: {results.LIMIT} at every size, {results.SHORT_LIMIT} up to {results.LONGEST_SHORT} bytes, "
        f"{results.MEAN_LIMIT} in the geometric mean over sizes. Real Open MPI on {index.processor()}, {os.cpu_count()} "
        f"cores, whose load was {load:.1f} before the runs. Where more ranks than cores, or other programs, are there, a rank "
        "loses its core for milliseconds now and then, plain or not, which is as long as a thousand calls of a "
        "microsecond take, and a median of a few runs falls on either side. `starling-bench "
        "--overhead` pairs calls more closely."
    )
    for ranks in plan.RANKS:
        for kind in plan.TYPES:
            rows = results.rows_of(plan.measure(plan.Place(), ranks, kind, plan.SIZES, plan.RUNS))
            section(document, ranks, kind, rows, plan.RUNS)
    document.code(["tools/lab/harmless"])
    (folder / FILE).write_text(document.render(), encoding="utf-8")
    return [], []
