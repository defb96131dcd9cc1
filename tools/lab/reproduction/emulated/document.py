"""The document of the emulated cluster."""
from reproduction.common import plots, prototype, quantities, records
from reproduction.common.markdown import Document, ms, percent, ratio
from reproduction.common.simulations import KI, count_text
from reproduction.emulated import cluster
from reproduction.emulated import runs as plan

FILE = "emulated-cluster.md"
TITLE = "The emulated cluster: real MPI over real TCP at 100 and 200 Mbit/s"
HEADER = ["", "post-arrival, ms", "elapsed, ms", "over ring", "share of saving", "prototype, ms"]


def figures(setup, row, count, delay, cache):
    """Medians of a row: post-arrival and elapsed time in ms, and its post-arrival time against the ring's. None where
    its run failed."""
    outcome = cache.load(plan.row_run(setup, row, count, delay))
    if outcome is None:
        return None
    result = outcome.find(row.choice, count, delay)
    ring_run = plan.row_run(setup, plan.rows(setup)[0], count, delay)
    ring = cache.load(ring_run).find("ring", count, delay)["post_arrival_ms"]["p50"]
    time = result["post_arrival_ms"]["p50"]
    bound = quantities.wire_bound(4 * count, setup.bytes_per_second())
    return {
        "time": time, "elapsed": result["elapsed_ms"]["p50"], "ratio": ring / time,
        "share": quantities.share_of_saving(ring, time, bound), "result": result,
    }  # fmt: skip


def row_label(row):
    return f"`{row.choice}`" if row.is_together or row.choice == "tuned" else row.label


def table_rows(setup, count, delay, cache):
    rows = []
    for row in plan.rows(setup):
        found = figures(setup, row, count, delay, cache)
        early = prototype.time(setup.hosts, row.label, delay > 0) if count == KI * KI else None
        if found is None:
            rows.append([row_label(row), None, None, None, None, early])
            continue
        share = None if found["share"] is None else percent(found["share"])
        rows.append([row_label(row), ms(found["time"]), ms(found["elapsed"]), ratio(found["ratio"]), share, early])
    return rows


def chosen_text(setup, count, cache):
    """What `tuned` chose, balanced and late."""
    tuned = next(row for row in plan.rows(setup) if row.choice == "tuned")
    parts = []
    for delay, words in zip(plan.DELAYS, ("balanced", "with one rank late")):
        found = figures(setup, tuned, count, delay, cache)
        if found:
            result = found["result"]
            settled = "" if result["settled"] else ", not settled"
            parts.append(f"`{result['chosen']}` {words} (after {result['warmup_calls']} calls{settled})")
    return f"`tuned` chose {' and '.join(parts)}." if parts else "`tuned` was not measured."


def draw(setup, count, cache, path):
    labels, balanced, late = [], [], []
    for row in plan.rows(setup):
        times = [figures(setup, row, count, delay, cache) for delay in plan.DELAYS]
        if all(times):
            labels.append(row.choice if row.is_together else row.label)
            balanced.append(times[0]["time"])
            late.append(times[1]["time"])
    bound = quantities.wire_bound(4 * count, setup.bytes_per_second())
    groups = {"balanced": balanced, f"one rank {plan.DELAYS[1]} ms late": late}
    title = f"{setup.hosts} hosts, {setup.megabits} Mbit/s, {count_text(count)} floats"
    plots.draw_bars(title, "post-arrival time, ms (median)", labels, groups, bound, path)


def section(document, setup, count, folder, cache):
    document.heading(f"{setup.hosts} hosts, {setup.megabits} Mbit/s, {count_text(count)} floats")
    bound = quantities.wire_bound(4 * count, setup.bytes_per_second())
    wire = quantities.ring_wire_time(setup.hosts, 4 * count, setup.bytes_per_second())
    burst = quantities.wire_bound(plan.BURST, setup.bytes_per_second())
    document.text(
        f"Bound n beta = {ms(bound)} ms; the ring's own traffic takes 2 (P-1)/P n beta = {ms(wire)} ms. What an idle "
        f"host may send at once makes either up to {ms(burst)} ms shorter."
    )
    file = f"emulated-{setup.hosts}-{count_text(count)}.svg"
    draw(setup, count, cache, folder / file)
    document.image("Post-arrival times of all rows", file)
    for delay, title in zip(plan.DELAYS, ("Balanced", f"Rank 1 late by {plan.DELAYS[1]} ms")):
        document.table(title, HEADER, table_rows(setup, count, delay, cache))
    document.text(chosen_text(setup, count, cache))


def introduction(document, outcomes, failures):
    header = outcomes[0].header
    document.text(
        "Real MPI libraries over real TCP: every rank in a network namespace of its own, every link limited in both "
        f"directions (`tools/lab/cluster`). Measured on {records.days(outcomes)} on {header['processor']} with "
        f"{header['mpi']}, starling-bench {header['version']}. Medians of {plan.CALLS} calls."
    )
    document.items([
        "**Post-arrival time**: mean exit minus last arrival. **Over ring**: the ring's divided by the row's. **Share "
        "of saving**: (ring - time) / (ring - n beta); no algorithm can need less than n beta after a last rank that "
        "comes alone. Balanced, the bound is higher, so a share of 100 % cannot be reached there.",
        "The rows of Starling and Open MPI's own choice (`native`) are measured in one run, interleaved. The others "
        "need a run of their own; their ratio and share refer to the ring of the first run.",
        "The plans are told beforehand who is late; `tuned` hears it from the ranks, which announce their arrival by "
        "`starling_edge()` in the middle of their computation, and settles on an algorithm before it is measured.",
        "**MPICH** polls without yielding the processor. With more ranks than cores its ranks starve each other, so "
        "its row tells orders of magnitude only.",
        "**Prototype**: figures of a prototype of these algorithms on such a cluster, medians of few runs.",
        "A host that was idle may send 256 KB at once before its link is limited, here at the start of every call.",
    ])  # fmt: skip
    if failures:
        document.text("Not measured, because the run failed:")
        document.items(f"`{failure.splitlines()[0]}`" for failure in failures)


def write(folder, cache, _jobs):
    """One run at a time: they share the machine. Returns what has been measured, and no rows without a reason."""
    failures = []
    runs = []
    for setup in plan.SETUPS:
        required, optional = plan.together_runs(setup), plan.single_runs(setup)
        failures += cluster.measure(setup, required, optional, cache)
        runs += [run for run in (*required, *optional) if cache.load(run)]
    document = Document(TITLE)
    introduction(document, [cache.load(run) for run in runs], failures)
    for setup in plan.SETUPS:
        for count in plan.COUNTS:
            section(document, setup, count, folder, cache)
        made = [run for run in runs if run.context == setup.shape()]
        document.text(f"The tables for {setup.hosts} hosts were made by:")
        lines = [" ".join(setup.up()), *(run.text() for run in made), "tools/lab/cluster down"]
        document.code(lines)
    (folder / FILE).write_text(document.render(), encoding="utf-8")
    return runs, []
