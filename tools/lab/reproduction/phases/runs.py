"""What is run: rows with one algorithm throughout, and `tuned` twice, the second time on what it has learned."""
import json
import subprocess

from reproduction.common import records
from reproduction.common.simulations import KI, count_text
from reproduction.emulated.runs import PROGRAM, Setup

SETUP = Setup(8, 200)
COUNT = 256 * KI  # floats
DELAY = 300  # ms of the late rank
CALLS = 60  # of each phase
PHASES = {
    "rank_1": "rank 1 late", "rank_5": "rank 5 late", "nobody": "nobody late", "any_rank": "another rank in each call",
}  # fmt: skip
NATIVE = "native"
# Beside native, those that have the least sum of a phase or come near to it. A row takes one and a half minutes, which
# is why there are no others.
ROWS = (NATIVE, "slt:segments=64", "slt:segments=64,flagged=1", "ring_segmented")
DATABASE = "build/lab/phases.db"
TIMEOUT = 1200  # seconds: more than twice as long as the rows take
SETTINGS = ("--count", count_text(COUNT), "--pattern", "phases", "--delay", str(DELAY), "--compute", "20ms",
            "--iterations", str(len(PHASES) * CALLS))  # fmt: skip


def cluster_run(environment, algorithms, knowledge):
    """As a user would type it."""
    words = [*environment, "tools/lab/cluster", "run", "--timeout", str(TIMEOUT), "--", PROGRAM]
    return records.Run((*words, "--algorithm", ",".join(algorithms), *knowledge, *SETTINGS), PROGRAM, SETUP.shape())


def rows_run():
    """The rows know of the late rank what `tuned` may know: what the calls before have shown."""
    return cluster_run((), ROWS, ("--predict", "learned"))


def tuned_run():
    return cluster_run(("env", f"STARLING_DB={DATABASE}"), ("tuned",), ("--no-announce",))


def story_words():
    """The command that tells the decisions of the latest run."""
    return ["starling", "--db", DATABASE, "decisions"]


def story():
    """The decisions of the latest run, in order."""
    program, *words = story_words()
    command = [str(records.program_path(program)), *words, "--json"]
    process = subprocess.run(command, cwd=records.ROOT, capture_output=True, text=True, check=False)
    if process.returncode != 0:
        raise records.RunError(f"{' '.join(command)}: {process.stderr.strip() or 'it said nothing'}")
    return json.loads(process.stdout)
