"""What came out on the machine of 8 devices. Times in us."""
from reproduction.common import records
from reproduction.links import runs as plan


def time_of(result):
    return 1e3 * result["post_arrival_ms"]["mean"]


class Results:
    def __init__(self, cache, jobs):
        self.runs = plan.all_runs()
        self.outcomes = records.measure(self.runs, cache, jobs)
        self.cache = cache

    def trees(self, variant, count, trees):
        """The fastest row of so many trees: its name and its time."""
        results = self.cache.load(plan.trees_run(variant, count)).results
        rows = {row: time_of(result) for row, result in zip(
            [row for number in plan.TREES for row in plan.tree_rows(number)], results
        ) if row in plan.tree_rows(trees)}  # fmt: skip
        return min(rows.items(), key=lambda row: row[1])

    def best_trees(self, variant, count):
        return min((self.trees(variant, count, trees) for trees in plan.TREES), key=lambda row: row[1])

    def usual_tree(self, count):
        """One tree with default parameters."""
        return time_of(self.cache.load(plan.trees_run(plan.KNOWN, count)).results[0])

    def other(self, name, count, is_ring_order=False):
        run = plan.ring_order_run(count) if is_ring_order else plan.others_run(count)
        return time_of(self.cache.load(run).results[plan.OTHERS.index(name)])

    def tuned(self, count):
        """Its time and its choice."""
        result = self.cache.load(plan.tuned_run(count)).results[0]
        return time_of(result), result["chosen"]
