"""Tables of what was measured against the bounds."""
from reproduction.bound import runs as plan
from reproduction.common.markdown import ms


def case_text(case):
    text = case.text()
    return f"{text}, prediction wrong" if plan.WRONG == case.options else text


def target_row(target, results):
    case = target.case
    values = [target.value(results, row) for row in plan.TARGETED]
    met_by = target.met_by(results)
    return [
        case_text(case), target.text(), *(None if value is None else target.show(value) for value in values),
        f"`{results.fastest(case)}`", f"yes, by {', '.join(f'`{row}`' for row in met_by)}" if met_by else "**no**",
    ]  # fmt: skip


def target_table(document, group, results):
    header = ["", "target", *(f"`{row}`" for row in plan.TARGETED), "fastest of all rows", "met"]
    document.table(group.quantity, header, [target_row(target, results) for target in group.targets])


def time_row(case, results):
    times = results.times(case)
    segments = (plan.segments(row, case.ranks, case.count) for row in plan.MOST_SEGMENTS)
    cells = (ms(times[row]) if row in times else None for row in plan.ROWS)
    return [case_text(case), ", ".join(map(str, segments)), ms(case.bound()), *cells]


def time_table(document, cases, results):
    header = ["", "segments of `slt`, `late_join`", "bound", *(f"`{row}`" for row in plan.ROWS)]
    document.table("Post-arrival time, ms", header, [time_row(case, results) for case in cases])
    document.commands(plan.runs_of(cases))
