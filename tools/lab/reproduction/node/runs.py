"""Loops of MPI_Allreduce against PMPI_Allreduce under the preload library, and calls for which a rank comes late."""
import ctypes
import dataclasses
import json
import os
import shlex
import subprocess
import tempfile
import time
from pathlib import Path

from reproduction.common import records

KI = 1024
PROGRAM = "starling-bench"
LAUNCHER = ("mpirun", "--oversubscribe")
RANKS = (2, 4)
FLOAT = 4  # bytes
# Bytes, and how many pairs of loops: long vectors take seconds each.
SIZES = {12: (8, 64, 256, KI, 4 * KI, 16 * KI, 64 * KI, 256 * KI, KI * KI), 4: (4 * KI * KI, 16 * KI * KI)}
LATE_MS = 5
LATE_COUNTS = (16 * KI, 64 * KI, 145_578, 256 * KI, KI * KI, 4 * KI * KI)  # 145,578 as in Proficz (2018), section 6
LATE_CALLS = 20
# The loop of tools/quickstart: ranks, floats, ms.
QUICKSTART = (4, 145_578, 20)
COMPUTE = "10ms"  # between calls for which a rank comes late
NATIVE, NODE, LATE_JOIN = "native", "node", "late_join"
LATE_ROWS = (NATIVE, NODE, LATE_JOIN)
# How loops are run: a row forced, or chosen by the tuner in a first run and then on what that has learned.
COPY, READ, FIRST, SECOND = "`node` forced", "`node_read` forced", "tuned, first run", "tuned, second run"
FORCED = {COPY: NODE, READ: "node_read"}
WAYS = (*FORCED, FIRST, SECOND)
TIMEOUT = 900  # seconds


@dataclasses.dataclass(frozen=True)
class Build:
    """The folder of a build."""

    folder: Path = Path(os.environ.get("STARLING_BUILD", records.ROOT / "build" / "release"))

    @property
    def library(self):
        return self.folder / "lib" / "libstarling_preload.so"

    @property
    def bench(self):
        return self.folder / "bin" / PROGRAM


def counts_text(counts):
    return ",".join(map(str, counts))


def loop_words(ranks, pairs):
    counts = counts_text(size // FLOAT for size in SIZES[pairs])
    return (*LAUNCHER, "-n", str(ranks), PROGRAM, "--overhead", "--count", counts, "--iterations", str(pairs))


def loop_text(ranks, pairs, way):
    """The command as a user types it, who has the programs on the path."""
    setting = f"STARLING_ALGORITHM={FORCED[way]}" if way in FORCED else "STARLING_DB=node.db"
    launcher, program = loop_words(ranks, pairs)[:-6], loop_words(ranks, pairs)[-6:]
    return " ".join([setting, *launcher, "-x", "LD_PRELOAD=build/release/lib/libstarling_preload.so", *program])


def late_words(ranks, counts=LATE_COUNTS, late_ms=LATE_MS):
    return (*LAUNCHER, "-n", str(ranks), PROGRAM, "--algorithm", ",".join(LATE_ROWS), "--count", counts_text(counts),
            "--pattern", "one-late", "--delay", str(late_ms), "--compute", COMPUTE, "--iterations",
            str(LATE_CALLS))  # fmt: skip


def quickstart_words():
    ranks, count, late_ms = QUICKSTART
    return late_words(ranks, (count,), late_ms)


def environment_of(way, database, build):
    environment = dict(os.environ)
    if os.geteuid() == 0:
        environment |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    environment["STARLING_DB"] = str(database)
    if way is not None:
        environment["LD_PRELOAD"] = str(build.library)
    if way in FORCED:
        environment["STARLING_ALGORITHM"] = FORCED[way]
    return environment


def perform(words, way, database, build):
    """The records but for the header."""
    with tempfile.TemporaryDirectory(prefix="starling-node-") as folder:
        file = Path(folder) / "records.json"
        command = [str(build.bench) if word == PROGRAM else word for word in words]
        process = subprocess.run([*command, "--quiet", "--json", file], env=environment_of(way, database, build),
                                 capture_output=True, text=True, timeout=TIMEOUT, check=False)  # fmt: skip
        if process.returncode != 0:
            raise records.RunError(f"{shlex.join(words)}: {process.stderr.strip() or 'it said nothing'}")
        return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()[1:]]


def measure_loops(ranks, build):
    """By way, a record for each size."""
    with tempfile.TemporaryDirectory(prefix="starling-node-") as folder:
        database = Path(folder) / "tuning.db"
        return {
            way: [
                record
                for pairs in SIZES
                for record in perform(
                    loop_words(ranks, pairs), way, f"{database}.forced" if way in FORCED else f"{database}.{pairs}", build
                )
            ]
            for way in WAYS
        }


def measure_late(words, build):
    """A record for each row and count."""
    with tempfile.TemporaryDirectory(prefix="starling-node-") as folder:
        return perform(words, None, Path(folder) / "tuning.db", build)


def copy_ms(size, repetitions=30):
    """Milliseconds to copy so many bytes to another place in memory: the median of several."""
    source, target = ctypes.create_string_buffer(size), ctypes.create_string_buffer(size)
    ctypes.memset(source, 1, size)
    times = []
    for _ in range(repetitions):
        begin = time.perf_counter()
        ctypes.memmove(target, source, size)
        times.append(time.perf_counter() - begin)
    return 1e3 * sorted(times)[repetitions // 2]
