"""Leaves out what the checklists of CONTRIBUTING ask for, and expects check_checklists to find each of it."""

import tempfile
import unittest
from pathlib import Path

import check_checklists

CLEAN_TREE = {
    "src/algos/catalogue_rows.inc": "STARLING_ALGORITHM(star, kStarRow)\n",
    "src/algos/star.cc": "constexpr Algorithm kStarRow{};\n",
    "docs/algorithms.md": "| 0 | star | - |\n",
    "tools/starling/commands.cc": '    {"greet", "Say hello", setUpGreet, false},\n'
    '    {"doctor",\n     "Check", setUpDoctor, true},\n',
    "tools/starling/commands.h": "Action setUpGreet(CLI::App&, const Globals&);\nAction setUpDoctor(CLI::App&);\n",
    "tools/starling/CMakeLists.txt": "  doctor_command.cc greet_command.cc\n",
    "tools/starling/greet_command.cc": "Action setUpGreet(CLI::App&, const Globals&) {}\n",
    "tools/starling/doctor_command.cc": "Action setUpDoctor(CLI::App&) {}\n",
    "tests/tools/starling/program_test.cc": 'run("greet --json"); run("doctor");\n',
    "src/base/options.cc": '    {"STARLING_MODE", "off | on", "on"},\n',
    "tests/base/options_test.cc": '{"STARLING_MODE", {}},\n',
    "README.md": "`greet`, `doctor -- PROGRAM`\n",
    "CONTRIBUTING.md": " ".join(f"`{path}`" for path in check_checklists.NAMED),
}


class CheckChecklistsTest(unittest.TestCase):
    def violations(self, changed):
        """Checks the clean tree with files that read otherwise ({path: text})."""
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            for name, text in {**CLEAN_TREE, **changed}.items():
                path = root / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            return check_checklists.check(root)

    def assert_found(self, path, text, message):
        self.assertEqual(self.violations({path: text}), [message])

    def test_clean_tree_has_no_violation(self):
        self.assertEqual(self.violations({}), [])

    def test_finds_an_algorithm_whose_file_lacks_its_row(self):
        self.assert_found(
            "src/algos/star.cc", "constexpr Algorithm kOtherRow{};",
            "src/algos/catalogue_rows.inc: star: src/algos/star.cc has no kStarRow",
        )  # fmt: skip

    def test_finds_an_algorithm_that_is_registered_twice(self):
        self.assert_found(
            "src/tuner/candidates.cc", "if (row == kStarRow) {}",
            "src/tuner/candidates.cc: names kStarRow: the list of rows is to be the only place that does",
        )  # fmt: skip

    def test_finds_an_algorithm_that_the_catalogue_page_lacks(self):
        self.assert_found(
            "docs/algorithms.md", "| 0 | stars | - |",
            "src/algos/catalogue_rows.inc: star: docs/algorithms.md does not list it",
        )  # fmt: skip

    def test_finds_a_command_that_is_not_declared(self):
        self.assert_found(
            "tools/starling/commands.h", "Action setUpDoctor(CLI::App&);",
            "tools/starling/commands.cc: greet: commands.h does not declare setUpGreet",
        )  # fmt: skip

    def test_finds_a_command_whose_file_is_not_built(self):
        self.assert_found(
            "tools/starling/CMakeLists.txt", "doctor_command.cc meet_and_greet_command.cc",
            "tools/starling/commands.cc: greet: CMakeLists.txt lists no file that has setUpGreet",
        )  # fmt: skip

    def test_finds_a_command_that_no_test_runs(self):
        self.assert_found(
            "tests/tools/starling/program_test.cc", 'run("greetings"); run("doctor");',
            "tools/starling/commands.cc: greet: no test in tests/tools/starling runs it",
        )  # fmt: skip

    def test_finds_a_command_that_the_readme_lacks(self):
        self.assert_found("README.md", "`greet`", "tools/starling/commands.cc: doctor: README.md does not name it")

    def test_finds_an_option_without_a_case(self):
        self.assert_found(
            "tests/base/options_test.cc", "",
            "src/base/options.cc: STARLING_MODE: tests/base/options_test.cc has no case for it",
        )  # fmt: skip

    def test_finds_a_checklist_that_forgets_a_file(self):
        self.assert_found(
            "CONTRIBUTING.md", " ".join(f"`{path}`" for path in check_checklists.NAMED[1:]),
            "CONTRIBUTING.md: does not name src/algos/catalogue_rows.inc",
        )  # fmt: skip


if __name__ == "__main__":
    unittest.main()
