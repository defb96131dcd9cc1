"""The README of the folder of benchmarks."""
import datetime
import os
import platform

from reproduction.common.markdown import Document

FILE = "README.md"
# Name on the command line, file, what it shows.
DOCUMENTS = (
    (
        "proficz", "proficz-2018.md",
        "allreduce when ranks arrive at different times, 4 to 48 nodes at 1 Gbit/s, simulated; beside the figures of "
        "Proficz (2018)",
    ),
    (
        "training", "training.md",
        "training of a neural network on 16 nodes at 1 Gbit/s, whole loops, simulated; beside section 6 of Proficz "
        "(2018); aims, met or not",
    ),
    (
        "marendic", "marendic-2012.md",
        "reduce under load imbalance and with slow operators, 8 to 128 ranks at 3500 MB/s, simulated; beside the figures "
        "of Marendic et al. (2012)",
    ),
    (
        "soga", "soga-2007.md",
        "broadcasts whose first receiver has a load, 8 to 64 ranks at 1 Gbit/s, simulated; beside the figure of Soga et "
        "al. (2007)",
    ),
    (
        "bound", "bound.md",
        "how near to what no allreduce can do better, when one, several or all ranks are late, 8 to 1,024 ranks at 1 "
        "Gbit/s, simulated; targets, met or not",
    ),
    (
        "model", "model.md",
        "how well the cost model, by which the tuner orders its candidates, ranks the algorithms, 4 to 48 ranks at 1 "
        "Gbit/s, simulated",
    ),
    (
        "model-many-ranks", "model-many-ranks.md",
        "the same on 128 to 1,024 ranks, where it predicts from calls of fewer ranks, simulated",
    ),
    (
        "cluster", "emulated-cluster.md",
        "real Open MPI and MPICH over real TCP, 8 and 16 hosts on one machine, beside Open MPI's own algorithms",
    ),
    (
        "bound-cluster", "bound-cluster.md",
        "how near to the bounds on real TCP, 8 and 16 hosts on one machine; targets, met or not",
    ),
    ("model-cluster", "model-cluster.md", "how well the cost model ranks on real TCP, 8 hosts on one machine"),
    (
        "training-cluster", "training-cluster.md",
        "the training's loop on real TCP, 16 hosts on one machine; aim, met or not",
    ),
    (
        "clocks", "clocks.md",
        "how well clocks of several machines are brought together, 8 hosts on real TCP and 1,024 simulated ranks",
    ),
    (
        "phases", "phases.md",
        "how fast the tuner follows ranks that are late by turns, first run and second, 8 hosts on real TCP; targets, "
        "met or not",
    ),
    (
        "links", "links.md",
        "what trees along the heaviest links gain on a machine of 8 devices with NVLinks and PCI-E, simulated; beside "
        "MXNet's proposal",
    ),
    (
        "learning", "learning.md",
        "what learning costs the tuner, and seven other ways to choose, in synthetic worlds of 2 to 4,096 ranks, "
        "simulated; aims, met or not",
    ),
    (
        "harmless", "harmless.md",
        "what the preload library costs in loops of benchmark suites, real Open MPI with 2 and 4 ranks on one machine; "
        "limits, met or not",
    ),
    (
        "node", "node.md",
        "calls through shared memory against Open MPI's own, real ranks on one machine, balanced and with a late rank; "
        "aims, met or not",
    ),
    (
        "node", "node-16-cores.md",
        "the same with 8 and 16 ranks, on a machine that has a core for each: up to 64 MiB, beside copies of memory",
    ),
    (
        "node-cluster", "node-cluster.md",
        "shared memory within nodes and TCP between them, 4 hosts of 4 ranks on one machine; aims, met or not",
    ),
    (
        "programs", "programs.md",
        "LAMMPS and conjugate gradients, plain and under the preload library: whole runs, and their time in allreduce, 2 "
        "and 4 ranks on one machine; aims, met or not",
    ),
    ("pytorch", "pytorch.md", "a training in PyTorch with Starling and without, 8 hosts on one machine"),
    (
        "whatif", "whatif.md",
        "what `starling whatif` predicts for 10 recorded sites of 4 to 48 ranks, beside the same arrivals replayed on "
        "the simulated cluster; aim, met or not",
    ),
)  # fmt: skip


def processor():
    """Its name, where the system tells it."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            names = [line.partition(":")[2].strip() for line in file if line.startswith("model name")]
    except OSError:
        names = []
    return names[0] if names else platform.machine()


def system():
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        return platform.system()


def write(folder):
    document = Document("Benchmarks")
    document.text("Made by `tools/lab/reproduce`; do not edit by hand.")
    rows = []
    for name, file, text in DOCUMENTS:
        place = f"[{file}]({file})" if (folder / file).exists() else f"{file}: not made yet"
        rows.append([place, text, f"`tools/lab/reproduce {name}`"])
    document.parts.append("\n".join(
        ["| document | what it shows | made by |", "|---|---|---|", *("| " + " | ".join(row) + " |" for row in rows)]
    ))  # fmt: skip
    document.heading("What is measured, and how")
    document.items([
        "`starling-bench` imposes an arrival pattern on every call (who is late, and by how much), runs all algorithms "
        "in turn on the same data, and checks every sum. A document is only written where no element was wrong.",
        "**Simulated** (`tools/lab/simulate`): SimGrid SMPI runs all ranks in one process on virtual time. Times are "
        "the same in every run and on every machine. Nodes have one port; sending costs alpha and n beta, and nothing "
        "else: no processor time per message, no TCP, no other traffic.",
        "**Emulated** (`tools/lab/cluster`): real MPI over real TCP between network namespaces of one machine, links "
        "limited to 100 to 400 Mbit/s. Times vary by some per cent from run to run.",
        "**Learning** (`starling-gym`): the tuner chooses and is told what its calls took, in virtual time and without "
        "MPI; the cost model, with errors that the tuner does not know, says what they take.",
        "**Loops** (`tools/lab/harmless`): calls without anything between them, plain and under the preload library by "
        "turns, of real Open MPI on one machine.",
        "A paper's figure counts as met within 15 %. Where it is not, the document says by how much, and why as "
        "far as it is known. Nothing is calibrated to the papers, but for the mean wait in training.md, which "
        "section 6 of Proficz (2018) implies and does not print.",
    ])  # fmt: skip
    document.heading("Making them again")
    document.code([
        "tools/setup                                                    # packages",
        "cmake --preset release && cmake --build --preset release",
        "tools/lab/reproduce proficz marendic soga bound model learning # simulated",
        "tools/lab/reproduce training links whatif                      # simulated, some minutes",
        "tools/lab/reproduce model-many-ranks                           # likewise, a quarter of an hour",
        "tools/lab/reproduce cluster bound-cluster model-cluster clocks # need root, and an otherwise idle machine",
        "tools/lab/reproduce phases                                     # likewise, 10 minutes",
        "tools/lab/reproduce training-cluster                           # likewise, 5 minutes",
        "tools/lab/reproduce harmless node programs                     # an otherwise idle machine, some minutes each",
        "tools/lab/reproduce node-cluster pytorch                       # need root, some minutes",
    ])  # fmt: skip
    document.text(
        "Records are kept in build/lab/records under a hash of their command, so what was measured once is not "
        "measured again, and an interrupted run goes on where it was; `--fresh` measures again. `--jobs N` runs so "
        "many simulations side by side."
    )
    document.heading("Machine")
    document.text(
        f"This list was written on {datetime.date.today().isoformat()} on {processor()}, {os.cpu_count()} cores, "
        f"{system()}. Most documents of real time tell the machine, and "
        "many the day as well."
    )
    (folder / FILE).write_text(document.render(), encoding="utf-8")
