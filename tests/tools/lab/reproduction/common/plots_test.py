"""Line plots as SVG files."""
import tempfile
import unittest
from pathlib import Path

from reproduction.common import plots


@unittest.skipUnless(plots.is_available(), f"there is no {plots.PACKAGE}")
class Plots(unittest.TestCase):
    def drawn(self, folder, bound=5):
        lines = [
            plots.Line("ring", [0, 1], [10, 20], [(9, 11), (18, 22)]),
            plots.Line("paper, ring", [0, 1], [12, 21], is_paper=True, like="ring"),
        ]
        path = Path(folder) / "plot.svg"
        plots.draw([plots.Panel("title", "delay, ms", "time, ms", lines, categories=[0, 1], bound=bound)], path)
        return path.read_bytes()

    def test_the_same_plot_has_the_same_bytes(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(self.drawn(folder), self.drawn(folder))

    def test_a_bound_may_be_a_line(self):
        with tempfile.TemporaryDirectory() as folder:
            text = self.drawn(folder, plots.Line("least", [0, 1], [5, 6])).decode()
            self.assertIn(">least</text>", text)
            self.assertNotIn("bound n beta", text)

    def test_text_stays_text(self):
        with tempfile.TemporaryDirectory() as folder:
            text = self.drawn(folder).decode()
            for part in ("delay, ms", "time, ms", "ring", "paper, ring", "bound n beta"):
                self.assertIn(f">{part}</text>", text)


if __name__ == "__main__":
    unittest.main()
