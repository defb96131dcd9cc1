"""What was measured for Marendic et al. (2012), by the table or figure that it is for."""
from reproduction.common import papers, records
from reproduction.marendic import runs as plan

ORDERED = "ordered"  # Figure 7 with an operator that does not commute


def post_arrival_of(outcome, algorithm):
    """From the last arrival to the root's exit, in ms."""
    return outcome.find(algorithm)["post_arrival_ms"]["mean"]


class Results:
    def __init__(self, cache, jobs):
        self.runs = plan.all_runs()
        self.outcomes = records.measure(self.runs, cache, jobs)
        load = cache.load
        self.by_delay = dict(zip(papers.MARENDIC_DELAYS, map(load, plan.table_1())))
        self.tuned_by_delay = dict(zip(papers.MARENDIC_DELAYS, map(load, plan.table_1_tuned())))
        self.by_size = dict(zip(plan.SIZES, map(load, plan.sizes())))
        self.by_ranks = {number: dict(zip(plan.PROCESSES, map(load, plan.figure(number)))) for number in plan.FIGURES}
        self.by_ranks[ORDERED] = dict(zip(plan.PROCESSES, map(load, plan.figure_7_ordered())))
        self.tuned_by_ranks = {
            number: dict(zip(plan.processes_of_tuned(number), map(load, plan.figure_tuned(number))))
            for number in plan.FIGURES
        }
        self.allreduces = {number: load(run) for number, run in plan.allreduces().items()}

    def post_arrival(self, algorithm):
        """Of Table 1, over the delays, in ms."""
        outcomes = self.tuned_by_delay if algorithm == plan.TUNED else self.by_delay
        return [post_arrival_of(outcome, algorithm) for outcome in outcomes.values()]

    def completion(self, algorithm):
        """Of Table 1: from the arrival of the ranks that are in time to the root's exit, in ms."""
        return [delay + time for delay, time in zip(self.by_delay, self.post_arrival(algorithm))]

    def over_ranks(self, figure, algorithm):
        """Post-arrival time in ms by the number of ranks, of Figures 6 to 9 or ORDERED, as far as it was measured."""
        outcomes = (self.tuned_by_ranks if algorithm == plan.TUNED else self.by_ranks)[figure]
        return {ranks: post_arrival_of(outcome, algorithm) for ranks, outcome in outcomes.items()}

    def over_size(self, algorithm):
        """Post-arrival time in ms by the number of doubles, no rank late, 128 ranks."""
        times = {size: post_arrival_of(outcome, algorithm) for size, outcome in self.by_size.items()}
        return times | {plan.ELEMENTS: self.over_ranks(6, algorithm)[plan.RANKS]}

    def of_allreduce(self, algorithm):
        """Post-arrival time in ms by the figure, mean over the exits of 128 ranks."""
        return {number: post_arrival_of(outcome, algorithm) for number, outcome in self.allreduces.items()}

    def foreknowledge(self):
        """By how much `tuned` differs from `planned` at most in Table 1 and Figures 6 and 8, where one pattern stays and
        MPI_Reduce is not chosen: a share."""
        pairs = list(zip(self.post_arrival(plan.TUNED), self.post_arrival(plan.PLANNED)))
        for number in (6, 8):
            planned = self.over_ranks(number, plan.PLANNED)
            pairs += [(time, planned[ranks]) for ranks, time in self.over_ranks(number, plan.TUNED).items()]
        return max(abs(ours / its - 1) for ours, its in pairs)
