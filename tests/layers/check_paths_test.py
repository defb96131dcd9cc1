"""Plants names of what is not there in the documents of a small tree, and expects check_paths to find each of them."""

import json
import tempfile
import unittest
from pathlib import Path

import check_paths

PRESETS = {
    "configurePresets": [{"name": "base", "hidden": True}, {"name": "dev"}],
    "buildPresets": [{"name": "dev"}],
    "testPresets": [{"name": "dev"}],
}
CLEAN_TREE = {
    "src/base/options.cc": "",
    "tests/base/options_test.cc": "",
    "tools/lab/gate": "#!/bin/sh\n# --record\n",
    "tools/common/table.h": "",
    "CHANGELOG.md": "",
    "CMakePresets.json": json.dumps(PRESETS),
    "docs/benchmarks/model.md": "",
    "README.md": "See docs/benchmarks/model.md, [the model](docs/benchmarks/model.md), CHANGELOG.md and `src/base/`.\n",
    "CONTRIBUTING.md": "| How? | `src/base/options.cc`, `tools/lab/gate --record`; `cmake --preset dev` |\n",
    "docs/laboratory.md": "`<file>_test.cc`, build/tools/missing, https://a.org/docs/b.md, `sqlite3.h`; "
    "../tools/missing, tests/*/*_test.cc.\n",
}


class CheckPathsTest(unittest.TestCase):
    def violations(self, planted):
        """Checks the clean tree with the planted files ({path: text}) added to it."""
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            for name, text in {**CLEAN_TREE, **planted}.items():
                path = root / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
                path.chmod(0o755 if text.startswith("#!") else 0o644)
            return check_paths.check(root)

    def assert_found(self, text, name, why, page="CONTRIBUTING.md"):
        found = self.violations({page: f"# Title\n{text}\n"})
        self.assertEqual(len(found), 1, found)
        self.assertIn(f"{page}:2: '{name}': ", found[0])
        self.assertIn(why, found[0])

    def test_clean_tree_has_no_violation(self):
        self.assertEqual(self.violations({}), [])

    def test_a_file_that_is_not_there_is_found_on_every_page(self):
        for page in ("README.md", "CONTRIBUTING.md", "docs/laboratory.md", "docs/benchmarks/model.md"):
            self.assert_found("Read src/base/gone.cc.", "src/base/gone.cc", "no such file", page)

    def test_files_are_found_in_backticks_in_tables_and_in_commands(self):
        self.assert_found("| where? | `src/base/gone.h`, for one |", "src/base/gone.h", "no such file")
        self.assert_found("| where? | src/gone |", "src/gone", "no such file")
        self.assert_found("    tools/gone up -n 8", "tools/gone", "no such file")
        self.assert_found("    ./tools/gone", "tools/gone", "no such file")
        self.assert_found("what GONE.md and CHANGELOG.md say", "GONE.md", "no such file")
        self.assert_found("what gone.md says", "gone.md", "no such file")

    def test_a_file_that_is_named_as_a_folder_is_found(self):
        self.assert_found("in `src/base/options.cc/`", "src/base/options.cc/", "no such file or folder")

    def test_a_star_that_matches_nothing_is_found(self):
        self.assert_found("each of tests/*/*_test.py", "tests/*/*_test.py", "nothing matches")

    def test_a_command_that_cannot_be_executed_is_found(self):
        found = self.violations({"tools/lab/cluster": "no script\n", "README.md": "`tools/lab/cluster up`\n"})
        self.assertEqual(len(found), 1, found)
        self.assertIn("cannot be executed", found[0])

    def test_an_option_that_a_command_does_not_have_is_found(self):
        self.assert_found("`tools/lab/gate --record --forget`", "tools/lab/gate --forget", "no such option")

    def test_a_link_that_leads_nowhere_is_found(self):
        self.assert_found("[the model](benchmarks/other.svg)", "benchmarks/other.svg", "leads nowhere", "docs/a.md")

    def test_a_preset_that_is_not_there_is_found(self):
        self.assert_found("`ctest --preset gone`", "ctest --preset gone", "no such preset")
        self.assert_found("`cmake --build --preset gone`", "cmake --build --preset gone", "no such preset")
        self.assert_found("`cmake --preset base`", "cmake --preset base", "no such preset")


if __name__ == "__main__":
    unittest.main()
