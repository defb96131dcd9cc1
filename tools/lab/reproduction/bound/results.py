"""What was measured against the bounds. Times are post-arrival times in ms."""
from reproduction.bound import runs as plan
from reproduction.common import quantities, records


class Results:
    def __init__(self, cache, jobs):
        self.runs = plan.all_runs()
        self.outcomes = records.measure(self.runs, cache, jobs)
        self.by_case = {
            case: {row: cache.load(run).find(row) for row, run in case.runs().items()} for case in plan.all_cases()
        }

    def times(self, case):
        """By row, without those that were left out."""
        return {row: result["post_arrival_ms"]["mean"] for row, result in self.by_case[case].items()}

    def fastest(self, case):
        """With the parameters that it had."""
        times = self.times(case)
        return self.by_case[case][min(times, key=times.get)]["choice"]

    def share(self, case, row):
        times = self.times(case)
        return quantities.share_of_saving(times["ring"], times[row], case.wire())

    def over_bound(self, case, row):
        return self.times(case)[row] / case.bound()

    def over_ring(self, case, row):
        times = self.times(case)
        return times[row] / times["ring"]

    def over_rest(self, case, row):
        """Against the fastest of all other rows."""
        times = self.times(case)
        return times[row] / min(time for other, time in times.items() if other != row)
