"""Reads what starling-clock-error prints."""
import dataclasses
import re
import subprocess

from reproduction.common import records


@dataclasses.dataclass
class Row:
    """One rank at one time. Errors in microseconds."""

    seconds: float
    rank: int
    error: float
    bound: float
    without_drift: float


@dataclasses.dataclass
class Trial:
    synchronisation: float  # seconds
    rows: list


def parse(text):
    first, *lines = text.splitlines()
    found = re.fullmatch(r"# synchronised in ([0-9.]+) s", first)
    if not found or len(lines) < 2:
        raise records.RunError(f"starling-clock-error printed no measurement: {first}")
    numbers = [[float(word) for word in line.split(",")] for line in lines[1:]]
    rows = [Row(row[0], int(row[1]), abs(row[2]), row[3], abs(row[4])) for row in numbers]
    return Trial(float(found[1]), [row for row in rows if row.rank > 0])  # rank 0 has the time by definition


def perform(words):
    process = subprocess.run(words, cwd=records.ROOT, capture_output=True, text=True, check=False)
    if process.returncode != 0:
        raise records.RunError(f"{' '.join(words)}: {process.stderr.strip() or 'it said nothing'}")
    return parse(process.stdout)


def quantile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def worst_by_time(rows, figure):
    """For each row number: the time, and the greatest figure of all ranks."""
    by_rank = {}
    for row in rows:
        by_rank.setdefault(row.rank, []).append(row)
    moments = list(zip(*by_rank.values()))
    return [moment[0].seconds for moment in moments], [max(figure(row) for row in moment) for moment in moments]
