"""examples/training/train.py with Starling and without: training_test.py TRAIN_PY STARLING MPIRUN [OPTION]..."""
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TRAIN, STARLING, *MPIRUN = sys.argv[1:]
MISSING = [name for name in ("torch", "mpi4py", "sklearn", "tqdm") if importlib.util.find_spec(name) is None]
RANKS, STEPS = 4, 3
LIMIT = 400  # seconds
# The association of reproducible mode.
RECURSIVE_DOUBLING = ("--mca", "coll_tuned_use_dynamic_rules", "1", "--mca", "coll_tuned_allreduce_algorithm", "3")


class TrainingTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = Path(self.folder.name)

    def train(self, launcher, log, *words):
        """Returns what is logged of a short training."""
        result = subprocess.run([*launcher, TRAIN, "--epochs", "1", "--numbers", str(2 * STEPS), "--hidden", "16",
                                 "--quiet", "--log", self.path / log, *words], capture_output=True, text=True,
                                timeout=LIMIT, check=False)  # fmt: skip
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        return json.loads((self.path / log).read_text(encoding="utf-8"))

    def test_losses_are_equal_with_and_without_starling_in_reproducible_mode(self):
        os.environ.update(STARLING_DB=str(self.path / "tuning.db"), STARLING_REPRODUCIBLE="1")
        plain = self.train([*MPIRUN, *RECURSIVE_DOUBLING, "-n", str(RANKS)], "plain.json")
        tuned = self.train([STARLING, "run", "-n", str(RANKS), "--"], "tuned.json")
        self.assertEqual(plain["ranks"], RANKS)
        self.assertEqual([epoch["loss"] for epoch in plain["epochs"]], [epoch["loss"] for epoch in tuned["epochs"]])
        sites = subprocess.run([STARLING, "sites", "--json"], capture_output=True, text=True, check=True)
        gradients = [site for site in json.loads(sites.stdout) if site["bytes"] == plain["bytes"]]
        self.assertEqual([site["calls"] for site in gradients], [STEPS])

    def test_what_is_not_understood_is_said(self):
        result = subprocess.run([TRAIN, "--epochs", "0"], capture_output=True, text=True, timeout=LIMIT, check=False)
        self.assertEqual(result.returncode, 2)
        self.assertIn("0 is not 1 or more", result.stderr)


if __name__ == "__main__":
    if MISSING:
        print("skipped: these packages of python are missing (tools/setup installs them):", *MISSING)
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
