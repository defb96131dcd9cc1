"""The worlds that are played."""
from reproduction.common import records

PROGRAM = "starling-gym"
# Each kind of arrivals, of noise and of programs comes with each other in 968 worlds.
WORLDS = 2 * 968
CALLS = 1000
WORLDS_PER_RUN = 121
TUNER = "tuned"
# How each rival chooses: a sentence without its subject.
RIVALS = {
    "native": "always runs the MPI library's own",
    "star-mpi": "runs each algorithm 10 times, then that of the least mean, and watches it: where ten calls have "
    "become more than 10 % slower than the second best was, it takes that one (Faraj, Yuan, Lowenthal 2006)",
    "one-each": "runs each once and keeps the fastest for good, as Intel MPI's autotuner does by default",
    "epsilon": "runs each once, then that of the least mean but for one call in ten, which is any (epsilon-greedy)",
    "ucb1": "runs what may be the fastest by its confidence bound (Auer, Cesa-Bianchi, Fischer 2002)",
    "thompson": "runs what is drawn to be the fastest from what is known of each (Thompson 1933)",
    "halving": "leaves the slower half after each 28 calls (successive halving; Karnin, Koren, Somekh 2013)",
}
PLAYERS = (TUNER, *RIVALS)


def runs_of(players, *flags):
    """Of all worlds."""
    words = ("--worlds", str(WORLDS_PER_RUN), "--calls", str(CALLS), "--jobs", "1", "--players", ",".join(players))
    return [
        records.Run((PROGRAM, "--first", str(first), *words, *flags), PROGRAM, flags=())
        for first in range(0, WORLDS, WORLDS_PER_RUN)
    ]


def first_runs():
    return runs_of(PLAYERS)


def second_runs():
    """Rivals remember nothing."""
    return runs_of((TUNER,), "--runs", "2")


def command():
    """Plays the same worlds at once."""
    return f"build/release/bin/{PROGRAM} --worlds {WORLDS} --json build/worlds.json"


def command_again():
    return f"build/release/bin/{PROGRAM} --worlds {WORLDS} --runs 2 --players {TUNER}"
