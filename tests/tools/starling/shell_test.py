"""Manual pages, what shells complete, and colours on a terminal: shell_test.py STARLING.

What `--help` shows is the measure: each command and each option has to be in each page and script.
"""

import os
import pty
import re
import shutil
import subprocess
import sys
import tempfile
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
