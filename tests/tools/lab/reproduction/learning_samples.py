"""Made-up worlds of the gym, for tests that play nothing."""
from reproduction.learning import runs


def player(regret=0.02, **figures):
    curve = [regret * step / 50 for step in range(1, 51)]
    parts = ("trials", "native", "leaving", "algorithm", "parameters")
    losses = {f"lost_to_{part}": regret / len(parts) for part in parts}
    return {"regret": regret, **losses, "worst_stretch": 1.1, "exploration_calls": 8, "curve": curve, **figures}


def world(number=0, tuned=None, rival_regret=0.2, **kinds):
    names = {"arrivals": "one late", "noise": "none", "program": "one key", **kinds}
    rivals = {name: player(rival_regret) for name in runs.RIVALS}
    return {"record": "world", "world": number, **names, "players": {runs.TUNER: tuned or player(), **rivals}}
