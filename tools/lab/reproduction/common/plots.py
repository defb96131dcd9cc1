"""Line plots as SVG files: the same input gives the same bytes."""
import dataclasses
import importlib.util
import io

PACKAGE = "python3-matplotlib"
LOGARITHMIC = "log"
# One look for each algorithm in all plots: colour-blind safe (Okabe and Ito), and markers differ as well.
STYLES = {
    "ring": ("#000000", "o"), "rabenseifner": ("#E69F00", "s"), "slt": ("#0072B2", "^"), "prr": ("#009E73", "D"),
    "native": ("#D55E00", "v"), "tuned": ("#CC79A7", "P"), "recursive_doubling": ("#56B4E9", "X"),
    "reduce_bcast": ("#8C8C00", "<"), "late_join": ("#B15928", "*"), "direct": ("#6A3D9A", "h"),
    "planned": ("#332288", "d"),
}  # fmt: skip
# Lines that often coincide with another one.
DASHES = {"slt": (4, 3), "tuned": (1.5, 2)}
OTHER_STYLES = (("#7F7F7F", ">"), ("#8C564B", "*"), ("#17BECF", "p"), ("#E7298A", "H"))
LEGEND_COLUMNS = 4  # of one panel
# Inches.
LEGEND_LINE = 0.22
LEGEND_WIDTH = 5.8
PANEL_WIDTH = 4.8


@dataclasses.dataclass
class Line:
    """`spread` has a lowest and a highest value for each point. A paper's line has only markers, hollow ones."""

    label: str
    x: list
    y: list
    spread: list | None = None
    is_paper: bool = False
    like: str = ""  # the label whose colour it takes; its own by default


@dataclasses.dataclass
class Panel:
    """`categories` are x values that stand at equal distances, such as delays that begin with 0."""

    title: str
    x_label: str
    y_label: str
    lines: list
    x_scale: str = "linear"
    y_scale: str = "linear"
    categories: list | None = None
    ticks: list | None = None
    tick_labels: list | None = None
    bound: float | Line | None = None  # that no line can pass: a level, or a line of its own
    y_bottom: float = 0.0  # of a linear axis


def is_available():
    return importlib.util.find_spec("matplotlib") is not None


def prepare():
    """The part of matplotlib that draws without a screen."""
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams.update({
        "svg.hashsalt": "starling", "svg.fonttype": "none", "font.family": "sans-serif",
        "font.sans-serif": ["DejaVu Sans", "Verdana", "Arial"], "font.size": 9,
        "axes.grid": True, "grid.color": "#DDDDDD", "grid.linewidth": 0.6, "axes.axisbelow": True,
        "axes.spines.top": False, "axes.spines.right": False, "savefig.facecolor": "white",
    })  # fmt: skip
    import matplotlib.pyplot

    return matplotlib.pyplot


def style_of(label, others):
    """Of an algorithm, by the part of its name before the colon where it has no style of its own."""
    if label in STYLES:
        return STYLES[label]
    if label.startswith("native:"):
        # Several libraries may stand side by side: the first has the colour of `native`.
        natives = others.setdefault("natives", [])
        if label not in natives:
            natives.append(label)
        if natives[0] == label:
            return STYLES["native"]
    return others.setdefault(label, OTHER_STYLES[(len(others) - 1) % len(OTHER_STYLES)])


def draw_line(axes, line, places, others):
    colour, marker = style_of(line.like or line.label, others)
    x = [places[value] for value in line.x] if places else line.x
    if line.is_paper:
        axes.plot(x, line.y, linestyle="none", marker=marker, markersize=8, markerfacecolor="none",
                  markeredgecolor=colour, markeredgewidth=1.1, label=line.label)  # fmt: skip
        return
    bars = None
    if line.spread:
        below = [y - low for y, (low, _) in zip(line.y, line.spread)]
        above = [high - y for y, (_, high) in zip(line.y, line.spread)]
        bars = [below, above]
    drawn = axes.errorbar(x, line.y, yerr=bars, color=colour, marker=marker, markersize=4.5, linewidth=1.3, capsize=2.5,
                  elinewidth=0.9, label=line.label)  # fmt: skip
    if line.label in DASHES:
        drawn.lines[0].set_dashes(DASHES[line.label])


def draw_bound(axes, bound, places):
    look = {"color": "#000000", "linewidth": 1, "linestyle": "--"}
    if isinstance(bound, Line):
        axes.plot([places[value] for value in bound.x] if places else bound.x, bound.y, label=bound.label, **look)
    else:
        axes.axhline(bound, label="bound n beta", **look)


def draw_panel(axes, panel, others):
    from matplotlib.ticker import FuncFormatter, NullFormatter, NullLocator

    places = {value: place for place, value in enumerate(panel.categories)} if panel.categories else None
    for line in panel.lines:
        draw_line(axes, line, places, others)
    if panel.bound:
        draw_bound(axes, panel.bound, places)
    axes.set_title(panel.title, fontsize=9)
    axes.set_xlabel(panel.x_label)
    axes.set_ylabel(panel.y_label)
    if places:
        axes.set_xticks(range(len(panel.categories)), [f"{value:g}" for value in panel.categories])
    else:
        axes.set_xscale(panel.x_scale)
    axes.set_yscale(panel.y_scale)
    if panel.y_scale == LOGARITHMIC:
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axes.yaxis.set_minor_formatter(NullFormatter())
        mark_short_decades(axes)
    else:
        axes.set_ylim(bottom=panel.y_bottom)
    if panel.ticks:
        axes.set_xticks(panel.ticks, panel.tick_labels or [f"{tick:g}" for tick in panel.ticks])
        axes.xaxis.set_minor_locator(NullLocator())


def mark_short_decades(axes):
    """Ticks at 2 and 5 as well, where powers of ten alone would be few."""
    from matplotlib.ticker import LogLocator

    low, high = axes.get_ylim()
    if high / low < 300:
        axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))


def add_legends(figure, groups, most_columns):
    """Below the panels, from the bottom up, each group on lines of its own. Returns where they end."""
    top = 0.01
    for handles in filter(None, groups):
        columns = min(most_columns, len(handles))
        figure.legend(handles.values(), handles.keys(), loc="lower center", bbox_to_anchor=(0.5, top - 0.015),
                      ncol=columns, frameon=False, fontsize=8)  # fmt: skip
        top += LEGEND_LINE / figure.get_figheight() * -(-len(handles) // columns)
    return top


def draw(panels, path):
    """Panels side by side; what the lines are stands below them, the papers' apart."""
    pyplot = prepare()
    width = max(PANEL_WIDTH * len(panels), LEGEND_WIDTH)
    figure, all_axes = pyplot.subplots(1, len(panels), figsize=(width, 4.2), squeeze=False)
    others = {"natives": []}
    handles = {}
    for axes, panel in zip(all_axes[0], panels):
        draw_panel(axes, panel, others)
        for handle, label in zip(*axes.get_legend_handles_labels()):
            handles.setdefault(label, handle)
    papers = {line.label for panel in panels for line in panel.lines if line.is_paper}
    solid = {label: handle for label, handle in handles.items() if label not in papers}
    hollow = {label: handle for label, handle in handles.items() if label in papers}
    top = add_legends(figure, [hollow, solid], LEGEND_COLUMNS * len(panels))
    figure.tight_layout(rect=(0, top, 1, 1))
    save(pyplot, figure, path)


def draw_bars(title, x_label, labels, groups, bound, path):
    """Horizontal bars: for each label one of each group (name: values), and a line at the bound."""
    pyplot = prepare()
    figure, axes = pyplot.subplots(figsize=(7.2, 0.36 * len(labels) + 1.4))
    thickness = 0.8 / len(groups)
    colours = ("#0072B2", "#E69F00", "#009E73")
    for number, ((name, values), colour) in enumerate(zip(groups.items(), colours)):
        places = [place + (number - (len(groups) - 1) / 2) * thickness for place in range(len(labels))]
        axes.barh(places, values, height=thickness, color=colour, label=name)
    axes.axvline(bound, color="#000000", linewidth=1, linestyle="--", label="bound n beta, one rank late")
    axes.set_yticks(range(len(labels)), labels)
    axes.invert_yaxis()
    axes.grid(axis="y", visible=False)
    axes.set_title(title, fontsize=9)
    axes.set_xlabel(x_label)
    handles = dict(zip(*reversed(axes.get_legend_handles_labels())))
    figure.tight_layout(rect=(0, add_legends(figure, [handles], LEGEND_COLUMNS), 1, 1))
    save(pyplot, figure, path)


def save(pyplot, figure, path):
    """Without what is needless in the repository: the date, which changes, and indentation, a sixth of the file."""
    text = io.StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    pyplot.close(figure)
    lines = (line.strip() for line in text.getvalue().splitlines())
    path.write_text("\n".join(line for line in lines if line) + "\n", encoding="utf-8")
