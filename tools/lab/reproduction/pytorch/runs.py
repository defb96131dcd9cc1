"""What is run, and what it wrote down."""
import dataclasses
import json
import statistics
import subprocess

from reproduction.common import records

HOSTS = 8
RATE = "100mbit"
EPOCHS = 8
NUMBERS = 40  # of each rank in an epoch
PROGRAM = "examples/training/compare"
FOLDER = records.ROOT / "build" / "lab" / "pytorch"
PICTURE = "training.svg"  # of the program's
# What is compared, and the options that make it so.
CASES = {
    "the same ranks have the long numbers": (),
    "other ranks each time": ("--shares", "mixed"),
    "the same ranks, one order of summation": ("--reproducible",),
}
LEADING, LAST = tuple(CASES)[0], tuple(CASES)[-1]


@dataclasses.dataclass(frozen=True)
class Trial:
    """What compare leaves of both trainings: the figures of every epoch."""

    ranks: int
    bytes: int  # of the gradients
    alone: list
    tuned: list

    def median_seconds(self):
        return tuple(statistics.median(epoch["seconds"] for epoch in each) for each in (self.alone, self.tuned))

    def loss_difference(self):
        """The greatest of an epoch, as a share of the loss."""
        return max(abs(one["loss"] / other["loss"] - 1) for one, other in zip(self.alone, self.tuned))


def words_of(case):
    """As a user would type it."""
    return [PROGRAM, "-n", str(HOSTS), "--rate", RATE, "--epochs", str(EPOCHS), "--numbers", str(NUMBERS), *CASES[case]]


def read(folder):
    alone, tuned = (json.loads((folder / f"{name}.json").read_text(encoding="utf-8")) for name in ("alone", "tuned"))
    return Trial(alone["ranks"], alone["bytes"], alone["epochs"], tuned["epochs"])


def perform(case):
    command = [*words_of(case), "--folder", str(FOLDER)]
    process = subprocess.run(command, cwd=records.ROOT, check=False)
    if process.returncode != 0:
        raise records.RunError(f"{' '.join(command)}: exit status {process.returncode}")
    return read(FOLDER)


def summary():
    """What Starling said at the end of the latest training."""
    command = [str(records.program_path("starling")), "--db", str(FOLDER / "tuning.db"), "summary"]
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    if process.returncode != 0:
        raise records.RunError(f"{' '.join(command)}: {process.stderr.strip()}")
    return process.stdout.splitlines()[:-1]  # the last line names the database
