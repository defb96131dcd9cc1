"""The document that holds Starling's algorithms against the bounds of allreduce after late arrivals."""
from reproduction.bound import figures, tables, targets
from reproduction.bound import runs as plan
from reproduction.bound.results import Results
from reproduction.common import records
from reproduction.common.markdown import Document

FILE = "bound.md"
TITLE = "The bounds: what an allreduce takes at least after late arrivals"


def left_out_text():
    """Which rows were not measured everywhere."""
    by_ranks = {}
    for row, ranks in plan.FEWER_RANKS.items():
        by_ranks.setdefault(ranks, []).append(f"`{row}`")
    parts = (f"{', '.join(rows)} from {ranks} ranks on" for ranks, rows in sorted(by_ranks.items()))
    return f"Left out, because one run takes minutes: {'; '.join(parts)}."


def introduction(document, results):
    header = results.outcomes[0].header
    document.text(
        "How near the algorithms come to what no allreduce can do better, when ranks arrive late and it is known who "
        "will. Everything is simulated (`tools/lab/simulate`, SimGrid SMPI): equal nodes with 125 MB/s in each "
        "direction and 2 us per link, two links between any two nodes, on virtual time; ranks of one node, where there "
        "are several, have 5 GB/s and 0.5 us between them, and share its links to others. Combining operands takes no "
        "time there, and neither does the processor's part of a message. Made by `tools/lab/reproduce bound`."
    )
    document.items([
        "**Post-arrival time**: mean exit minus last arrival. n is the vector in bytes, beta = 8 ns per byte, P the "
        "number of ranks.",
        "**Bound**: m ranks that come last together leave (P + m - 1)/P n beta, since their vectors have to meet the "
        "sum of the others', and the sum of all has to reach everybody: P + m - 1 vectors over P links. One late rank "
        "leaves n beta, nobody late 2 (P-1)/P n beta. A delay D hides D at most, so it is never below "
        "2 (P-1)/P n beta - D. Ranks late at random leave n beta at least.",
        "**Share of the possible saving**: (ring - time) / (ring - n beta).",
        "**Patterns**: `one-late`: rank 1 comes late; `late:m`: m ranks from rank 1 on come late together; "
        "`any-late`: one rank, another in each call; `rand-late`: every rank is late by a random time, uniform up to "
        "the delay; `gamma`: gamma-distributed with the delay as mean. Random ones are means of "
        f"{plan.RANDOM_CALLS} calls. The longest vector has a longer "
        f"delay, since {plan.DELAY} ms do not hide a balanced allreduce of it. The plan knows the latenesses "
        "beforehand; where the prediction is wrong it takes the ranks half the communicator away for the late ones. "
        "Where nothing is known, flags name the late rank in the call (`flagged=1`), and the rest of the rows take "
        "all for on time.",
        "**Rows**: all of the catalogue, with default parameters unless told; `native:ompi` is Open MPI's own choice. "
        f"{', '.join(f'`{row}`' for row in plan.TARGETED)} make use of who is late or of who shares a node, and "
        "targets are set for them: one is met where any of them meets it. `slt` and `late_join` run with the number of "
        "segments that their costs call for, S = sqrt((P-1) n beta/alpha) and "
        f"S = sqrt((ceil(log2 P) - 1) n beta/alpha), with alpha = {1e6 * plan.ALPHA:g} us, rounded. "
        f"`direct` sends its blocks whole from {plan.UNCUT_RANKS} ranks on "
        "(`direct:segments=1`), and `two_level` runs Rabenseifner's algorithm between the nodes (`inner=2`). "
        + left_out_text(),
    ])  # fmt: skip
    document.text(
        f"Measured on {records.days(results.outcomes)} by starling-bench {header['version']}, "
        f"{header['mpi'].split('. ')[0]}. Simulated times are the same in every run."
    )


def shortfall(target, results):
    """Of a target that is not met: what its nearest row reached."""
    rows = [row for row in plan.TARGETED if row in target.case.rows()]
    nearest = min(rows, key=results.times(target.case).get)
    reached = f"`{nearest}` {target.show(target.value(results, nearest))}"
    return f"{tables.case_text(target.case)}: {target.text()}; {reached}"


def summary_rows(groups, results):
    rows = []
    for group in groups:
        met = [sum(target.is_met(results, row) for target in group.targets) for row in plan.TARGETED]
        reached = sum(bool(target.met_by(results)) for target in group.targets)
        rows.append([group.title, len(group.targets), *met, reached])
    return [*rows, ["all", *map(sum, zip(*(row[1:] for row in rows)))]]


def verdict(document, groups, results):
    document.heading("What is met, and what is not")
    rows = summary_rows(groups, results)
    document.table("Targets", ["", "targets", *(f"`{row}`" for row in plan.TARGETED), "met by any"], rows)
    missed = [(group, target) for group in groups for target in group.targets if not target.met_by(results)]
    if not missed:
        document.text("Every target is met by one row at least.")
        return
    document.text("Not met by any row (the fastest of those that targets are set for):")
    document.items(f"**{group.title}**, {shortfall(target, results)}." for group, target in missed)
    reasons = {group.title: group.reason for group, _ in missed if group.reason}
    if reasons:
        document.text("Why:")
        document.items(f"**{title}**: {reason}" for title, reason in reasons.items())


def section(document, group, results):
    document.heading(group.title)
    tables.target_table(document, group, results)
    tables.time_table(document, [target.case for target in group.targets], results)


def write(folder, cache, jobs):
    """Returns what has been measured, and no rows without a reason: the document has no figures to deviate from."""
    results = Results(cache, jobs)
    groups = targets.groups()
    document = Document(TITLE)
    introduction(document, results)
    verdict(document, groups, results)
    for group in groups:
        section(document, group, results)
    document.heading("Over the delay of one rank")
    figures.over_delay(document, results, folder)
    document.heading("Over the number of late ranks")
    figures.over_late(document, results, folder)
    (folder / FILE).write_text(document.render(), encoding="utf-8")
    return results.runs, []
