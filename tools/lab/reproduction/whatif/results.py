"""What was predicted of a recorded site, beside what its replay took. Times are post-arrival times in ms."""
import dataclasses
import json
import subprocess

from reproduction.common import records


@dataclasses.dataclass(frozen=True)
class Answer:
    """Of one case: times by algorithm."""

    case: object
    predicted: dict
    replayed: dict
    in_force: str  # the algorithm that `tuned` settled on
    measured: float  # what that took while the site was recorded
    outcome: records.Outcome

    def error(self, algorithm):
        """0.1 is 10 % too long."""
        return self.predicted[algorithm] / self.replayed[algorithm] - 1

    def recorded_error(self):
        """Of the algorithm in force, beside what it took while the site was recorded; None where it was not timed."""
        if self.measured is None or self.in_force not in self.predicted:
            return None
        return self.predicted[self.in_force] / self.measured - 1

    def worst(self):
        return max(self.predicted, key=lambda algorithm: abs(self.error(algorithm)))

    def within(self, limit):
        return [algorithm for algorithm in self.predicted if abs(self.error(algorithm)) <= limit]

    def loss(self):
        """By how much the algorithm that is predicted to be fastest is slower than the one that is."""
        return self.replayed[min(self.predicted, key=self.predicted.get)] / min(self.replayed.values()) - 1


def in_ms(seconds):
    return None if seconds is None else 1e3 * seconds


def predictions_in(answer):
    """Of what `starling whatif --json` says of a site with one key: times by algorithm, `native` has none; the
    algorithm in force, and what it took."""
    (key,) = answer
    if key["unknown"]:
        raise records.RunError(f"site {key['site']}: {key['unknown']}")
    rows = key["algorithms"]
    predicted = {row["algorithm"]: in_ms(row["predicted"]) for row in rows if row["predicted"] is not None}
    (measured,) = [in_ms(row["measured"]) for row in rows if row["in_force"]]
    return predicted, key["algorithm"], measured


def ask(case):
    program, *words = case.question()
    command = [str(records.program_path(program)), *words, "--json"]
    process = subprocess.run(command, cwd=records.ROOT, capture_output=True, text=True, check=False)
    if process.returncode != 0:
        raise records.RunError(f"exit status {process.returncode} of: {' '.join(command)}\n  {process.stderr.strip()}")
    return predictions_in(json.loads(process.stdout))


def answer_to(case, cache, jobs):
    """The site is recorded anew where its database is not there, since that is no record of a run."""
    database = records.ROOT / case.database()
    database.parent.mkdir(parents=True, exist_ok=True)
    if cache.fresh or not database.is_file():
        database.unlink(missing_ok=True)
        records.perform(case.recording())
    predicted, in_force, measured = ask(case)
    (outcome,) = records.measure([case.replay(predicted)], cache, jobs)
    # Results come in the order of the command line.
    replayed = {name: result["post_arrival_ms"]["mean"] for name, result in zip(predicted, outcome.results, strict=True)}
    return Answer(case, predicted, replayed, in_force, measured, outcome)
