"""Which trees topology_tree takes."""
import dataclasses
import functools
import json
import subprocess

from reproduction.common import records
from reproduction.links import runs as plan

PROGRAM = "starling"
# The reduction that the proposal draws (its figure 6) has device 5 as root; its text tells of these messages of it,
# from child to parent, in this order; 7 brings the part of 3.
DRAWN_ROOT = 5
DRAWN = ((1, 5), (7, 5), (4, 5))


def read_matrix(path):
    lines = (records.ROOT / path).read_text(encoding="utf-8").splitlines()
    return [[int(word) for word in line.split()] for line in lines if not line.startswith("#")]


@dataclasses.dataclass(frozen=True)
class Tree:
    root: int
    links: tuple  # (child, parent), in the order of the reduction

    def weights(self, matrix):
        return [matrix[child][parent] for child, parent in self.links]


def trees_in(simulated):
    """Of a call with one element for each tree, as `starling simulate --timeline` tells it."""
    by_element = {}
    for transfer in simulated["timelines"][0]["transfers"]:
        if transfer["reduces"]:
            by_element.setdefault(transfer["offset"], []).append((transfer["source"], transfer["target"]))
    trees = []
    for _, links in sorted(by_element.items()):
        (root,) = {parent for _, parent in links} - {child for child, _ in links}
        trees.append(Tree(root, tuple(links)))
    return trees


@functools.cache
def of_links(file):
    """All trees of the machine, in the order in which they are made."""
    path = records.program_path(PROGRAM)
    words = [str(path), "simulate", "--ranks", str(plan.RANKS), "--count", str(plan.RANKS), "--links", file]
    words += ["--timeline", f"topology_tree:trees={plan.RANKS}", "--json"]
    process = subprocess.run(words, cwd=records.ROOT, capture_output=True, text=True, check=False)
    if process.returncode != 0:
        raise records.RunError(f"exit status {process.returncode} of: {' '.join(words)}\n  {process.stderr.strip()}")
    return trees_in(json.loads(process.stdout))
