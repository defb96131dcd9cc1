"""The document that stands beside section 6 of Proficz (2018)."""
from reproduction.common import papers, records
from reproduction.common.markdown import Document, ms, percent, ratio
from reproduction.training import runs as plan
from reproduction.training.cases import BALANCED_RING, CASES, COMPUTATION, WAIT
from reproduction.training.results import AIM, BOUND, Results

FILE = "training.md"
TITLE = "Proficz (2018), section 6: training of a neural network on 16 nodes"

# Written after looking at the numbers.
REASONS = (
    "**Post-arrival time is not all that counts in a loop**, though it is what the tuner goes by: who leaves a call "
    "early begins to compute early. With one slow rank the loop follows that rank's own elapsed times: `prr` lets it "
    "go after 5.0 ms, `late_join` after 5.2 ms, though their mean post-arrival times are 7.2 and 5.2 ms, and so the "
    "paper's two algorithms make the shortest loops. With short computations `tuned` has shorter post-arrival times "
    "than the ring, but ranks leave one after the other and so wait longer for each other next time: 3.4 to 3.7 ms "
    "on average, where it is 2.7 ms with the ring. Its loop is no shorter.",
    "**With a tenth of the computation** ranks wait by 2.7 ms, in which early ranks cannot combine what they have: "
    "that takes n beta and more. The column `most` does not know that.",
)


def introduction(document, results):
    document.text(
        f"The paper trains a network of {plan.COUNT} floats with 16 processes on 16 nodes: {plan.ITERATIONS} "
        "iterations, each of which computes and then sums up all parameters with one allreduce. Its network is of 1 "
        "Gbit/s; here it is simulated (`tools/lab/simulate`: 125 MB/s and 2 us per link, two links between any two "
        "nodes). The whole loop is timed (`starling-bench --as-program`): nothing stands between the calls but the "
        "computation."
    )
    document.text(
        "The paper prints no imbalance, only mean elapsed times of the allreduce. Those of its ring are "
        f"{papers.PROFICZ_TABLE_5['ring'][0]} ms, of which {ms(BALANCED_RING)} ms are what the ring takes here when "
        f"nobody is late. So ranks wait for the latest by {ms(WAIT)} ms on average, and compute for {ms(COMPUTATION)} "
        "ms, since a rank is computing or in the allreduce. Who waits for whom is not known; these have that average "
        "in common:"
    )
    document.items(
        f"**{case.name}**: {case.text} (`--pattern {case.pattern} --delay {case.delay:g} --compute "
        f"{case.compute:g}ms`)."
        for case in CASES
    )
    document.text("What is put beside the paper:")
    document.items([
        f"**Aim**: the ring's loop takes at least {ratio(AIM)} times as long as that of `tuned`, which is "
        "`tuned_allreduce` with an empty database; in the paper the best ratio is 1.042.",
        "`announced`: ranks call `starling_edge()` in the middle of the computation. The other rows are told the "
        "latenesses, but for the flagged ones, which find out. The second loop of `tuned` follows the first in one run."
        "",
        "What `tuned` calls native in the simulation is recursive doubling, as `native:mpich` here.",
        "`native:ompi`, `native:mpich` and `native:mvapich2` are the choices of Open MPI, MPICH and MVAPICH2 as "
        "SimGrid has them.",
    ])  # fmt: skip
    header = results.outcomes[0].header
    document.text(
        f"Measured on {records.days(results.outcomes)} by starling-bench {header['version']}, "
        f"{header['mpi'].split('. ')[0]}. Simulated times are the same in every run."
    )


def verdict(value):
    return "met" if value >= AIM else "not met"


def aims(document, results):
    rows = []
    for case in results.cases:
        tuned = case.first()
        total, elapsed = case.total_ratio(tuned), case.elapsed_ratio(tuned)
        rows.append([
            case.case.name, ratio(total, 3), ratio(case.most(), 3), verdict(total), ratio(elapsed, 3),
            ratio(case.most_elapsed(), 3), verdict(elapsed),
        ])  # fmt: skip
    document.table(
        "Ring over `tuned`, announced, first loop",
        ["", "loop", "most", "aim", "allreduce, elapsed", "most", "aim"], rows,
    )  # fmt: skip


def unmet(document, results):
    document.heading("What was not met, and why")
    aims(document, results)
    first = results.cases[0]
    ring = first.row("ring")
    of_paper = {name: (elapsed, total / plan.ITERATIONS) for name, (elapsed, total) in papers.PROFICZ_TABLE_5.items()}
    saved = of_paper["ring"][1] - of_paper["prr"][1]
    document.items([
        f"**No allreduce can reach {ratio(AIM)} in the whole loop with computations of {ms(COMPUTATION)} ms.** The "
        f"latest rank is waited for in any case; after it the ring takes {ms(ring.post_arrival)} ms and no algorithm "
        f"less than n beta = {ms(BOUND)} ms (the column `most`; with several late ranks the bound is higher). That is "
        f"{percent((ring.post_arrival - BOUND) * plan.ITERATIONS / ring.total, 1)} of the loop.",
        f"**The paper's own 1.042 is not of the allreduce alone.** Its iterations took {ms(of_paper['ring'][1])} ms "
        f"with the ring and {ms(of_paper['prr'][1])} ms with PRR, {ms(saved)} ms less, of which its allreduce saved "
        f"{ms(of_paper['ring'][0] - of_paper['prr'][0])} ms. The rest was saved in what it counts as computation, and "
        "it does not say how. Here nothing but the allreduce differs between the rows.",
        "**Mean elapsed times** hold the wait, which is three quarters of them: the aim there is close to the most "
        "that can be.",
        "**First loops** hold the calls in which `tuned` tries rows that turn out to be slow: medians of post-arrival "
        "time, and second loops, show what it has come to.",
        *REASONS,
    ])  # fmt: skip


def table_5(document, results):
    document.heading("Table 5 of the paper, beside ours")
    ring_elapsed, ring_total = papers.PROFICZ_TABLE_5["ring"]
    rows = []
    for name, (elapsed, total) in papers.PROFICZ_TABLE_5.items():
        found = [("paper", elapsed, ring_elapsed / elapsed, total, ring_total / total)]
        for case in results.cases[:-1]:  # the last one computes less
            loop = case.row(name)
            found.append(
                (case.case.name, loop.elapsed, case.elapsed_ratio(loop), loop.total, case.total_ratio(loop))
            )
        for whose, time, speedup, loop_time, loop_speedup in found:
            seconds = f"{loop_time / 1e3:.2f}"
            rows.append([f"`{name}`, {whose}", ms(time), ratio(speedup, 3), seconds, ratio(loop_speedup, 3)])
    header = ["", "allreduce, mean elapsed, ms", "speedup", "training, s", "speedup"]
    document.table("Speedups are over the ring", header, rows)


def case_table(document, case):
    document.heading(f"Loops: {case.case.name}")
    header = [
        "", "elapsed, ms", "post-arrival, ms", "median", "loop, s", "ring over it", f"`{plan.NATIVE}` over it",
        "chosen",
    ]  # fmt: skip
    rows = []
    for loop in (*case.rows, *case.tuned):
        label = loop.label if loop.chosen else f"`{loop.label}`"
        rows.append([
            label, ms(loop.elapsed), ms(loop.post_arrival), ms(loop.post_arrival_median), f"{loop.total / 1e3:.2f}",
            ratio(case.total_ratio(loop), 3), ratio(case.total_ratio(loop, plan.NATIVE), 3),
            f"`{loop.chosen}`" if loop.chosen else None,
        ])  # fmt: skip
    document.table("", header, rows)
    best, first = case.best(), case.first()
    document.text(
        f"The best row is `{best.label}`; the first loop of `tuned` takes {ratio(first.total / best.total, 4)} times "
        f"as long, `{plan.NATIVE}` {ratio(case.row(plan.NATIVE).total / best.total, 4)} times."
    )
    document.commands([plan.rows_run(case.case), *(plan.tuned_run(case.case, told) for told in (True, False))])


def write(folder, cache, jobs):
    """Returns what has been measured; every deviation is told."""
    results = Results(cache, jobs)
    document = Document(TITLE)
    introduction(document, results)
    unmet(document, results)
    table_5(document, results)
    for case in results.cases:
        case_table(document, case)
    (folder / FILE).write_text(document.render(), encoding="utf-8")
    return results.runs, []
