"""Runs of the benchmark, and the records that they leave behind: what was measured once is not measured again."""
import concurrent.futures
import dataclasses
import datetime
import hashlib
import json
import os
import shlex
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[4]
FOLDER = ROOT / "build" / "lab" / "records"
# Runs side by side may take so much of the machine's memory.
MEMORY_SHARE = 0.6


class RunError(Exception):
    """A run of the benchmark that failed; its text says which, and how it ended."""


@dataclasses.dataclass(frozen=True)
class Run:
    """One command of the laboratory, as a user would type it in the root of the source tree. Where it begins with the
    program's own name, that of the build folder is run."""

    words: tuple
    program: str  # in build/release/bin: a newer one may give other figures
    context: str = ""  # what else the figures depend on, such as the shape of the emulated cluster
    memory: int = 0  # bytes that it takes, roughly
    flags: tuple = ("--quiet",)  # what it takes besides, when it writes records

    def key(self):
        return hashlib.sha256("\0".join((self.context, *self.words)).encode()).hexdigest()[:20]

    def text(self):
        return shlex.join(self.words)


@dataclasses.dataclass(frozen=True)
class Outcome:
    """What one run has left: its header, its results in the order of the command line, and the day."""

    header: dict
    results: list
    measured: str  # ISO date
    build: str  # build_of() when it was measured

    def find(self, algorithm, count=None, delay=None):
        """The result of an algorithm as it was asked for; without parameters also one that was completed with them."""
        at_setting = [
            result
            for result in self.results
            if count in (None, result["count"]) and delay in (None, result["delay_ms"])
        ]
        for name in ("choice", "algorithm"):
            for result in at_setting:
                if result[name] == algorithm:
                    return result
        raise KeyError(f"no result of {algorithm} for count {count}, delay {delay} ms")


def program_path(name):
    return Path(os.environ.get("STARLING_BUILD", ROOT / "build" / "release")) / "bin" / name


def build_of(run):
    """Tells what measures a run from what measured it before: the program and the tool that starts it."""
    digest = hashlib.sha256()
    for path in (program_path(run.program), ROOT / run.words[0]):
        digest.update(path.read_bytes() if path.is_file() else b"")
    return digest.hexdigest()[:20]


def parse_outcome(stored):
    """Of the benchmark a header and results; of the gym worlds alone."""
    lines = stored["lines"]
    results = [line for line in lines if line["record"] in ("result", "world")]
    wrong = [line["choice"] for line in results if line.get("wrong_elements")]
    if wrong:
        raise RunError(f"wrong sums of {', '.join(wrong)} in: {stored['command']}")
    header = lines[0] if lines and lines[0]["record"] == "header" else {}
    return Outcome(header, results, stored["measured"], stored["build"])


class Cache:
    """Records on disk, one file for each run. `fresh` forgets what earlier calls of the program have left."""

    def __init__(self, folder=FOLDER, fresh=False):
        self.folder = Path(folder)
        self.fresh = fresh
        self.outcomes = {}

    def path(self, run):
        return self.folder / f"{run.key()}.json"

    def load(self, run):
        """None where the run was never made."""
        if run in self.outcomes:
            return self.outcomes[run]
        if self.fresh:
            return None
        try:
            stored = json.loads(self.path(run).read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        except ValueError:
            raise RunError(f"{self.path(run)} is no record: remove it, and run this again") from None
        self.outcomes[run] = parse_outcome(stored)
        return self.outcomes[run]

    def store(self, run, build, lines):
        """Whole or not at all, so that an interruption leaves nothing half-written."""
        stored = {
            "command": run.text(), "context": run.context, "measured": datetime.date.today().isoformat(),
            "build": build, "lines": lines,
        }  # fmt: skip
        self.outcomes[run] = parse_outcome(stored)
        self.folder.mkdir(parents=True, exist_ok=True)
        draft = self.path(run).with_suffix(".draft")
        draft.write_text(json.dumps(stored), encoding="utf-8")
        draft.replace(self.path(run))
        return self.outcomes[run]


class MemoryGate:
    """Lets runs begin while the memory that they ask for is there; one alone may always."""

    def __init__(self, limit):
        self.limit = limit
        self.used = 0
        self.changed = threading.Condition()

    def enter(self, amount):
        with self.changed:
            self.changed.wait_for(lambda: self.used == 0 or self.used + amount <= self.limit)
            self.used += amount

    def leave(self, amount):
        with self.changed:
            self.used -= amount
            self.changed.notify_all()


def machine_memory():
    """Bytes."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def perform(run):
    """Lines that the program wrote."""
    first, *others = run.words
    started = str(program_path(run.program)) if first == run.program else first
    with tempfile.TemporaryDirectory(prefix="starling-reproduce-") as folder:
        file = Path(folder) / "records.json"
        command = [started, *others, "--json", str(file), *run.flags]
        process = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        if process.returncode != 0:
            said = (process.stderr or process.stdout).strip().splitlines()[-1:] or ["it said nothing"]
            raise RunError(f"exit status {process.returncode} of: {run.text()}\n  {said[0]}")
        if not file.exists():
            raise RunError(f"no records of: {run.text()}")
        return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def require(program):
    """Else each run would say the same."""
    path = program_path(program)
    if not path.is_file():
        raise RunError(
            f"{path} is not built: run `tools/setup && cmake --preset release && cmake --build --preset release`, or "
            "name another build folder in STARLING_BUILD"
        )


def attempt(runs, cache, jobs=1):
    """Makes those runs that are missing, `jobs` at a time. Returns what is to be said of those that failed."""
    missing = [run for run in dict.fromkeys(runs) if cache.load(run) is None]
    for program in {run.program for run in missing}:
        require(program)
    gate = MemoryGate(MEMORY_SHARE * machine_memory())
    failures = []
    done = 0

    def make(run):
        gate.enter(run.memory)
        try:
            started = time.monotonic()
            build = build_of(run)
            lines = perform(run)
            return run, build, lines, time.monotonic() - started
        finally:
            gate.leave(run.memory)

    with concurrent.futures.ThreadPoolExecutor(max_workers=jobs) as pool:
        futures = [pool.submit(make, run) for run in missing]
        try:
            for future in concurrent.futures.as_completed(futures):
                done += 1
                try:
                    run, build, lines, seconds = future.result()
                    cache.store(run, build, lines)
                    print(f"[{done}/{len(missing)}] {seconds:.0f} s  {run.text()}", file=sys.stderr)
                except RunError as failure:
                    failures.append(str(failure))
                    print(f"[{done}/{len(missing)}] failed  {failure}", file=sys.stderr)
        except KeyboardInterrupt:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return failures


def measure(runs, cache, jobs=1):
    """The outcomes of all runs, in order. RunError names all that failed; the others were made before."""
    failures = attempt(runs, cache, jobs)
    if failures:
        raise RunError("\n".join(failures))
    return [cache.load(run) for run in runs]


def stale(runs, cache):
    """How many of the runs were measured by another build of their program or by another version of its tool."""
    return sum(cache.load(run).build != build_of(run) for run in runs)


def days(outcomes):
    """The day or days of measurement, as text."""
    dates = sorted({outcome.measured for outcome in outcomes})
    return dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}"
