"""Plants references to documents that readers do not have, and expects check_comments to find each of them."""

import tempfile
import unittest
from pathlib import Path

import check_comments

# In parts, so that this file is no violation itself.
SEED = "seed"
DESIGN = "design"


class CheckCommentsTest(unittest.TestCase):
    def violations(self, path, text):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
            return check_comments.check(Path(folder))

    def assert_found(self, text, remedy, path="src/base/planted.h"):
        found = self.violations(path, f"#pragma once\n{text}\n")
        self.assertEqual(len(found), 1, found)
        self.assertIn(f"{path}:2: ", found[0])
        self.assertIn(remedy, found[0])

    def test_papers_by_number_are_found(self):
        for words in (f"{SEED} 000", f"({SEED} 001, section 5.5)", f"{SEED}s 003 and 004", f"({SEED} 4)", f"({SEED} N)",
                      f"{SEED.capitalize()} 002", f"after {SEED}\n// 000, figure 9"):  # fmt: skip
            self.assert_found(f"// As in {words}.", "name the paper")

    def test_sections_of_the_design_are_found(self):
        for words in (f"({DESIGN}, section 4)", f"{DESIGN} section 2", f"{DESIGN}, sections 2 and 3",
                      f"the {DESIGN}'s invariant 3", f"({DESIGN},\n// section 4)", f"{DESIGN}.md"):  # fmt: skip
            self.assert_found(f"// As in {words}.", "say what it says")

    def test_files_beside_the_project_are_found(self):
        self.assert_found("// As in .." + "/shared/notes.txt.", "say what it says")
        self.assert_found("// As in reference" + "/style.md.", "say what it says")

    def test_every_folder_and_page_is_read(self):
        for path in ("include/starling/a.h", "tools/lab/script", "tests/base/a_test.cc", "docs/a.md", "README.md",
                     "CONTRIBUTING.md", "CHANGELOG.md", "cmake/a.cmake"):  # fmt: skip
            self.assert_found(f"# As in {SEED} 001", "name the paper", path)

    def test_papers_by_name_and_seeds_of_generators_are_no_violation(self):
        clean = (
            "// After Marendic et al. (2012), section 5.5, whose design differs.\n"
            "std::mt19937 generator(7);  // printed as seed 7, so that a failure can be repeated\n"
            "run --seed 2; seed=000\n"
        )
        self.assertEqual(self.violations("src/base/planted.cc", clean), [])


if __name__ == "__main__":
    unittest.main()
