"""Figures of a prototype of the algorithms on an emulated cluster like tools/lab/cluster, from before this library.
Post-arrival times in ms of 1 Mi floats: balanced, and with one rank 1.5 to 2 s late; a range of several runs."""

# (ranks, row of the document): (balanced, one late); None where there was none.
TIMES = {
    (8, "native"): ("507-553", "461"),
    (8, "ring"): ("317-324", "301-313"),
    (8, "slt"): ("380-393", "234"),
    (8, "slt, pipelined"): ("317", "170"),
    (16, "native"): ("1016-1090", "903"),
    (16, "ring"): ("648-659", "576-596"),
    (16, "slt"): ("690", None),
    (16, "slt, pipelined"): ("663", "337"),
}


def time(ranks, row, is_late):
    return TIMES.get((ranks, row), (None, None))[1 if is_late else 0]
