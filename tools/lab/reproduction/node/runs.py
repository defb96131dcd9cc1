"""Loops of MPI_Allreduce against PMPI_Allreduce under the preload library, and calls for which a rank comes late."""
import contextlib
import ctypes
import dataclasses
import json
import mmap
import shlex
import subprocess
import tempfile
import time
from pathlib import Path

from reproduction.common import preloaded, records
from reproduction.common.preloaded import LAUNCHER

KI = 1024
PROGRAM = "starling-bench"
FLOAT = 4  # bytes


@dataclasses.dataclass(frozen=True)
class Group:
    """Sizes of vectors that are measured alike: long ones take seconds each."""

    sizes: tuple  # bytes
    pairs: int  # of loops
    options: tuple = ()  # of the benchmark, where its own are not meant

    def counts(self):
        return counts_text(size // FLOAT for size in self.sizes)


SHORT = (8, 64, 256, KI, 4 * KI, 16 * KI, 64 * KI, 256 * KI, KI * KI)
LONG = (4 * KI * KI, 16 * KI * KI)
LONGEST = (64 * KI * KI,)


@dataclasses.dataclass(frozen=True)
class Scope:
    """What is measured on a machine of so many processors."""

    file: str  # the document
    plot: str
    ranks: tuple
    groups: tuple
    busy: int  # foreign processes beside the ranks, in the last part


FEW_PROCESSORS = Scope("node.md", "node-gain.svg", (2, 4), (Group(SHORT, 12), Group(LONG, 4)), 1)
MANY_PROCESSORS = Scope(
    "node-16-cores.md", "node-gain-16-cores.svg", (8, 16),
    (
        Group(SHORT, 12, ("--warmup", "500")), Group(LONG, 6, ("--warmup", "200", "--calls", "20")),
        Group(LONGEST, 4, ("--warmup", "50", "--calls", "10")),
    ),
    2,
)  # fmt: skip


def scope_of(processors):
    """Those with few ranks would say less on a machine that has room for many."""
    return MANY_PROCESSORS if processors >= max(MANY_PROCESSORS.ranks) else FEW_PROCESSORS


LATE_MS = 5
LATE_COUNTS = (16 * KI, 64 * KI, 145_578, 256 * KI, KI * KI, 4 * KI * KI)  # 145,578 as in Proficz (2018), section 6
LATE_CALLS = 20
# The loop of tools/quickstart: ranks, floats, ms.
QUICKSTART = (4, 145_578, 20)
COMPUTE = "10ms"  # between calls for which a rank comes late
NATIVE, NODE, LATE_JOIN = "native", "node", "late_join"
LATE_ROWS = (NATIVE, NODE, LATE_JOIN)
# Beside processes that take all that they get of a core.
BUSY_ROWS = (NATIVE, NODE)
BUSY_COUNTS = (16 * KI, 256 * KI)
BUSY_LOOP = ("sh", "-c", "while :; do :; done")
# How loops are run: a row forced, or chosen by the tuner in a first run and then on what that has learned.
COPY, READ, FIRST, SECOND = "`node` forced", "`node_read` forced", "tuned, first run", "tuned, second run"
FORCED = {COPY: NODE, READ: "node_read"}
WAYS = (*FORCED, FIRST, SECOND)
TIMEOUT = 900  # seconds


def counts_text(counts):
    return ",".join(map(str, counts))


def loop_words(ranks, group):
    launcher = (*LAUNCHER, "-n", str(ranks))
    return (*launcher, PROGRAM, "--overhead", "--count", group.counts(), "--iterations", str(group.pairs),
            *group.options)  # fmt: skip


def loop_text(ranks, group, way):
    """The command as a user types it, who has the programs on the path."""
    setting = f"STARLING_ALGORITHM={FORCED[way]}" if way in FORCED else "STARLING_PREPARE=always STARLING_DB=node.db"
    words = loop_words(ranks, group)
    launcher, program = words[: words.index(PROGRAM)], words[words.index(PROGRAM) :]
    return " ".join([setting, *launcher, "-x", "LD_PRELOAD=build/release/lib/libstarling_preload.so", *program])


def late_words(ranks, counts=LATE_COUNTS, late_ms=LATE_MS, rows=LATE_ROWS):
    return (*LAUNCHER, "-n", str(ranks), PROGRAM, "--algorithm", ",".join(rows), "--count", counts_text(counts),
            "--pattern", "one-late", "--delay", str(late_ms), "--compute", COMPUTE, "--iterations",
            str(LATE_CALLS))  # fmt: skip


def busy_words(ranks):
    return late_words(ranks, BUSY_COUNTS, rows=BUSY_ROWS)


def quickstart_words():
    ranks, count, late_ms = QUICKSTART
    return late_words(ranks, (count,), late_ms)


def environment_of(way, database, build):
    if way is None:
        return preloaded.environment_of(database)
    # Loops are short: what is told of them is what calls take once there is something to choose.
    settings = {"STARLING_ALGORITHM": FORCED[way]} if way in FORCED else {"STARLING_PREPARE": "always"}
    return preloaded.environment_of(database, (build.library,), **settings)


def perform(words, way, database, build):
    """The records but for the header."""
    with tempfile.TemporaryDirectory(prefix="starling-node-") as folder:
        file = Path(folder) / "records.json"
        command = [str(build.program(PROGRAM)) if word == PROGRAM else word for word in words]
        process = subprocess.run([*command, "--quiet", "--json", file], env=environment_of(way, database, build),
                                 capture_output=True, text=True, timeout=TIMEOUT, check=False)  # fmt: skip
        if process.returncode != 0:
            raise records.RunError(f"{shlex.join(words)}: {process.stderr.strip() or 'it said nothing'}")
        return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()[1:]]


def measure_loops(ranks, groups, build):
    """By way, a record for each size."""
    with tempfile.TemporaryDirectory(prefix="starling-node-") as folder:
        database = Path(folder) / "tuning.db"
        return {
            way: [
                record
                for group in groups
                for record in perform(
                    loop_words(ranks, group), way, f"{database}.{'forced' if way in FORCED else group.pairs}", build
                )
            ]
            for way in WAYS
        }


def measure_late(words, build):
    """A record for each row and count."""
    with tempfile.TemporaryDirectory(prefix="starling-node-") as folder:
        return perform(words, None, Path(folder) / "tuning.db", build)


@contextlib.contextmanager
def busy_processes(number):
    """So many run beside what is measured, each of which takes all of a core that it gets."""
    processes = [subprocess.Popen(BUSY_LOOP) for _ in range(number)]
    try:
        yield processes
    finally:
        for process in processes:
            process.kill()
            process.wait()


def copy_ms(size, repetitions=30):
    """Milliseconds to copy so many bytes to another place in memory: the median of several."""
    # Both begin with a page, since some processors are slow where the target lies a little behind the source in its own.
    source, target = ((ctypes.c_char * size).from_buffer(mmap.mmap(-1, size)) for _ in range(2))
    ctypes.memset(source, 1, size)
    times = []
    for _ in range(repetitions):
        begin = time.perf_counter()
        ctypes.memmove(target, source, size)
        times.append(time.perf_counter() - begin)
    return 1e3 * sorted(times)[repetitions // 2]
