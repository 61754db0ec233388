"""The program among full disks, closed pipes, kills, folders without permission, odd names and other locales.

usage: surroundings_test.py PROGRAM [unittest options]
"""

import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from program import PROGRAM, Folder, run

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
POINT = ["--algorithm", "flash2", "--seq", "64"]
ON_DEVICE = [*POINT, "--device", "h200"]
SWEEP = ["sweep", "--algorithm", "flash1,flash2", "--block-q", "1:24:+1", "--block-k", "1:24:+2", "--seq", "401", "--mask",
         "none,causal"]
# Every command that computes on any machine.
COMMANDS = [["count", *POINT], ["sweep", *POINT], ["tune", *POINT, "--sram", "5000el"], ["occupancy", *ON_DEVICE],
            ["predict", *ON_DEVICE], ["simulate", *ON_DEVICE], ["complexity", "--theorem", "thm1"],
            ["roofline", "--device", "t4"], ["tables", "fitting"], ["algorithms"], ["devices"], ["kernels"], [], ["--help"],
            ["count", "--help"], ["--version"], ["devices", "show", "t4"], ["algorithms", "show", "flash1"]]
ODD_NAMES = ["with a space; Größe 数据", "-quote'\"; a&b per%20cent "]


class Streams(Folder):
    def test_a_full_disk_behind_standard_output(self):
        for command in COMMANDS:
            with self.subTest(command=command), open("/dev/full", "w", encoding="utf-8") as full:
                done = subprocess.run([PROGRAM, *command], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn("standard output: cannot write: No space left on device", done.stderr)

    def test_a_pipe_that_nobody_reads(self):
        for command in COMMANDS:
            reader, writer = os.pipe()
            os.close(reader)
            with self.subTest(command=command):
                done = subprocess.run([PROGRAM, *command], stdout=writer, stderr=subprocess.PIPE, text=True, timeout=60)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
            os.close(writer)

    def test_no_standard_output_at_all(self):
        path = self.path("x.json")
        for words, status in ([], 2), (["-o", path], 0):
            done = subprocess.run([PROGRAM, "count", *POINT, *words], stderr=subprocess.PIPE, text=True, timeout=60,
                                  preexec_fn=lambda: os.close(1))
            self.assertEqual(done.returncode, status, done.stderr)
        self.assertEqual(self.read("x.json").decode(), run(["count", *POINT, "--format", "json"]).stdout)


def with_room(size, arguments):
    """Runs the program where no file may pass `size` bytes, which write() reports as it does a full disk."""
    return run(arguments, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)))


class FullDisk(Folder):
    def test_a_result_is_written_whole_or_not_at_all(self):
        for command in (["count", *POINT], ["occupancy", *ON_DEVICE], ["tables", "fitting"], ["simulate", *ON_DEVICE]):
            done = with_room(100, [*command, "-o", self.path("x.json")])
            self.assertEqual((done.returncode, done.stdout, self.files()), (2, "", []), done.stderr)
            self.assertIn("x.json: cannot write: File too large", done.stderr)

    def test_a_trace_is_written_whole_or_not_at_all(self):
        done = with_room(100, ["simulate", *ON_DEVICE, "--trace", self.path("trace.json")])
        self.assertEqual((done.returncode, done.stdout, self.files()), (2, "", []), done.stderr)

    def test_a_sweep_keeps_what_is_done_and_goes_on_when_there_is_room(self):
        self.assertEqual(run([*SWEEP, "-o", self.path("whole.csv")]).returncode, 0)
        done = with_room(200_000, [*SWEEP, "-o", self.path("x.csv")])
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
        self.assertEqual(self.files(), ["whole.csv", "x.csv.partial"])
        again = run([*SWEEP, "-o", self.path("x.csv"), "--resume"])
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual(self.read("x.csv"), self.read("whole.csv"))
        self.assertEqual(self.files(), ["whole.csv", "x.csv"])


class Kills(Folder):
    def test_killed_again_and_again_a_sweep_gives_the_same_bytes(self):
        random_ = random.Random(20261130)
        for extension in ("csv", "json"):
            whole, cut = self.path("whole." + extension), self.path("cut." + extension)
            begin = time.monotonic()
            self.assertEqual(run([*SWEEP, "-o", whole]).returncode, 0)
            takes = time.monotonic() - begin
            for _ in range(4):
                with subprocess.Popen([PROGRAM, *SWEEP, "-o", cut, "--resume", "-j", "2"], stderr=subprocess.PIPE) as sweep:
                    time.sleep(random_.uniform(0, takes))
                    sweep.send_signal(signal.SIGKILL)
                    self.assertIn(sweep.wait(timeout=60), (0, -signal.SIGKILL))
                if os.path.exists(cut):
                    os.remove(cut)
            done = run([*SWEEP, "-o", cut, "--resume"])
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(self.read("cut." + extension), self.read("whole." + extension))
            self.assertEqual(self.files(), ["cut." + extension, "whole." + extension])
            os.remove(cut)
            os.remove(whole)


class ReadOnly(Folder):
    def test_a_folder_without_permission(self):
        os.chmod(self.folder.name, 0o555)
        who = {}
        if os.geteuid() == 0:  # whom no permission stops
            who = {"user": 65534, "group": 65534}
            try:
                subprocess.run([PROGRAM, "--version"], check=True, capture_output=True, timeout=60, **who)
            except OSError as error:
                self.skipTest(f"run by root, and another user cannot run the program: {error}")
        for command in (["count", *POINT], SWEEP):
            done = run([*command, "-o", self.path("x.json")], **who)
            self.assertEqual((done.returncode, done.stdout, self.files()), (2, "", []))
            self.assertIn("x.json: cannot write the file: Permission denied", done.stderr)
        os.chmod(self.folder.name, 0o755)


class Names(Folder):
    """Names of files with blanks and beyond ASCII, for every option that takes one."""

    def works(self, arguments):
        done = run(arguments)
        self.assertEqual(done.returncode, 0, f"{arguments}: {done.stderr}")
        return done.stdout

    def copy(self, source, name):
        return shutil.copy(ROOT / source, self.path(name))

    def test_files_that_are_read(self):
        for odd in ODD_NAMES:
            device = self.copy("model/devices/t4.toml", odd + ".toml")
            self.assertIn("t4", self.works(["devices", "show", device]))
            self.works(["count", *POINT, "--device", device])
            self.works(["occupancy", "--layout-file", self.copy("tests/golden/layouts/minimal-d64.toml", odd + " l.toml"),
                        "--device", device])
            self.works(["predict", "--kernel", self.copy("model/kernels/fa2.toml", odd + " k.toml"), "--seq", "256", "--head-dim",
                        "128", "--dtype", "bf16", "--device", "h200"])
            self.works(["count", "--algorithm", "flash2", "--segments", self.write(odd, "4 4\n7 2\n")])
            measured = self.copy("traces/measured/h200/profiles/profile_weight_layer.json", odd + ".json")
            self.copy("traces/measured/h200/profiles/profile_weight_layer.csv", odd + ".csv")
            self.works(["validate", measured, "--device", "h200", "--metric", "tensors"])

    def test_files_that_are_written(self):
        for odd in ODD_NAMES:
            for command in COMMANDS[:6] + COMMANDS[7:9]:  # complexity takes long, and writes as tables does
                path = self.path(odd + ".json")
                self.works([*command, "-o", path])
                self.assertEqual(self.read(odd + ".json").decode(), self.works([*command, "--format", "json"]))
                self.assertEqual(self.files(), [odd + ".json"])
                os.remove(path)
            self.works(["simulate", *ON_DEVICE, "--trace", self.path(odd)])
            self.works(["count", *POINT, "-o", self.path(odd + ".json")])
            self.works(["report", self.path(odd + ".json"), "-o", self.path(odd + ".html")])
            self.assertEqual(self.files(), sorted([odd, odd + ".json", odd + ".html"]))
            for name in self.files():
                os.remove(self.path(name))

    def test_an_interrupted_sweep_of_such_a_name(self):
        path = self.path("Größe é.csv")
        with_room(200_000, [*SWEEP, "-o", path])
        self.assertEqual(self.files(), ["Größe é.csv.partial"])
        self.works([*SWEEP, "-o", path, "--resume"])
        self.assertEqual(self.read("Größe é.csv").decode(), self.works([*SWEEP, "--format", "csv"]))


def german():
    """The environment of a locale that writes 1,5 for 1.5 and 1.000 for 1000; nothing where it cannot be made."""
    folder = tempfile.mkdtemp()
    name = "de_DE.UTF-8"
    made = subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", os.path.join(folder, name)], capture_output=True)
    return {**os.environ, "LOCPATH": folder, "LC_ALL": name, "LANG": name} if made.returncode == 0 else None


@unittest.skipIf(shutil.which("localedef") is None or not os.path.exists("/usr/share/i18n/locales/de_DE"),
                 "no German locale can be made here: localedef or its sources (package locales) are missing")
class Locale(unittest.TestCase):
    def test_numbers_are_the_same_in_every_locale(self):
        there = german()
        self.assertIsNotNone(there)
        self.addCleanup(shutil.rmtree, there["LOCPATH"])
        for command in [*COMMANDS, ["roofline", "--device", "h100-sxm", "--set", "hbm.bandwidth=3.5TB/s"]]:
            forms = ["json", "csv", "table"] if command[:1] != ["algorithms"] and len(command) > 2 else ["table"]
            for form in forms:
                words = [*command, *(["--format", form] if form != "table" else [])]
                here = run(words)
                self.assertEqual((here.returncode, here.stdout), (0, run(words, env=there).stdout), words)


if __name__ == "__main__":
    unittest.main()
