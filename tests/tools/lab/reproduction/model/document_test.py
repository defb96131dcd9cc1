"""The documents of the cost model, from made-up times."""
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from reproduction.common import candidates, records
from reproduction.model import document, emulated, many_ranks, runs
from samples import HEADER, result


class ModelDocuments(unittest.TestCase):
    VALUES = {
        "alpha_us": 4.0, "overhead_us": 0.5, "release_us": 3.5, "beta_ns": 8.0, "gamma_ns": 0.0, "shared": True,
    }  # fmt: skip

    def written(self, module, cases):
        """The document, as if the ring had always been fastest and slt been predicted to be."""
        header = {**HEADER, "mpi": "SMPI Version 3.32. Copyright", "model": self.VALUES}
        times = {"ring": (2.0, 3.0), "slt:segments=8": (2.5, 2.4)}
        results = [
            {**result(name, delay=delay), "post_arrival_ms": {"mean": time, "p50": time}, "modelled_ms": predicted}
            for delay in {case.delay for case in cases}
            for name, (time, predicted) in times.items()
        ]
        outcome = records.Outcome(header, results, "2026-01-01", "")
        cache = mock.Mock(load=lambda run: outcome)
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(records, "measure", return_value=[outcome]):
            made, _ = module.write(Path(folder), cache, 1)
            self.assertEqual(made, runs.runs_of(cases))
            return (Path(folder) / module.FILE).read_text(encoding="utf-8")

    @mock.patch.object(candidates, "of_call", return_value=("ring", "slt:segments=8"))
    def test_documents_have_every_case_and_say_what_loses(self, _):
        written = (
            (document, runs.simulated_cases()), (emulated, runs.emulated_cases()),
            (many_ranks, runs.many_ranks_cases()),
        )  # fmt: skip
        for module, cases in written:
            with self.subTest(module=module):
                text = self.written(module, cases)
                for case in cases:
                    self.assertIn(f"| {case.text()} | -1.00 | 25.0 % | `slt` | `ring` | 2.00 |", text)
                self.assertIn("`slt` 2.50 (-4.0 %) | `ring` 2.00 (+50.0 %)", text)
                self.assertIn(runs.runs_of(cases)[0].text(), text)

    def test_values_of_the_model_are_told_with_their_range(self):
        others = ({}, {"alpha_us": 5.0, "shared": False})
        outcomes = [records.Outcome({"model": self.VALUES | other}, [], "", "") for other in others]
        self.assertEqual(
            document.model_text(outcomes),
            "alpha 4 to 5 us, overhead 0.5 us, release 3.5 us, beta 8 ns per byte, gamma 0 ns per byte; ports shared "
            "in 1 of 2 runs",
        )


if __name__ == "__main__":
    unittest.main()
