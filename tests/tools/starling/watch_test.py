"""`starling watch` on a terminal: watch_test.py STARLING EXAMPLES."""

import fcntl
import os
import pty
import select
import shutil
import signal
import sqlite3
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest
from pathlib import Path

STARLING, EXAMPLES = sys.argv[1:3]
LEAVES_SCREEN = b"\x1b[?1049l"  # of an xterm
MOST_SECONDS = 60


class Watch:
    """The command on a terminal of its own."""

    def __init__(self, database, *options, lines=30, columns=120, **variables):
        environment = {name: text for name, text in os.environ.items() if name not in ("NO_COLOR", "COLUMNS", "LINES")}
        self.ours, theirs = pty.openpty()
        self.resize(lines, columns)
        self.process = subprocess.Popen(
            [STARLING, "watch", "--db", database, "--interval", "100ms", *options],
            stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True,
            env={**environment, "TERM": "xterm", **variables})  # fmt: skip
        os.close(theirs)
        self.text = b""

    def resize(self, lines, columns):
        fcntl.ioctl(self.ours, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def type(self, keys):
        os.write(self.ours, keys)

    def read(self, seconds):
        """False at the end."""
        if not select.select([self.ours], [], [], seconds)[0]:
            return True
        try:
            piece = os.read(self.ours, 65536)
        except OSError:  # the end, on Linux
            return False
        self.text += piece
        return piece != b""

    def shows(self, *wanted):
        """What the terminal gets until it has got all of these; they are forgotten then."""
        ends = time.monotonic() + MOST_SECONDS
        while not all(text in self.text for text in wanted):
            assert time.monotonic() < ends and self.read(1), (wanted, self.text)
        text, self.text = self.text, b""
        return text

    def end(self):
        """The exit code, and what the terminal got at last."""
        ends = time.monotonic() + MOST_SECONDS
        while self.read(1):
            assert time.monotonic() < ends, self.text
        code = self.process.wait(timeout=MOST_SECONDS)
        os.close(self.ours)
        return code, self.text


class WatchTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        subprocess.run([EXAMPLES, self.folder.name], check=True, timeout=MOST_SECONDS)
        self.database = str(Path(self.folder.name, "example.db"))

    def test_shows_a_run_and_quits(self):
        watch = Watch(self.database)
        watch.shows(b"Run 2, app", b"pressure", b"sorted by", b"TIME", b"\x1b[32m")
        watch.type(b"c")
        watch.shows(b"CALLS")
        watch.type(b"r")
        watch.shows(b"reversed")
        watch.type(b"q")
        code, text = watch.end()
        self.assertEqual(code, 0)
        self.assertIn(LEAVES_SCREEN, text)

    def test_waits_for_a_run(self):
        with tempfile.TemporaryDirectory() as folder:
            database = str(Path(folder, "tuning.db"))
            watch = Watch(database)
            watch.shows(b"waiting for the file")
            shutil.copy(self.database, f"{database}.part")
            os.rename(f"{database}.part", database)
            watch.shows(b"Run 2, app", b"pressure")
            watch.type(b"q")
            self.assertEqual(watch.end()[0], 0)

    def test_follows_the_size_of_the_terminal(self):
        watch = Watch(self.database, lines=6)
        self.assertNotIn(b"Run 2, app", watch.shows(b"pressure", b"sorted by"))
        watch.resize(40, 120)
        os.kill(watch.process.pid, signal.SIGWINCH)
        watch.shows(b"Run 2, app", b"Solver::norm")
        watch.type(b"Q")
        self.assertEqual(watch.end()[0], 0)

    def test_gives_the_terminal_back_when_it_is_ended(self):
        for ends in (signal.SIGINT, signal.SIGTERM, signal.SIGQUIT, signal.SIGHUP):
            watch = Watch(self.database)
            watch.shows(b"pressure")
            os.kill(watch.process.pid, ends)
            code, text = watch.end()
            self.assertNotEqual(code, 0)
            self.assertIn(LEAVES_SCREEN, text)

    def test_ends_with_its_terminal(self):
        watch = Watch(self.database)
        watch.shows(b"pressure")
        os.close(watch.ours)
        self.assertNotEqual(watch.process.wait(timeout=MOST_SECONDS), 0)

    def test_has_colours_unless_refused(self):
        watch = Watch(self.database, NO_COLOR="1")
        self.assertNotIn(b"\x1b[32m", watch.shows(b"pressure", b"sorted by"))
        watch.type(b"q")
        self.assertEqual(watch.end()[0], 0)

    def refused(self, *words, **options):
        process = subprocess.run([STARLING, "watch", *words], capture_output=True, text=True, timeout=MOST_SECONDS,
                                 check=False, **options)  # fmt: skip
        self.assertEqual((process.stdout, process.stderr.count("\n")), ("", 1))
        return process.returncode, process.stderr

    def test_refuses_what_it_cannot_do(self):
        here = ("--db", self.database)
        for words, code, sentence in (
            (here, 2, "watch needs a terminal"),
            ((*here, "--run", "all"), 2, "one run is watched at a time"),
            ((*here, "--run", "9"), 1, "there is no run 9"),
            ((*here, "--interval", "2"), 2, "--interval"),
            ((*here, "--interval", "1ms"), 2, "not between 100ms and 3600s"),
            ((*here, "--sort", "colour"), 2, "there is no column 'colour'"),
            (("--db", EXAMPLES), 1, "database"),
        ):
            found, text = self.refused(*words, stdin=subprocess.DEVNULL)
            self.assertEqual(found, code, text)
            self.assertIn(sentence, text)

    def test_ends_without_a_word_where_nobody_can_read_it(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            process = subprocess.run([STARLING, "nope"], stderr=full, timeout=MOST_SECONDS, check=False)
        self.assertEqual(process.returncode, 2)

    def test_refuses_an_unknown_terminal(self):
        for name, sentence in (("teletype-of-1901", b"TERM is 'teletype-of-1901'"), ("dumb", b"cannot place text")):
            watch = Watch(self.database, TERM=name)
            code, text = watch.end()
            self.assertEqual(code, 2)
            self.assertIn(sentence, text)

    def test_goes_on_while_the_database_is_locked(self):
        watch = Watch(self.database)
        watch.shows(b"pressure")
        with sqlite3.connect(self.database, isolation_level=None) as writer:
            writer.execute("BEGIN EXCLUSIVE")
            watch.shows(b"not read", b"lock")
            watch.type(b"r")
            watch.shows(b"reversed")
            writer.execute("ROLLBACK")
            watch.type(b"q")
            self.assertEqual(watch.end()[0], 0)

    def test_shows_labels_in_any_language(self):
        with sqlite3.connect(self.database) as database:
            database.execute("UPDATE sites SET label = 'größe' WHERE label = 'pressure'")
        watch = Watch(self.database, LC_ALL="C")
        watch.shows("größe".encode(), b"settled", b"sorted by")
        watch.type(b"q")
        self.assertEqual(watch.end()[0], 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
