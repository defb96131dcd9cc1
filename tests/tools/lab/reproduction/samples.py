"""Made-up records of runs, for tests that measure nothing."""

HEADER = {"record": "header", "version": "0.1.0"}


def result(choice="ring", count=1024, delay=0.0, wrong=0):
    return {
        "record": "result", "algorithm": choice.split(":")[0], "choice": choice, "count": count, "delay_ms": delay,
        "wrong_elements": wrong,
    }  # fmt: skip
