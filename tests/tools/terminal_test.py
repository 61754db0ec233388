"""What the program does on a terminal and nowhere else: colours and the progress bar; and how much it logs.

usage: terminal_test.py PROGRAM [unittest options]
"""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time
import unittest

from program import PROGRAM, Folder, run

POINT = ["count", "--algorithm", "flash1", "--seq", "256", "--sram", "100KiB"]
ESCAPE = "\033["
HEADING, UNIT, BAD, GOOD = "\033[1m", "\033[2m", "\033[31m", "\033[32m"


def plain_environment(**changes):
    environment = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "TERM")}
    return {**environment, "TERM": "xterm", **changes}


def on_terminal(arguments, columns=100, streams=("stdout", "stderr"), **changes):
    """What a run writes to a terminal of its own that `streams` go to."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    pipes = {name: theirs if name in streams else subprocess.DEVNULL for name in ("stdout", "stderr")}
    process = subprocess.Popen([PROGRAM, *arguments], stdin=subprocess.DEVNULL, env=plain_environment(**changes), **pipes)
    os.close(theirs)
    written = b""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if not select.select([ours], [], [], 0.2)[0]:
            continue
        try:
            piece = os.read(ours, 1 << 16)
        except OSError:  # Linux: the other side is closed
            break
        if not piece:
            break
        written += piece
    os.close(ours)
    if process.wait(timeout=60) != 0:
        raise AssertionError(f"exit {process.returncode}: {written!r}")
    return written.decode().replace("\r\n", "\n")


def without_escapes(text):
    return re.sub("\033\\[[0-9]*m", "", text)


class Colours(Folder):
    def test_a_table_on_a_terminal(self):
        shown = on_terminal(POINT)
        self.assertIn(f"{HEADING}traffic at the edge of the SM\033[0m", shown)
        self.assertIn(f"{GOOD}equal\033[0m", shown)
        self.assertEqual(without_escapes(shown), run(POINT).stdout)

    def test_every_table_has_the_same_text_without_its_colours(self):
        for arguments in [["devices"], ["tables", "break-even", "fitting"], ["roofline", "--device", "h200"],
                          ["sweep", *POINT[1:], "--head-dim", "64,128"],
                          ["occupancy", *POINT[1:5], "--device", "h200"],
                          ["predict", *POINT[1:5], "--device", "h200"]]:
            with self.subTest(arguments=" ".join(arguments)):
                shown = on_terminal(arguments, streams=("stdout",))
                self.assertIn(HEADING, shown)
                self.assertEqual(without_escapes(shown), run(arguments).stdout)

    def test_what_fails_is_red_and_units_are_dim(self):
        shown = on_terminal(["sweep", *POINT[1:5], "--sram", "100el,50000el"], streams=("stdout",))
        self.assertIn(f"{BAD}does not fit\033[0m", shown)
        self.assertIn(f"{GOOD}= closed form\033[0m", shown)
        self.assertIn(UNIT, shown)

    def test_nothing_is_coloured_elsewhere(self):
        self.assertNotIn(ESCAPE, run(POINT, env=plain_environment()).stdout)
        self.assertNotIn(ESCAPE, on_terminal(POINT, NO_COLOR="1"))
        self.assertNotIn(ESCAPE, on_terminal(POINT, TERM="dumb"))
        for form in ["json", "csv", "md"]:
            self.assertNotIn(ESCAPE, on_terminal([*POINT, "--format", form]))
            self.assertNotIn(ESCAPE, run([*POINT, "--format", form, "--color", "always"]).stdout)
        on_terminal([*POINT, "-o", self.path("m.txt"), "--color", "always"])
        self.assertEqual(self.read("m.txt").decode(), run(POINT).stdout)

    def test_color_says_otherwise(self):
        self.assertIn(HEADING, run([*POINT, "--color", "always"], env=plain_environment(NO_COLOR="1")).stdout)
        self.assertNotIn(ESCAPE, on_terminal([*POINT, "--color", "never"]))
        self.assertIn(HEADING, on_terminal([*POINT, "--color", "auto"]))
        self.assertIn(HEADING, on_terminal(POINT, NO_COLOR=""))  # empty is not set


class Progress(Folder):
    # Numbers take a while; one thread, so that points are finished one after the other.
    LONG = ["sweep", "--algorithm", "flash1", "--seq", "256:1024:+32", "--mode", "numeric", "-j", "1"]
    SWEEP = ["sweep", "--algorithm", "flash1", "--seq", "256:640:+32", "--mode", "numeric", "-j", "1"]

    def bars(self, arguments, **terminal):
        shown = on_terminal([*arguments, "-o", self.path("m.csv")], streams=("stderr",), **terminal)
        os.remove(self.path("m.csv"))
        return [bar for bar in shown.replace("\033[K", "").split("\r") if bar]

    def test_rate_and_time_left(self):
        bars = self.bars(self.LONG)
        told = [bar for bar in bars if re.fullmatch(
            r"\[#* *\] \d+ of 25 points, (\d+(\.\d)?/s|\d+\.\d s a point), (\d+ min )?\d+ s left", bar)]
        self.assertGreaterEqual(len(told), 2, bars)
        done = [int(re.search(r"(\d+) of 25", bar)[1]) for bar in bars]
        self.assertEqual(done, sorted(done))

    def test_it_fits_the_window(self):
        for columns in [20, 50]:
            bars = self.bars(self.SWEEP, columns=columns)
            self.assertTrue(bars)
            self.assertLess(max(len(bar) for bar in bars), columns)

    def test_no_bar_where_none_is_wanted(self):
        self.assertEqual(self.bars([*self.SWEEP, "-q"]), [])
        self.assertEqual(self.bars(self.SWEEP, TERM="dumb"), [])
        self.assertEqual(run(self.SWEEP).stderr, "")


class Verbosity(Folder):
    def messages(self, *options):
        done = run([*POINT, *options])
        self.assertEqual((done.returncode, done.stdout), (0, run(POINT).stdout))
        return done.stderr

    def test_levels(self):
        self.assertEqual(self.messages(), "")
        self.assertEqual(self.messages("-q"), "")
        levels = {options: set(re.findall("^tilemeter: (\\w+):", self.messages(*options), re.MULTILINE))
                  for options in [("-v",), ("--verbose",), ("-vv",), ("-v", "-v")]}
        self.assertEqual(levels[("-v",)], {"info"})
        self.assertEqual(levels[("--verbose",)], {"info"})
        self.assertEqual(levels[("-vv",)], {"info", "debug"})
        self.assertEqual(levels[("-v", "-v")], {"info", "debug"})

    def test_errors(self):
        wrong = [*POINT, "--heads", "0"]
        for options in [[], ["-q"], ["-v"]]:
            self.assertIn("--heads 0", run([*wrong, *options]).stderr)
        done = run([*wrong, "-qq"])
        self.assertEqual((done.returncode, done.stdout, done.stderr), (2, "", ""))
        self.refuse([*POINT, "-q", "-v"], "-q", "-v")
        self.refuse([*POINT, "-vvv"], "-v", "3 times", "twice")

    def test_every_command_says_what_it_wrote_and_how_long_it_took(self):
        for arguments in [["devices"], ["algorithms"], ["kernels"], ["tables", "fitting"], ["tune", *POINT[1:]],
                          ["sweep", *POINT[1:]], ["roofline", "--device", "h200"],
                          ["occupancy", *POINT[1:5], "--device", "h200"],
                          ["simulate", *POINT[1:5], "--device", "h200"]]:
            path = self.path("out.json")
            done = run([*arguments, "-v", "-o", path])
            with self.subTest(command=arguments[0]):
                self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
                self.assertIn(f"tilemeter: info: wrote {path}\n", done.stderr)
                self.assertRegex(done.stderr, rf"tilemeter: info: {arguments[0]} took \d+\.\d+ s, exit status 0\n$")


if __name__ == "__main__":
    unittest.main()
