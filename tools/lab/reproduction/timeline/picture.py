"""Draws who waits for whom in one call with a late rank: the ring above late join, on one time scale."""
import json
import subprocess

from reproduction.common import plots, records
from reproduction.common.markdown import ms
from reproduction.timeline import activity

FILE = "late-rank.svg"
ALGORITHMS = ("ring", "late_join")
TITLES = {"ring": "ring", "late_join": "late join"}
COMMAND = ("simulate", "--ranks", "8", "--late", "7:50ms", "--timeline", ",".join(ALGORITHMS), "--json")
# Seconds, between messages that follow each other; in the picture it would be a millimetre.
PAUSE = 0.001
# Kind of activity: its colour and what the legend says. Colours of Okabe and Ito, on a white ground of their own.
LOOKS = {
    activity.ADDS: ("#0072B2", "receives and adds"),
    activity.RECEIVES: ("#E69F00", "receives sums"),
    activity.SENDS: ("#56B4E9", "only sends"),
    activity.WAITS: ("#DDDDDD", "waits"),
}
# Inches.
WIDTH, HEIGHT = 7.6, 4.8
BAR = 0.72  # of the distance between two rows


def simulate():
    """The predicted call, as the program's JSON has it."""
    records.require("starling")
    command = [str(records.program_path("starling")), *COMMAND]
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    if process.returncode != 0:
        raise records.RunError(f"exit status {process.returncode} of: {' '.join(command)}\n  {process.stderr.strip()}")
    return json.loads(process.stdout)


def by_rank(table, values):
    """Values that are told by virtual rank, in the order of the ranks."""
    return [value for _, value in sorted(zip(table, values))]


def title(name, post_arrival):
    return f"{TITLES[name]}: {ms(1e3 * post_arrival)} ms after the last arrival"


def draw_rank(axes, rank, shown, leaving):
    for kind, (colour, _) in LOOKS.items():
        bars = [(1e3 * start, 1e3 * (end - start)) for start, end in shown[kind]]
        axes.broken_barh(bars, (rank - BAR / 2, BAR), facecolors=colour, linewidth=0)
    axes.plot([1e3 * leaving] * 2, [rank - BAR / 2, rank + BAR / 2], color="#000000", linewidth=1.6)


def draw_call(axes, call, timeline, post_arrival):
    """`call`: what all algorithms have in common."""
    table = call["table"]
    transfers = [
        {**transfer, "source": table[transfer["source"]], "target": table[transfer["target"]]}
        for transfer in timeline["transfers"]
    ]
    arrivals, exits = by_rank(table, call["arrivals"]), by_rank(table, timeline["exits"])
    for rank, (arrival, leaving) in enumerate(zip(arrivals, exits)):
        draw_rank(axes, rank, activity.of_rank(rank, arrival, leaving, transfers, PAUSE), leaving)
    axes.axvline(1e3 * max(arrivals), color="#000000", linewidth=1, linestyle="--")
    late = arrivals.index(max(arrivals))
    axes.text(1e3 * arrivals[late] - 1, late, "not there yet", ha="right", va="center", fontsize=8)
    axes.set_yticks(range(len(table)), [f"rank {rank}" for rank in range(len(table))])
    axes.invert_yaxis()
    axes.grid(axis="y", visible=False)
    axes.set_title(title(timeline["algorithm"], post_arrival), fontsize=10, loc="left")


def legend(figure):
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    handles = {text: Patch(facecolor=colour) for colour, text in LOOKS.values()}
    handles["leaves"] = Line2D([], [], color="#000000", linewidth=0, marker="|", markersize=9, markeredgewidth=1.6)
    handles["the last rank arrives"] = Line2D([], [], color="#000000", linewidth=1, linestyle="--")
    return plots.add_legends(figure, [handles], len(handles))


def draw(call, path):
    pyplot = plots.prepare()
    figure, panels = pyplot.subplots(len(ALGORITHMS), 1, figsize=(WIDTH, HEIGHT), sharex=True)
    times = {row["algorithm"]: row["post_arrival"] for row in call["algorithms"]}
    for axes, timeline in zip(panels, call["timelines"]):
        draw_call(axes, call, timeline, times[timeline["algorithm"]])
    end = 1e3 * max(max(timeline["exits"]) for timeline in call["timelines"])
    panels[-1].set_xlim(0, end + 2)
    panels[-1].set_xticks(range(0, int(end) + 2, 10))
    panels[-1].set_xlabel("ms since the other ranks arrived")
    figure.tight_layout(rect=(0, legend(figure), 1, 1))
    plots.save(pyplot, figure, path)


def write(folder):
    draw(simulate(), folder / FILE)
