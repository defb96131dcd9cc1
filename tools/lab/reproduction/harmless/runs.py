"""Runs the loops of benchmark suites plain, while Starling learns, on what it has learned, and plain again, by turns."""
import dataclasses
import json
import shlex
import subprocess
import tempfile
from pathlib import Path

from reproduction.common import preloaded, records
from reproduction.common.preloaded import AGAIN, LATER, LEARNING, PLAIN

RANKS = (2, 4)
TYPES = {"float": 4, "char": 1}  # bytes of an element
SIZES = tuple(1 << power for power in range(2, 21))  # bytes, from 4 to 1 Mi
RUNS = 5
WAYS = (PLAIN, LEARNING, LATER, AGAIN)


@dataclasses.dataclass(frozen=True)
class Place:
    """What is run: the build, how ranks are started, and for how many seconds at most."""

    build: preloaded.Build = preloaded.Build()
    launcher: tuple = preloaded.LAUNCHER
    timeout: int = 600


def command(place, ranks, kind, sizes):
    """The loops as a user would type them."""
    counts = ",".join(str(size // TYPES[kind]) for size in sizes)
    loop = ("--pattern", "none", "--back-to-back", "--type", kind, "--count", counts)
    return (*place.launcher, "-n", str(ranks), str(place.build.program("starling-bench")), *loop)


def environment_of(place, way, database):
    return preloaded.environment_of(database, () if way in (PLAIN, AGAIN) else (place.build.library,))


def perform(place, words, way, database):
    """Microseconds of a call by bytes."""
    with tempfile.TemporaryDirectory(prefix="starling-harmless-") as folder:
        file = Path(folder) / "loops.json"
        environment = environment_of(place, way, database)
        try:
            process = subprocess.run(
                [*words, "--quiet", "--json", file], env=environment, capture_output=True, text=True,
                timeout=place.timeout, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired as error:
            raise records.RunError(f"{shlex.join(words)} ({way}) has not ended after {place.timeout} s") from error
        if process.returncode != 0:
            raise records.RunError(f"{shlex.join(words)} ({way}): {process.stderr.strip() or 'it said nothing'}")
        loops = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()[1:]]
    return {loop["bytes"]: loop["mean_us"] for loop in loops}


def measure(place, ranks, kind, sizes, runs):
    """By way, the times of each run. Each round learns anew, and then runs on what it has learned."""
    words = command(place, ranks, kind, sizes)
    times = {way: [] for way in WAYS}
    for _ in range(runs):
        with tempfile.TemporaryDirectory(prefix="starling-harmless-") as folder:
            for way in WAYS:
                times[way].append(perform(place, words, way, Path(folder) / "tuning.db"))
    return times
