"""Tables 3 and 4 of Proficz (2018), with ours beside."""
from reproduction.common import papers, quantities
from reproduction.common.deviations import Cell
from reproduction.common.markdown import ms, percent, ratio, signed_ms, signed_percent
from reproduction.common.simulations import KI, count_text
from reproduction.proficz import runs as plan

RANKS = plan.RANKS
DELAYS = papers.PROFICZ_DELAYS
BANDWIDTH = 125e6  # bytes per second: 1 Gbit/s
BOUND = quantities.wire_bound(4 * plan.MEBI, BANDWIDTH)
DELAY_HEADER = ["", *(f"{delay} ms" for delay in DELAYS)]
# Differences of so many ms are the last digits of the times that they come from.
SMALL_DIFFERENCE = 1.0
TABLE_3 = "Table 3"
TABLE_4 = "Table 4"
# Of rounded figures; a wider range tells nothing.
WIDEST_RANGE = 0.4
IMPLYING = (0, 5, 10, 50, 100)  # ms; at more the digits leave nothing


def size_text(size):
    return count_text(size * KI)


def paper_post_arrival(algorithm):
    """Of Table 3; it follows from the mean elapsed time."""
    elapsed = papers.PROFICZ_TABLE_3[algorithm]
    return [quantities.one_late_post_arrival(time, delay, RANKS) for time, delay in zip(elapsed, DELAYS)]


def compared_row(algorithm, quantity, ours, paper, deviations):
    """Cells as `66.1 (67.8, -2.5 %)`."""
    cells = []
    for delay, our, their in zip(DELAYS, ours, paper):
        deviations.compare(Cell(TABLE_3, algorithm, quantity, f"{delay} ms", our, their))
        cells.append(f"{ms(our)} ({ms(their)}, {signed_percent(quantities.deviation(our, their))})")
    return [f"`{algorithm}`", *cells]


def time_rows(results, quantity, ours_of, paper_of, deviations):
    rows = []
    for algorithm in results.late_rows():
        ours = ours_of(algorithm)
        if algorithm in papers.PROFICZ_TABLE_3:
            rows.append(compared_row(algorithm, quantity, ours, paper_of(algorithm), deviations))
        else:
            rows.append([f"`{algorithm}`", *map(ms, ours)])
    return rows


def speedup_rows(results):
    """Over the ring, by mean elapsed time, as in the paper."""
    rows = []
    ring = results.elapsed("ring")
    for algorithm in results.late_rows():
        ours = [ratio(a / b) for a, b in zip(ring, results.elapsed(algorithm))]
        paper = papers.PROFICZ_TABLE_3.get(algorithm)
        if paper:
            theirs = [ratio(a / b) for a, b in zip(papers.PROFICZ_TABLE_3["ring"], paper)]
            ours = [f"{our} ({their})" for our, their in zip(ours, theirs)]
        rows.append([f"`{algorithm}`", *ours])
    return rows


def shares(ring, times):
    return [quantities.share_of_saving(reference, time, BOUND) for reference, time in zip(ring, times)]


def share_rows(results):
    rows = []
    for algorithm in results.late_rows():
        cells = list(map(percent, shares(results.post_arrival("ring"), results.post_arrival(algorithm))))
        if algorithm in papers.PROFICZ_TABLE_3:
            theirs = shares(paper_post_arrival("ring"), paper_post_arrival(algorithm))
            cells = [f"{our} ({percent(their)})" for our, their in zip(cells, theirs)]
        rows.append([f"`{algorithm}`", *cells])
    return rows


def table_3(document, results, deviations):
    document.heading("Table 3: one rank late, 48 ranks, 1 Mi floats")
    document.text(
        "In brackets the paper's figure and our deviation from it. The paper prints mean elapsed times; its "
        "post-arrival times are computed from them (elapsed - D (P-1)/P, exact where one rank is late by D). Rows "
        "without brackets are not in the paper."
    )
    document.table(
        "Mean elapsed time, ms", DELAY_HEADER,
        time_rows(results, "mean elapsed time", results.elapsed, papers.PROFICZ_TABLE_3.get, deviations),
    )  # fmt: skip
    document.table("Speedup over the ring, by mean elapsed time", DELAY_HEADER, speedup_rows(results))
    document.table(
        f"Post-arrival time, ms (bound n beta = {ms(BOUND)})", DELAY_HEADER,
        time_rows(results, "post-arrival time", results.post_arrival, paper_post_arrival, deviations),
    )  # fmt: skip
    document.table("Share of the possible saving over the ring", DELAY_HEADER, share_rows(results))
    has_tuned = "tuned" in results.algorithms
    if has_tuned:
        document.table("What `tuned` chose", ["delay", "choice", "calls before it was measured"], tuned_rows(results))
    document.commands([plan.table_3(), *(plan.table_3_tuned() if has_tuned else [])])


def tuned_rows(results):
    rows = []
    for delay, result in zip(DELAYS, results.late("tuned")):
        choice = f"`{result['chosen']}`" + ("" if result["settled"] else " (not settled)")
        rows.append([f"{delay} ms", choice, result["warmup_calls"]])
    return rows


def table_4_rows(results, pattern, deviations):
    rows = []
    for size in papers.PROFICZ_SIZES:
        differences, speedups = [], []
        for delay, difference, speedup in zip(DELAYS, *papers.PROFICZ_TABLE_4[pattern, size]):
            ring, prr = results.pair(pattern, size, delay)
            differences.append(f"{signed_ms(prr - ring)} ({signed_ms(difference)})")
            speedups.append(f"{ratio(ring / prr)} ({ratio(speedup)})")
            row = f"{size_text(size)} floats, {pattern}"
            deviations.compare(Cell(TABLE_4, row, "speedup", f"{delay} ms", ring / prr, speedup))
        rows += [[f"{size_text(size)}, difference in ms", *differences], [f"{size_text(size)}, speedup", *speedups]]
    return rows


def differences_met(results, pattern, sizes):
    """How many differences are within the tolerance or small, of how many."""
    met = total = 0
    for size in sizes:
        for delay, paper, _ in zip(DELAYS, *papers.PROFICZ_TABLE_4[pattern, size]):
            ring, prr = results.pair(pattern, size, delay)
            gap = abs(prr - ring - paper)
            met += gap <= max(quantities.TOLERANCE * abs(paper), SMALL_DIFFERENCE)
            total += 1
    return met, total


def implied_text(size, delay, is_prr):
    """The range of post-arrival times that Table 4 leaves for the ring or for PRR; None where it is too wide."""
    at = DELAYS.index(delay)
    differences, speedups = papers.PROFICZ_TABLE_4["one-late", size]
    implied = quantities.implied_ring(differences[at], speedups[at])
    if implied is None:
        return None
    low, high = (quantities.one_late_post_arrival(end, delay, RANKS) for end in implied)
    if high - low > WIDEST_RANGE * low:
        return None
    shift = differences[at] if is_prr else 0.0
    return f"{ms(low + shift)} to {ms(high + shift)}"


def implied_rows(results, is_prr):
    rows = []
    for size in papers.PROFICZ_SIZES:
        vector = 4 * size * KI
        bound = quantities.wire_bound(vector, BANDWIDTH)
        least = bound if is_prr else quantities.ring_wire_time(RANKS, vector, BANDWIDTH)
        name = "prr" if is_prr else "ring"
        ours = results.table_4["one-late", size].find(name, delay=100)["post_arrival_ms"]["mean"]
        rows.append([size_text(size), *(implied_text(size, delay, is_prr) for delay in IMPLYING), ms(least), ms(ours)])
    return rows


def impossible_cells():
    """Of the paper, where PRR saves more than the delay allows."""
    found = []
    for (pattern, size), (differences, _) in papers.PROFICZ_TABLE_4.items():
        for delay, difference in zip(DELAYS, differences):
            # To 1 ms times are no surer than what is compared.
            most = quantities.most_saving(delay, differences[0])
            if difference < 0 and delay > 1 and -difference > most + 0.1:
                setting = f"{size_text(size)} {pattern} at {delay} ms"
                found.append(f"{setting} ({ms(-difference)} ms saved, {ms(most)} possible)")
    return found


def table_4(document, results, deviations):
    document.heading("Table 4: PRR against the ring, 48 ranks")
    document.text("Difference of mean elapsed times (PRR - ring) and speedup (ring / PRR); in brackets the paper's.")
    for pattern in plan.PATTERNS:
        document.table(f"Pattern {pattern}", DELAY_HEADER, table_4_rows(results, pattern, deviations))
        document.commands(plan.table_4(pattern))
    document.text(
        f"Differences within {percent(quantities.TOLERANCE)} or {SMALL_DIFFERENCE:g} ms of the paper's: "
        + "; ".join(
            f"{size_text(size)}: {one[0]} of {one[1]} (one-late), {rand[0]} of {rand[1]} (rand-late)"
            for size in papers.PROFICZ_SIZES
            for one, rand in [[differences_met(results, pattern, [size]) for pattern in plan.PATTERNS]]
        )
        + "."
    )
    consistency(document, results)


def consistency(document, results):
    """What Table 4 says of the paper's own times."""
    document.heading("What Table 4 implies")
    document.text(
        "A difference and a speedup together tell both times, within the digits that are printed. For one late rank "
        "these are the paper's post-arrival times in ms; where the digits leave a range wider than "
        f"{percent(WIDEST_RANGE)} there is none."
    )
    header = ["floats", *(f"{delay} ms" for delay in IMPLYING)]
    document.table("The ring", [*header, "its own traffic: 2 (P-1)/P n beta", "our ring"], implied_rows(results, False))
    document.table("PRR", [*header, "bound n beta", "our PRR at 100 ms"], implied_rows(results, True))
    document.items([
        "From 2 Mi floats on, the ring is faster than its own traffic at 1 Gbit/s. So less than 4 bytes per float "
        "crossed a link there, or links were faster; a network of 125 MB/s cannot meet the differences of these rows. "
        "Speedups suffer less, because both times shrink alike.",
        "At 128 Ki floats the ring is faster than its traffic when balanced, and slower at 5 and 10 ms.",
        "PRR cannot save more than the delay and what it saves without one, since nothing ends earlier because a rank "
        "comes later. It does in: " + "; ".join(impossible_cells()) + ".",
    ])  # fmt: skip
    document.text("Nothing was calibrated to these rows.")
