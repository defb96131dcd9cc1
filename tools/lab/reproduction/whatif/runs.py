"""The sites that are recorded, and the runs that replay their arrivals."""
import dataclasses

from reproduction.common import records
from reproduction.common.simulations import KI, count_text, simulation

FOLDER = "build/lab/whatif"
# Calls that are recorded after those in which the tuner settles.
RECORDED_CALLS = 24
# Of patterns that change from call to call: as many `starling whatif` simulates at most. Others stay the same.
REPLAYED_CALLS = 12
CALLS_OF_ONE_PATTERN = 2
CHANGING = ("gamma", "rand-late")
SITE = 1  # the only one of its database


@dataclasses.dataclass(frozen=True)
class Case:
    """A site: calls of one length under one arrival pattern."""

    ranks: int
    count: int
    pattern: str
    delay: int  # ms
    per_node: int = 1

    def network(self):
        return ("--ranks-per-node", str(self.per_node)) if self.per_node > 1 else ()

    def text(self):
        place = f"{self.ranks} ranks" + (f", {self.per_node} on each node" if self.per_node > 1 else "")
        late = f"`{self.pattern}` {self.delay} ms" if self.delay else "nobody late"
        return f"{place}, {count_text(self.count)} floats, {late}"

    def replayed_calls(self):
        return REPLAYED_CALLS if self.pattern in CHANGING else CALLS_OF_ONE_PATTERN

    def database(self):
        pattern = self.pattern.replace(":", "-")
        return f"{FOLDER}/{self.ranks}-{self.per_node}-{count_text(self.count)}-{pattern}-{self.delay}.db"

    def recording(self):
        """`tuned` learns in it, so that several algorithms are measured, too."""
        options = ("--no-announce", "--iterations", str(RECORDED_CALLS))
        run = simulation(self.ranks, ("tuned",), self.count, self.pattern, (self.delay,), options, self.network())
        return dataclasses.replace(run, words=("env", f"STARLING_DB={self.database()}", *run.words))

    def question(self):
        return ("starling", "--db", self.database(), "whatif", str(SITE))

    def replay(self, algorithms):
        """The same arrivals under all these algorithms, which know them beforehand."""
        words = ["tools/lab/simulate", "-n", str(self.ranks), *self.network(), "--", "--algorithm", ",".join(algorithms)]
        words += ["--count", count_text(self.count), "--pattern", f"recorded:{self.database()}:{SITE}"]
        words += ["--iterations", str(self.replayed_calls())]
        return records.Run(tuple(words), self.recording().program, memory=self.recording().memory)


CASES = (
    Case(48, 16 * KI, "one-late", 100),
    Case(32, 16 * KI, "gamma", 5),
    Case(16, 64 * KI, "one-late", 10, per_node=4),
    Case(16, 64 * KI, "staircase", 28),
    Case(16, 16 * KI, "late:3", 10),
    Case(8, 256 * KI, "ramp", 20),
    Case(8, 64 * KI, "rand-late", 10),
    Case(8, KI, "one-late", 2),
    Case(5, 16 * KI, "alternate", 5),
    Case(4, 64 * KI, "staircase", 28),
)  # fmt: skip
