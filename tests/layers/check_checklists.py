"""Checks that algorithms, commands and options were added as CONTRIBUTING says: each is registered where the checklist
has it, and an algorithm nowhere else. Prints each violation; exits 1 if there is one.

    check_checklists.py PROJECT_ROOT
"""

import re
import sys
from pathlib import Path

ROWS = "src/algos/catalogue_rows.inc"
ROW = re.compile(r"^STARLING_ALGORITHM\((\w+), (\w+)\)", re.MULTILINE)
COMMANDS = "tools/starling/commands.cc"
COMMAND = re.compile(r'^\s*\{"([\w-]+)",.*?(setUp\w+)', re.MULTILINE | re.DOTALL)
OPTIONS = "src/base/options.cc"
OPTION = re.compile(r'^\s*\{"(STARLING_\w+)"', re.MULTILINE)
CHECKLIST = "CONTRIBUTING.md"
# What the checklists have to name, so that they and this file stay one.
NAMED = (
    ROWS, "docs/algorithms.md", COMMANDS, "tools/starling/commands.h", "tools/starling/CMakeLists.txt",
    "src/store/records.h", "src/store/record_fields.h", "src/store/schema.h", OPTIONS, "src/base/options.h",
    "tests/base/options_test.cc",
)  # fmt: skip


def read(path):
    """Empty where there is no such file."""
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def texts(folder, pattern):
    return {path: read(path) for path in sorted(folder.rglob(pattern))}


def algorithm_faults(root):
    """Yields what the catalogue's rows lack, and where else they are named."""
    sources = texts(root / "src", "*.*")
    pages = read(root / "docs" / "algorithms.md")
    for name, row in ROW.findall(read(root / ROWS)):
        file = root / "src" / "algos" / f"{name}.cc"
        if not re.search(rf"\b{row}\b", read(file)):
            yield f"{ROWS}: {name}: src/algos/{name}.cc has no {row}"
        if f"| {name} |" not in pages:
            yield f"{ROWS}: {name}: docs/algorithms.md does not list it"
        for path, text in sources.items():
            if path not in (file, root / ROWS) and re.search(rf"\b{row}\b", text):
                yield f"{path.relative_to(root)}: names {row}: the list of rows is to be the only place that does"


def command_faults(root):
    """Yields what the rows of commands lack."""
    folder = root / "tools" / "starling"
    header, listed = read(folder / "commands.h"), read(folder / "CMakeLists.txt")
    sources = texts(folder, "*_command*.cc")
    tests = "\n".join(texts(root / "tests" / "tools" / "starling", "*_test.cc").values())
    for name, function in COMMAND.findall(read(root / COMMANDS)):
        defining = [path.name for path, text in sources.items() if f"Action {function}(" in text]
        if f"Action {function}(" not in header:
            yield f"{COMMANDS}: {name}: commands.h does not declare {function}"
        if not any(re.search(rf"(?<![\w]){re.escape(file)}\b", listed) for file in defining):
            yield f"{COMMANDS}: {name}: CMakeLists.txt lists no file that has {function}"
        if not re.search(rf'"{name}[" ]', tests):
            yield f"{COMMANDS}: {name}: no test in tests/tools/starling runs it"
        if not re.search(rf"`{name}[` ]", read(root / "README.md")):
            yield f"{COMMANDS}: {name}: README.md does not name it"


def option_faults(root):
    """Yields what the rows of options lack."""
    cases = read(root / "tests" / "base" / "options_test.cc")
    for name in OPTION.findall(read(root / OPTIONS)):
        if f'"{name}"' not in cases:
            yield f"{OPTIONS}: {name}: tests/base/options_test.cc has no case for it"


def check(root):
    """Returns the violations in the tree, one sentence each."""
    checklist = read(root / CHECKLIST)
    missing = [f"{CHECKLIST}: does not name {path}" for path in NAMED if f"`{path}`" not in checklist]
    return [*missing, *algorithm_faults(root), *command_faults(root), *option_faults(root)]


def main():
    root = Path(sys.argv[1]).resolve()
    counts = [
        len(pattern.findall(read(root / file)))
        for pattern, file in ((ROW, ROWS), (COMMAND, COMMANDS), (OPTION, OPTIONS))
    ]
    if 0 in counts:
        sys.exit(f"no algorithms, commands or options under {root}: is this the project's root?")
    violations = check(root)
    print("\n".join(violations) if violations else "{} algorithms, {} commands and {} options".format(*counts)
          + " are registered as CONTRIBUTING says")  # fmt: skip
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
