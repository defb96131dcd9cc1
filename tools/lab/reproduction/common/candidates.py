"""The plans that the tuner would consider, as `starling simulate` chooses their parameters."""
import functools
import json
import subprocess

from reproduction.common import records
from reproduction.common.simulations import count_text

PROGRAM = "starling"


@functools.cache
def of_call(ranks, count, alpha, beta):
    """Every row of the catalogue that has a schedule, with its parameters; `alpha` and `beta` are those of the network
    in ns. In the order of the rows' names."""
    path = records.program_path(PROGRAM)
    words = [str(path), "simulate", "--predicted", "--json", "--ranks", str(ranks), "--count", count_text(count)]
    words += ["--alpha", f"{alpha:g}ns", "--beta", f"{beta:g}ns"]
    try:
        process = subprocess.run(words, capture_output=True, text=True, check=False)
    except OSError as fault:
        raise records.RunError(f"{path} cannot be run ({fault.strerror}): cmake --build --preset release") from None
    if process.returncode != 0:
        raise records.RunError(f"exit status {process.returncode} of: {' '.join(words)}\n  {process.stderr.strip()}")
    return tuple(sorted(row["algorithm"] for row in json.loads(process.stdout)["algorithms"]))
