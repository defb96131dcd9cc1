"""The plots of what was measured against the bounds."""
from reproduction.bound import runs as plan
from reproduction.common import plots, quantities
from reproduction.common.markdown import percent, ratio
from reproduction.common.plots import Line, Panel

LEAST_SHARE = -1.0  # of the plot; rows that are below it everywhere are not drawn
MOST_OVER_RING = 2.0  # likewise, above it


def over_delay(document, results, folder):
    """Share of the saving."""
    cases = plan.over_delay()
    shares = {row: [results.share(case, row) for case in cases] for row in cases[0].rows()}
    ring = [results.times(case)["ring"] for case in cases]
    most = [quantities.share_of_saving(time, case.bound(), case.wire()) for time, case in zip(ring, cases)]
    lines = [Line(row, list(plan.DELAYS), values) for row, values in shares.items() if max(values) >= LEAST_SHARE]
    file = "bound-delay.svg"
    panel = Panel(
        f"one rank late, {plan.RANKS} ranks, 1 Mi floats", "delay of the late rank, ms", "share of the possible saving",
        lines, categories=list(plan.DELAYS), bound=Line("the bound", list(plan.DELAYS), most), y_bottom=LEAST_SHARE,
    )  # fmt: skip
    plots.draw([panel], folder / file)
    document.image("Share of the possible saving over the delay of one rank", file)
    rows = [["the bound", *(percent(value, 1) for value in most)]]
    rows += [[f"`{row}`", *(percent(value, 1) for value in values)] for row, values in shares.items()]
    header = ["", *(f"{delay} ms" for delay in plan.DELAYS)]
    document.table("Share of the possible saving", header, rows)
    document.text(left_out(shares, lines, f"below {percent(LEAST_SHARE)} at every delay"))
    document.commands(plan.runs_of(cases))


def over_late(document, results, folder):
    """Post-arrival time over the ring's."""
    cases = plan.over_late()
    ratios = {row: [results.over_ring(case, row) for case in cases] for row in cases[0].rows()}
    bound = [case.bound() / results.times(case)["ring"] for case in cases]
    lines = [Line(row, list(plan.LATE), values) for row, values in ratios.items() if min(values) <= MOST_OVER_RING]
    file = "bound-late-ranks.svg"
    panel = Panel(
        f"several ranks {plan.DELAY} ms late, {plan.RANKS} ranks, 1 Mi floats", "ranks that come late together",
        "post-arrival time over the ring's", lines, ticks=list(plan.LATE),
        bound=Line("the bound", list(plan.LATE), bound),
    )  # fmt: skip
    plots.draw([panel], folder / file)
    document.image("Post-arrival time over the ring's, over the number of late ranks", file)
    rows = [["the bound", *(ratio(value, 3) for value in bound)]]
    rows += [[f"`{row}`", *(ratio(value, 3) for value in values)] for row, values in ratios.items()]
    document.table("Post-arrival time over the ring's", ["late ranks", *map(str, plan.LATE)], rows)
    document.text(left_out(ratios, lines, f"above {ratio(MOST_OVER_RING)} for every number of late ranks"))
    document.commands(plan.runs_of(cases))


def left_out(rows, lines, why):
    drawn = {line.label for line in lines}
    missing = [f"`{row}`" for row in rows if row not in drawn]
    return f"Not in the plot, because {why}: {', '.join(missing)}." if missing else "All rows are in the plot."
