"""The documents that hold the cost model against what is measured: simulated, and on the emulated cluster."""
from reproduction.common import records
from reproduction.common.markdown import Document, percent
from reproduction.common.simulations import count_text
from reproduction.model import tables
from reproduction.model import runs as plan
from reproduction.model.results import TRIES, compare

FILE = "model.md"
TITLE = "The cost model: how well it ranks the algorithms"
AIM = 0.03


def terms(document, aim):
    document.items([
        "**Loss**: by how much the algorithm that is predicted to be fastest is slower than the one that is. The aim "
        f"is less than {percent(aim)}. **Worst of {TRIES} tries**: the same of the best of the {TRIES} that are "
        "predicted to be fastest: what is lost by trying these alone.",
        "**Correlation**: Spearman's rank correlation of predicted and measured times over the candidates of a case.",
        "**Candidates**: all rows of the catalogue but the MPI library's own, with the parameters that `starling "
        "simulate` gives them; the same on both sides. The plan knows the latenesses beforehand.",
        "**Error**: predicted over measured post-arrival time (mean exit minus last arrival), less one.",
    ])  # fmt: skip


def model_text(outcomes):
    """The values of the model: their range over the runs."""
    names = {
        "alpha_us": "alpha", "overhead_us": "overhead", "release_us": "release", "beta_ns": "beta", "gamma_ns": "gamma",
    }  # fmt: skip
    parts = []
    for key, name in names.items():
        values = [outcome.header["model"][key] for outcome in outcomes]
        ends = list(dict.fromkeys(f"{value:.3g}" for value in (min(values), max(values))))
        unit = "us" if key.endswith("us") else "ns per byte"
        parts.append(f"{name} {' to '.join(ends)} {unit}")
    shared = sum(outcome.header["model"]["shared"] for outcome in outcomes)
    return f"{', '.join(parts)}; ports shared in {shared} of {len(outcomes)} runs"


def measured_text(outcomes):
    header = outcomes[0].header
    return (
        f"Measured on {records.days(outcomes)} by starling-bench {header['version']}, {header['mpi'].split('. ')[0]}. "
        f"What the library's own probe found: {model_text(outcomes)}."
    )


def sections(document, comparisons, aim, groups):
    document.heading("In short")
    tables.summary_table(document, comparisons, aim, groups)
    document.heading("What loses")
    tables.worst_table(document, comparisons, aim)
    document.heading("Predicted times")
    tables.row_table(document, comparisons)
    document.heading("All cases")
    tables.case_table(document, comparisons)


def write(folder, cache, jobs):
    """Returns what has been measured, and no rows without a reason: the document has no figures to deviate from."""
    cases = plan.simulated_cases()
    runs = plan.runs_of(cases)
    outcomes = records.measure(runs, cache, jobs)
    comparisons = [compare(case, cache.load(case.run), "mean") for case in reversed(cases)]
    document = Document(TITLE)
    document.text(
        "The tuner tries first what its cost model predicts to be fastest. Here the model's predictions stand beside "
        "what is measured on a simulated cluster (`tools/lab/simulate`, SimGrid SMPI): equal nodes with 125 MB/s in "
        "each direction and 2 us per link, two links between any two nodes. Made by `tools/lab/reproduce model`."
    )
    terms(document, AIM)
    document.text(measured_text(outcomes) + " Simulated times are the same in every run.")
    groups = (
        lambda case: f"{case.ranks} ranks", lambda case: f"{count_text(case.count)} floats",
        lambda case: f"`{case.pattern}`" if case.delay else "nobody late",
    )  # fmt: skip
    sections(document, comparisons, AIM, groups)
    document.commands(runs)
    (folder / FILE).write_text(document.render(), encoding="utf-8")
    return runs, []
