"""The document that holds the cost model against the emulated cluster."""
from reproduction.common.markdown import Document
from reproduction.common.simulations import count_text
from reproduction.emulated import cluster
from reproduction.model import runs as plan
from reproduction.model.document import measured_text, sections, terms
from reproduction.model.results import compare

FILE = "model-cluster.md"
TITLE = "The cost model on real TCP: how well it ranks the algorithms"
AIM = 0.08


def write(folder, cache, _jobs):
    """One run at a time: they share the machine. Returns what has been measured, and no rows without a reason."""
    cases = plan.emulated_cases()
    runs = plan.runs_of(cases)
    cluster.measure(plan.SETUP, runs, [], cache)
    outcomes = [cache.load(run) for run in runs]
    comparisons = [compare(case, cache.load(case.run), "p50") for case in cases]
    document = Document(TITLE)
    document.text(
        "The tuner tries first what its cost model predicts to be fastest. Here the model's predictions stand beside "
        f"what is measured on an emulated cluster (`tools/lab/cluster`): {plan.SETUP.hosts} hosts, every link limited "
        f"to {plan.SETUP.megabits} Mbit/s. Medians of {plan.EMULATED_CALLS} calls, one run for each case; they vary by "
        "some per cent from run to run. Made by `tools/lab/reproduce model-cluster`."
    )
    terms(document, AIM)
    document.text(measured_text(outcomes))
    groups = (
        lambda case: f"{count_text(case.count)} floats",
        lambda case: f"`{case.pattern}`" if case.delay else "nobody late",
    )
    sections(document, comparisons, AIM, groups)
    document.code([" ".join(plan.SETUP.up()), *(run.text() for run in runs), "tools/lab/cluster down"])
    (folder / FILE).write_text(document.render(), encoding="utf-8")
    return runs, []
