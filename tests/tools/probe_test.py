"""`tilemeter probe`: its list, what it refuses, what it says without a GPU, and what reads its recorded overlay.

usage: probe_test.py PROGRAM [unittest options]
"""

import pathlib
import re
import unittest

from program import Folder, document, message, output, run

RATES = pathlib.Path(__file__).resolve().parent.parent.parent / "traces" / "measured" / "h200" / "rates.toml"


def has_gpu():
    """Whether the machine's own probe of what does not need NVML runs."""
    return run(["probe", "--only", "launch", "--quick"]).returncode == 0


class List(unittest.TestCase):
    def test_the_list_names_every_probe(self):
        probes = {row["name"]: row for row in document(["probe", "list"])["probes"]}
        for name in ("hbm", "in_flight", "l2", "latency", "shared", "mma", "wgmma", "scalar", "overlap", "barrier",
                     "launch", "atomic", "clock"):
            self.assertIn(name, probes)
            self.assertGreater(int(probes[name]["figures"]), 0)
            self.assertTrue(probes[name]["measures"])
        self.assertIn("wgmma", output(["probe", "list"]))


class Refusals(Folder):
    def test_wrong_options_are_refused_by_name(self):
        self.refuse(["probe", "--only", "latncy"], "--only", "\"latncy\"", "did you mean \"latency\"?", "overlap")
        self.refuse(["probe", "--only", "hbm,,l2"], "--only")
        self.refuse(["probe", "show"], "probe show", "probe list")
        self.refuse(["probe", "--format", "xml"], "--format", "xml")
        self.refuse(["probe", "--format", "html"], "--format html", "toml")
        self.refuse(["probe", "-o", self.path("figures")], "-o", "extension")
        self.refuse(["probe", "-o", self.path("none/h200.toml")], "-o", "none/h200.toml")
        self.refuse(["probe", "--device", "h200"], "--device", "-o FILE.toml")
        self.refuse(["probe", "-o", self.path("r.toml"), "--device", "h300"], "--device", "h300")
        self.refuse(["probe", "-o", self.path("r.toml"), "--device", "mine.toml"], "--device", "shipped")
        self.assertEqual(self.files(), [])

    def test_without_a_gpu_it_says_so_in_one_line(self):
        if has_gpu():
            self.skipTest("this machine has a GPU")
        for arguments in (["probe"], ["probe", "-o", self.path("r.toml")], ["probe", "--only", "hbm", "--format", "json"]):
            self.refuse(arguments, "probe needs a GPU:")
        self.assertEqual(self.files(), [])


class Overlay(Folder):
    """The overlay that was recorded on an H200 is a device like any other."""

    def test_the_recorded_overlay_changes_a_roofline(self):
        def bandwidth(device):
            facts = document(["devices", "show", device])["facts"]
            return {fact["key"]: fact for fact in facts}

        shipped, measured = bandwidth("h200"), bandwidth(str(RATES))
        self.assertEqual(shipped["sm.count"], measured["sm.count"])
        self.assertEqual(shipped["l2.bandwidth"]["value"], "unknown")
        self.assertRegex(measured["l2.bandwidth"]["value"], r"^\d+(\.\d+)? TB/s$")
        self.assertIn("probe.l2.read", measured["l2.bandwidth"]["source"])
        self.assertNotIn("probe.hbm.read", shipped)
        self.assertRegex(measured["probe.hbm.read"]["value"], r"^4\.\d+ TB/s$")
        point = ["count", "--algorithm", "flash2", "--seq", "4096", "--head-dim", "128", "--device"]
        self.assertEqual(document(point + [str(RATES)])["traffic"],
                         document(point + ["h200"])["traffic"])

    def test_every_figure_of_the_recorded_overlay_says_how_it_was_measured(self):
        lines = [line for line in RATES.read_text(encoding="utf-8").splitlines() if line.endswith("}")]
        self.assertGreater(len(lines), 100)
        for line in lines:
            for field in ("value", "interval", "clock", "date", "command", "source"):
                self.assertRegex(line, rf'\b{field} = "[^"]+"', line)

    def test_an_overlay_with_an_unknown_key_is_refused(self):
        text = RATES.read_text(encoding="utf-8")
        path = self.write("typo.toml", re.sub(r"^read = ", "raed = ", text, count=1, flags=re.MULTILINE))
        self.assertIn("did you mean", message(["devices", "show", path]))


if __name__ == "__main__":
    unittest.main()
