"""The runs on a machine of 8 devices with two kinds of NVLinks and PCI-E."""
import dataclasses

from reproduction.common.simulations import KI, simulation

RANKS = 8
FOLDER = "tools/lab/reproduction/links"
MATRIX = f"{FOLDER}/p3_16xlarge.txt"
# What the library is told: MXNet, too, lets PCI-E count as no link where NVLinks connect all devices.
NVLINKS = f"{FOLDER}/p3_16xlarge_nvlinks.txt"
# The same machine, its devices numbered along a ring of double NVLinks.
RING_ORDER = f"{FOLDER}/p3_16xlarge_ring.txt"
BANDWIDTHS = {1: 10, 2: 25, 3: 50}  # GB/s
LATENCY = "2us"  # of a link
COUNTS = tuple(KI * 4**power for power in range(8))  # floats: 4 KiB to 64 MiB
NATIVE = ("native:ompi", "native:mpich")
OTHERS = ("ring", "recursive_doubling", "rabenseifner", *NATIVE)
TREES = (1, 2, 4, 8)
SEGMENTS = (1, 4, 16, 64, 256)
# Window and pacing: how many messages a rank has under way.
IN_FLIGHT = ((4, 1), (8, 8), (16, 16))


@dataclasses.dataclass(frozen=True)
class Variant:
    """topology_tree with what the library is told of the links."""

    label: str
    links: str = ""  # a file


KNOWN = Variant("told of NVLinks", NVLINKS)
WITH_PCI = Variant("told of PCI-E, too", MATRIX)
UNKNOWN = Variant("told nothing")
VARIANTS = (KNOWN, WITH_PCI, UNKNOWN)


def tree_rows(trees):
    """As users type them, without what is the default."""
    rows = []
    for segments in SEGMENTS:
        for window, pacing in IN_FLIGHT:
            values = {"trees": (trees, 1), "segments": (segments, 1), "window": (window, 4), "pacing": (pacing, 1)}
            given = ",".join(f"{name}={value}" for name, (value, usual) in values.items() if value != usual)
            rows.append(f"topology_tree:{given}" if given else "topology_tree")
    return rows


def on_links(platform, count, algorithms, told=""):
    network = ("--links", platform, "--link-bandwidth", ",".join(f"{n}:{b}GBps" for n, b in BANDWIDTHS.items()),
               "--latency", LATENCY)  # fmt: skip
    run = simulation(RANKS, algorithms, count, "none", (0,), network=network)
    words = ("env", f"STARLING_LINKS={told}", *run.words) if told else run.words
    return dataclasses.replace(run, words=words)


def trees_run(variant, count):
    rows = [row for trees in TREES for row in tree_rows(trees)]
    return on_links(MATRIX, count, rows, variant.links)


def others_run(count):
    return on_links(MATRIX, count, OTHERS)


def ring_order_run(count):
    return on_links(RING_ORDER, count, OTHERS)


def tuned_run(count):
    return on_links(MATRIX, count, ("tuned",), NVLINKS)


def all_runs():
    """The longest begin first."""
    return [
        run
        for count in reversed(COUNTS)
        for run in (
            *(trees_run(variant, count) for variant in VARIANTS), others_run(count), ring_order_run(count),
            tuned_run(count),
        )
    ]  # fmt: skip
