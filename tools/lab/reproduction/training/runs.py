"""The runs of the training: the whole loop, once for each row."""
from reproduction.common import papers
from reproduction.common.simulations import simulation
from reproduction.training.cases import CASES, RANKS

COUNT = papers.PROFICZ_TRAINING_PARAMETERS
ITERATIONS = papers.PROFICZ_TRAINING_ITERATIONS
NATIVE = "native:ompi"
# The paper's three, with as many segments as it has; then those that `starling simulate` predicts least of, with the
# segments that it chooses, and flags in place of predictions; then the choices of MPI libraries.
ROWS = (
    "ring", "slt", "prr", "slt:segments=132", "slt:segments=132,flagged=1", "late_join:segments=59",
    "late_join:segments=59,flagged=1", "direct:segments=9", "direct:segments=9,flagged=2", NATIVE, "native:mpich",
    "native:mvapich2",
)  # fmt: skip
# The second loop begins with what the first has learned.
TUNED = ("tuned", "tuned")


def loop(case, algorithms, options=()):
    settings = ("--compute", f"{case.compute:g}ms", "--iterations", str(ITERATIONS), "--as-program", *options)
    return simulation(RANKS, algorithms, COUNT, case.pattern, (case.delay,), settings)


def rows_run(case):
    return loop(case, ROWS)


def tuned_run(case, is_announced):
    return loop(case, TUNED, () if is_announced else ("--no-announce",))


def all_runs():
    """The longest begin first."""
    tuned = [tuned_run(case, is_announced) for is_announced in (True, False) for case in CASES]
    return [*map(rows_run, CASES), *tuned]
