"""The document that holds predictions from fewer ranks against simulated calls of many."""
from reproduction.common import records
from reproduction.common.markdown import Document
from reproduction.common.simulations import count_text
from reproduction.model import runs as plan
from reproduction.model.document import AIM, measured_text, sections, terms
from reproduction.model.results import compare

FILE = "model-many-ranks.md"
TITLE = "The cost model on many ranks: how well it ranks the algorithms"


def write(folder, cache, jobs):
    """Returns what has been measured, and no rows without a reason."""
    cases = plan.many_ranks_cases()
    runs = plan.runs_of(cases)
    outcomes = records.measure(runs, cache, jobs)
    comparisons = [compare(case, cache.load(case.run), "mean") for case in cases]
    document = Document(TITLE)
    document.text(
        "With 16 ranks and more the library does not simulate a call to predict its time, but calls of fewer ranks "
        "(docs/cost-model.md). Here these predictions stand beside what is measured on the simulated cluster of "
        "model.md. Made by `tools/lab/reproduce model-many-ranks`."
    )
    terms(document, AIM)
    document.text(measured_text(outcomes) + " Simulated times are the same in every run.")
    groups = (
        lambda case: case.place(), lambda case: f"{count_text(case.count)} floats",
        lambda case: f"`{case.pattern}`" if case.delay else "nobody late",
    )  # fmt: skip
    sections(document, comparisons, AIM, groups)
    document.commands(runs)
    (folder / FILE).write_text(document.render(), encoding="utf-8")
    return runs, []
