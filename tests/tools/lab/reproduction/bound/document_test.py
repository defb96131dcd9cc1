"""The document of the bounds, from made-up times."""
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from reproduction.bound import document, runs, targets
from reproduction.bound.results import Results
from reproduction.common import plots, records


class BoundDocument(unittest.TestCase):
    @unittest.skipUnless(plots.is_available(), f"there is no {plots.PACKAGE}")
    def test_the_document_is_written_whole(self):
        """From times that were never measured: 2 n beta for the ring, and 1.9 for every other row."""

        class Measured(Results):
            def __init__(self, cache, jobs):
                header = {"version": "0", "mpi": "an MPI"}
                self.runs = runs.all_runs()
                self.outcomes = [records.Outcome(header, [], "2026-01-01", "")]
                self.by_case = {
                    case: {
                        row: {"choice": row, "post_arrival_ms": {"mean": case.wire() * (2 if row == "ring" else 1.9)}}
                        for row in case.rows()
                    }
                    for case in runs.all_cases()
                }

        with tempfile.TemporaryDirectory() as folder, mock.patch.object(document, "Results", Measured):
            document.write(Path(folder), None, 1)
            text = (Path(folder) / document.FILE).read_text(encoding="utf-8")
            self.assertTrue((Path(folder) / "bound-delay.svg").exists())
            self.assertTrue((Path(folder) / "bound-late-ranks.svg").exists())
        for group in targets.groups():
            self.assertIn(f"## {group.title}", text)
        self.assertIn("**One rank late**: blocks that", text)


if __name__ == "__main__":
    unittest.main()
