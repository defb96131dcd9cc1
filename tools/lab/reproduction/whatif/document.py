"""The document that holds `starling whatif` against replayed arrivals."""
from reproduction.common import records
from reproduction.common.markdown import Document, percent, signed_percent
from reproduction.whatif import runs as plan
from reproduction.whatif.results import answer_to

FILE = "whatif.md"
TITLE = "What if: predictions for recorded sites, beside their replay"
AIM = 0.05
PROGRAMS = ("starling", "starling-bench-simulated")


def time_text(value):
    return f"{value:.4g}"


def case_row(answer):
    worst = answer.worst()
    good = answer.within(AIM)
    return [
        answer.case.text(), f"{len(good)} of {len(answer.predicted)}", f"`{worst}`", signed_percent(answer.error(worst)),
        f"`{min(answer.predicted, key=answer.predicted.get)}`", f"`{min(answer.replayed, key=answer.replayed.get)}`",
        percent(answer.loss(), 1),
    ]  # fmt: skip


def recorded_row(answer):
    error = answer.recorded_error()
    return [
        answer.case.text(), f"`{answer.in_force}`",
        None if error is None else time_text(answer.predicted[answer.in_force]),
        None if answer.measured is None else time_text(answer.measured), None if error is None else signed_percent(error),
    ]  # fmt: skip


def recorded_section(document, answers):
    document.heading("Beside what was measured while the sites were recorded")
    header = ["", "in force", "predicted, ms", "measured, ms", "error"]
    document.table("", header, map(recorded_row, answers))
    document.text(
        f"Where arrivals change from call to call (`{'`, `'.join(plan.CHANGING)}`) the means of an epoch, which are what "
        "is recorded and simulated, are the arrivals of none of its calls, and the plan in force knew less of them than "
        "it does in the simulation. `starling whatif` says so where the latest rank's lateness varies by more than a "
        "quarter."
    )


def missed_rows(answers):
    for answer in answers:
        for algorithm in answer.predicted:
            if abs(answer.error(algorithm)) > AIM:
                yield [
                    answer.case.text(), f"`{algorithm}`", time_text(answer.predicted[algorithm]),
                    time_text(answer.replayed[algorithm]), signed_percent(answer.error(algorithm)),
                ]  # fmt: skip


def missed_section(document, answers):
    document.heading(f"Predictions that are off by more than {percent(AIM)}")
    rows = list(missed_rows(answers))
    if not rows:
        document.text("None.")
        return
    document.table("", ["", "algorithm", "predicted, ms", "replayed, ms", "error"], rows)
    document.text(
        "What the model leaves out is in docs/laboratory.md (the simulated cluster): several short messages of one rank "
        "under way at once, and who is first at a port where less than the latency decides it."
    )


def write(folder, cache, jobs):
    """Returns what has been measured, and no rows without a reason: the document says what misses its aim."""
    for program in PROGRAMS:
        records.require(program)
    answers = [answer_to(case, cache, jobs) for case in plan.CASES]
    errors = [abs(answer.error(algorithm)) for answer in answers for algorithm in answer.predicted]
    good = sum(error <= AIM for error in errors)
    document = Document(TITLE)
    document.text(
        "Sites are recorded on the simulated cluster (`tools/lab/simulate`: equal nodes at 1 Gbit/s) while `tuned` learns "
        "there. `starling whatif` then predicts from the database alone, arrivals and probed costs, what each algorithm "
        f"takes after the last arrival. `--pattern recorded:` replays the arrivals there: {plan.REPLAYED_CALLS} calls of "
        f"each algorithm where they change from call to call, else {plan.CALLS_OF_ONE_PATTERN}. Made by "
        "`tools/lab/reproduce whatif`."
    )
    document.text(
        f"**{good} of {len(errors)} predictions are within {percent(AIM)}**; the greatest error is "
        f"{percent(max(errors), 1)}."
    )
    header = [
        "", f"within {percent(AIM)}", "furthest off", "by", "predicted to be fastest", "fastest", "loss by that",
    ]  # fmt: skip
    document.table("Predicted over replayed post-arrival times, less one", header, map(case_row, answers))
    missed_section(document, answers)
    recorded_section(document, answers)
    document.heading("Commands of the last row")
    last = answers[-1].case
    replay = last.replay(answers[-1].predicted)
    document.code([last.recording().text(), " ".join(last.question()), replay.text()])
    header = answers[0].outcome.header
    document.text(
        f"Measured on {records.days([answer.outcome for answer in answers])} by starling-bench {header['version']}, "
        f"{header['mpi'].split('. ')[0]}. Simulated times are the same in every run."
    )
    (folder / FILE).write_text(document.render(), encoding="utf-8")
    return [answer.case.replay(answer.predicted) for answer in answers], []
