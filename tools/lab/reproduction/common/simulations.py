"""Runs of tools/lab/simulate."""
from reproduction.common import records

KI = 1024
PROGRAM = "starling-bench-simulated"
# Sent, received, expected and scratch vectors of every rank, in one process.
VECTORS_PER_RANK = 4.5
ELEMENT_BYTES = {"float": 4, "uint32": 4, "double": 8}


def count_text(count):
    """Elements as the benchmark takes them: 1Mi, 128Ki, 1000."""
    for unit, size in (("Mi", KI * KI), ("Ki", KI)):
        if count % size == 0:
            return f"{count // size}{unit}"
    return str(count)


def simulation(ranks, algorithms, count, pattern, delays, options=(), network=(), kind="float"):
    """One run: `algorithms` side by side at each of `delays` (ms). `options` go to the benchmark, `network` to the
    simulator."""
    words = ["tools/lab/simulate", "-n", str(ranks), *network, "--", "--algorithm", ",".join(algorithms)]
    words += ["--count", count_text(count)]
    if kind != "float":
        words += ["--type", kind]
    words += ["--pattern", pattern, "--delay", ",".join(f"{delay:g}" for delay in delays), *options]
    memory = int(VECTORS_PER_RANK * ranks * count * ELEMENT_BYTES[kind])
    return records.Run(tuple(words), PROGRAM, memory=memory)
