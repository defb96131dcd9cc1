"""The document of what learning costs, from worlds of the gym."""
import statistics

from reproduction.common import plots, records
from reproduction.common.markdown import Document, percent, ratio
from reproduction.learning import aims
from reproduction.learning import runs as plan
from reproduction.learning.aims import calls
from reproduction.learning.results import CURVE_STEP, curve, figures, groups, tail

FILE = "learning.md"
PICTURE = "learning-regret.svg"
TITLE = "Learning: what it costs the tuner, and other ways to choose"
KINDS = {"arrivals": "kind of arrivals", "noise": "kind of noise", "program": "kind of program"}
# Players are no algorithms: each rival takes the look of one.
LOOKS = {
    "tuned": "tuned", "native": "native", "star-mpi": "ring", "one-each": "rabenseifner", "epsilon": "slt",
    "ucb1": "prr", "thompson": "recursive_doubling", "halving": "reduce_bcast",
}  # fmt: skip
SHOWN_CALLS = (20, 60, 100, 160, 220, *range(300, 1001, 100))
LEAST_SHOWN = 0.1  # %: an axis of decades has no 0
MUCH = 0.10  # regret
LOSSES = {
    "lost_to_trials": "that were made to learn", "lost_to_native": "of native, where another choice was the best",
    "lost_to_leaving": "of another choice, where native was the best",
    "lost_to_algorithm": "of another algorithm than the best",
    "lost_to_parameters": "of the best algorithm, with other parameters or ranks arranged otherwise",
}  # fmt: skip


def of(values, summary, show):
    return show(summary(values)) if values else None


def both(values, show):
    """Median and 95 of 100."""
    return f"{show(statistics.median(values))} / {show(tail(values))}" if values else None


def share(values):
    return of(values, statistics.mean, aims.one_digit)


def player_row(worlds, player, name):
    def found(name):
        return figures(worlds, player, name)

    regrets = found("regret")
    return [
        name, aims.one_digit(statistics.median(regrets)), aims.one_digit(tail(regrets)),
        share(found("left_wrongly")), share(found("missed")), share(found("claimed_wrongly")),
        both(found("settled"), calls), both(found("near_best"), calls), both(found("followed_rank"), calls),
        both(found("followed_cost"), calls), both(found("worst_stretch"), ratio),
        of(found("worst_stretch"), max, ratio), of(found("exploration_calls"), statistics.median, calls),
    ]  # fmt: skip


def player_table(document, worlds, again):
    document.table("", [
        "", "regret, median", "regret, 95 %", "left wrongly", "missed", "gain wrong", "settled",
        "near the best", "rank moved", "cost changed", "worst 50 calls", "worst of all", "explored",
    ], [
        player_row(worlds, plan.TUNER, f"`{plan.TUNER}`"), player_row(again, plan.TUNER, f"`{plan.TUNER}`, second run"),
        *(player_row(worlds, rival, f"`{rival}`") for rival in plan.RIVALS),
    ])  # fmt: skip
    document.text(
        "The second run plays the same worlds anew, with the policies that the first has learned in the tuning "
        "database. Rivals remember nothing."
    )


def mean_loss(worlds, name):
    return aims.one_digit(statistics.fmean(figures(worlds, plan.TUNER, name))) if worlds else None


def losses_table(document, worlds, again):
    """What the tuner's regret is made of, in the mean over worlds."""

    def much(those):
        return [world for world in those if world["players"][plan.TUNER]["regret"] > MUCH]

    columns = (worlds, much(worlds), again, much(again))
    limit = percent(MUCH, 0)
    document.table("", [
        "lost in calls", "all worlds", f"those above {limit}", "second run", f"those above {limit}",
    ], [
        *([text, *(mean_loss(those, name) for those in columns)] for name, text in LOSSES.items()),
        ["regret, mean", *(mean_loss(those, "regret") for those in columns)],
        ["worlds", *(len(those) for those in columns)],
    ])  # fmt: skip
    document.text("Means over the worlds, as shares of what all calls cost with the best plans.")


def kind_table(document, worlds, kind):
    rows = []
    for name, those in groups(worlds, kind).items():
        found = figures(those, plan.TUNER, "regret")
        best = min((tail(figures(those, rival, "regret")), rival) for rival in plan.RIVALS)
        rows.append([
            name, len(those), aims.one_digit(statistics.median(found)), aims.one_digit(tail(found)),
            f"{aims.one_digit(best[0])} (`{best[1]}`)", share(figures(those, plan.TUNER, "left_wrongly")),
            share(figures(those, plan.TUNER, "missed")), of(figures(those, plan.TUNER, "worst_stretch"), tail, ratio),
        ])  # fmt: skip
    document.table(f"By {KINDS[kind]}", [
        "", "worlds", "regret, median", "regret, 95 %", "least regret of a rival, 95 %", "left wrongly", "missed",
        "worst 50 calls, 95 %",
    ], rows)  # fmt: skip


def draw(worlds, path):
    panels = []
    for title, summary in (("Median of the worlds", statistics.median), ("95 of 100 worlds have less", tail)):
        lines = []
        for player in plan.PLAYERS:
            regrets = curve(worlds, player, summary)
            shown = [max(100 * regrets[call // CURVE_STEP - 1], LEAST_SHOWN) for call in SHOWN_CALLS]
            lines.append(plots.Line(player, list(SHOWN_CALLS), shown, like=LOOKS[player]))
        panels.append(plots.Panel(title, "calls", "regret so far, %", lines, y_scale=plots.LOGARITHMIC))
    plots.draw(panels, path)


def worlds_section(document):
    document.heading("What a world is made of")
    document.text(
        f"A world has {plan.CALLS} calls of a program on 2 to 4,096 ranks, with vectors of 8 bytes to 64 MiB. Nothing "
        "is sent: the cost model says what a call takes, and each algorithm takes in truth a factor of its own times "
        "that (15 % deviation), which nobody knows beforehand. What the library's probe would have found of latency, "
        "bandwidth and operator is wrong by 30 % (deviation). Native takes 0.4 to 2.5 times what the best of "
        "recursive doubling, Rabenseifner and ring do. In half of the worlds the first call of a choice takes up to "
        "three times as long, since it is arranged then; in 3 of 10 the first calls of all take up to twice as long. "
        "tools/gym/world.cc has it all; equal seeds give equal worlds. Each world is of one kind of arrivals, one of "
        "noise and one of programs; each comes with each, and more than half of the programs have one key."
    )
    document.items([
        "**Arrivals**: all at once (balanced); one rank late; four groups of ranks one after the other (staircase); "
        "two sites of the program, at one of which a rank is late (two sites); a late rank that is another in each "
        "call (random rank); all ranks by chance (all random); one rank later and later (drift); one rank, and from "
        "a call on another (moved rank); rank 0 very late each 50th call, as after a checkpoint (periodic); "
        "balanced, and from a call on all takes twice as long (slower machine), or native and all algorithms take "
        "what was drawn anew (other algorithm). In the second half "
        "of the worlds others take the place of three of these: nobody, and from a call on one rank (becomes late), in "
        "place of balanced; one rank, and from a call on nobody (late no more), in place of one late; two ranks in turn "
        "(alternating), in place of periodic. Latenesses are half to 50 times what a call takes as a rule.",
        "**Noise**, on what players are told and not on what calls cost: none; normal and log-normal, of 2 to 30 %; "
        "correlated from call to call; 1 % of the calls ten times as long (outliers); all slow for a while, "
        "algorithms that keep in step most of all, and from call to call (neighbour); a clock that ticks each fifth of "
        "a call's time (coarse clock); normal, where clocks of the ranks do not compare, so that arrivals are told by "
        "how long each rank was in a call, and are wrong by up to half of what that takes (elapsed only). The tuner "
        "alone sees each call before which an agreement of its ranks goes on 2.5 to 17.5 us longer.",
        "**Programs**: one key; 40 keys in turn; two sizes of one size class in turn; keys of 30 calls each, one after "
        "the other (short keys); a second key after 3 of 10 calls (late keys); communicators of 20 calls each, one "
        "after the other (short lives: each is prepared before its first call, and what that takes is left out, where "
        "the library waits until calls have taken long enough).",
    ])  # fmt: skip


def players_section(document):
    document.heading("Who plays, and with what advantages")
    document.text(
        "`tuned` is Starling's tuner as it is in the library, driven by its epochs: it is told only of the calls "
        "that it would stamp, and what it decides takes force at the end of the next epoch, since the ranks have to agree. The "
        "rivals have it easier: they are told at once what each call took, nobody has to agree, and nothing that "
        "they do costs time. They choose among native and all algorithms that fit, with the parameters that the "
        "probed cost model gives them and the ranks arranged by the tuner's own predictors, which is not in what was "
        "published. So only the rule by which they choose is their own. One advantage is the tuner's: it tries a few "
        "algorithms that the cost model predicts to be fast, where the rules of the rivals try all. Rivals keep "
        "sizes of one class apart, the tuner does not."
    )
    document.items(f"`{name}` {what}." for name, what in plan.RIVALS.items())


def terms_section(document):
    document.heading("What the figures are")
    document.items([
        "**Regret**: what all calls cost beyond what they would have cost with the best plan, as a share of that. "
        "The best plan is one choice with one arrangement of the ranks for all calls of a shape (two, where "
        "something changes), found by one who knows the truth among native and the five algorithms that the true "
        "cost model predicts to be fastest, late ranks predicted or named by flags, with the ranks in order and sorted "
        "by their arrivals. A plan that follows its arrivals, or a sixth algorithm whose factor is small, may be "
        "better: regret may be below zero.",
        "**Left wrongly**: the last 50 calls were not left to native and cost more than 2 % more than native. "
        "**Missed**: native stayed after 200 calls though the best plan takes 10 % less. Both in worlds of one key, "
        "before a change.",
        "**Gain wrong**: the gain that is told at the end is off by more than two of its errors, and by 5 %, from that "
        "of the last 50 calls, in worlds of one key, of those where a gain is told, after a change, too.",
        "**Settled**: calls until the choice was there that was kept, in worlds of one key where native takes 25 % "
        "longer than the best and noise is 10 % at most. A tuner that goes on learning may change it late, for what is "
        "hardly better. **Near the best**: in the same worlds, calls until five in a row were within 10 % of the best, "
        "but for those that explore. **Rank moved**, **cost changed**: likewise, after the change; 0 where the choice "
        "was good for what came, too.",
        "**Worst 50 calls**: the cost of those 50 calls in a row that were worst, over that of native; 1.00 where "
        "none were worse. **Explored**: calls that were made to learn. Where two numbers stand in a cell: the "
        "median, and what 95 of 100 worlds are within.",
    ])  # fmt: skip


def write(folder, cache, jobs):
    """Returns what was played, and no rows without a reason: there are no figures to deviate from."""
    first_runs, second_runs = plan.first_runs(), plan.second_runs()
    outcomes = records.measure(first_runs, cache, jobs)
    outcomes_again = records.measure(second_runs, cache, jobs)
    worlds = [world for outcome in outcomes for world in outcome.results]
    again = [world for outcome in outcomes_again for world in outcome.results]
    document = Document(TITLE)
    document.text(
        f"Starling's tuner and seven other ways to choose an algorithm learn in {len(worlds)} synthetic worlds, in "
        "virtual time (`starling-gym`, docs/laboratory.md). Made by `tools/lab/reproduce learning`; played on "
        f"{records.days([*outcomes, *outcomes_again])}. The same worlds give the same figures."
    )
    document.heading("Aims of the tuner")
    document.table("", ["", "aim", "reached", ""], aims.rows(worlds))
    document.heading("All players")
    player_table(document, worlds, again)
    document.image("Regret over calls, a line for each player", PICTURE)
    document.text(
        "Regret so far, as a share of the cost of all calls with the best plan. What is below "
        f"{percent(LEAST_SHOWN / 100, 1)} is drawn there."
    )
    draw(worlds, folder / PICTURE)
    document.heading("What the tuner's regret is made of")
    losses_table(document, worlds, again)
    document.heading("The tuner's regret, by what the world is like")
    for kind in KINDS:
        kind_table(document, worlds, kind)
    terms_section(document)
    worlds_section(document)
    players_section(document)
    document.heading("The commands")
    document.code([plan.command(), plan.command_again()])
    (folder / FILE).write_text(document.render(), encoding="utf-8")
    return [*first_runs, *second_runs], []
