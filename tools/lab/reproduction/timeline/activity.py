"""What one rank does in a simulated call, as `starling simulate --timeline NAME --json` tells it."""

WAITS, SENDS, RECEIVES, ADDS = "waits", "sends", "receives", "adds"
# Of what happens at the same time the first is shown: who receives most often sends as well.
SHOWN_FIRST = (ADDS, RECEIVES, SENDS)


def merged(spans, pause):
    """Spans (start, end) in order, without the pauses between them that are shorter than `pause`."""
    result = []
    for start, end in sorted(spans):
        if result and start < result[-1][1] + pause:
            result[-1] = (result[-1][0], max(end, result[-1][1]))
        else:
            result.append((start, end))
    return result


def without(spans, others):
    """What is left of the spans outside the others. Both are in order, and each without overlaps."""
    result = []
    for start, end in spans:
        for other_start, other_end in others:
            if other_end <= start or end <= other_start:
                continue
            if start < other_start:
                result.append((start, other_start))
            start = other_end
        if start < end:
            result.append((start, end))
    return result


def kinds_of(transfer, rank):
    """What the transfer makes the rank do."""
    if transfer["source"] == rank:
        yield SENDS
    if transfer["target"] == rank:
        yield ADDS if transfer["reduces"] else RECEIVES


def of_rank(rank, arrival, leaving, transfers, pause):
    """Each kind of activity with its spans, which together fill the time from arrival to exit. Times in seconds;
    activities of one kind that follow each other within `pause` are one."""
    happening = {kind: [] for kind in SHOWN_FIRST}
    for transfer in transfers:
        for kind in kinds_of(transfer, rank):
            happening[kind].append((transfer["start"], transfer["end"]))
    shown, taken = {}, []
    for kind in SHOWN_FIRST:
        shown[kind] = without(merged(happening[kind], pause), taken)
        taken = merged(taken + shown[kind], 0.0)
    shown[WAITS] = without([(arrival, leaving)], taken)
    return shown
