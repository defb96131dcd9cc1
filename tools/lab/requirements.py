"""What the tools of the laboratory need of the machine that they run on."""
import shutil


class UsageError(Exception):
    """Something that the user can mend; its text says how."""


class MachineError(UsageError):
    """The machine, not the command line, is what the user can mend."""


def find_tool(name, package):
    path = shutil.which(name)
    if not path:
        raise MachineError(f"there is no {name} here: install the Debian package {package} (tools/setup does)")
    return path
