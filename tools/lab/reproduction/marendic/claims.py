"""What Marendic et al. (2012), section 5, say of their figures, put to ours. TREE is the row nearest to what they take
the library's default to be, SCATTER the one nearest to their all-to-all with a gather, CHAIN to their local reduce."""
from reproduction.common.claims import Claim
from reproduction.common.markdown import ms, ms_range, ratio
from reproduction.common.simulations import count_text
from reproduction.marendic import runs as plan

TREE = "reduce_bcast"
SCATTER = "rabenseifner"
CHAIN = "slt"
NARROW = "slt:window=1"  # CHAIN, one segment at a time
LAST = plan.RANKS


def fastest(times):
    return min(times, key=times.get)


def balanced_claims(results):
    tree, scatter = (results.over_ranks(6, name)[LAST] for name in (TREE, SCATTER))
    yield Claim(
        "Section 5.3", "without imbalance the default, a tree, is slower than scattering and gathering",
        tree > scatter, f"`{TREE}` takes {ms(tree)} ms, `{SCATTER}` {ms(scatter)} ms at {LAST} ranks",
    )  # fmt: skip
    small = {name: results.over_size(name)[plan.SIZES[0]] for name in plan.ALGORITHMS}
    times = ", ".join(f"`{name}` {1e3 * small[name]:.0f} us" for name in ("recursive_doubling", TREE, SCATTER, CHAIN))
    yield Claim(
        "Section 5.4", "for short vectors trees are fastest", fastest(small) in (TREE, "recursive_doubling"),
        f"at {count_text(plan.SIZES[0])} doubles `{fastest(small)}` is fastest; {times}",
    )  # fmt: skip


def slow_operator_claims(results):
    tree, scatter, chain = (results.over_ranks(7, name) for name in (TREE, SCATTER, NARROW))
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
        "Section 5.5", "without imbalance the default is still faster than local reduce, a chain of whole vectors",
        tree[LAST] < chain[LAST],
        f"`{NARROW}` takes {ms(chain[LAST])} ms, `{TREE}` {ms(tree[LAST])} ms at {LAST} ranks: a chain in segments "
        f"overlaps what a chain of whole vectors does one after the other. With its default window `{CHAIN}` takes "
        f"{ms(results.over_ranks(7, CHAIN)[LAST])} ms (see Figure 7)",
    )  # fmt: skip


def imbalance_claims(results):
    default = results.post_arrival(TREE)
    yield Claim(
        "Table 1", "the default waits for the late process: its time grows with the delay, ms for ms",
        max(default) - min(default) < 0.05 * max(default),
        f"after the last arrival `{TREE}` takes {ms_range(default)} ms at all delays",
    )  # fmt: skip
    chain = results.post_arrival(CHAIN)
    balanced = results.over_ranks(6, CHAIN)[LAST]
    yield Claim(
        "Table 1", "what is aware of the imbalance hides its work behind it", max(chain) < balanced,
        f"after the last arrival `{CHAIN}` takes {ms_range(chain)} ms, {ms(balanced)} ms when no "
        "rank is late",
    )  # fmt: skip
    late = {name: results.over_ranks(8, name) for name in plan.ALGORITHMS}
    best = fastest({name: times[LAST] for name, times in late.items()})
    yield Claim(
        "Figure 8", "with one slow process the arrival-aware algorithm is fastest", best in (CHAIN, "prr"),
        f"`{best}` is fastest at {LAST} ranks",
    )  # fmt: skip
    times = late[CHAIN]
    yield Claim(
        "Figure 8", "its time hardly depends on the number of processes",
        max(times.values()) - min(times.values()) < 0.05 * (plan.LATE + min(times.values())),
        f"from {plan.PROCESSES[0]} to {LAST} ranks `{CHAIN}` takes {ms(plan.LATE + min(times.values()))} to "
        f"{ms(plan.LATE + max(times.values()))} ms, the {plan.LATE} ms of the imbalance included",
    )  # fmt: skip
    gamma = {name: results.over_ranks(9, name)[LAST] for name in plan.ALGORITHMS}
    yield Claim(
        "Figure 9", "with gamma-distributed imbalance the arrival-aware algorithm stays competitive up to 4 MB (at 40 "
        "MB all-to-all is fastest)", gamma[CHAIN] <= gamma[SCATTER],
        f"at 8 MB and {LAST} ranks `{CHAIN}` takes {ms(gamma[CHAIN])} ms after the last arrival, `{SCATTER}` "
        f"{ms(gamma[SCATTER])} ms; `{fastest(gamma)}` is fastest. 40 MB were not run",
    )  # fmt: skip


def all_claims(results):
    return [*balanced_claims(results), *slow_operator_claims(results), *imbalance_claims(results)]
