"""Manual pages, what shells complete, and colours on a terminal: shell_test.py STARLING.

What `--help` shows is the measure: each command and each option has to be in each page and script.
"""

import os
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

STARLING = sys.argv[1]
SHELLS = ("bash", "zsh", "fish")


def said(*words, code=0, **options):
    process = subprocess.run([STARLING, *words], capture_output=True, text=True, timeout=60, check=False, **options)
    assert process.returncode == code, (words, process.stderr)
    return process.stdout if code == 0 else process.stderr


def commands():
    listed = said("--help").partition("\nSubcommands:\n")[2]
    return re.findall(r"^  (\S+)", listed, re.MULTILINE)


def long_options(*command):
    """The options that `--help` shows, as --sites."""
    return set(re.findall(r"^  (?:-\w,)?(--[\w-]+)", said(*command, "--help"), re.MULTILINE))


def complete(*words):
    """What bash offers for the last of these words."""
    line = ["starling"]
    for word in words:  # bash parts words at '='
        line += re.findall(r"=|[^=]+", word) or [""]
    script = "source /dev/stdin; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _starling; printf '%s\\n' \"${COMPREPLY[@]}\""
    process = subprocess.run(["bash", "-c", script, "bash", *line], input=said("completions", "bash"),
                             capture_output=True, text=True, timeout=60, check=False)  # fmt: skip
    assert process.returncode == 0 and process.stderr == "", process.stderr
    return process.stdout.splitlines() if process.stdout.strip() else []


def complete_in_fish(line):
    """What fish offers for the last word of the line, without descriptions."""
    script = 'source (starling completions fish | psub); complete -C "$argv"'
    process = subprocess.run(["fish", "--no-config", "-c", script, line], capture_output=True, text=True, timeout=60,
                             check=False, env=os.environ | {"PATH": path_with_starling()})  # fmt: skip
    assert process.returncode == 0 and process.stderr == "", process.stderr
    return [offer.partition("\t")[0] for offer in process.stdout.splitlines()]


def path_with_starling():
    return f"{Path(STARLING).resolve().parent}:{os.environ['PATH']}"


class Zsh:
    """zsh on a terminal, with its completion system and the script; `with` starts and ends it."""

    SHOW = b"\x18"  # Ctrl-X shows the line as it stands, and drops it
    LIMIT = 60.0

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        Path(self.folder.name, "_starling").write_text(said("completions", "zsh"), encoding="utf-8")
        program = Path(self.folder.name, "some_program")
        program.touch(mode=0o755)
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.environ.update(TERM="dumb", COLUMNS="200", PATH=f"{self.folder.name}:{path_with_starling()}")
            os.execvp("zsh", ["zsh", "--no-rcs", "-i"])
        self.type(f"fpath=({self.folder.name} $fpath); autoload -U compinit; compinit -u -D\n")
        self.type("show() { print -r -- \"<$BUFFER>\"; BUFFER=; zle accept-line }; zle -N show; bindkey ^X show\n")
        self.type("print -r -- '<'ready'>'\n")
        assert self.shown() == "ready"
        return self

    def __exit__(self, *_):
        os.close(self.terminal)  # which ends it
        os.waitpid(self.process, 0)
        self.folder.cleanup()

    def type(self, text):
        os.write(self.terminal, text.encode())

    def shown(self):
        """The next text between < and > at the end of a line."""
        output = b""
        end = time.monotonic() + self.LIMIT
        while not (found := re.search(rb"<([^<>\n]*)>\r\n", output)):
            assert time.monotonic() < end, output
            if select.select([self.terminal], [], [], 1.0)[0]:
                output += os.read(self.terminal, 65536)
        return found[1].decode()

    def complete(self, line):
        """The line when the tabulator was pressed behind it."""
        self.type(line + "\t")
        os.write(self.terminal, self.SHOW)
        return self.shown()


class CompletionsTest(unittest.TestCase):
    def test_scripts_have_each_command_and_option(self):
        for shell in SHELLS:
            script = said("completions", shell)
            for command in commands():
                self.assertRegex(script, rf"\b{command}\b", shell)
                for option in long_options(command):
                    name = f" -l {option[2:]} " if shell == "fish" else option
                    self.assertIn(name, script, f"{shell}: {command}")

    def test_bash_offers_commands(self):
        self.assertEqual(set(complete("")), set(commands()))
        self.assertEqual(complete("arr"), ["arrivals"])
        self.assertEqual(complete("--db", "x", "arr"), ["arrivals"])
        self.assertEqual(complete("--db=x", "arr"), ["arrivals"])

    def test_bash_offers_options_of_each_command(self):
        for command in commands():
            wanted = long_options(command) | (long_options() - {"--version", "--help"})
            self.assertEqual(set(word for word in complete(command, "--")), wanted, command)
        self.assertEqual(set(complete("--")), {"--help", "--version", "--db", "--color"})

    def test_bash_offers_values(self):
        self.assertIn("imbalance", complete("sites", "--sort", ""))
        self.assertEqual(complete("sites", "--sort", "imb"), ["imbalance"])
        self.assertEqual(complete("sites", "--sort=imb"), ["imbalance"])
        self.assertEqual(complete("sites", "--run", "l"), ["latest"])
        self.assertEqual(complete("--color", ""), ["auto", "always", "never"])
        self.assertEqual(complete("run", "--mode", "o"), ["off", "observe"])
        self.assertEqual(complete("export", "--format", "c"), ["csv"])
        self.assertEqual(complete("algorithms", "rabens"), ["rabenseifner"])
        self.assertEqual(complete("completions", "z"), ["zsh"])
        self.assertEqual(complete("man", "sit"), ["sites"])
        self.assertEqual(complete("sites", "--limit", ""), [])

    def test_bash_offers_files_and_programs(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "a policy.json")
            file.touch()
            for words in (("import",), ("--db",), ("export", "--output"), ("run", "-n", "2", "--", "app")):
                self.assertEqual(complete(*words, str(file)[:-3]), [str(file)], words)
            self.assertEqual(complete("sites", str(file)[:-3]), [])
        self.assertIn("bash", complete("run", "--", "bas"))
        self.assertEqual(complete("run", "--", "./app", "--mo"), [])

    def test_other_shells_accept_the_scripts(self):
        missing = []
        for shell in ("zsh", "fish"):
            if not shutil.which(shell):
                missing.append(shell)
                continue
            with tempfile.NamedTemporaryFile("w", suffix=f".{shell}") as file:
                file.write(said("completions", shell))
                file.flush()
                process = subprocess.run([shell, "-n", file.name], capture_output=True, text=True, timeout=60, check=False)
                self.assertEqual((process.returncode, process.stderr), (0, ""), shell)
        if missing:
            self.skipTest(f"not installed, so not tried: {', '.join(missing)}")

    @unittest.skipUnless(shutil.which("fish"), "fish is not installed")
    def test_fish_offers_what_bash_does(self):
        self.assertEqual(set(complete_in_fish("starling ")), set(commands()))
        for line, offers in (
            ("starling arr", ["arrivals"]),
            ("starling --db x arr", ["arrivals"]),
            ("starling --db=x arr", ["arrivals"]),
            ("starling sites --sort imb", ["imbalance"]),
            ("starling sites --sort=imb", ["--sort=imbalance"]),
            ("starling --color ", ["always", "auto", "never"]),
            ("starling export --format c", ["csv"]),
            ("starling algorithms rabens", ["rabenseifner"]),
            ("starling run -n 2 -- ./app --mo", []),
            ("starling run -- starling arr", ["arrivals"]),
            ("starling sites tests_of_no_si", []),
        ):
            self.assertEqual(sorted(complete_in_fish(line)), offers, line)
        self.assertIn("bash", complete_in_fish("starling run -n 2 -- bas"))
        with tempfile.NamedTemporaryFile(suffix=".json") as file:
            for words in ("import", "--db", "export --output", "run -- cat"):
                self.assertEqual(complete_in_fish(f"starling {words} {file.name[:-3]}"), [file.name], words)

    @unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
    def test_zsh_completes_what_bash_does(self):
        with Zsh() as zsh, tempfile.NamedTemporaryFile(suffix=".json") as file:
            for line, completed in (
                ("starling arr", "starling arrivals "),
                ("starling --db x arr", "starling --db x arrivals "),
                ("starling sites --sort imb", "starling sites --sort imbalance "),
                ("starling sites --sort=imb", "starling sites --sort=imbalance "),
                ("starling export --format c", "starling export --format csv "),
                ("starling algorithms rabens", "starling algorithms rabenseifner "),
                ("starling run --dry", "starling run --dry-run "),
                ("starling run -- some_prog", "starling run -- some_program "),
                ("starling run -n 2 -- ./app --dry", "starling run -n 2 -- ./app --dry"),
                ("starling sites tests_of_no_si", "starling sites tests_of_no_si"),
                (f"starling import {file.name[:-3]}", f"starling import {file.name} "),
                (f"starling run -- cat {file.name[:-3]}", f"starling run -- cat {file.name} "),
            ):
                self.assertEqual(zsh.complete(line), completed)

    def test_another_shell_is_refused(self):
        self.assertIn("there is no shell 'fsh': use one of bash, zsh, fish; did you mean", said("completions", "fsh", code=2))


class ManualTest(unittest.TestCase):
    def plain(self, *command):
        """The page as man shows it, without typography."""
        page = said("man", *command)
        groff = shutil.which("groff")
        if not groff:
            self.skipTest("groff is not installed")
        process = subprocess.run([groff, "-man", "-Tascii", "-P-c", "-P-b", "-P-u", "-ww", "-rLL=200n"], input=page,
                                 capture_output=True, text=True, timeout=60, check=False)  # fmt: skip
        self.assertEqual((process.returncode, process.stderr), (0, ""), command)
        return process.stdout

    def test_pages_have_each_command_option_and_variable(self):
        text = self.plain()
        for command in commands():
            self.assertRegex(text, rf"\n +{command}\b")
            self.assertIn(f"starling-{command}(1)", text)
            page = self.plain(command)
            self.assertRegex(page, rf"NAME\n +starling-{command} - \w+")
            for option in long_options(command) | {"--db", "--color"}:
                self.assertRegex(page, rf"\n +[^\n]*{option}\b", command)
        for row in re.findall(r'"variable": "(\w+)"', said("options", "--json")):
            self.assertIn(row, text)

    def test_pages_keep_examples(self):
        self.assertIn("\n           starling run -n 4 --mca btl tcp,self -- ./app\n", self.plain("run"))
        self.assertIn("its number, `latest` or `all`", self.plain("sites"))

    def test_pages_are_written_into_a_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            said("man", "--folder", folder)
            names = {f"starling-{command}.1" for command in commands()} | {"starling.1"}
            self.assertEqual({path.name for path in Path(folder).iterdir()}, names)
            self.assertEqual(Path(folder, "starling-sites.1").read_text(encoding="utf-8"), said("man", "sites"))
        self.assertIn("cannot write", said("man", "--folder", folder, code=1))


class TerminalTest(unittest.TestCase):
    def shown(self, **variables):
        """What a terminal gets of a list."""
        environment = {name: text for name, text in os.environ.items() if name not in ("NO_COLOR", "COLUMNS", "TERM")}
        environment.update({"TERM": "xterm", **variables})
        ours, theirs = pty.openpty()
        with subprocess.Popen([STARLING, "algorithms", "--limit", "1"], stdout=theirs, env=environment) as process:
            os.close(theirs)
            text = b""
            while True:
                try:
                    piece = os.read(ours, 4096)
                except OSError:  # the end, on Linux
                    break
                if not piece:
                    break
                text += piece
            self.assertEqual(process.wait(timeout=60), 0)
        os.close(ours)
        return text

    def test_colours_are_for_terminals_unless_refused(self):
        self.assertIn(b"\x1b[1mNAME", self.shown())
        self.assertIn(b"\x1b[1mNAME", self.shown(NO_COLOR=""))
        self.assertNotIn(b"\x1b", self.shown(NO_COLOR="1"))
        self.assertNotIn(b"\x1b", self.shown(TERM="dumb"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
