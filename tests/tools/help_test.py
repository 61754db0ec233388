"""Every example of every help page, run as it stands there, where it needs no GPU and no file that is not there.

usage: help_test.py PROGRAM [unittest options]
"""

import os
import pathlib
import shutil
import subprocess
import unittest

from program import PROGRAM, Folder, output, run

ROOT = pathlib.Path(__file__).resolve().parents[2]
# What an example needs beside the program, and whether it is here.
NEEDS = {"ncu ": False, "--profile mine.csv": False, "| man ": shutil.which("man") is not None}
NEEDS_GPU = ("tilemeter measure", "tilemeter probe -o")
# These read every recording, which takes longer than all others together. Their help pages have a shorter example, too;
# TILEMETER_EVERY_EXAMPLE=1 runs them as well.
SLOW = ("tilemeter validate traces/measured/h200 ", "tilemeter calibrate traces/measured/h200 ")


def examples():
    """(command, line) of every help page; a line of a layout file is none."""
    guide = output([])
    for command in [line.split()[0] for line in guide.split("commands:\n")[1].split("\n\n")[0].splitlines()]:
        text = output([command, "--help"]).split("\nexample:\n")[1]
        for line in text.splitlines():
            if line.startswith(("  tilemeter ", "  source <(", "  ncu ")):
                yield command, line.strip()


def can_run(line):
    if line.startswith(NEEDS_GPU) or (line.startswith(SLOW) and "TILEMETER_EVERY_EXAMPLE" not in os.environ):
        return False
    return all(there for need, there in NEEDS.items() if need in line)


class Help(Folder):
    def setUp(self):
        super().setUp()
        for folder in ["bin", ".zfunc", ".local/share/bash-completion/completions", ".config/fish/completions"]:
            os.makedirs(self.path(folder))
        os.symlink(PROGRAM, self.path("bin/tilemeter"))
        os.symlink(ROOT / "traces", self.path("traces"))

    def run_line(self, line):
        environment = {**os.environ, "HOME": self.folder.name, "PATH": self.path("bin") + ":" + os.environ["PATH"]}
        return subprocess.run(["bash", "-o", "pipefail", "-c", line], cwd=self.folder.name, env=environment,
                              capture_output=True, text=True, timeout=120)

    def test_examples(self):
        ran = set()
        for command, line in examples():
            if not can_run(line):
                continue
            with self.subTest(example=line):
                done = self.run_line(line)
                self.assertEqual(done.returncode, 0, done.stderr)
                ran.add(command)
        self.assertEqual({command for command, _ in examples()} - ran, {"measure"})

    def test_the_guide_starts_with_a_line_that_runs(self):
        line = output([]).split("start with:\n")[1].splitlines()[0].strip()
        self.assertEqual(self.run_line(line).returncode, 0)

    def test_every_command_has_an_example_of_itself(self):
        with_examples = {command for command, line in examples() if f"tilemeter {command}" in line}
        self.assertEqual(with_examples, {command for command, _ in examples()})
        self.assertEqual(run(["--help"]).stdout, run([]).stdout)


if __name__ == "__main__":
    unittest.main()
