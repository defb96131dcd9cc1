"""Starts and ends the daemons of a batch system, each known by its pid file.

Each daemon has a PID namespace of its own, whose first process is a shell: when that is killed, the kernel ends
everything that the daemon has started, jobs included. So nothing can be left running, whatever a job does.
"""
import contextlib
import os
import signal
import subprocess
import time
from pathlib import Path

from requirements import MachineError

BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
NAMESPACES = ["unshare", "--mount", "--uts", "--pid", "--fork", "--mount-proc", "--kill-child"]

# The shell begins when it is told that the pid file is written, reaps what jobs leave to it, and ends with the daemon.
# $1 is the host's name, $2 what is mounted on /tmp.
FIRST_PROCESS = """
read -r begin && hostname "$1" && { [ -z "$2" ] || mount --bind "$2" /tmp; } && shift 2 || exit
"$@" </dev/null &
wait $!
"""


def start(pid_file, log, host, command, files=None):
    """Starts a daemon that stays in the foreground, on a host of this name, with the folder `files` as its /tmp."""
    wrapped = [*NAMESPACES, "sh", "-c", FIRST_PROCESS, "sh", host, str(files or ""), *command]
    with open(log, "ab") as output:
        process = subprocess.Popen(
            wrapped, stdin=subprocess.PIPE, stdout=output, stderr=output, cwd="/", start_new_session=True
        )
    pid_file.write_text(f"{process.pid} {start_time(process.pid)} {BOOT_ID.read_text()}")
    with contextlib.suppress(BrokenPipeError), process.stdin:  # broken: it has ended, and its log says why
        process.stdin.write(b"begin\n")


def start_time(pid):
    """When the process started, in ticks since the machine did; None when there is none, or only its exit status."""
    try:
        state, *fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return None
    return None if state in "ZX" else int(fields[18])


def running_pid(pid_file):
    """The process that the file names; None where it has ended, though another may have its number by now."""
    try:
        pid, started, boot = pid_file.read_text(encoding="utf-8").split()
    except (OSError, ValueError):
        return None
    is_same = boot == BOOT_ID.read_text().strip() and str(start_time(int(pid))) == started
    return int(pid) if is_same else None


def children(pid):
    with contextlib.suppress(OSError):
        return [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="utf-8").split()]
    return []


def end(pid_file):
    """Ends a daemon and everything that it has started."""
    pid = running_pid(pid_file)
    if pid is not None:
        # unshare ends when the namespace is empty, and not before; so not unshare is killed but its only child.
        for first in children(pid) or [pid]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(first, signal.SIGKILL)
        wait_until(lambda: running_pid(pid_file) is None, 30, f"process {pid} of {pid_file} does not end")
    pid_file.unlink(missing_ok=True)


def wait_until(holds, seconds, complaint):
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            raise MachineError(complaint)
        time.sleep(0.05)
