"""What was measured for Marendic et al. (2012), by the table or figure that it is for."""
from reproduction.common import papers, records
from reproduction.marendic import runs as plan

FIGURES = {6: plan.figure_6, 7: plan.figure_7, 8: plan.figure_8, 9: plan.figure_9}


class Results:
    def __init__(self, cache, jobs):
        self.runs = plan.all_runs()
        self.outcomes = records.measure(self.runs, cache, jobs)
        self.by_delay = dict(zip(papers.MARENDIC_DELAYS, map(cache.load, plan.table_1())))
        self.by_size = dict(zip(plan.SIZES, map(cache.load, plan.sizes())))
        self.by_ranks = {
            number: dict(zip(plan.PROCESSES, map(cache.load, runs()))) for number, runs in FIGURES.items()
        }
        self.ordered = dict(zip(plan.PROCESSES, map(cache.load, plan.figure_7_ordered())))

    def post_arrival(self, algorithm):
        """Of Table 1, over the delays, in ms."""
        return [outcome.find(algorithm)["post_arrival_ms"]["mean"] for outcome in self.by_delay.values()]

    def completion(self, algorithm):
        """Of Table 1: from the arrival of the ranks that are in time to the mean exit, in ms."""
        return [delay + time for delay, time in zip(self.by_delay, self.post_arrival(algorithm))]

    def over_ranks(self, figure, algorithm):
        """Post-arrival time in ms by the number of ranks, of Figures 6 to 9 or `ordered`."""
        outcomes = self.ordered if figure == "ordered" else self.by_ranks[figure]
        return {ranks: outcome.find(algorithm)["post_arrival_ms"]["mean"] for ranks, outcome in outcomes.items()}

    def over_size(self, algorithm):
        """Post-arrival time in ms by the number of doubles, no rank late, 128 ranks."""
        times = {size: outcome.find(algorithm)["post_arrival_ms"]["mean"] for size, outcome in self.by_size.items()}
        return times | {plan.ELEMENTS: self.over_ranks(6, algorithm)[plan.RANKS]}
