"""The document that stands beside Marendic et al. (2012)."""
from reproduction.common import papers, quantities, records
from reproduction.common.claims import sentence
from reproduction.common.deviations import Deviations
from reproduction.common.markdown import Document, percent
from reproduction.marendic import claims, figures
from reproduction.marendic import runs as plan
from reproduction.marendic.reasons import REASONS, SHORTCOMINGS
from reproduction.marendic.results import Results

FILE = "marendic-2012.md"
TITLE = "Marendic et al. (2012): reductions under load imbalance, 128 ranks on InfiniBand"


def introduction(document, results):
    vector = 8 * papers.MARENDIC_ELEMENTS
    wire = quantities.wire_bound(vector, papers.MARENDIC_BANDWIDTH)
    combine = 1e3 * vector * papers.MARENDIC_GAMMA
    document.text(
        'P. Marendic, J. Lemeire, T. Haber, D. Vucinic, P. Schelkens, "An Investigation into the Performance of '
        'Reduction Algorithms under Load Imbalance" (2012), section 5, measured reduce on 32 nodes of 12 cores each, '
        "joined by QDR InfiniBand. Here reduce to rank 0 is simulated (`tools/lab/simulate`, SimGrid SMPI) with the "
        "network constants that the paper prints: 3500 MB/s and 3.13 us per message."
    )
    document.text("What stands for the rows of the paper:")
    document.items([
        f"The libraries' default, which the authors take to be a binomial tree: `{plan.DEFAULT}`. What SMPI's versions "
        "of two libraries' decision tables choose today: `native:ompi`, `native:mvapich2`.",
        f"Binary tree: `{plan.BINARY}`, Open MPI's, which cuts the vector in segments.",
        f"All-to-all, local reductions and a gather: `{plan.SCATTER}`, which halves vectors as Rabenseifner does, and "
        "gathers.",
        f"Local reduce (the paper's algorithm 2) cannot be run as a reduce here. `{plan.TUNED}` stands for it: "
        "tuned_reduce, which learns in the calls before who comes when, and plans the merges of algorithm 1, the static "
        "optimum, or a chain in segments where that completes earlier. "
        f"`{plan.PLANNED}` is the same plan, told beforehand.",
    ])  # fmt: skip
    document.text("What differs, and forbids to read the figures side by side as the same experiment:")
    document.items([
        "**Network.** 128 processes on 32 nodes share links and memory; which process was where is not printed. Here "
        "each rank has a link of its own, and nothing else competes for it.",
        "**Operator.** The paper gives gamma = 1.79e-10 s as 2 / R_peak, not per what. Taken per byte, combining "
        f"1024000 doubles takes {combine:.1f} ms and sending them {wire:.1f} ms, together {wire + combine:.1f} ms: the "
        "paper's \"time to reduce two vectors was 4 ms\". So an operator of 1.43 ns per double is emulated, and one of "
        "143 ns as the one that is two orders of magnitude slower. In the simulator an operation costs nothing else.",
        "**Time.** As in the paper the time at the root, its wait for the late rank included: the delay and the "
        "post-arrival time (the root's exit minus the last arrival) together. The paper does not say which rank was "
        "late; here it is rank 1.",
        "**Knowledge.** Local reduce learns who waits by messages during the call, "
        f"`{plan.TUNED}` in the calls before (20, in periods of 2). In Table 1 and Figures 6 and 8 it then takes the "
        f"same time as `{plan.PLANNED}`, within {percent(results.foreknowledge(), 2)}. As a call on 128 ranks takes "
        f"seconds to simulate, Figures 6 to 8 have it up to {plan.LEARNED_PROCESSES[-1]} ranks.",
        "**Axes.** The captions of Figures 6 to 9 do not name their axes. They are taken to "
        "run over the number of processes, since section 5 speaks of scaling there.",
    ])  # fmt: skip
    document.text(
        f"Measured on {records.days(results.outcomes)} by starling-bench {results.outcomes[0].header['version']}, "
        f"{results.outcomes[0].header['mpi'].split('. ')[0]}. Simulated times are the same in every run. No parameter "
        "was calibrated to the paper's figures. Of several runs that differ in the number of ranks or in the delay, the "
        "command of one stands below each table."
    )


def unmet(deviations):
    document = Document("")
    met, total = deviations.met()
    document.heading("What was not met, and why")
    document.text(
        f"Of {total} figures of Table 1, {met} are within {percent(quantities.TOLERANCE)} of those of the nearest row. "
        "The others:"
    )
    document.items([*deviations.sentences(), *SHORTCOMINGS])
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
    figures.table_1(document, results, folder, deviations)
    figures.figures_6_and_7(document, results, folder)
    figures.figures_8_and_9(document, results, folder)
    figures.sizes(document, results)
    figures.allreduces(document, results)
    document.parts[place:place] = unmet(deviations)
    (folder / FILE).write_text(document.render(), encoding="utf-8")
    return results.runs, deviations.unexplained()
