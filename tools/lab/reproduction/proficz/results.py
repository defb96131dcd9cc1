"""What was measured for Proficz (2018), by the table or figure that it is for."""
from reproduction.common import papers, records
from reproduction.proficz import runs as plan

DELAYS = papers.PROFICZ_DELAYS


class Results:
    """`tuned` is measured last and may be missing, so that its failure does not take the other rows along."""

    def __init__(self, cache, jobs):
        records.measure(plan.fixed_runs(), cache, jobs)
        self.failures = records.attempt(plan.tuned_runs(), cache, jobs)
        self.runs = plan.fixed_runs() + ([] if self.failures else plan.tuned_runs())
        self.outcomes = [cache.load(run) for run in self.runs]
        self.algorithms = (*plan.OWN, plan.LIBRARY, *(() if self.failures else ("tuned",)))
        self.table_3 = cache.load(plan.table_3())
        self.table_4 = {
            (pattern, size): cache.load(run)
            for pattern in plan.PATTERNS
            for size, run in zip(papers.PROFICZ_SIZES, plan.table_4(pattern))
        }
        self.over_size = dict(zip(papers.PROFICZ_SIZES, map(cache.load, plan.figure_11())))
        self.over_ranks = dict(zip(papers.PROFICZ_PROCESSES, map(cache.load, plan.figure_12())))
        self.tuned_over_delay = dict(zip(DELAYS, map(cache.load, plan.table_3_tuned())))
        self.tuned_over_size = dict(zip(plan.TUNED_SIZES, map(cache.load, plan.figure_11_tuned())))
        self.tuned_over_ranks = dict(zip(papers.PROFICZ_PROCESSES, map(cache.load, plan.figure_12_tuned())))

    def late_rows(self):
        """The algorithms of Table 3."""
        return (*self.algorithms, plan.PIPELINED)

    def late(self, algorithm):
        """The results of Table 3 over DELAYS."""
        if algorithm == "tuned":
            return [outcome.find("tuned") for outcome in self.tuned_over_delay.values()]
        return [self.table_3.find(algorithm, delay=delay) for delay in DELAYS]

    def elapsed(self, algorithm):
        """Mean elapsed times of Table 3 over DELAYS, in ms."""
        return [result["elapsed_ms"]["mean"] for result in self.late(algorithm)]

    def post_arrival(self, algorithm):
        return [result["post_arrival_ms"]["mean"] for result in self.late(algorithm)]

    def pair(self, pattern, size, delay):
        """The ring's and PRR's mean elapsed times of Table 4, in ms."""
        outcome = self.table_4[pattern, size]
        return tuple(outcome.find(name, delay=delay)["elapsed_ms"]["mean"] for name in ("ring", "prr"))

    def over(self, axis, algorithm):
        """Of Figures 11 (axis `size`, in Ki floats) and 12 (`ranks`): mean elapsed time by the value on the x axis."""
        fixed, tuned = (
            (self.over_size, self.tuned_over_size) if axis == "size" else (self.over_ranks, self.tuned_over_ranks)
        )
        outcomes = tuned if algorithm == "tuned" else fixed
        return {x: outcome.find(algorithm)["elapsed_ms"]["mean"] for x, outcome in outcomes.items()}
