"""Runs a command of the user's in a batch system, for as long as it may take."""
import contextlib
import os
import re
import signal
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
TIMED_OUT = 124
# A job of another Slurm, in which this may run, is unknown here.
OTHER_SLURM = re.compile(r"(SLURM|SBATCH|SALLOC)_(?!CONF$)")


class Interrupted(Exception):
    """A signal that asks to end; its argument is the signal's number."""


def interrupt(number, _frame):
    raise Interrupted(number)


def environment_of(slurm):
    """What the command sees: Slurm, the programs of the build, and what Open MPI needs where ranks share cores."""
    built = Path(os.environ.get("STARLING_BUILD", ROOT / "build" / "release")) / "bin"
    environment = {name: value for name, value in slurm.environment().items() if not OTHER_SLURM.match(name)}
    environment["PATH"] = f"{built.resolve()}:{environment.get('PATH', '/usr/bin:/bin')}"
    environment["TMPDIR"] = "/tmp"  # which each node has for itself
    environment.setdefault("OMPI_MCA_mpi_yield_when_idle", "1")
    environment.setdefault("OMPI_ALLOW_RUN_AS_ROOT", "1")
    environment.setdefault("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
    return environment


def run(slurm, command, limit, complain):
    """Returns the command's exit status. Where it takes longer than `limit` seconds, or this process is interrupted,
    the command and the jobs that came with it are ended.
    """
    before = slurm.jobs()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, interrupt)
    process = None
    try:
        process = subprocess.Popen(command, env=environment_of(slurm))
        status = process.wait(timeout=limit)
        return status if status >= 0 else 128 - status
    except subprocess.TimeoutExpired:
        complain(f"the command did not end within {limit} s and is ended")
        return TIMED_OUT
    except Interrupted as reason:
        return 128 + reason.args[0]
    except OSError as fault:
        complain(f"cannot start {command[0]}: {fault.strerror}")
        return 127 if isinstance(fault, FileNotFoundError) else 126
    finally:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        if process is not None and process.poll() is None:
            slurm.cancel(slurm.jobs() - before)
            end(process)


def end(process):
    """Ends a process that may heed a signal or not."""
    for seconds in (5, 5):
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=seconds)
            return
        process.terminate()
    process.kill()
    process.wait()
