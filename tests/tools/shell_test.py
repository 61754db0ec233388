"""Shell completions and the manual page: both are made from the tables of the help, and both are used for real.

usage: shell_test.py PROGRAM [unittest options]
"""

import os
import re
import shutil
import subprocess
import unittest

from program import PROGRAM, Folder, document, output, run

# Reads one command line a line and prints what completes its last word, one line a command line.
DRIVER = """
source "$1"
while IFS= read -r line; do
  read -ra COMP_WORDS <<<"$line"
  case $line in *' ') COMP_WORDS+=('') ;; esac
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
  _tilemeter
  printf '%s\\n' "${COMPREPLY[*]}"
done
"""


def commands():
    """The names of the guide."""
    block = output([]).split("commands:\n")[1].split("\n\n")[0]
    return [line.split()[0] for line in block.splitlines()]


def options_of(command):
    """Every name of every option of a help page, and whether a value follows it."""
    page = output([command, "--help"])
    options = {}
    for line in page.split("options:\n")[1].split("\nexample:\n")[0].splitlines():
        if not line.startswith("  -"):
            continue
        names, _, rest = line.strip().partition(" ")
        for name in names.split(","):
            options[name] = re.match(r"\S", rest) is not None
    return options


def names_of(command, key):
    return [row["name"] for row in document([command])[key]]


class Completions(Folder):
    def setUp(self):
        super().setUp()
        self.script = self.write("completions.bash", output(["completions", "bash"]))
        os.mkdir(self.path("here"))

    def complete(self, lines):
        done = subprocess.run(["bash", "-c", DRIVER, "bash", self.script], input="\n".join(lines) + "\n", text=True,
                              capture_output=True, timeout=60, check=True, cwd=self.path("here"))
        self.assertEqual(done.stderr, "")
        return [line.split() for line in done.stdout.splitlines()]

    def test_subcommands(self):
        everything, some = self.complete(["tilemeter ", "tilemeter co"])
        self.assertEqual(everything, [*commands(), "--help", "--version"])
        self.assertEqual(some, ["count", "complexity", "completions"])

    def test_every_option_of_every_command(self):
        names = commands()
        for name, found in zip(names, self.complete([f"tilemeter {name} -" for name in names])):
            with self.subTest(command=name):
                self.assertEqual(sorted(found), sorted([*options_of(name), "--help"]))

    def test_values_are_those_of_the_program(self):
        expected = {
            "tilemeter count --algorithm ": names_of("algorithms", "algorithms"),
            "tilemeter sweep --device ": names_of("devices", "devices"),
            "tilemeter measure --kernel ": names_of("kernels", "kernels"),
            "tilemeter probe --only ": [row["name"] for row in document(["probe", "list"])["probes"]],
            "tilemeter tables ": [line.split()[0] for line in output(["tables", "--list"]).splitlines()],
            "tilemeter devices show ": names_of("devices", "devices"),
            "tilemeter devices ": ["show"],
            "tilemeter count --format ": ["table", "csv", "json", "md", "html"],
            "tilemeter count --dtype ": ["fp64", "fp32", "fp16", "bf16", "fp8"],
            "tilemeter tune --by ": ["traffic", "time"],
            "tilemeter completions ": ["bash", "zsh", "fish"],
            "tilemeter count --seq ": [],
        }
        for line, found in zip(expected, self.complete(list(expected))):
            with self.subTest(line=line):
                self.assertEqual(found, expected[line])

    def test_keys_of_set_are_those_of_a_device(self):
        keys = [row["key"] for row in document(["devices", "show", "h200"])["facts"]]
        (found,) = self.complete(["tilemeter count --set sm."])
        self.assertTrue(found)
        self.assertLessEqual({key + "=" for key in keys if key.startswith("sm.")}, set(found))

    def test_every_offered_value_is_accepted(self):
        """What completes --algorithm, --mask, --stat-dtype and --variant is read without an error about that option."""
        point = ["count", "--seq", "32", "--head-dim", "16"]
        for option in ["--mask", "--stat-dtype", "--dtype", "--placement", "--empty-lse"]:
            (words,) = self.complete([f"tilemeter count {option} "])
            self.assertTrue(words)
            for word in words:
                value = word + "4:0" if word.endswith(":") else word
                with self.subTest(option=option, value=value):
                    done = run([*point, "--algorithm", "flash2", option, value])
                    self.assertEqual(done.returncode, 0, done.stderr)

    def test_parts_of_words(self):
        self.write("here/point.json", "{}")
        lists, equals, after_equals, files, both = self.complete([
            "tilemeter count --algorithm standard,flash1_", "tilemeter count --dtype = b", "tilemeter count --mode =",
            "tilemeter report po", "tilemeter count --device po"])
        self.assertEqual(lists, ["standard,flash1_backward"])
        self.assertEqual(equals, ["bf16"])
        self.assertEqual(after_equals, ["count", "numeric"])
        self.assertEqual(files, ["point.json"])
        self.assertEqual(both, ["point.json"])

    def test_zsh(self):
        if shutil.which("zsh") is None:
            self.skipTest("no zsh here: its script is not checked")
        script = self.write("_tilemeter", output(["completions", "zsh"]))
        subprocess.run(["zsh", "-n", script], check=True, timeout=60)
        loaded = subprocess.run(
            ["zsh", "-f", "-c", f"autoload -Uz compinit && compinit -D -u && source {script} && print $_comps[tilemeter]"],
            check=True, timeout=60, capture_output=True, text=True)
        self.assertEqual((loaded.stdout, loaded.stderr), ("_tilemeter\n", ""))

    def test_fish(self):
        if shutil.which("fish") is None:
            self.skipTest("no fish here: its script is not checked")
        script = self.write("tilemeter.fish", output(["completions", "fish"]))
        subprocess.run(["fish", "--no-execute", script], check=True, timeout=60)

        def complete(line):
            done = subprocess.run(["fish", "--no-config", "-c", f"source {script}; complete -C '{line}'"], check=True,
                                  timeout=60, capture_output=True, text=True)
            return [each.split("\t")[0] for each in done.stdout.splitlines()]

        self.assertEqual(sorted(complete("tilemeter tab")), ["tables"])
        self.assertEqual(sorted(complete("tilemeter count --dtype fp")), ["fp16", "fp32", "fp64", "fp8"])
        self.assertIn("--algorithm", complete("tilemeter count --al"))

    def test_another_shell_is_refused(self):
        self.refuse(["completions", "bahs"], "completions bahs", 'did you mean "bash"', "zsh", "fish")
        self.refuse(["completions"], "bash", "zsh", "fish")


class Manual(Folder):
    def test_every_command_and_option_stands_in_it(self):
        page = output(["man"])
        for command in commands():
            section = page.split(f".SS \\fBtilemeter {command}\\fR")[1].split("\n.SS ")[0]
            for option in options_of(command):
                with self.subTest(command=command, option=option):
                    self.assertIn("\\fB" + option.replace("-", "\\-") + "\\fR", section)

    def test_without_warnings(self):
        page = self.write("tilemeter.1", output(["man"]))
        if shutil.which("groff") is None:
            self.skipTest("no groff here: the manual page is not formatted")
        done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-z", page], capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        shown = subprocess.run(["groff", "-man", "-Tutf8", "-P-cbou", page], capture_output=True, text=True, timeout=60)
        self.assertIn("--sram SIZE", shown.stdout)
        self.assertIn("tilemeter count --algorithm flash1 --seq 4096 --head-dim 64 --sram 50000el --blocks paper",
                      " ".join(shown.stdout.split()))


if __name__ == "__main__":
    unittest.main()
