"""Plants violations in a small tree and expects check_layers to find each of them, and nothing else."""

import tempfile
import unittest
from pathlib import Path

import check_layers

CLEAN_TREE = {
    "include/starling/starling.h": "#include <mpi.h>\n",
    "src/base/status.h": "#include <string>\n",
    "src/algos/ring.cc": '#include "algos/ring.h"\n\n#include "base/status.h"\n',
    "src/algos/ring.h": "#include <vector>\n",
    "src/estimators/fit.cc": '#include <Eigen/Dense>\n#include "base/status.h"\n',
    "src/store/database.cc": '#include <sqlite3.h>\n#include <filesystem>\n#include "base/status.h"\n',
    "src/tuner/tuner.cc": '#include "algos/ring.h"\n#include "store/database.h"\n#include "estimators/fit.h"\n',
    "src/mpi/session.cc": '#include <mpi.h>\n#include "tuner/tuner.h"\n#include "starling/starling.h"\n',
    "src/preload/wrappers.cc": '#include <mpi.h>\n#include "mpi/session.h"\n',
    "tools/starling/main.cc": '#include "store/database.h"\n',
}


class CheckLayersTest(unittest.TestCase):
    def violations(self, planted):
        """Checks the clean tree with the planted files ({path: text}) added to it."""
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            for name, text in {**CLEAN_TREE, **planted}.items():
                path = root / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            return check_layers.check(root)

    def assert_found(self, path, include, why):
        found = self.violations({path: f"// A comment.\n#include {include}\n"})
        self.assertEqual(len(found), 1, found)
        self.assertIn(path, found[0])
        self.assertIn(why, found[0])

    def test_clean_tree_has_no_violation(self):
        self.assertEqual(self.violations({}), [])

    def test_every_arrow_against_the_order_is_found(self):
        order = ["base", "schedule", "algos", "simulator", "estimators", "store", "tuner", "mpi", "preload"]
        siblings = [{planner, other} for planner in order[1:4] for other in order[4:6]] + [{"estimators", "store"}]
        planted = 0
        for layer in order:
            for target in order:
                backwards = order.index(target) > order.index(layer)
                if backwards or {layer, target} in siblings:
                    self.assert_found(f"src/{layer}/planted.cc", f'"{target}/thing.h"', "may include only from")
                    planted += 1
        self.assertEqual(planted, 36 + 7)

    def test_every_arrow_between_rooms_against_the_order_is_found(self):
        self.assert_found("src/mpi/execution/planted.cc", '"mpi/exchange/thing.h"', "of its layer only from")
        self.assert_found("src/mpi/execution/planted.cc", '"mpi/session.h"', "of its layer only from")
        self.assert_found("src/mpi/machine/planted.h", '"mpi/rooted/thing.h"', "of its layer only from")
        self.assert_found("src/tuner/rooted/planted.h", '"tuner/tuner.h"', "of its layer only from")
        self.assertEqual(self.violations({"src/mpi/rooted/new.cc": '#include "mpi/execution/executor.h"\n'}), [])
        self.assertEqual(self.violations({"src/mpi/new.cc": '#include "mpi/rooted/calls.h"\n'}), [])

    def test_unknown_room_is_found(self):
        found = self.violations({"src/mpi/helpers/planted.cc": "#include <string>\n"})
        self.assertEqual(len(found), 1, found)
        self.assertIn("src/mpi/helpers is no room", found[0])

    def test_layers_are_found_in_angle_brackets_and_odd_spacing_too(self):
        self.assert_found("src/base/planted.h", "<mpi/session.h>", "may include only from")
        found = self.violations({"src/algos/planted.cc": '  #  include   "tuner/tuner.h" // why not\n'})
        self.assertEqual(len(found), 1, found)

    def test_mpi_is_found_outside_its_layers(self):
        for layer in ["base", "algos", "estimators", "store", "tuner"]:
            self.assert_found(f"src/{layer}/planted.cc", "<mpi.h>", "know MPI")
            self.assert_found(f"src/{layer}/planted.cc", '"starling/starling.h"', "know MPI")

    def test_sqlite_is_found_outside_the_store_and_in_a_second_file(self):
        for layer in ["base", "algos", "estimators", "tuner", "mpi", "preload"]:
            found = self.violations({f"src/{layer}/planted.cc": "#include <sqlite3.h>\n"})
            self.assertIn("only src/store knows SQLite", found[0])
        found = self.violations({"src/store/second.cc": '#include "sqlite3.h"\n'})
        self.assertTrue(any("one file only" in sentence for sentence in found), found)
        self.assert_found("tools/starling/planted.cc", "<sqlite3.h>", "through src/store")

    def test_eigen_is_found_outside_the_estimators(self):
        for layer in ["base", "algos", "store", "tuner", "mpi", "preload"]:
            self.assert_found(f"src/{layer}/planted.cc", "<Eigen/Core>", "knows Eigen")
            self.assert_found(f"src/{layer}/planted.cc", "<eigen3/Eigen/Core>", "knows Eigen")

    def test_files_and_time_are_found_where_they_must_not_be_known(self):
        self.assert_found("src/algos/planted.cc", "<fstream>", "knows no files")
        self.assert_found("src/estimators/planted.cc", "<filesystem>", "knows no files")
        self.assert_found("src/algos/planted.cc", "<chrono>", "knows no time")
        self.assert_found("src/algos/planted.cc", '"base/clock.h"', "knows no time")

    def test_paths_around_the_layers_are_found(self):
        self.assert_found("src/store/planted.cc", '"../tuner/tuner.h"', "begins with its layer")
        self.assert_found("src/store/planted.cc", '"codec.h"', "begins with its layer")
        self.assert_found("include/starling/planted.h", '"mpi/session.h"', "stand alone")

    def test_unknown_folder_is_found(self):
        found = self.violations({"src/utils/planted.cc": "#include <string>\n"})
        self.assertEqual(len(found), 1, found)
        self.assertIn("src/utils is no layer", found[0])


if __name__ == "__main__":
    unittest.main()
