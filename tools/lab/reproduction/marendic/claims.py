"""What Marendic et al. (2012), section 5, say of their figures, put to ours. TREE is what they take the library's default
to be, SCATTER the row nearest to their all-to-all with a gather, PLANNED and TUNED stand for their local reduce."""
from reproduction.common.claims import Claim
from reproduction.common.markdown import ms, ms_range, ratio
from reproduction.common.simulations import count_text
from reproduction.marendic import runs as plan
from reproduction.marendic.runs import PLANNED, SCATTER, TUNED

TREE = plan.DEFAULT
LAST = plan.RANKS


def fastest(times):
    return min(times, key=times.get)


def balanced_claims(results):
    tree, scatter, own = (results.over_ranks(6, name)[LAST] for name in (TREE, SCATTER, PLANNED))
    yield Claim(
        "Section 5.3", "without imbalance the default, a tree, is slower than all-to-all with a gather",
        tree > scatter, f"`{TREE}` takes {ms(tree)} ms, `{SCATTER}` {ms(scatter)} ms at {LAST} ranks",
    )  # fmt: skip
    small = {name: results.over_size(name)[plan.SIZES[0]] for name in plan.REDUCTIONS}
    times = ", ".join(f"`{name}` {1e3 * small[name]:.0f} us" for name in (TREE, SCATTER, PLANNED))
    yield Claim(
        "Section 5.4", "for short vectors the default is fastest", small[TREE] <= 1.01 * min(small.values()),
        f"at {count_text(plan.SIZES[0])} doubles {times}; `{fastest(small)}` is fastest",
    )  # fmt: skip
    yield Claim(
        "Section 5.4", "for long vectors all-to-all outperforms everyone else", scatter <= min(tree, own),
        f"`{PLANNED}`, a chain in segments, takes {ms(own)} ms, `{SCATTER}` {ms(scatter)} ms at {LAST} ranks and 8 MiB",
    )  # fmt: skip
    yield Claim(
        "Section 5.4", "for reasonably long vectors local reduce takes about as long as the default",
        abs(own / tree - 1) < 0.15, f"`{PLANNED}` takes {ms(own)} ms, `{TREE}` {ms(tree)} ms there",
    )  # fmt: skip


def slow_operator_claims(results):
    tree, scatter, own = (results.over_ranks(7, name) for name in (TREE, SCATTER, PLANNED))
    worst = max(tree[ranks] / scatter[ranks] for ranks in tree)
    yield Claim(
        "Figure 7", "with the slow operator the default takes up to 6 times as long as all-to-all",
        5.1 <= worst <= 6.9,
        f"`{TREE}` takes up to {ratio(worst)} times as long as `{SCATTER}`, as it combines log2 P = 7 whole vectors "
        "one after the other at 128 ranks, and a scatter one in all",
    )  # fmt: skip
    first = plan.PROCESSES[0]
    yield Claim(
        "Figure 7", "it also scales worse", tree[LAST] / tree[first] > scatter[LAST] / scatter[first],
        f"from {first} to {LAST} ranks the time of `{TREE}` grows {ratio(tree[LAST] / tree[first])}-fold, that of "
        f"`{SCATTER}` {ratio(scatter[LAST] / scatter[first])}-fold",
    )  # fmt: skip
    yield Claim(
        "Section 5.5", "without imbalance the default is still faster than local reduce, which hands on whole vectors",
        tree[LAST] < own[LAST],
        f"`{PLANNED}` takes {ms(own[LAST])} ms, `{TREE}` {ms(tree[LAST])} ms at {LAST} ranks: a chain in segments "
        "overlaps what a chain of whole vectors does one after the other",
    )  # fmt: skip


def imbalance_claims(results):
    default = results.post_arrival(TREE)
    yield Claim(
        "Table 1", "the default waits for the late process: its time grows with the delay, ms for ms",
        max(default) - min(default) < 0.05 * max(default),
        f"after the last arrival `{TREE}` takes {ms_range(default)} ms at all delays",
    )  # fmt: skip
    learned = results.post_arrival(TUNED)
    gains = [a / b for a, b in zip(results.completion(TREE), results.completion(TUNED))]
    yield Claim(
        "Table 1", "local reduce is faster than the default at each delay, 1.08 to 1.56 times", min(gains) > 1.08,
        f"`{TUNED}` takes {ms_range(learned)} ms after the last arrival, which is {ratio(min(gains))} to "
        f"{ratio(max(gains))} times as fast as `{TREE}`, the delay included",
    )  # fmt: skip
    late = {name: results.over_ranks(8, name) for name in plan.REDUCTIONS}
    best = fastest({name: times[LAST] for name, times in late.items()})
    yield Claim(
        "Figure 8", "with one slow process the arrival-aware algorithm is fastest", best == PLANNED,
        f"`{best}` is fastest at {LAST} ranks: {ms(late[best][LAST])} ms after the last arrival",
    )  # fmt: skip
    times = late[PLANNED]
    yield Claim(
        "Figure 8", "its time hardly depends on the number of processes",
        max(times.values()) - min(times.values()) < 0.05 * (plan.LATE + min(times.values())),
        f"from {plan.PROCESSES[0]} to {LAST} ranks `{PLANNED}` takes {ms(plan.LATE + min(times.values()))} to "
        f"{ms(plan.LATE + max(times.values()))} ms, the {plan.LATE} ms of the imbalance included",
    )  # fmt: skip
    gamma = {name: results.over_ranks(9, name)[LAST] for name in (*plan.REDUCTIONS, TUNED)}
    yield Claim(
        "Figure 9", "with gamma-distributed imbalance local reduce stays competitive up to 4 MB (at 40 MB all-to-all is "
        "fastest)", gamma[TUNED] <= gamma[SCATTER],
        f"at 8 MB and {LAST} ranks `{TUNED}` takes {ms(gamma[TUNED])} ms after the last arrival, `{SCATTER}` "
        f"{ms(gamma[SCATTER])} ms; with foreknowledge (`{PLANNED}`) {ms(gamma[PLANNED])} ms. 40 MB were not run",
    )  # fmt: skip


def all_claims(results):
    return [*balanced_claims(results), *slow_operator_claims(results), *imbalance_claims(results)]
