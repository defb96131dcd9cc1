"""Why figures of Proficz (2018) were not met, row by row. Written after looking at the numbers."""
from reproduction.proficz.tables import TABLE_3, TABLE_4

SHORT_CALLS = (
    "The paper's own times do not fit one network here (see what Table 4 implies): its ring takes less than its "
    "traffic when balanced and more at 5 and 10 ms. So these short calls, 0.09 ms per block, hold something besides "
    "the wire that the simulator does not have."
)
TOO_MUCH_SAVED = (
    "At 5 and 10 ms the paper's PRR saves more than the delay allows, and at 50 ms (one late) it takes less than n "
    "beta (see what Table 4 implies). Our PRR makes 0.46 of the possible saving, here as at every size where the delay "
    "hides its work."
)
REASONS = {
    (TABLE_3, "rabenseifner", None): (
        "Rabenseifner's algorithm needs a power of two. At 48 ranks ours, like Open MPI's own (`native:ompi`), folds "
        "the 16 ranks beyond 32 into others before and unfolds them after, each time with a whole vector on one link: "
        "twice n beta = 33.6 ms on top of the 65 ms that 32 ranks need. The paper's 76 ms leave no room for that, and "
        "it does not say how its implementation treats 48 ranks."
    ),
    (TABLE_4, "128Ki floats, one-late", None): SHORT_CALLS,
    (TABLE_4, "128Ki floats, rand-late", None): SHORT_CALLS,
    (TABLE_4, "512Ki floats, one-late", None): TOO_MUCH_SAVED,
    (TABLE_4, "512Ki floats, rand-late", None): TOO_MUCH_SAVED,
}
