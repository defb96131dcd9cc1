"""Making and removing the emulated cluster around runs."""
import os
import subprocess
import sys

from reproduction.common import records

# A name of its own, so that a cluster that the user has up is left alone.
NAME = "reproduce"
IDLE_LOAD = 0.5


def command(words):
    process = subprocess.run(words, cwd=records.ROOT, capture_output=True, text=True, check=False)
    if process.returncode != 0:
        raise records.RunError(f"{' '.join(words)}: {process.stderr.strip() or 'it said nothing'}")


def forget(database):
    """Removes what an earlier measurement has learned, with the files that SQLite may keep beside it; `database` is a
    path from the root of the source tree."""
    for suffix in ("", "-wal", "-shm"):
        (records.ROOT / f"{database}{suffix}").unlink(missing_ok=True)


class Cluster:
    """Up inside `with`."""

    def __init__(self, setup):
        self.setup = setup

    def __enter__(self):
        os.environ["STARLING_LAB_NAME"] = NAME
        load = os.getloadavg()[0]
        if load > IDLE_LOAD:
            print(f"note: the load of this machine is {load:.1f}: what else runs shows in the figures", file=sys.stderr)
        command(self.setup.up())
        return self

    def __exit__(self, *_):
        command(["tools/lab/cluster", "down"])


def measure(setup, required, optional, cache):
    """Makes what the cache does not hold, one run after the other. Returns what is to be said of optional runs that
    failed."""
    if all(cache.load(run) for run in (*required, *optional)):
        return []
    with Cluster(setup):
        records.measure(required, cache)
        return records.attempt(optional, cache)
