"""Figures 10, 11 and 12 of Proficz (2018)."""
from reproduction.common import papers, plots
from reproduction.common.markdown import ms
from reproduction.common.plots import Line, Panel
from reproduction.proficz import runs as plan
from reproduction.proficz.tables import BOUND, DELAYS, paper_post_arrival, size_text

ELAPSED = "mean elapsed time, ms"


def delay_panel(title, y_label, values_of, paper_of, algorithms, scale, bound=None):
    lines = [Line(algorithm, list(DELAYS), values_of(algorithm)) for algorithm in algorithms]
    lines += [
        Line(f"paper, {algorithm}", list(DELAYS), list(paper_of(algorithm)), is_paper=True, like=algorithm)
        for algorithm in papers.PROFICZ_TABLE_3
    ]
    return Panel(
        title, "delay of the late rank, ms", y_label, lines, y_scale=scale, categories=list(DELAYS), bound=bound
    )


def random_line(results, algorithm):
    outcome = results.table_4["rand-late", 1024]
    records = [outcome.find(algorithm, delay=delay)["elapsed_ms"] for delay in DELAYS]
    spread = [(record["min"], record["p99"]) for record in records]
    return Line(algorithm, list(DELAYS), [record["mean"] for record in records], spread)


def figure_10(document, results, folder):
    document.heading("Figure 10: over the delay, 48 ranks, 1 Mi floats")
    file = "proficz-figure-10.svg"
    panels = [
        delay_panel(
            "one rank late: elapsed", ELAPSED, results.elapsed, papers.PROFICZ_TABLE_3.get, results.algorithms,
            plots.LOGARITHMIC,
        ),
        delay_panel(
            "one rank late: after the last arrival", "post-arrival time, ms", results.post_arrival, paper_post_arrival,
            results.algorithms, "linear", BOUND,
        ),
    ]  # fmt: skip
    plots.draw(panels, folder / file)
    document.image("Mean elapsed and post-arrival time over the delay of one rank", file)
    document.text(
        "Hollow markers are the paper's Table 3. One late rank gives the same times in every call of the simulator, so "
        "there are no error bars. The commands are those of Table 3."
    )
    file = "proficz-figure-10-random.svg"
    lines = [random_line(results, algorithm) for algorithm in plan.OWN]
    plots.draw(
        [Panel("all ranks late at random", "largest delay, ms", ELAPSED, lines, y_scale=plots.LOGARITHMIC,
               categories=list(DELAYS))],
        folder / file,
    )  # fmt: skip
    document.image("Mean elapsed time over the largest random delay", file)
    document.text(
        f"All ranks late at random, uniformly up to the delay: mean of {plan.MANY_CALLS} calls, bars from the fastest "
        "to the slowest call. The command is that of Table 4 for 1 Mi floats, rand-late."
    )


def over_rows(results, axis, name):
    columns = {algorithm: results.over(axis, algorithm) for algorithm in results.algorithms}
    rows = []
    for x in columns["ring"]:
        cells = [ms(column[x]) if x in column else None for column in columns.values()]
        rows.append([name(x), *cells])
    return rows


def over_panels(results, axis, x_label, name, scale):
    """Elapsed time, and speedup over the ring."""
    elapsed, speedup = [], []
    ring = results.over(axis, "ring")
    ticks = list(ring) if axis == "size" else [4, 8, 16, 24, 32, 40, 48]
    for algorithm in results.algorithms:
        points = results.over(axis, algorithm)
        elapsed.append(Line(algorithm, list(points), list(points.values())))
        speedup.append(Line(algorithm, list(points), [ring[x] / time for x, time in points.items()]))
    look = {"x_scale": scale, "ticks": ticks, "tick_labels": [name(tick) for tick in ticks]}
    y_scale = plots.LOGARITHMIC if axis == "size" else "linear"
    return [
        Panel("elapsed", x_label, ELAPSED, elapsed, y_scale=y_scale, **look),
        Panel("over the ring", x_label, "speedup by mean elapsed time", speedup, y_bottom=0.5, **look),
    ]


def figure_11(document, results, folder):
    document.heading("Figure 11: over the size, 48 ranks, one rank 50 ms late")
    file = "proficz-figure-11.svg"
    plots.draw(over_panels(results, "size", "vector, floats", size_text, plots.LOGARITHMIC), folder / file)
    document.image("Mean elapsed time and speedup over the size", file)
    document.table(
        "Mean elapsed time, ms", ["floats", *(f"`{name}`" for name in results.algorithms)],
        over_rows(results, "size", size_text),
    )  # fmt: skip
    runs = plan.figure_11()
    if "tuned" in results.algorithms:
        runs += plan.figure_11_tuned()
        document.text(
            f"`tuned` is left out above {size_text(plan.TUNED_SIZES[-1])} floats: with up to 64 calls before it is "
            "measured, simulating one such cell takes minutes."
        )
    document.commands(runs)


def chosen_text(outcomes):
    """What `tuned` chose, by its name without parameters that only calibration gives."""
    chosen = {}
    for ranks, outcome in outcomes.items():
        choice = outcome.find("tuned")["chosen"]
        chosen.setdefault(choice.partition(":tau_ns")[0], []).append(str(ranks))
    return "`tuned` chose " + "; ".join(f"`{name}` at {', '.join(ranks)}" for name, ranks in chosen.items()) + " ranks."


def figure_12(document, results, folder):
    document.heading("Figure 12: over the number of ranks, 1 Mi floats, one rank 100 ms late")
    file = "proficz-figure-12.svg"
    plots.draw(over_panels(results, "ranks", "ranks", str, "linear"), folder / file)
    document.image("Mean elapsed time and speedup over the number of ranks", file)
    document.table(
        "Mean elapsed time, ms", ["ranks", *(f"`{name}`" for name in results.algorithms)],
        over_rows(results, "ranks", str),
    )  # fmt: skip
    runs = plan.figure_12()
    if "tuned" in results.algorithms:
        runs += plan.figure_12_tuned()
        document.text(chosen_text(results.tuned_over_ranks))
    document.commands(runs)
