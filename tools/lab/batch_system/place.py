"""Where a batch system keeps what it has: one folder, which goes with it."""
import contextlib
import fcntl
import os
import random
import re
import socket
import time
from pathlib import Path

from requirements import MachineError, UsageError

# Not /tmp, which each node has for itself, and not /run, from which a job's script may not be started.
STATE_ROOT = Path("/var/lib/starling-lab")
NAME = re.compile(r"[a-z][a-z0-9-]{0,19}")


def lab_name():
    name = os.environ.get("STARLING_LAB_NAME", "starling")
    if not NAME.fullmatch(name):
        raise UsageError(
            f"STARLING_LAB_NAME is '{name}', which is no name; take up to 20 small letters, digits and hyphens"
        )
    return name


def open_root():
    """STATE_ROOT as an open folder, made where it is missing."""
    STATE_ROOT.mkdir(parents=True, exist_ok=True)
    return os.open(STATE_ROOT, os.O_RDONLY)


def is_root(descriptor):
    """Whether the folder is STATE_ROOT still, and not one that has been removed since it was opened."""
    return STATE_ROOT.exists() and os.path.samestat(os.fstat(descriptor), os.stat(STATE_ROOT))


@contextlib.contextmanager
def locked(seconds=30):
    """One `up` or `down` at a time. STATE_ROOT goes with the last batch system."""
    deadline = time.monotonic() + seconds
    while True:
        descriptor = open_root()
        with contextlib.suppress(BlockingIOError):
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if is_root(descriptor):
                break
        os.close(descriptor)
        if time.monotonic() > deadline:
            raise MachineError(f"another up or down has been at work for {seconds} s; try again when it is done")
        time.sleep(0.1)
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            STATE_ROOT.rmdir()  # not where another batch system has its folder in it
        os.close(descriptor)


def free_ports(count):
    """Ports of this machine that nothing uses now, and that no connection is given by the kernel."""
    ports = []
    for port in random.sample(range(16000, 32000), 1000):
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            ports.append(port)
        if len(ports) == count:
            return ports
    raise MachineError(f"this machine has no {count} free ports between 16000 and 32000")
