"""The document of topology_tree on the links of a machine with 8 devices."""
from reproduction.common import records
from reproduction.common.markdown import Document, ratio
from reproduction.common.simulations import KI
from reproduction.links import runs as plan
from reproduction.links import trees
from reproduction.links.results import Results

FILE = "links.md"
TITLE = "Links that differ: topology_tree on 8 devices"

# Written after looking at the numbers.
REASONS = (
    "**A ring that follows the double NVLinks** is better from 1 MiB on: numbering ranks so takes all PCI-E out of it. "
    "`topology_tree` needs no numbering, and is faster below.",
    "**`tuned` does not come to these rows**, and stays with `rabenseifner`. `topology_tree` is always among its "
    "candidates where links are known, but the cost model, which knows no links, promises too little of it: at 4 MiB "
    "it settles after 16 calls without a trial of it. A trial would have the default window and pacing, with which "
    "each message waits for the one before, as no message is buffered here.",
    "**Several trees gain 4 % at most**, from 16 MiB on; the proposal, too, begins to gain between 1 Mi and 10 Mi "
    "floats (4 and 40 MiB). All trees of a rank share one order of messages, so that those of one tree wait for those "
    "of the others even where their links are free; and later trees take single NVLinks, as double ones that were used "
    "count less.",
)


def size_text(count):
    size = 4 * count
    return f"{size // KI // KI} MiB" if size >= KI * KI else f"{size // KI} KiB"


def us(value):
    return f"{value:.1f}" if value < 1000 else f"{value:.0f}"


def short(row):
    """What a row of trees adds to its name."""
    return row.partition(":")[2] or "defaults"


def introduction(document, results):
    document.text(
        'MXNet\'s proposal "Single machine all-reduce topology-aware communication" (2018) sends along balanced binary '
        "trees that take the heaviest links of a p3.16xlarge: 8 devices, of which each is linked to four others by one "
        "or two NVLinks (25 or 50 GB/s), and to the rest by PCI-E and the processor (10 GB/s). `topology_tree` is "
        "Starling's row after it. Its figures are end-to-end times of training, 1.06 to 6.6 times faster than its "
        "peers, which cannot be made here: there is no network to train and no device."
    )
    document.text(
        "Here an allreduce of 8 ranks is simulated on these links (`tools/lab/simulate --links`): each pair has a link "
        f"of its own in each direction, with {plan.LATENCY} per message; so a device can use all its links at once, "
        "and combining takes no time. The proposal prints its links as a drawing; the numbers are those of MXNet's own "
        "tests of it. Nobody is late; times are post-arrival times, equal in every run."
    )
    document.items([
        "`ring` goes round in rank order, whose links 3 - 4 and 7 - 0 are PCI-E. The last columns have the devices "
        "numbered along a ring of double NVLinks, as a library that knows the links would.",
        f"`native:ompi` and `native:mpich` are the choices of Open MPI and MPICH as SimGrid has them: the former takes "
        "recursive doubling and Rabenseifner's algorithm here, whose partners at distance 1, 2 and 4 are all linked by "
        "NVLinks on this machine.",
        f"Rows of `topology_tree` are the best of {len(plan.SEGMENTS) * len(plan.IN_FLIGHT)} for each number of trees: "
        f"segments {', '.join(map(str, plan.SEGMENTS))}; window and pacing "
        f"{', '.join(f'{window} and {pacing}' for window, pacing in plan.IN_FLIGHT)}.",
        "`tuned` is `tuned_allreduce` when it has settled, told of the links by STARLING_LINKS. What it calls native "
        "in the simulation is recursive doubling.",
    ])  # fmt: skip
    header = results.outcomes[0].header
    document.text(
        f"Measured on {records.days(results.outcomes)} by starling-bench {header['version']}, "
        f"{header['mpi'].split('. ')[0]}."
    )


def time_rows(results):
    for count in plan.COUNTS:
        best = [results.trees(plan.KNOWN, count, number)[1] for number in plan.TREES]
        yield [
            size_text(count), us(results.other("ring", count)),
            *(us(results.other(name, count)) for name in plan.NATIVE),
            us(results.usual_tree(count)), *map(us, best), us(results.tuned(count)[0]),
            us(results.other("ring", count, True)), us(results.other("native:ompi", count, True)),
        ]  # fmt: skip


def times(document, results):
    document.heading("Times")
    header = [
        "bytes", "`ring`", *(f"`{name}`" for name in plan.NATIVE), "`topology_tree`",
        *(f"best of {number} tree{'s' * (number > 1)}" for number in plan.TREES), "`tuned`", "`ring`, renumbered",
        "`native:ompi`, renumbered",
    ]  # fmt: skip
    document.table("us", header, list(time_rows(results)))
    rows = []
    for count in plan.COUNTS:
        row, best = results.best_trees(plan.KNOWN, count)
        rows.append([
            size_text(count), f"`{short(row)}`", ratio(results.other("ring", count) / best),
            *(ratio(results.other(name, count) / best) for name in plan.NATIVE),
            ratio(results.other("ring", count, True) / best), ratio(results.tuned(count)[0] / best),
            f"`{results.tuned(count)[1]}`",
        ])  # fmt: skip
    header = [
        "bytes", "best parameters", "`ring` over it", *(f"`{name}` over it" for name in plan.NATIVE),
        "`ring`, renumbered, over it", "`tuned` over it", "`tuned` has chosen",
    ]  # fmt: skip
    document.table("The best row of `topology_tree`, and others' times over its", header, rows)
    document.commands([
        plan.others_run(plan.COUNTS[0]), plan.ring_order_run(plan.COUNTS[0]), plan.tuned_run(plan.COUNTS[0]),
    ])  # fmt: skip


def knowledge(document, results):
    document.heading("What knowing the links is worth")
    rows = []
    for count in plan.COUNTS:
        known = results.best_trees(plan.KNOWN, count)[1]
        cells = [us(known)]
        for variant in plan.VARIANTS[1:]:
            time = results.best_trees(variant, count)[1]
            cells += [us(time), ratio(time / known)]
        rows.append([size_text(count), *cells])
    header = ["bytes", plan.KNOWN.label]
    for variant in plan.VARIANTS[1:]:
        header += [variant.label, "over the first"]
    document.table("Best rows of `topology_tree`, us", header, rows)


def path_text(links):
    return ", ".join(f"{child} to {parent}" for child, parent in links)


def tree_table(document, variant):
    matrix = trees.read_matrix(plan.MATRIX)
    rows = []
    for tree in trees.of_links(variant.links):
        weights = tree.weights(matrix)
        cells = [str(weights.count(weight)) for weight in sorted(plan.BANDWIDTHS, reverse=True)]
        rows.append([f"{tree.root}: {path_text(tree.links)}", *cells, str(sum(weights))])
    header = ["root: links, child to parent", "double NVLinks", "NVLinks", "PCI-E", "weight"]
    document.table(f"{variant.label[0].upper()}{variant.label[1:]}", header, rows)


def drawn(document):
    """Against the one tree of which the proposal's text tells messages."""
    ours = next(tree for tree in trees.of_links(plan.KNOWN.links) if tree.root == trees.DRAWN_ROOT)
    into_root = [link for link in ours.links if link[1] == trees.DRAWN_ROOT]
    document.text(
        f"The proposal draws the reduction to device {trees.DRAWN_ROOT} (its figure 6). Its text tells of these "
        f"messages to the root, in this order: {path_text(trees.DRAWN)}; 7 brings what it has of 3. So its halves are "
        f"1, 3, 5, 7 and 0, 2, 4, 6. Ours has {path_text(into_root)}, in this order. It is another tree for three "
        "reasons: our halves are 0 to 3 and 4 to 7, between which there are fewer links (a weight of 10 of NVLinks, "
        "where there are 22 between the halves of the figure), which is what Kernighan and Lin's exchanges look for; "
        "MXNet begins them with halves drawn at random and breaks ties at random, so that the figure is one of several "
        "trees that it may find; and trees are made one after another, links that were used counting 0.7 times as "
        "much: ours begin with the last device as root, MXNet's with the first."
    )


def tree_section(document):
    document.heading("The trees")
    for variant in (plan.KNOWN, plan.WITH_PCI):
        tree_table(document, variant)
    drawn(document)


def against(results, name):
    """The others' times over those of the best rows of trees."""
    return [results.other(name, count) / results.best_trees(plan.KNOWN, count)[1] for count in plan.COUNTS]


def findings(results):
    """Against each of the others, and of several trees against one."""
    for name in ("ring", *plan.NATIVE):
        values = against(results, name)
        slower = [size_text(count) for count, value in zip(plan.COUNTS, values) if value < 1]
        yield (
            f"**`{name}` over the best row**: {ratio(min(values))} to {ratio(max(values))} times as long; trees are "
            f"slower at {', '.join(slower) or 'no size'}."
        )
    several = {
        count: results.trees(plan.KNOWN, count, 1)[1]
        / min(results.trees(plan.KNOWN, count, number)[1] for number in plan.TREES[1:])
        for count in plan.COUNTS
    }
    yield (
        "**Several trees against one**, each with the best parameters: "
        f"{', '.join(f'{ratio(value)} at {size_text(count)}' for count, value in several.items())}."
    )
    longest, most = plan.COUNTS[-1], plan.TREES[-1]
    loss = results.trees(plan.WITH_PCI, longest, most)[1] / results.trees(plan.KNOWN, longest, most)[1]
    yield (
        f"**PCI-E as links**: where the library is told of these, too, the penalty on used NVLinks makes PCI-E heavier "
        f"in the end, and the last of {most} trees takes little else: they take {ratio(loss)} times as long at "
        f"{size_text(longest)}. MXNet leaves PCI-E out where NVLinks connect all devices; here the user has to, by 0."
    )


def write(folder, cache, jobs):
    """Returns what has been measured; nothing of it has a counterpart in the proposal."""
    results = Results(cache, jobs)
    document = Document(TITLE)
    introduction(document, results)
    document.heading("What came out, and what was not met")
    document.items([*findings(results), *REASONS])
    times(document, results)
    knowledge(document, results)
    tree_section(document)
    (folder / FILE).write_text(document.render(), encoding="utf-8")
    return results.runs, []
