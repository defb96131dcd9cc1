"""Opens reports in headless Chromium: no console message, the figures of the other commands, texts that stay texts.

    report_browser_test.py STARLING REPORT_EXAMPLES

Skips itself (exit code 77) where there is no Chromium.
"""

import json
import shutil
import subprocess
import sys
import tempfile
import unittest
from html.parser import HTMLParser
from pathlib import Path

STARLING, EXAMPLES = sys.argv[1:3]
SKIPPED = 77
SCRIPT_LABEL = "<script>alert(1)</script></script><b>{{title}}&amp;<!--"


class Page(HTMLParser):
    """Reads tables, texts, plots and tags of a document."""

    def __init__(self, document):
        super().__init__()
        self.tables = {}  # caption -> rows of (text, value)
        self.plots = []  # what is said in their place
        self.tags = []
        self.text = ""
        self._table = self._cell = None
        self._is_silent = False
        self.feed(document)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.tags.append(tag)
        self._is_silent = tag in ("script", "style")
        if tag == "svg" and attributes.get("role") == "img":
            self.plots.append(attributes["aria-label"])
        if tag == "table":
            self._table = []
        elif tag in ("caption", "td", "th"):
            self._cell = ["", None]
            if tag == "caption":
                self.caption = self._cell
            else:
                self._table[-1].append(self._cell)
        elif tag == "tr":
            self._table.append([])
        elif tag == "data" and self._cell is not None:
            self._cell[1] = attributes["value"]

    def handle_endtag(self, tag):
        if tag in ("caption", "td", "th"):
            self._cell = None
        elif tag == "table":
            self.tables[self.caption[0]] = self._table
            self._table = None
        self._is_silent = False

    def handle_data(self, data):
        if self._is_silent:
            return
        self.text += data
        if self._cell is not None:
            self._cell[0] += data


def starling(command, database):
    done = subprocess.run([STARLING, *command.split(), "--db", database], capture_output=True, text=True, check=True)
    return done.stdout


class Browser(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="starling-report-")
        cls.addClassCleanup(cls.folder.cleanup)
        subprocess.run([EXAMPLES, cls.folder.name], check=True)

    def path(self, name):
        return str(Path(self.folder.name) / name)

    def opened(self, database, options="", place=""):
        """The document as it is once its scripts have run; whatever they say on the console is a fault."""
        page = self.path("report.html")
        starling(f"report -o {page} {options}", self.path(database))
        command = [
            CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
            "--disable-background-networking", "--disable-extensions",
            f"--user-data-dir={self.path('profile')}", "--window-size=1280,6000", "--virtual-time-budget=5000",
            "--enable-logging=stderr", "--dump-dom", f"file://{page}{place}",
        ]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
        said = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
        self.assertEqual(said, [])
        return Page(done.stdout)

    def column(self, table, title):
        place = [cell[0] for cell in table[0]].index(title)
        return [row[place] for row in table[1:]]

    def assert_figures(self, cells, figures):
        """Cells show these figures, and nothing where a figure is not known."""
        self.assertEqual(
            [float(value) if value is not None else None for _, value in cells],
            [float(figure) if figure is not None else None for figure in figures],
        )

    def test_figures_are_those_of_the_commands(self):
        page = self.opened("example.db", place="#all")
        database = self.path("example.db")
        sites = json.loads(starling("sites --json", database))
        keys = json.loads(starling("summary --json", database))["keys"]
        table = page.tables["Sites, most time in allreduce first"]
        self.assertEqual([text for text, _ in self.column(table, "Where")], [site["where"] for site in sites])
        for title, field in (("Calls", "calls"), ("Time", "seconds"), ("Gain", "gain"), ("Size", "bytes")):
            self.assert_figures(self.column(table, title), [site[field] for site in sites])
        self.assert_figures(self.column(table, "Waiting"), [key["waiting"] for key in keys])
        for line in starling("summary", database).splitlines()[:-1]:
            self.assertIn(line, page.text)
        for line in starling("explain 1", database).splitlines():
            self.assertIn(line, page.text)
        self.assertEqual(page.text.count("In words"), len(sites), "every site is open")
        self.assertTrue(any(plot.startswith("Lateness of 4 ranks") for plot in page.plots), page.plots)
        self.assertTrue(any("95% intervals" in plot for plot in page.plots), page.plots)

    def test_two_runs(self):
        page = self.opened("example.db", "--compare 1 2")
        sites = json.loads(starling("sites --run 1 --json", self.path("example.db")))
        table = page.tables["Sites before and after: time in allreduce, mean over the ranks of their communicator"]
        self.assert_figures(self.column(table, "Time, Run 1")[:1], [sites[0]["seconds"]])
        self.assertTrue(any(plot.startswith("Time per call of ") for plot in page.plots), page.plots)

    def test_texts_stay_texts(self):
        page = self.opened("script.db", place="#all")
        self.assertIn(SCRIPT_LABEL, page.text)
        self.assertNotIn("b", page.tags)
        drawn = [plot for plot in page.plots if plot.startswith("One call of 4 ranks")]
        self.assertEqual(len(drawn), 2, "what is in force, and what stands for native")
        self.assertEqual(page.tags.count("script"), 4)
        self.assertIn(["Program", None], page.tables["Environment"][1])
        self.assertIn([SCRIPT_LABEL, None], page.tables["Environment"][1])

    def test_a_run_without_calls(self):
        page = self.opened("silent.db")
        self.assertIn("No allreduce was recorded", page.text)
        self.assertNotIn("Site by site", page.text)


if __name__ == "__main__":
    CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
    if CHROMIUM is None:
        print("skipped: there is no chromium; tools/setup installs it")
        sys.exit(SKIPPED)
    unittest.main(argv=sys.argv[:1])
