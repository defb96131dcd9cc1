"""The runs on the emulated cluster."""
import dataclasses

from reproduction.common import records
from reproduction.common.simulations import KI, count_text

COUNTS = (256 * KI, KI * KI)  # floats
DELAYS = (0, 1500)  # ms of rank 1
CALLS = 3
BURST = 256 * KI  # bytes: the token bucket of a link of tools/lab/cluster
PROGRAM = "starling-bench"
SETTINGS = ("--compute", "200ms", "--iterations", str(CALLS))
# Open MPI's, by the number that coll_tuned_allreduce_algorithm takes.
FORCED = {
    1: "basic linear", 2: "nonoverlapping", 3: "recursive doubling", 4: "ring", 5: "segmented ring", 6: "Rabenseifner",
}  # fmt: skip
PIPELINED = "slt, pipelined"


@dataclasses.dataclass(frozen=True)
class Setup:
    """A shape of the emulated cluster that two cores can carry."""

    hosts: int
    megabits: int  # per second, of every link and direction

    def shape(self):
        return f"-n {self.hosts} --rate {self.megabits}mbit"

    def up(self):
        """How the cluster is made."""
        return ["tools/lab/cluster", "up", *self.shape().split()]

    def bytes_per_second(self):
        return 125e3 * self.megabits


SETUPS = (Setup(8, 200), Setup(16, 100))


@dataclasses.dataclass(frozen=True)
class Row:
    label: str
    choice: str  # as the benchmark names it
    options: tuple = ()  # of `tools/lab/cluster run`
    is_together: bool = False  # measured in one run with the ring


def rows(setup):
    """In the order of the tables."""
    together = {
        "ring": "ring", "prr": "prr", "slt": "slt", PIPELINED: f"slt:segments={16 * setup.hosts},window=8",
        "rabenseifner": "rabenseifner", "recursive_doubling": "recursive_doubling", "native": "native",
    }  # fmt: skip
    forced = [
        Row(f"Open MPI's {name}", "native",
            ("--mca", "coll_tuned_use_dynamic_rules", "1", "--mca", "coll_tuned_allreduce_algorithm", str(number)))
        for number, name in FORCED.items()
    ]  # fmt: skip
    return [
        *(Row(label, choice, is_together=True) for label, choice in together.items()), Row("tuned", "tuned"), *forced,
        Row("native of MPICH", "native", ("--mpich",)),
    ]  # fmt: skip


def run_of(setup, algorithms, count, delay, options=()):
    words = ["tools/lab/cluster", "run", *options, "--", PROGRAM, "--algorithm", ",".join(algorithms)]
    words += ["--count", count_text(count), "--pattern", "one-late", "--delay", str(delay), *SETTINGS]
    program = f"{PROGRAM}-mpich" if "--mpich" in options else PROGRAM
    return records.Run(tuple(words), program, context=setup.shape())


def row_run(setup, row, count, delay):
    """The run that a row's figures come from."""
    if row.is_together:
        return run_of(setup, [each.choice for each in rows(setup) if each.is_together], count, delay)
    return run_of(setup, [row.choice], count, delay, row.options)


def together_runs(setup):
    return [row_run(setup, rows(setup)[0], count, delay) for count in COUNTS for delay in DELAYS]


def single_runs(setup):
    single = [row for row in rows(setup) if not row.is_together]
    return [row_run(setup, row, count, delay) for row in single for count in COUNTS for delay in DELAYS]
