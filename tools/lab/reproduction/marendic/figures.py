"""Table 1 and Figures 6 to 9 of Marendic et al. (2012)."""
from reproduction.common import papers, plots
from reproduction.common.deviations import Cell
from reproduction.common.markdown import ms, ratio, signed_percent
from reproduction.common.plots import Line, Panel
from reproduction.common.quantities import deviation
from reproduction.common.simulations import count_text
from reproduction.marendic import runs as plan
from reproduction.marendic.claims import CHAIN, NARROW, TREE

DELAYS = papers.MARENDIC_DELAYS
RANKS_LABEL = "ranks"
TIME_LABEL = "post-arrival time, ms"
TABLE_1 = "Table 1"
# Our row that is nearest to each of the paper's.
NEAREST = {"local reduce": CHAIN, "default": TREE}
# Both baselines choose alike here, so the plots show one.
PLOTTED = tuple(name for name in plan.ALGORITHMS if name != "native:ompi")
PLOTTED_SLOW = tuple(name for name in plan.WITH_NARROW if name != "native:ompi")


def table_1(document, results, folder, deviations):
    document.heading("Table 1: one rank late, 128 ranks, 1024000 doubles")
    rows = [[f"paper, {name}", *map(ms, times)] for name, times in papers.MARENDIC_TABLE_1.items()]
    rows += [[f"`{name}`", *map(ms, results.completion(name))] for name in plan.ALGORITHMS]
    header = ["", *(f"{delay} ms" for delay in DELAYS)]
    document.table("Time from the start of the imbalance to the end, ms", header, rows)
    rows = []
    for name, ours in NEAREST.items():
        cells = []
        for delay, our, their in zip(DELAYS, results.completion(ours), papers.MARENDIC_TABLE_1[name]):
            deviations.compare(Cell(TABLE_1, f"{name} (`{ours}`)", "time", f"{delay} ms", our, their))
            cells.append(signed_percent(deviation(our, their)))
        rows.append([f"`{ours}` against the paper's {name}", *cells])
    document.table("Deviation of the rows that are nearest", header, rows)
    rows = [[f"paper, {name}", *(ms(time - delay) for delay, time in zip(DELAYS, times))]
            for name, times in papers.MARENDIC_TABLE_1.items()]  # fmt: skip
    rows += [[f"`{name}`", *map(ms, results.post_arrival(name))] for name in plan.ALGORITHMS]
    document.table("The same after the last arrival (time - delay), ms", header, rows)
    paper = papers.MARENDIC_TABLE_1
    gains = [ratio(a / b) for a, b in zip(paper["default"], paper["local reduce"])]
    rows = [["paper, local reduce over default (from its times)", *gains]]
    for base in (TREE, "native:mvapich2"):
        gains = [ratio(a / b) for a, b in zip(results.completion(base), results.completion(CHAIN))]
        rows.append([f"`{CHAIN}` over `{base}`", *gains])
    document.table("Speedup", header, rows)
    caution(document)
    draw_table_1(document, results, folder)
    document.commands(plan.table_1())


def caution(document):
    """Against taking two near figures for an agreement."""
    vector = 8 * papers.MARENDIC_ELEMENTS
    wire, combine = 1e3 * vector / papers.MARENDIC_BANDWIDTH, 1e3 * vector * papers.MARENDIC_GAMMA
    paper = max(papers.MARENDIC_TABLE_1["default"]) - DELAYS[-1]
    document.text(
        f"That `{TREE}` comes near to the paper's default is no agreement of networks: of its 7 (2 x {ms(wire)} + "
        f"{ms(combine)}) = {ms(7 * (2 * wire + combine))} ms the tree back takes {ms(7 * wire)} ms, which a reduce "
        f"does not need. The paper's default, if it is such a tree, takes {ms(paper)} ms where this network would need "
        f"{ms(7 * (wire + combine))} ms."
    )


def draw_table_1(document, results, folder):
    file = "marendic-table-1.svg"
    lines = [Line(name, list(DELAYS), results.completion(name)) for name in PLOTTED]
    lines += [
        Line(f"paper, {name}", list(DELAYS), list(times), is_paper=True, like=NEAREST[name])
        for name, times in papers.MARENDIC_TABLE_1.items()
    ]
    panel = Panel("one rank late, 128 ranks, 1024000 doubles", "delay of the late rank, ms",
                  "time from the start of the imbalance, ms", lines, ticks=list(DELAYS))  # fmt: skip
    plots.draw([panel], folder / file)
    document.image("Time over the delay", file)


def rank_panel(title, results, figure, algorithms, y_label=TIME_LABEL, offset=0.0):
    lines = []
    for name in algorithms:
        times = results.over_ranks(figure, name)
        lines.append(Line(name, list(times), [offset + time for time in times.values()]))
    return Panel(
        title, RANKS_LABEL, y_label, lines, plots.LOGARITHMIC, plots.LOGARITHMIC if offset == 0.0 else "linear",
        ticks=list(plan.PROCESSES),
    )  # fmt: skip


def rank_rows(results, figure, algorithms):
    rows = []
    for ranks in plan.PROCESSES:
        rows.append([ranks, *(ms(results.over_ranks(figure, name)[ranks]) for name in algorithms)])
    return rows


def rank_table(document, results, title, figure, runs, algorithms=plan.ALGORITHMS):
    document.table(title, ["ranks", *(f"`{name}`" for name in algorithms)], rank_rows(results, figure, algorithms))
    document.commands(runs)


def remark_on_window(document, results):
    """Where it matters."""
    wide, narrow = (results.over_ranks(7, name)[plan.RANKS] for name in (CHAIN, NARROW))
    if wide > 1.5 * narrow:
        document.text(
            f"`{CHAIN}` takes on up to 4 segments at once by default, and then does not overlap its work with that of "
            f"its neighbours where combining takes longer than the wire: {ms(wide)} ms at {plan.RANKS} ranks. One at a "
            f"time (`{NARROW}`) it takes {ms(narrow)} ms, as a chain in P segments should: (3 P - 3)/P n gamma."
        )


def figures_6_and_7(document, results, folder):
    document.heading("Figures 6 and 7: two operators, no rank late, 2^20 doubles")
    file = "marendic-figures-6-7.svg"
    panels = [
        rank_panel("Figure 6: std::plus", results, 6, PLOTTED),
        rank_panel("Figure 7: 100 times slower", results, 7, PLOTTED_SLOW),
    ]
    plots.draw(panels, folder / file)
    document.image("Post-arrival time over the number of ranks, for two operators", file)
    rank_table(document, results, "Figure 6: post-arrival time, ms", 6, plan.figure_6())
    rank_table(document, results, "Figure 7: post-arrival time, ms", 7, plan.figure_7(), plan.WITH_NARROW)
    remark_on_window(document, results)
    document.text(
        "The paper's operators were taken to be non-commutative. The same bytes and the same time of the operator, as "
        "2^21 products of 2 x 2 matrices, which do not commute; only rows that keep the order of ranks may take part "
        "(`ring` and `prr` may not, and SMPI's version of `native:mvapich2` gives wrong products):"
    )
    rank_table(
        document, results, "Figure 7 with an operator that does not commute: post-arrival time, ms", "ordered",
        plan.figure_7_ordered(), plan.ORDERED,
    )  # fmt: skip


def figures_8_and_9(document, results, folder):
    document.heading("Figures 8 and 9: two kinds of imbalance, 2^20 doubles")
    file = "marendic-figures-8-9.svg"
    panels = [
        rank_panel(f"Figure 8: one rank {plan.LATE} ms late", results, 8, PLOTTED),
        rank_panel(f"Figure 9: gamma, mean {plan.GAMMA_MEAN} ms", results, 9, PLOTTED),
    ]
    plots.draw(panels, folder / file)
    document.image("Post-arrival time over the number of ranks, for two kinds of imbalance", file)
    rank_table(document, results, "Figure 8: post-arrival time, ms", 8, plan.figure_8())
    document.text(
        f"Figure 9: gamma distribution of shape 2; the paper does not print its mean, so {plan.GAMMA_MEAN} ms was "
        f"taken, about what it needs to reduce two vectors. Mean of {plan.GAMMA_CALLS} calls."
    )
    rank_table(document, results, "Figure 9: post-arrival time, ms", 9, plan.figure_9())


def sizes(document, results):
    document.heading("Vector sizes, no rank late, 128 ranks")
    rows = []
    for size in (*plan.SIZES, plan.ELEMENTS):
        cells = [f"{results.over_size(name)[size]:.3f}" for name in plan.ALGORITHMS]
        rows.append([count_text(size), *cells])
    document.table("Post-arrival time, ms", ["doubles", *(f"`{name}`" for name in plan.ALGORITHMS)], rows)
    document.commands([*plan.sizes(), plan.figure_6()[-1]])
