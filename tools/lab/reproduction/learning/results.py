"""What players came to, over worlds."""
import statistics

CURVE_STEP = 20  # calls


def tail(values):
    """95 of 100 are at most this."""
    return values[0] if len(values) == 1 else statistics.quantiles(values, n=20, method="inclusive")[-1]


def figures(worlds, player, name):
    """A figure in the worlds where it is defined; what holds or does not is 1 or 0."""
    found = [world["players"][player] for world in worlds]
    return [float(each[name]) for each in found if name in each]


def curve(worlds, player, summary):
    """Regret after each CURVE_STEP calls, as a share of the best's cost of all calls, by `summary` over the worlds."""
    curves = [world["players"][player]["curve"] for world in worlds]
    return [summary(list(values)) for values in zip(*curves)]


def groups(worlds, kind):
    """Worlds by what they are of a kind (arrivals, noise, program), in the order in which they come."""
    found = {}
    for world in worlds:
        found.setdefault(world[kind], []).append(world)
    return found
