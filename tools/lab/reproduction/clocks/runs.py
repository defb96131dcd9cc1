"""What is measured of the clocks."""
HOSTS = 8
DURATION = 600  # seconds
# Of hosts that were booted on different days; each drifts by 50 millionths besides, this way or that.
# No clock can be set back beyond the start of the machine, so hosts are hours behind where others are ahead.
OFFSETS = {1: "2h", 2: "1h", 3: "30h", 4: "-5ms", 5: "700h", 6: "9h", 7: "1h"}
RANKS = 1024
RANKS_PER_NODE = 8
PROGRAM = "starling-clock-error"


class Setup:
    """The emulated cluster."""

    def up(self):
        words = ["tools/lab/cluster", "up", "-n", str(HOSTS), "--rate", "200mbit"]
        for host, offset in OFFSETS.items():
            words += ["--clock-offset", f"{host}:{offset}"]
        return words


def emulated():
    return ["tools/lab/cluster", "run", "--timeout", str(DURATION + 60), "--", PROGRAM, str(DURATION), "--plant", "1"]


def simulated():
    words = ["tools/lab/simulate", "-n", str(RANKS), "--ranks-per-node", str(RANKS_PER_NODE), "--program", PROGRAM]
    return [*words, "--", "0", "--plant", str(RANKS_PER_NODE)]
