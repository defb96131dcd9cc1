"""What tools/lab/reproduce says to its arguments, and the runs of all its documents; nothing is measured here."""
import importlib
import importlib.machinery
import importlib.util
import subprocess
import sys
import unittest
from pathlib import Path

from reproduction.bound import emulated as bound_emulated
from reproduction.bound import runs as bound
from reproduction.common import index, plots
from reproduction.emulated import runs as emulated_runs
from reproduction.links import runs as links
from reproduction.proficz import runs as proficz
from reproduction.training import emulated as training_emulated
from reproduction.training import runs as training

REPRODUCE = Path(__file__).resolve().parents[3] / "tools" / "lab" / "reproduce"
loader = importlib.machinery.SourceFileLoader("reproduce", str(REPRODUCE))
reproduce = importlib.util.module_from_spec(importlib.util.spec_from_loader("reproduce", loader))
loader.exec_module(reproduce)


class Documents(unittest.TestCase):
    def test_every_document_has_a_module_that_writes_it_and_a_line_in_the_index(self):
        files = {}
        for name, file, _ in index.DOCUMENTS:
            files.setdefault(name, []).append(file)
        self.assertEqual(list(files), list(reproduce.DOCUMENTS))
        for name, module in reproduce.DOCUMENTS.items():
            writer = importlib.import_module(f"reproduction.{module}")
            self.assertTrue(callable(writer.write))
            # One writes another document on a larger machine.
            self.assertEqual(getattr(writer, "FILES", None) or [writer.FILE], files[name])

    def test_every_picture_has_a_module_that_draws_it_and_a_page_that_shows_it(self):
        readme = (REPRODUCE.parents[2] / "README.md").read_text(encoding="utf-8")
        for name, module in reproduce.PICTURES.items():
            writer = importlib.import_module(f"reproduction.{module}")
            self.assertTrue(callable(writer.write))
            self.assertIn(f"](docs/{writer.FILE})", readme)
            self.assertIn(f"`tools/lab/reproduce {name}`", readme)

    def test_no_two_runs_of_a_document_share_a_record(self):
        runs = [*proficz.fixed_runs(), *proficz.tuned_runs(), *bound.all_runs()]
        runs += [*training.all_runs(), *links.all_runs(), *map(training_emulated.run_of, training_emulated.CASES)]
        for setup in emulated_runs.SETUPS:
            runs += [*emulated_runs.together_runs(setup), *emulated_runs.single_runs(setup)]
            runs += [case.run() for case in bound_emulated.cases(setup)]
        distinct = set(runs)
        self.assertEqual(len({run.key() for run in distinct}), len(distinct))


class CommandLine(unittest.TestCase):
    def refused(self, *arguments):
        """What is said to arguments that are refused."""
        process = subprocess.run(
            [sys.executable, str(REPRODUCE), *arguments], capture_output=True, text=True, check=False
        )
        self.assertEqual(process.returncode, 2, process.stderr)
        return process.stderr

    def test_an_unknown_document_is_refused_and_the_known_ones_are_named(self):
        known = (
            "proficz, training, marendic, soga, bound, model, model-many-ranks, cluster, bound-cluster, "
            "model-cluster, training-cluster, clocks, phases, links, learning, harmless, node, node-cluster, "
            "programs, pytorch, whatif, timeline and all"
        )
        self.assertIn(f"'nonsense' is none of {known}", self.refused("nonsense"))

    def test_no_jobs_are_refused(self):
        self.assertIn("--jobs 0: give 1 or more", self.refused("--jobs", "0"))

    def test_an_output_that_cannot_be_made_is_told(self):
        for name in ("cluster", "timeline"):
            process = subprocess.run(
                [sys.executable, str(REPRODUCE), name, "--output", "/dev/null/folder"],
                capture_output=True, text=True, check=False,
            )  # fmt: skip
            self.assertEqual(process.returncode, 1)
            self.assertIn("/dev/null/folder" if plots.is_available() else plots.PACKAGE, process.stderr)
            self.assertEqual(len(process.stderr.splitlines()), 1)


if __name__ == "__main__":
    unittest.main()
