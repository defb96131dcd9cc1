"""Runs whole programs plain, while Starling learns, and on what it has learned, by turns."""
import dataclasses
import shlex
import sqlite3
import subprocess
import tempfile
import time
from pathlib import Path

from reproduction.common import preloaded, records
from reproduction.common.preloaded import AGAIN, LATER, LEARNING, PLAIN

# By name in the document, as a user would type them in the root of the source tree.
PROGRAMS = {
    "LAMMPS, melt of 4,000 atoms": (
        "lmp", "-in", "examples/melt.lmp", "-var", "steps", "2000", "-log", "none", "-screen", "none",
    ),
    "conjugate gradients, 16^3 points a rank": ("conjugate_gradient", "16", "1000"),
    "conjugate gradients, 64^3 points a rank": ("conjugate_gradient", "64", "10"),
}  # fmt: skip
BUILT = "conjugate_gradient"  # the one of the build
RANKS = (2, 4)
# What comes first in a round may find the machine in another state.
ORDERS = ((PLAIN, LEARNING, LATER, AGAIN), (LEARNING, PLAIN, AGAIN, LATER), (AGAIN, LEARNING, LATER, PLAIN))
WAYS = ORDERS[0]
RUNS = 5
TIMEOUT = 300  # seconds
TIMER = records.ROOT / "tools" / "lab" / "allreduce_time.c"


@dataclasses.dataclass(frozen=True)
class Trial:
    """One run of a program."""

    seconds: float  # from the start of mpirun to its end
    allreduce: float  # seconds in MPI_Allreduce, mean over the ranks
    calls: float  # of a rank
    tuned_calls: int = 0  # of these, since the communicator was prepared


def build_timer(folder):
    """The library that measures the time in allreduce."""
    library = Path(folder) / "allreduce_time.so"
    command = ["mpicc", "-shared", "-fPIC", "-O2", str(TIMER), "-o", str(library), "-ldl"]
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    if process.returncode != 0:
        raise records.RunError(f"{shlex.join(command)}: {process.stderr.strip()}")
    return library


def command(build, ranks, words):
    program = str(build.program(BUILT)) if words[0] == BUILT else words[0]
    return [*preloaded.LAUNCHER, "-n", str(ranks), program, *words[1:]]


def tuned_calls(database):
    """Those of the latest run."""
    with sqlite3.connect(database) as connection:
        return connection.execute(
            "SELECT coalesce(sum(keys.calls), 0) FROM keys JOIN communicators ON keys.communicator = "
            "communicators.number WHERE communicators.run = (SELECT max(number) FROM runs)"
        ).fetchone()[0]


def perform(build, timer, words, way, database):
    is_plain = way in (PLAIN, AGAIN)
    libraries = (timer,) if is_plain else (timer, build.library)
    file = database.parent / f"{way}.txt"
    environment = preloaded.environment_of(database, libraries, ALLREDUCE_TIME_FILE=str(file), STARLING_SUMMARY="off")
    begin = time.perf_counter()
    try:
        process = subprocess.run(
            words, env=environment, cwd=records.ROOT, capture_output=True, text=True, timeout=TIMEOUT, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise records.RunError(f"{shlex.join(words)} ({way}) has not ended after {TIMEOUT} s") from error
    seconds = time.perf_counter() - begin
    if process.returncode != 0:
        raise records.RunError(f"{shlex.join(words)} ({way}): {process.stderr.strip() or process.stdout.strip()}")
    allreduce, calls = map(float, file.read_text(encoding="utf-8").split())
    return Trial(seconds, allreduce, calls, 0 if is_plain else tuned_calls(database))


def measure(build, timer, ranks, words, runs=RUNS):
    """By way, a trial of each round. Each round learns anew, and then runs on what it has learned."""
    trials = {way: [] for way in WAYS}
    for round_number in range(runs):
        with tempfile.TemporaryDirectory(prefix="starling-programs-") as folder:
            for way in ORDERS[round_number % len(ORDERS)]:
                trial = perform(build, timer, command(build, ranks, words), way, Path(folder) / "tuning.db")
                trials[way].append(trial)
    return trials
