"""The document that stands beside Soga et al. (2007)."""
from reproduction.common import plots, records
from reproduction.common.claims import Claim, sentence
from reproduction.common.markdown import Document, percent
from reproduction.common.papers import SOGA_SAVED
from reproduction.common.plots import Line, Panel
from reproduction.soga import runs as plan
from reproduction.soga.results import Results, saved

FILE = "soga-2007.md"
PLOT = "soga-saved.svg"
TITLE = "Soga et al. (2007): broadcasts whose first receiver has a load"
SIZES = {plan.SHORT: "1 KiB", plan.MIDDLE: "3 KiB", plan.LONG: "1 MiB"}
TREES = (plan.SHORT, plan.MIDDLE)
ENOUGH = 2  # the least load of which an exchange takes notice
LOADS_BELOW = tuple(load for load in plan.LOADS if load < ENOUGH)


def us(milliseconds):
    return f"{1e3 * milliseconds:.1f}" if milliseconds < 1 else f"{1e3 * milliseconds:.0f}"


def calls(number):
    return "-" if number is None else str(number)


def introduction(document, results):
    document.text(
        'T. Soga, K. Kurihara, T. Nanri, M. Kurokawa, K. Murakami, "Dynamic Optimization of Load Balance in MPI '
        'Broadcast" (EuroPVM/MPI 2007), exchange ranks of a binomial tree by how long they waited in earlier calls. '
        "Before each MPI_Bcast of their program a pseudo load is run on the first receiver of the original tree; the "
        f"overall time of MPI_Bcast falls by around {percent(SOGA_SAVED)}. Here `tuned_bcast` is simulated "
        "(`tools/lab/simulate`, SimGrid SMPI; 1 Gbit/s and 4 us per message) with such a load, from its first call on."
    )
    document.text("What the paper's abstract, all that there is of it, leaves open, and what was taken for it:")
    document.items([
        "**Size, ranks and load** are not printed. So messages are of 1 KiB and 3 KiB, which go over a binomial tree, "
        "and of 1 MiB, which `tuned_bcast` sends along a chain; loads are multiples of what the binomial tree takes "
        f"when nobody has one, {plan.LOADS[0]} to {plan.LOADS[-1]}; most is told of {plan.MAIN_LOAD}.",
        "**Overall time** is taken to be the time that ranks spend in MPI_Bcast: from the call to its return, mean over "
        "the ranks, added up over the calls. The load itself is not in it. Ranks begin each call together, but for the "
        "load; the paper's may run ahead of each other.",
        f"**Loop.** {plan.CALLS[plan.SHORT]} calls ({plan.CALLS[plan.LONG]} of 1 MiB). *Steady* is the mean call of the "
        "second half; *total* is the whole loop, with all that `tuned_bcast` does at first: to start takes 1 to 2 ms in "
        "the first call, to probe the network about 15 ms in the fifth. Both have the periods in which it tries "
        "MPI_Bcast again.",
        f"**First receiver.** Of Starling's tree it is rank {plan.FIRST_RECEIVER}. `{plan.UNMOVED}` is the same tree in "
        "the order of ranks: the broadcast without exchange. The MPI library's own binomial tree "
        f"(`{plan.BINOMIAL}`) sends to the farthest rank first, P/2, where rank {plan.FIRST_RECEIVER} is a leaf; what "
        f"happens when P/2 has the load is told apart. `{plan.LIBRARY}` is what SMPI's version of Open MPI's decision "
        "table chooses.",
        "**The exchange** comes after 4 + 3 x 16 = 52 calls (`STARLING_ROOTED_PERIOD`): in the first period the MPI "
        "library makes the calls, in the second waits are measured, and in the third they go round.",
        "**Buffers.** In the simulator a send ends when it was received, so that a late rank holds up its parent, too, "
        "as long messages do with any library.",
    ])  # fmt: skip
    document.text(
        f"Measured on {records.days(results.outcomes)} by starling-bench {results.outcomes[0].header['version']}, "
        f"{results.outcomes[0].header['mpi'].split('. ')[0]}. Simulated times are the same in every run."
    )


def least(loops, figure):
    return min(figure(loop) for loop in loops)


def all_claims(results):
    aim = f"the time of MPI_Bcast falls by {percent(SOGA_SAVED)}"
    for ranks in plan.PROCESSES:
        loops = [results.find(ranks, count) for count in SIZES]
        steady = [loop.steady_saved() for loop in loops]
        total = [loop.total_saved() for loop in loops]
        yield Claim(
            f"{ranks} ranks, load {plan.MAIN_LOAD}", aim, min(*steady, *total) >= SOGA_SAVED,
            "with " + ", ".join(SIZES.values()) + " by " + ", ".join(map(percent, steady)) + " in steady use, by "
            + ", ".join(map(percent, total)) + " over the loop",
        )  # fmt: skip
    for load in plan.LOADS:
        if load == plan.MAIN_LOAD:
            continue
        loops = [results.find(ranks, count, load) for ranks in plan.PROCESSES for count in TREES]
        steady, total = least(loops, lambda loop: loop.steady_saved()), least(loops, lambda loop: loop.total_saved())
        yield Claim(
            f"All ranks, load {load:g}", aim, min(steady, total) >= SOGA_SAVED,
            f"by {percent(steady)} at least in steady use, by {percent(total)} over the loop",
        )  # fmt: skip


def had_by_exchange(results, load):
    """The least share that another order would have saved: that of the library's tree, in which rank 1 is a leaf."""
    loops = [results.find(ranks, count, load) for ranks in plan.PROCESSES for count in TREES]
    return percent(least(loops, lambda loop: saved(loop.fixed[plan.UNMOVED], loop.fixed[plan.BINOMIAL])))


def reasons(document, results):
    document.heading("What was not met, and why")
    document.items([
        f"**Loads below {ENOUGH}.** `tuned_bcast` counts a wait only where it is more than twice what the message takes "
        "to get everywhere, because links are not always equally fast; a load that is shorter moves nobody. What falls "
        "all the same is because MPI_Bcast, in whose tree rank 1 is a leaf, is found to be faster by more than a tenth, "
        "and then makes the calls. An exchange would make a tree that takes as long as "
        f"`{plan.BINOMIAL}`: at load {LOADS_BELOW[-1]:g} it would have saved {had_by_exchange(results, LOADS_BELOW[-1])} "
        f"at least, at load {LOADS_BELOW[0]:g} {had_by_exchange(results, LOADS_BELOW[0])}.",
        "**The whole loop of short calls.** Starting and probing cost some 15 ms once, which is 50 to 400 calls of 1 "
        "KiB; a program that makes no more of them gains nothing, and *calls until paid for* says how many it takes.",
        f"**Against the MPI library's own choice** with the load on rank 1. For 1 KiB `{plan.LIBRARY}` takes a binomial "
        "tree in which that rank is a leaf, so that the load does little; then `tuned_bcast` saves little or nothing, "
        "and what starting costs is not earned back in this loop. It is the other way round where rank P/2 has the load.",
        f"**Rank P/2 with the load, against `{plan.UNMOVED}`.** Nothing can be gained, as that rank is a leaf; the loss in "
        "steady use is one period of 16 calls in which MPI_Bcast is tried again, ever more seldom.",
    ])  # fmt: skip


def main_table(document, results, count):
    document.heading(f"{SIZES[count]}: load {plan.MAIN_LOAD}, {plan.CALLS[count]} calls")
    rows = []
    for ranks in plan.PROCESSES:
        loop = results.find(ranks, count)
        rows.append([
            ranks, us(loop.load_ms()), us(results.balanced[ranks, count]),
            *(us(loop.fixed[row]) for row in plan.FIXED), us(loop.steady()), percent(loop.steady_saved()),
            percent(loop.total_saved()), percent(loop.steady_saved(plan.LIBRARY)),
            percent(loop.total_saved(plan.LIBRARY)), calls(loop.exchanged_after()), calls(loop.paid_after()),
        ])  # fmt: skip
    document.table(
        "Mean time of a rank in a call, us, and what is saved of it",
        ["ranks", "load", f"`{plan.UNMOVED}` without load", *(f"`{row}`" for row in plan.FIXED), "tuned, steady",
         "saved", "saved in total", f"of `{plan.LIBRARY}`", "in total", "calls until the exchange",
         "calls until paid for"],
        rows,
    )  # fmt: skip


def loads_table(document, results):
    document.heading("Other loads")
    for count in TREES:
        rows = []
        for ranks in plan.PROCESSES:
            loops = [results.find(ranks, count, load) for load in plan.LOADS]
            rows.append([
                ranks, *(f"{percent(loop.steady_saved())} / {percent(loop.total_saved())}" for loop in loops),
                ", ".join(calls(loop.exchanged_after()) for loop in loops),
            ])  # fmt: skip
        document.table(
            f"{SIZES[count]}: saved of `{plan.UNMOVED}`, steady / in total, by load; a dash where no exchange was made",
            ["ranks", *(f"{load:g}" for load in plan.LOADS), "calls until the exchange"], rows,
        )  # fmt: skip


def library_table(document, results):
    document.heading("The load on the first receiver of the MPI library's tree")
    document.text(
        f"Rank P/2 has the load, {plan.MAIN_LOAD} times as before, and is a leaf in Starling's tree: there is nobody to "
        "be exchanged. This is what a program gains that called MPI_Bcast before."
    )
    for count in TREES:
        rows = []
        for ranks in plan.PROCESSES:
            loop = results.find(ranks, count, late=plan.first_receiver_of_library(ranks))
            cells = [us(loop.fixed[row]) for row in plan.FIXED]
            for row in (plan.BINOMIAL, plan.LIBRARY, plan.UNMOVED):
                cells.append(f"{percent(loop.steady_saved(row))} / {percent(loop.total_saved(row))}")
            rows.append([ranks, *cells[:3], us(loop.steady()), *cells[3:]])
        saved = [f"of `{row}`" for row in (plan.BINOMIAL, plan.LIBRARY, plan.UNMOVED)]
        document.table(
            f"{SIZES[count]}: mean time of a rank in a call, us, and what is saved of it, steady / in total",
            ["ranks", *(f"`{row}`" for row in plan.FIXED), "tuned, steady", *saved], rows,
        )  # fmt: skip


def draw(document, results, folder):
    panels = []
    for count in TREES:
        lines = [
            Line(f"{ranks} ranks", list(plan.LOADS),
                 [100 * results.find(ranks, count, load).steady_saved() for load in plan.LOADS])
            for ranks in plan.PROCESSES
        ]  # fmt: skip
        paper = Line("paper", list(plan.LOADS), [100 * SOGA_SAVED] * len(plan.LOADS))
        panels.append(
            Panel(SIZES[count], "load, in times of the binomial tree", "saved in steady use, %", lines,
                  categories=list(plan.LOADS), bound=paper)
        )  # fmt: skip
    plots.draw(panels, folder / PLOT)
    document.image("What is saved of the time in a broadcast, over the load", PLOT)


def write_document(results, folder, draw=draw):
    document = Document(TITLE)
    introduction(document, results)
    document.heading("The paper's figure")
    document.items(map(sentence, all_claims(results)))
    reasons(document, results)
    for count in SIZES:
        main_table(document, results, count)
    loads_table(document, results)
    draw(document, results, folder)
    library_table(document, results)
    document.heading("Commands")
    document.text("Of 8 ranks and 1 KiB; the others differ in ranks, count, delay and number of calls alone.")
    examples = [(plan.PROCESSES[0], plan.SHORT), (plan.PROCESSES[0], plan.SHORT, plan.MAIN_LOAD)]
    document.commands([plan.fixed(*examples[0]), plan.tuned(*examples[1])])
    (folder / FILE).write_text(document.render(), encoding="utf-8")


def write(folder, cache, jobs):
    """Returns what has been measured, and nothing that deviates without a reason."""
    results = Results(cache, jobs)
    write_document(results, folder)
    return results.runs, []
