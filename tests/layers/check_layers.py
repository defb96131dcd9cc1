"""Checks the arrows of the layers and of the rooms within them: which folder of src may include what. Prints each
violation; exits 1 if there is one.

    check_layers.py PROJECT_ROOT
"""

import re
import sys
from pathlib import Path

# Each layer, and the layers it may include from besides itself.
LAYERS = {
    "base": [],
    "schedule": ["base"],
    "algos": ["base", "schedule"],
    "simulator": ["base", "schedule", "algos"],
    "estimators": ["base"],
    "node": ["base"],
    "store": ["base"],
    "summary": ["base", "store"],
    "tuner": ["base", "schedule", "algos", "simulator", "estimators", "store"],
    "mpi": ["base", "schedule", "algos", "simulator", "estimators", "store", "summary", "node", "tuner"],
    "preload": ["base", "mpi"],
}

# Rooms: folders within a layer, and the rooms of the same layer that they may include from besides themselves. The
# files that lie in the layer's own folder may include from all of its rooms.
ROOMS = {
    "tuner/rooted": [],
    "mpi/execution": [],
    "mpi/exchange": ["mpi/execution"],
    "mpi/machine": ["mpi/execution"],
    "mpi/rest": ["mpi/execution", "mpi/machine"],
    "mpi/rooted": ["mpi/execution", "mpi/exchange", "mpi/machine"],
}

# Headers from outside, and the folders that may include them: what a layer "must not know".
MPI_HEADERS = re.compile(r"(mpi|mpi-ext|mpio|starling/.*)\.h$")
SQLITE_HEADER = re.compile(r"sqlite3(ext)?\.h$")
EIGEN_HEADERS = re.compile(r"(eigen3/)?(unsupported/)?Eigen/")
FILE_HEADERS = re.compile(r"(fstream|filesystem|fcntl\.h|unistd\.h|sys/stat\.h)$")
TIME_HEADERS = re.compile(r"(chrono|ctime|time\.h|sys/time\.h|base/clock\.h)$")

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
SOURCE_SUFFIXES = {".h", ".hpp", ".c", ".cc", ".cpp", ".inc", ".in"}


def sources(folder):
    return sorted(path for path in folder.rglob("*") if path.suffix in SOURCE_SUFFIXES)


def includes(path):
    """Yields (line number, 'quoted or angled' mark, header) of every include of the file."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        found = INCLUDE.match(line)
        if found:
            yield number, found.group(1), found.group(2)


def outside_fault(layer, header):
    """Why `layer` may not include this header from outside, or None."""
    if MPI_HEADERS.match(header) and layer not in ("mpi", "preload"):
        return "only src/mpi and src/preload know MPI"
    if SQLITE_HEADER.match(header) and layer != "store":
        return "only src/store knows SQLite"
    if EIGEN_HEADERS.match(header) and layer != "estimators":
        return "only src/estimators knows Eigen"
    if FILE_HEADERS.match(header) and layer in ("schedule", "algos", "simulator", "estimators"):
        return f"src/{layer} knows no files"
    if TIME_HEADERS.match(header) and layer in ("schedule", "algos", "simulator"):
        return f"src/{layer} knows no time"
    return None


def layer_fault(layer, mark, header):
    """Why `layer` may not include this header of the project, or None."""
    target = header.split("/")[0]
    if "/" in header and target in LAYERS:
        if target != layer and target not in LAYERS[layer]:
            return f"src/{layer} may include only from: {', '.join([layer] + LAYERS[layer])}"
        return None
    if mark == '"' and target != "starling":
        return "a quoted include begins with its layer, as in \"base/status.h\""
    return None


def room_fault(room, header):
    """Why the files of `room` (of a layer, or of a folder in it) may not include this header of their layer, or None."""
    target = header.rpartition("/")[0]
    if room not in ROOMS or target.split("/")[0] != room.split("/")[0] or target in [room] + ROOMS[room]:
        return None
    return f"src/{room} may include of its layer only from: {', '.join([room] + ROOMS[room])}"


def check(root):
    """Returns the violations in the tree, one sentence each."""
    violations = []

    def violation(path, number, header, why):
        violations.append(f"{path.relative_to(root)}:{number}: includes {header}: {why}")

    sqlite_users = set()
    for folder in sorted(path for path in (root / "src").iterdir() if path.is_dir()):
        if folder.name not in LAYERS:
            violations.append(f"src/{folder.name} is no layer: add it to {Path(__file__).name}")
            continue
        for room in sorted(path for path in folder.iterdir() if path.is_dir()):
            if f"{folder.name}/{room.name}" not in ROOMS:
                violations.append(f"src/{folder.name}/{room.name} is no room: add it to {Path(__file__).name}")
        for path in sources(folder):
            room = path.parent.relative_to(root / "src").as_posix()
            for number, mark, header in includes(path):
                why = outside_fault(folder.name, header) or layer_fault(folder.name, mark, header) or room_fault(room, header)
                if why:
                    violation(path, number, header, why)
                if SQLITE_HEADER.match(header):
                    sqlite_users.add(path.relative_to(root).as_posix())
    if len(sqlite_users) > 1:
        violations.append(f"sqlite3.h belongs in one file only, it is in {', '.join(sorted(sqlite_users))}")
    for path in sources(root / "include"):
        for number, mark, header in includes(path):
            if mark == '"' and not header.startswith("starling/"):
                violation(path, number, header, "public headers stand alone")
    for path in sources(root / "tools"):
        for number, _, header in includes(path):
            if SQLITE_HEADER.match(header):
                violation(path, number, header, "tools read the database through src/store")
    return violations


def main():
    root = Path(sys.argv[1]).resolve()
    count = sum(len(sources(root / "src" / layer)) for layer in LAYERS)
    if count == 0:
        sys.exit(f"no sources under {root}/src: is this the project's root?")
    violations = check(root)
    print("\n".join(violations) if violations else f"{count} files of {len(LAYERS)} layers keep the arrows")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
