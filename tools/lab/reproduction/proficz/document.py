"""The document that stands beside Proficz (2018)."""
from reproduction.common import quantities, records
from reproduction.common.claims import sentence
from reproduction.common.deviations import Deviations
from reproduction.common.markdown import Document, percent
from reproduction.proficz import claims, figures, tables
from reproduction.proficz.reasons import REASONS
from reproduction.proficz.results import Results

FILE = "proficz-2018.md"
TITLE = "Proficz (2018): allreduce for imbalanced arrival, 48 nodes on 1 Gbit/s"


def introduction(document, results):
    document.text(
        'J. Proficz, "Improving all-reduce collective operations for imbalanced process arrival patterns" (2018), '
        "section 5, measured four algorithms on up to 48 nodes of the cluster Tryton, one process on each, joined by "
        "one switch of 1 Gbit/s. Here the same settings are simulated: equal nodes on a crossbar of 125 MB/s per "
        "direction, 2 us per link, two links between any two nodes, on virtual time (`tools/lab/simulate`, SimGrid "
        "SMPI). A combination of operands takes no time there, and neither does the processor's part of a message."
    )
    document.items([
        "**Patterns**: one-late: rank 1 arrives D after all others; rand-late: every rank is late by a random time, "
        "uniform from 0 to D. The plan knows the latenesses beforehand, as the paper's does by its monitoring thread.",
        "**Mean elapsed time**, the paper's figure: mean over ranks of exit minus arrival. It contains the wait for "
        "the late rank, D (P-1)/P, so at large D all algorithms look alike. So the **post-arrival time** stands beside "
        "it: mean exit minus last arrival.",
        "**Share of the possible saving**: (ring - time) / (ring - n beta) of post-arrival times. No algorithm can "
        "need less than n beta after a last rank that comes alone.",
        "`ring`, `rabenseifner`, `slt` (as many segments as ranks) and `prr` are Starling's, with default parameters; "
        "`native:ompi` is Open MPI's own choice of algorithm; `slt:segments=1152,window=3` is the pipeline with the "
        "segments that suit this network.",
        *([
            "`tuned` is `tuned_allreduce`: the ranks announce their arrival by `starling_edge()` in the middle of the "
            "computation, as in the paper, and it has settled on an algorithm before it is measured.",
        ] if not results.failures else []),
    ])  # fmt: skip
    document.text(
        f"Measured on {records.days(results.outcomes)} by starling-bench {results.table_3.header['version']}, "
        f"{results.table_3.header['mpi'].split('.  ')[0].split('. ')[0]}. Simulated times are the same in every run. "
        "No parameter was calibrated to the paper's figures."
    )
    if results.failures:
        document.text("`tuned` is missing: its runs failed on this day.")


def unmet(deviations):
    """The section that comes first, though it is made last."""
    document = Document("")
    met, total = deviations.met()
    document.heading("What was not met, and why")
    document.text(
        f"Of {total} figures that can be compared one by one (elapsed and post-arrival times of Table 3, speedups of "
        f"Table 4), {met} are within {percent(quantities.TOLERANCE)} of the paper's. The others:"
    )
    document.items(deviations.sentences())
    return document.parts[1:]


def write(folder, cache, jobs):
    """Returns what has been measured, and rows that deviate without a reason."""
    results = Results(cache, jobs)
    deviations = Deviations(REASONS)
    document = Document(TITLE)
    introduction(document, results)
    place = len(document.parts)
    document.heading("What the paper says of its figures")
    document.items(map(sentence, claims.all_claims(results)))
    tables.table_3(document, results, deviations)
    tables.table_4(document, results, deviations)
    figures.figure_10(document, results, folder)
    figures.figure_11(document, results, folder)
    figures.figure_12(document, results, folder)
    document.parts[place:place] = unmet(deviations)
    (folder / FILE).write_text(document.render(), encoding="utf-8")
    return results.runs, deviations.unexplained()
