"""The document that stands beside Marendic et al. (2012)."""
from reproduction.common import papers, quantities, records
from reproduction.common.claims import sentence
from reproduction.common.deviations import Deviations
from reproduction.common.markdown import Document, percent
from reproduction.marendic import claims, figures
from reproduction.marendic.reasons import REASONS
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
        "joined by QDR InfiniBand. Here allreduce is simulated (`tools/lab/simulate`, SimGrid SMPI) with the network "
        "constants that the paper prints: 3500 MB/s and 3.13 us per message."
    )
    document.text("What differs, and forbids to read the figures side by side as the same experiment:")
    document.items([
        "**Operation.** The paper's algorithms (local reduce, binary tree, all-to-all with a gather, the library's "
        "default) leave the result on one rank. Starling's leave it on all: an allreduce is a reduce and a "
        "distribution, at least n beta more for whole vectors. The nearest rows are `reduce_bcast` (a binomial tree, "
        "what the authors take the default to be, and a tree back), `rabenseifner` (scatter, then gather) and `slt` (a "
        "chain in order of arrival, as local reduce is a chain whose waiting neighbours go ahead).",
        "**Network.** 128 processes on 32 nodes share links and memory; which process was where is not printed. Here "
        "each rank has a link of its own, and nothing else competes for it.",
        "**Operator.** The paper gives gamma = 1.79e-10 s as 2 / R_peak, not per what. Taken per byte, combining "
        f"1024000 doubles takes {combine:.1f} ms and sending them {wire:.1f} ms, together {wire + combine:.1f} ms: the "
        "paper's \"time to reduce two vectors was 4 ms\". So an operator of 1.43 ns per double is emulated, and one of "
        "143 ns as the one that is two orders of magnitude slower. In the simulator an operation costs nothing else.",
        "**Time.** The paper reports the time at the root including its imbalance. Here it is the delay and the "
        "post-arrival time (mean exit minus last arrival) together.",
        "**Knowledge.** Local reduce learns who waits by messages during the call; `slt` and `prr` are told beforehand "
        "who is late.",
        "**Axes.** The captions of Figures 6 to 9 do not name their axes. They are taken to "
        "run over the number of processes, since section 5 speaks of scaling there.",
    ])  # fmt: skip
    document.text(
        f"Measured on {records.days(results.outcomes)} by starling-bench {results.outcomes[0].header['version']}, "
        f"{results.outcomes[0].header['mpi'].split('. ')[0]}. Simulated times are the same in every run. No parameter "
        "was calibrated to the paper's figures."
    )


def unmet(deviations):
    document = Document("")
    met, total = deviations.met()
    document.heading("What was not met, and why")
    document.text(
        f"Of {total} figures of Table 1, {met} are within {percent(quantities.TOLERANCE)} of those of the nearest row. "
        "The others:"
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
    figures.table_1(document, results, folder, deviations)
    figures.figures_6_and_7(document, results, folder)
    figures.figures_8_and_9(document, results, folder)
    figures.sizes(document, results)
    document.parts[place:place] = unmet(deviations)
    (folder / FILE).write_text(document.render(), encoding="utf-8")
    return results.runs, deviations.unexplained()
