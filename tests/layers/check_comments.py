"""Checks that no file names a document that its reader does not have: papers go by author and year, not by a number
that only their collector knows, and what an unpublished design says is said anew. Prints each violation; exits 1 if
there is one.

    check_comments.py PROJECT_ROOT
"""

import re
import sys
from pathlib import Path

FOLDERS = ("src", "include", "tools", "tests", "docs", "examples", "cmake")
PAGES = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "CMakeLists.txt")
DRAWINGS = (".svg", ".png", ".pyc")

# Between two words of a sentence; in a comment it may go on in the next line.
GAP = r"(?:[ \t]+|[ \t]*\n[ \t]*(?://+!?|#+|\*|--)?[ \t]*)"
NUMBER = r"(?:\d+|[NX]\b)"

# What is looked for, and what to write in its place.
PATTERNS = (
    (re.compile(rf"\bseeds?{GAP}0\d\d\b|\(seed{GAP}{NUMBER}", re.IGNORECASE), "name the paper: author and year"),
    (
        re.compile(rf"\bdesign(?:'s)?,?{GAP}(?:sections?|chapters?|invariants?|§){GAP}?{NUMBER}", re.IGNORECASE),
        "say what it says: the reader does not have that document",
    ),
    (
        re.compile(r"\bdesign\.md\b|\.\./shared\b|\breference/\w+\.md\b"),
        "say what it says: the reader does not have that document",
    ),
)


def texts(root):
    """Yields (path, text) of every file that is read by people."""
    files = [path for folder in FOLDERS for path in sorted((root / folder).rglob("*")) if path.is_file()]
    for path in [*files, *(root / page for page in PAGES if (root / page).is_file())]:
        if path.suffix not in DRAWINGS:
            yield path, path.read_text(encoding="utf-8", errors="replace")


def check(root):
    """Returns the violations in the tree, one sentence each."""
    return [
        f"{path.relative_to(root)}:{text.count(chr(10), 0, found.start()) + 1}: "
        f"'{' '.join(found.group().split())}': {remedy}"
        for path, text in texts(root)
        for pattern, remedy in PATTERNS
        for found in pattern.finditer(text)
    ]


def main():
    root = Path(sys.argv[1]).resolve()
    count = sum(1 for _ in texts(root))
    if count == 0:
        sys.exit(f"no files under {root}: is this the project's root?")
    violations = check(root)
    print("\n".join(violations) if violations else f"{count} files name no document that readers do not have")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
