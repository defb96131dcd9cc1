"""Table 1 and Figures 6 to 9 of Marendic et al. (2012)."""
from reproduction.common import papers, plots
from reproduction.common.deviations import Cell
from reproduction.common.markdown import ms, ratio, signed_percent
from reproduction.common.plots import Line, Panel
from reproduction.common.quantities import deviation
from reproduction.common.simulations import count_text
from reproduction.marendic import runs as plan
from reproduction.marendic.results import ORDERED

DELAYS = papers.MARENDIC_DELAYS
RANKS_LABEL = "ranks"
TIME_LABEL = "post-arrival time, ms"
TABLE_1 = "Table 1"
ROWS = (*plan.REDUCTIONS, plan.TUNED)
# Our row that is nearest to each of the paper's.
NEAREST = {"local reduce": plan.TUNED, "default": plan.DEFAULT}
# The other library's choice is the scatter here, and what was learned the plan, so that plots show one of each pair.
PLOTTED = tuple(name for name in plan.REDUCTIONS if name != "native:mvapich2")


def cells(times, keys):
    return [ms(times[key]) if key in times else None for key in keys]


def table_1(document, results, folder, deviations):
    document.heading("Table 1: one rank late, 128 ranks, 1024000 doubles")
    paper = papers.MARENDIC_TABLE_1
    rows = [[f"paper, {name}", *map(ms, times)] for name, times in paper.items()]
    rows += [[f"`{name}`", *map(ms, results.completion(name))] for name in ROWS]
    header = ["", *(f"{delay} ms" for delay in DELAYS)]
    document.table("Time from the start of the imbalance to the root's exit, ms", header, rows)
    rows = []
    for name, ours in NEAREST.items():
        texts = []
        for delay, our, their in zip(DELAYS, results.completion(ours), paper[name]):
            deviations.compare(Cell(TABLE_1, f"{name} (`{ours}`)", "time", f"{delay} ms", our, their))
            texts.append(signed_percent(deviation(our, their)))
        rows.append([f"`{ours}` against the paper's {name}", *texts])
    document.table("Deviation of the rows that are nearest", header, rows)
    rows = [[f"paper, {name}", *(ms(time - delay) for delay, time in zip(DELAYS, times))]
            for name, times in paper.items()]  # fmt: skip
    rows += [[f"`{name}`", *map(ms, results.post_arrival(name))] for name in ROWS]
    document.table("The same after the last arrival (time - delay), ms", header, rows)
    rows = [["paper, local reduce over default", *map(ratio, gains(paper["default"], paper["local reduce"]))]]
    for base in (plan.DEFAULT, plan.SCATTER, "native:ompi"):
        found = gains(results.completion(base), results.completion(plan.TUNED))
        rows.append([f"`{plan.TUNED}` over `{base}`", *map(ratio, found)])
    document.table("Speedup, the delay included", header, rows)
    draw_table_1(document, results, folder)
    document.commands([plan.table_1()[0], plan.table_1_tuned()[0]])


def gains(slower, faster):
    return [a / b for a, b in zip(slower, faster)]


def draw_table_1(document, results, folder):
    file = "marendic-table-1.svg"
    lines = [Line(name, list(DELAYS), results.completion(name)) for name in (*PLOTTED, plan.TUNED)]
    lines += [
        Line(f"paper, {name}", list(DELAYS), list(times), is_paper=True, like=NEAREST[name])
        for name, times in papers.MARENDIC_TABLE_1.items()
    ]
    panel = Panel("one rank late, 128 ranks, 1024000 doubles", "delay of the late rank, ms",
                  "time from the start of the imbalance, ms", lines, ticks=list(DELAYS))  # fmt: skip
    plots.draw([panel], folder / file)
    document.image("Time over the delay", file)


def rank_panel(title, results, figure, algorithms=PLOTTED):
    lines = []
    for name in algorithms:
        times = results.over_ranks(figure, name)
        lines.append(Line(name, list(times), list(times.values())))
    return Panel(title, RANKS_LABEL, TIME_LABEL, lines, plots.LOGARITHMIC, plots.LOGARITHMIC,
                 ticks=list(plan.PROCESSES))  # fmt: skip


def rank_table(document, results, title, figure, runs, algorithms=ROWS):
    """The command is that of most ranks; the others differ in -n alone."""
    times = {name: results.over_ranks(figure, name) for name in algorithms}
    rows = [[f"`{name}`", *cells(times[name], plan.PROCESSES)] for name in algorithms]
    document.table(title, ["ranks", *map(str, plan.PROCESSES)], rows)
    document.commands(runs)


def figures_6_and_7(document, results, folder):
    document.heading("Figures 6 and 7: two operators, no rank late, 2^20 doubles")
    file = "marendic-figures-6-7.svg"
    plots.draw(
        [rank_panel("Figure 6: std::plus", results, 6), rank_panel("Figure 7: 100 times slower", results, 7)],
        folder / file,
    )
    document.image("Post-arrival time over the number of ranks, for two operators", file)
    for number in (6, 7):
        runs = [plan.figure(number)[-1], plan.figure_tuned(number)[-1]]
        rank_table(document, results, f"Figure {number}: post-arrival time, ms", number, runs)
    document.text(
        "The paper's operators were taken to be non-commutative. The same bytes and the same time of the operator, as "
        "2^21 products of 2 x 2 matrices, which do not commute; only rows that keep the order of ranks may take part "
        f"(SMPI's versions of `{plan.BINARY}`, `{plan.SCATTER}` and `native:mvapich2` give wrong products):"
    )
    rank_table(
        document, results, "Figure 7 with an operator that does not commute: post-arrival time, ms", ORDERED,
        [plan.figure_7_ordered()[-1]], plan.ORDERED,
    )  # fmt: skip


def figures_8_and_9(document, results, folder):
    document.heading("Figures 8 and 9: two kinds of imbalance, 2^20 doubles")
    file = "marendic-figures-8-9.svg"
    panels = [
        rank_panel(f"Figure 8: one rank {plan.LATE} ms late", results, 8),
        rank_panel(f"Figure 9: gamma, mean {plan.GAMMA_MEAN} ms", results, 9, (*PLOTTED, plan.TUNED)),
    ]
    plots.draw(panels, folder / file)
    document.image("Post-arrival time over the number of ranks, for two kinds of imbalance", file)
    rank_table(document, results, "Figure 8: post-arrival time, ms", 8,
               [plan.figure(8)[-1], plan.figure_tuned(8)[-1]])  # fmt: skip
    document.text(
        f"Figure 9: gamma distribution of shape 2; the paper does not print its mean, so {plan.GAMMA_MEAN} ms was "
        f"taken, about what it needs to reduce two vectors. Mean of {plan.GAMMA_CALLS} calls. Each call has other "
        f"latenesses: `{plan.PLANNED}` is told them, and `{plan.TUNED}` has nothing to learn."
    )
    rank_table(document, results, "Figure 9: post-arrival time, ms", 9,
               [plan.figure(9)[-1], plan.figure_tuned(9)[-1]])  # fmt: skip


def sizes(document, results):
    document.heading("Vector sizes, no rank late, 128 ranks")
    rows = []
    for size in (*plan.SIZES, plan.ELEMENTS):
        rows.append([count_text(size), *(f"{results.over_size(name)[size]:.3f}" for name in plan.REDUCTIONS)])
    document.table("Post-arrival time, ms", ["doubles", *(f"`{name}`" for name in plan.REDUCTIONS)], rows)
    document.commands([plan.sizes()[0]])


def allreduces(document, results):
    document.heading("As allreduce, 128 ranks, 2^20 doubles")
    document.text(
        "The catalogue has the paper's algorithms as allreduces, each with a way back for the result: what local reduce "
        "merges where all is known beforehand (`local_redirect`), algorithm 1 (`static_optimal`), a binary tree, and "
        "all-to-all (`direct`). All but the last hand on whole vectors. `slt` is a chain in order of arrival, in segments."
    )
    rows = []
    for name in plan.ALLREDUCES:
        times = results.of_allreduce(name)
        rows.append([f"`{name}`", *(ms(times[number]) for number in plan.FIGURES)])
    header = ["", *(f"Figure {number}" for number in plan.FIGURES)]
    document.table("Mean exit after the last arrival, ms", header, rows)
    document.commands([plan.allreduces()[8]])
