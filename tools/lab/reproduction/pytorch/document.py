"""The document of a training in PyTorch."""
import os
import shutil

from reproduction.common import index, records
from reproduction.common.markdown import Document, ratio
from reproduction.pytorch import runs as plan

FILE = "pytorch.md"
PICTURE = "pytorch.svg"
TITLE = "A training in PyTorch, with Starling and without"


def line(case, trial):
    alone, tuned = trial.median_seconds()
    difference = trial.loss_difference()
    # Open MPI takes another algorithm there than it would by itself, so that the sums are alike: no times to compare.
    times = [None] * 3 if case == plan.LAST else [f"{alone:.2f}", f"{tuned:.2f}", ratio(alone / tuned)]
    return [case, *times, "0" if difference == 0 else f"{difference:.1e}"]


def write_document(trials, summary, load, folder):
    leading = trials[plan.LEADING]
    document = Document(TITLE)
    document.text(
        f"`examples/training/train.py` trains a recurrent network on {leading.ranks} emulated hosts with links of "
        f"{plan.RATE}, one rank on each: real PyTorch, real Open MPI over real TCP. It reads handwritten numbers of one "
        "to twelve digits, and averages the gradients of all ranks by one MPI_Allreduce of "
        f"{leading.bytes:,} bytes after each batch, through mpi4py. Long numbers take a rank longer to read, so lateness "
        "is real. The program knows nothing of Starling, which is preloaded, and which begins with an empty database: "
        "all that it learns from is in its times."
    )
    document.text(
        f"All hosts share the {os.cpu_count()} cores of one {index.processor()}, whose load was {load:.1f} before: ranks "
        "that compute slow each other down, which they would not on machines of their own."
    )
    document.table(
        f"Medians of {plan.EPOCHS} epochs, seconds, one run each",
        ["", "Open MPI alone", "with Starling", "ratio", "greatest difference of a loss"],
        [line(case, trial) for case, trial in trials.items()],
    )
    document.text(
        "A loss differs in its last digits where sums are added up in another order. In the last row both add up as "
        "recursive doubling does, which Open MPI is told to and Starling does in its reproducible mode."
    )
    document.image("Loss over time, and the time of each epoch, with Starling and without", PICTURE)
    document.text(f"What Starling said at the end of the first of them ({plan.LEADING}):")
    document.code(summary)
    document.heading("Made by")
    document.code([" ".join(plan.words_of(case)) for case in plan.CASES])
    (folder / FILE).write_text(document.render(), encoding="utf-8")


def write(folder, _cache, _jobs):
    """Measures each time: what the load of the machine was belongs to the figures."""
    records.require("starling")
    load = os.getloadavg()[0]
    trials = {}
    for case in plan.CASES:
        trials[case] = plan.perform(case)
        if case == plan.LEADING:
            summary = plan.summary()
            shutil.copyfile(plan.FOLDER / plan.PICTURE, folder / PICTURE)
    write_document(trials, summary, load, folder)
    return [], []
