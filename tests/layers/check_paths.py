"""Checks that the documents tell the truth about where things are: every path of the project that they name exists,
every command in tools/ can be run and knows the options that it is named with, every link leads somewhere, and every
preset is there. Prints each violation; exits 1 if there is one.

    check_paths.py PROJECT_ROOT
"""

import json
import os
import re
import sys
from pathlib import Path

# A path from the root, wherever it stands in the text; not the end of a longer path or of an address.
FOLDERS = "src|include|tools|tests|docs|examples|cmake"
PATH = re.compile(rf"(?<![\w./~$<>{{}}-])(?:\./)?((?:{FOLDERS})/[\w./*+-]*)")
# A file without a folder: it lies in the root or beside the page.
FILE = re.compile(r"(?<![\w./<*-])(?:[\w-]+\.md|CMake\w+\.(?:txt|json)|LICENSE|\.clang-\w+)(?![\w/])")
LINK = re.compile(r"\]\(([^)#\s]+)[^)]*\)")
# A command of tools/ with the options that follow it.
COMMAND = re.compile(r"(?<![\w./])(?:\./)?(tools/[\w/]+)((?:[ ]--[a-z][\w-]*)+)")
PRESET = re.compile(r"\b(cmake --build|cmake|ctest) --preset[= ](\w+)")
PRESET_KINDS = {"cmake": "configurePresets", "cmake --build": "buildPresets", "ctest": "testPresets"}


def pages(root):
    found = [root / name for name in ("README.md", "CONTRIBUTING.md")]
    return [page for page in found if page.is_file()] + sorted((root / "docs").rglob("*.md"))


def path_fault(root, name):
    """Why nothing is where `name` says, or None. A star stands for any name."""
    if "*" in name:
        return None if any(root.glob(name.rstrip("/"))) else "nothing matches it"
    path = root / name
    if not path.exists() or (name.endswith("/") and not path.is_dir()):
        return "there is no such file or folder"
    if name.startswith("tools/") and path.is_file() and not path.suffix and not os.access(path, os.X_OK):
        return "it is named as a command, and cannot be executed"
    return None


def presets(root, command):
    """The names that `command --preset` takes."""
    text = (root / "CMakePresets.json").read_text(encoding="utf-8")
    return {preset["name"] for preset in json.loads(text)[PRESET_KINDS[command]] if not preset.get("hidden")}


def place_faults(root, page, line):
    """Yields (what is named, what is wrong with it) of the files and folders in one line."""
    for found in PATH.findall(line):
        name = found.rstrip(".,-+")
        why = path_fault(root, name)
        if why:
            yield name, why
    for name in FILE.findall(line):
        if not (root / name).exists() and not (page.parent / name).exists():
            yield name, "there is no such file"
    for target in LINK.findall(line):
        if "://" not in target and not (page.parent / target).exists():
            yield target, "the link leads nowhere"


def command_faults(root, line):
    """Yields (what is named, what is wrong with it) of the commands in one line."""
    for name, options in COMMAND.findall(line):
        script = root / name
        text = script.read_text(encoding="utf-8") if script.is_file() else ""
        for option in options.split():
            if option not in text:
                yield f"{name} {option}", "the command has no such option"
    for command, name in PRESET.findall(line):
        if name not in presets(root, command):
            yield f"{command} --preset {name}", "CMakePresets.json has no such preset"


def check(root):
    """Returns the violations of all pages, one sentence each."""
    return [
        f"{page.relative_to(root)}:{number}: '{name}': {why}"
        for page in pages(root)
        for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1)
        for name, why in (*place_faults(root, page, line), *command_faults(root, line))
    ]


def main():
    root = Path(sys.argv[1]).resolve()
    count = len(pages(root))
    if count == 0:
        sys.exit(f"no pages under {root}: is this the project's root?")
    violations = check(root)
    print("\n".join(violations) if violations else f"{count} pages name only what is there")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
