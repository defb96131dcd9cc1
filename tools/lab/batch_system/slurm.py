"""A Slurm whose controller and nodes are all on this machine."""
import contextlib
import os
import shutil
import subprocess

from requirements import MachineError, find_tool

from batch_system import daemons, place
from batch_system.configuration import slurm_conf

PROGRAMS = {
    "munged": "munge", "slurmctld": "slurmctld", "slurmd": "slurmd", "srun": "slurm-client",
    "unshare": "util-linux", "hostname": "hostname",
}  # fmt: skip
PATIENCE_S = 120  # of a machine that has much else to do


def check_machine():
    if os.geteuid() != 0:
        raise MachineError("Slurm's daemons and their namespaces need root; run this with sudo")
    for program, package in PROGRAMS.items():
        find_tool(program, package)
    probe = [*daemons.NAMESPACES, "sh", "-c", "hostname probe && mount --bind /tmp /tmp"]
    made = subprocess.run(probe, capture_output=True, text=True, check=False)
    if made.returncode != 0:
        raise MachineError(f"this machine makes no namespaces (a container needs --privileged): {made.stderr.strip()}")


class Slurm:
    def __init__(self, name):
        self.folder = place.STATE_ROOT / name
        self.configuration = self.folder / "slurm.conf"
        self.shape_file = self.folder / "shape"  # written last: it is there only when all is

    def shape(self):
        """The options of `up`, or None where that has not come to its end."""
        return self.shape_file.read_text(encoding="utf-8").strip() if self.shape_file.exists() else None

    def is_up(self):
        pid_files = list(self.folder.glob("*.pid"))
        return self.shape() is not None and pid_files != [] and all(map(daemons.running_pid, pid_files))

    def require_up(self):
        if self.is_up():
            return
        if self.folder.exists():
            raise MachineError("Slurm is not whole; run: tools/lab/slurm down, then up")
        raise MachineError("Slurm is down; run: tools/lab/slurm up")

    def up(self, nodes, cpus):
        """Starts all daemons; returns whether that was needed."""
        shape = f"-n {nodes} --cpus {cpus}"
        if self.is_up():
            if self.shape() != shape:
                raise MachineError(f"Slurm is up with another shape ({self.shape()}); run: tools/lab/slurm down")
            return False
        self.down()
        try:
            self.start(nodes, cpus)
        except BaseException:
            self.down()
            raise
        self.shape_file.write_text(shape + "\n", encoding="utf-8")
        return True

    def start(self, nodes, cpus):
        names = [f"n{index}" for index in range(1, nodes + 1)]
        self.make_folders(names)
        ports = place.free_ports(1 + nodes)
        self.configuration.write_text(slurm_conf(self.folder, ports, cpus), encoding="utf-8")
        self.start_munge()
        options = ["-D", "-f", str(self.configuration)]
        self.start_daemon("controller", "controller", ["slurmctld", *options])
        for name in names:
            self.start_daemon(name, name, ["slurmd", *options, "-N", name], self.folder / name / "tmp")
        self.wait_for("the nodes are not ready", lambda: self.idle_nodes() == nodes)

    def make_folders(self, nodes):
        for each in ("munge", "controller", *(f"{node}/spool" for node in nodes)):
            (self.folder / each).mkdir(parents=True)
        self.folder.chmod(0o755)  # as munged wants its socket's folders
        for node in nodes:
            files = self.folder / node / "tmp"
            files.mkdir()
            files.chmod(0o1777)

    def start_munge(self):
        munge = self.folder / "munge"
        key = munge / "key"
        key.touch(mode=0o600)
        key.write_bytes(os.urandom(128))
        options = [f"--{what}-file={munge / what}" for what in ("key", "pid", "log", "seed")]
        self.start_daemon("munge", "controller", ["munged", "--foreground", f"--socket={munge / 'socket'}", *options])
        self.wait_for("munged has no socket", (munge / "socket").exists)

    def start_daemon(self, name, host, command, files=None):
        daemons.start(self.folder / f"{name}.pid", self.folder / f"{name}.log", host, command, files)

    def wait_for(self, complaint, holds):
        """Waits until this holds, or a daemon has ended."""
        ended = []

        def is_decided():
            ended[:] = [each for each in self.folder.glob("*.pid") if not daemons.running_pid(each)]
            return ended or holds()

        daemons.wait_until(is_decided, PATIENCE_S, f"{complaint} within {PATIENCE_S} s")
        for pid_file in ended:
            log = pid_file.with_suffix(".log").read_text(encoding="utf-8", errors="replace").strip()
            raise MachineError(f"{pid_file.stem} does not start; it says: {log.rpartition(chr(10))[2] or 'nothing'}")

    def down(self):
        """Ends all daemons and jobs, and removes the folder."""
        self.end_jobs()
        self.shape_file.unlink(missing_ok=True)  # from here on it is not whole, also when this is interrupted
        for pid_file in sorted(self.folder.glob("*.pid")):
            daemons.end(pid_file)
        if self.folder.exists():
            shutil.rmtree(self.folder)

    def end_jobs(self):
        """A command that waits for a job hears of its end from the daemons only. Jobs that do not heed this end with
        the daemons.
        """
        self.cancel(self.jobs())
        with contextlib.suppress(MachineError):
            daemons.wait_until(lambda: not self.jobs(), 30, "jobs do not end")

    def environment(self):
        return {**os.environ, "SLURM_CONF": str(self.configuration)}

    def ask(self, *command, patience_s=PATIENCE_S):
        """What a command of Slurm prints, in words; none where it fails, as it does when there is no controller."""
        if not daemons.running_pid(self.folder / "controller.pid"):
            return []
        asked = subprocess.run(
            ["timeout", str(patience_s), *command], env=self.environment(), capture_output=True, text=True, check=False
        )
        return asked.stdout.split() if asked.returncode == 0 else []

    def idle_nodes(self):
        # A controller that ends meanwhile is not waited for: sinfo would try for a minute to reach it.
        return self.ask("sinfo", "--noheader", "--Node", "--format=%T", patience_s=5).count("idle")

    def jobs(self):
        """The numbers of all jobs that wait or run."""
        return set(self.ask("squeue", "--noheader", "--format=%A"))

    def cancel(self, jobs):
        if jobs:
            self.ask("scancel", *sorted(jobs))
