"""The document of the clocks."""
import os

from reproduction.clocks import results
from reproduction.clocks import runs as plan
from reproduction.common import index, plots
from reproduction.common.markdown import Document
from reproduction.emulated.cluster import Cluster

FILE = "clocks.md"
PICTURE = "clocks.svg"
TITLE = "Clocks of several machines: how well they are brought together"
# Microseconds; seconds.
MEDIAN_TARGET, TAIL_TARGET, SIMULATED_TARGET = 50, 200, 2
SYNCHRONISATION_TARGET = 5e-3


def draw(trial, path):
    lines = []
    figures = {
        "drift followed": lambda row: row.error, "its bound": lambda row: row.bound,
        "first offset alone": lambda row: row.without_drift,
    }  # fmt: skip
    for label, figure in figures.items():
        seconds, worst = results.worst_by_time(trial.rows, figure)
        lines.append(plots.Line(label, seconds, [max(value, 0.01) for value in worst]))
    panel = plots.Panel("Worst of all hosts", "seconds since the start", "error, us", lines, y_scale=plots.LOGARITHMIC)
    plots.draw([panel], path)


def verdict(is_met):
    return "met" if is_met else "not met"


def emulated_section(document, trial, load):
    errors = [row.error for row in trial.rows]
    median, tail = results.quantile(errors, 0.5), results.quantile(errors, 0.99)
    beyond = sum(row.error > row.bound for row in trial.rows)
    document.heading(f"{plan.HOSTS} emulated hosts, clocks hours apart, drifts of 50 millionths either way")
    document.text(
        f"Real TCP on {index.processor()}, whose load was {load:.1f} before the run. Stamps are hours apart by time "
        f"namespaces and by planted offsets. {len(errors)} stamps of {plan.HOSTS - 1} hosts over {plan.DURATION} s."
    )
    document.table("", ["", "us", f"target, us", ""], [
        ["error, median", f"{median:.1f}", MEDIAN_TARGET, verdict(median <= MEDIAN_TARGET)],
        ["error, 99th percentile", f"{tail:.1f}", TAIL_TARGET, verdict(tail <= TAIL_TARGET)],
        ["error without drift, at the end", f"{max(row.without_drift for row in trial.rows):.0f}", None, None],
        ["bound, median", f"{results.quantile([row.bound for row in trial.rows], 0.5):.1f}", None, None],
    ])  # fmt: skip
    document.text(f"Beyond the stated bound: {beyond} of {len(errors)}.")
    document.image("Error over time, with drift followed and without", PICTURE)
    document.code([" ".join(plan.Setup().up()), " ".join(plan.emulated()), "tools/lab/cluster down"])


def simulated_section(document, trial):
    error = max(row.error for row in trial.rows)
    nodes = plan.RANKS // plan.RANKS_PER_NODE
    document.heading(f"{plan.RANKS} simulated ranks on {nodes} nodes")
    document.table("", ["", "", "target", ""], [
        ["synchronisation, ms of virtual time", f"{1e3 * trial.synchronisation:.2f}", f"{1e3 * SYNCHRONISATION_TARGET:g}",
         verdict(trial.synchronisation <= SYNCHRONISATION_TARGET)],
        ["greatest error, us", f"{error:.2f}", SIMULATED_TARGET, verdict(error <= SIMULATED_TARGET)],
        ["greatest bound, us", f"{max(row.bound for row in trial.rows):.1f}", None, None],
    ])  # fmt: skip
    document.code([" ".join(plan.simulated())])


def write(folder, _cache, _jobs):
    """Measures each time: what the load of the machine was belongs to the figures."""
    document = Document(TITLE)
    document.text("docs/clocks.md says how. The error is that of a stamp in the time of rank 0's machine, which is known here.")
    simulated = results.perform(plan.simulated())
    load = os.getloadavg()[0]
    with Cluster(plan.Setup()):
        emulated = results.perform(plan.emulated())
    emulated_section(document, emulated, load)
    draw(emulated, folder / PICTURE)
    simulated_section(document, simulated)
    (folder / FILE).write_text(document.render(), encoding="utf-8")
    return [], []
