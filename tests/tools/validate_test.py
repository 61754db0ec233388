"""`validate`: what was recorded on an H200 against what is predicted, the pins of its errors, its tables in
traces/README.md, anyone's profile, and wrong input.

usage: validate_test.py PROGRAM [unittest options]
       validate_test.py PROGRAM --renew    writes the pins and the tables anew
"""

import csv
import io
import json
import os
import re
import sys
import unittest

from program import Folder, run

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
RECORDED = os.path.join(ROOT, "traces", "measured", "h200")
RATES = os.path.join(RECORDED, "rates.toml")
PROFILE = os.path.join(RECORDED, "peers", "ncu-raw.csv")
PINS = os.path.join(ROOT, "tests", "golden", "validation.json")
README = os.path.join(ROOT, "traces", "README.md")
QUOTING = os.path.join(ROOT, "README.md")
QUOTED = "<!-- rows of traces/README.md -->\n"
BEGIN, END = "<!-- validate: begin -->\n", "<!-- validate: end -->\n"
ALL = ["validate", RECORDED, "--device", RATES, "--all"]
HOW = "renew: python3 tests/tools/validate_test.py PROGRAM --renew"

DESCRIPTION = """
name = "mine"
title = "anyone's kernel"
algorithm = "flash2"
source = "a test"

[execution]
matrix = "mma"

[[build]]
head_dim = 128
block_q = 128
block_k = 64
threads = 128
blocks_per_sm = 2

[[launch]]
kernel = "flash_fwd_kernel"
batch = 4
heads = 16
seq = 4096
head_dim = 128
mask = "causal"
dtype = "bf16"
"""


DECIMAL = re.compile(r"[-+]?[0-9]+\.[0-9]+")


def alike(one, other):
    """Whether two lines are equal but for figures that differ by 0.05: mathematical libraries round differently."""
    if DECIMAL.sub("#", one) != DECIMAL.sub("#", other):
        return False
    pairs = zip(DECIMAL.findall(one), DECIMAL.findall(other))
    return all(abs(float(a) - float(b)) <= 0.05 for a, b in pairs)


def block_of(text):
    return text[text.index(BEGIN) + len(BEGIN) : text.index(END)]


class Recorded(Folder):
    """One run over everything that was recorded, read by several tests."""

    @classmethod
    def setUpClass(cls):
        cls.done = run([*ALL, "--format", "json", "--pins", PINS], timeout=600)
        cls.document = json.loads(cls.done.stdout)

    def test_no_error_is_worse_than_its_pin_and_bytes_per_tensor_are_exact(self):
        self.assertTrue(os.path.exists(PINS))
        self.assertEqual(self.done.returncode, 0, f"{self.done.stderr}\n{HOW}")

    def test_the_document_has_the_contract(self):
        for key, value in {"schema": 1, "command": "validate", "device": "h200", "interval": 0.9}.items():
            self.assertEqual(self.document[key], value)
        self.assertTrue(self.document["version"])
        self.assertEqual([s["name"] for s in self.document["splits"]], ["none", "all", "length", "dim", "mask", "kernel"])
        self.assertGreater(len(self.document["observations"]), 300)

    def test_every_row_has_its_error_and_its_observation(self):
        for row in self.document["rows"]:
            self.assertEqual(row["source"], self.document["observations"][row["observation"]]["source"])
            if row["measured"] and row["error"] is not None:
                self.assertAlmostEqual(row["error"], row["predicted"] / row["measured"] - 1, places=9)
            self.assertEqual(row["split"] is None, row["metric"] != "time")

    def test_splits_hold_out_what_they_say(self):
        sizes = [o["problem"] for o in self.document["observations"]]
        sides = {
            "length": lambda p: max(p["seq_q"], p["seq_k"]) <= 1024,
            "dim": lambda p: p["head_dim"] == 128,
            "mask": lambda p: p["mask"] == "none",
        }
        for name, fitted in sides.items():
            rows = [r for r in self.document["rows"] if r["split"] == name and "_rung" not in r["kernel"]]
            self.assertTrue(rows)
            for row in rows:
                self.assertEqual(row["role"], "fitted" if fitted(sizes[row["observation"]]) else "held out")
        kernel = [r for r in self.document["rows"] if r["split"] == "kernel" and r["role"] == "held out"]
        self.assertEqual({r["own"] for r in kernel if "_rung" not in r["kernel"]}, {False})

    def test_summaries_are_those_of_their_rows(self):
        for summary in self.document["summaries"]:
            if summary["group"] or summary["mean"] is None:
                continue
            errors = [
                abs(r["error"])
                for r in self.document["rows"]
                if all(r[key] == summary[key] for key in ("split", "role", "metric")) and r["kernel"] == summary["who"]
            ]
            self.assertEqual(len(errors), summary["count"])
            self.assertAlmostEqual(sum(errors) / len(errors), summary["mean"], places=9)
            self.assertAlmostEqual(max(errors), summary["max"], places=9)

    def test_a_missed_limit_names_its_worst_rows(self):
        statuses = {v["status"] for v in self.document["verdicts"]}
        self.assertLessEqual(statuses, {"kept", "missed", "no limit"})
        for verdict in self.document["verdicts"]:
            if verdict["metric"] != "ladder":  # whose steps are a table of their own
                self.assertEqual(bool(verdict["worst"]), verdict["status"] == "missed", verdict)

    def test_the_ladder_has_every_rung_that_was_timed(self):
        steps = {(s["rung"], s["below"]) for s in self.document["ladder"]}
        self.assertIn(("flash3_rung9", "flash3_rung8"), steps)
        self.assertIn(("flash3_rung12", "flash3_rung11"), steps)
        for verdict in self.document["verdicts"]:
            if verdict["metric"] == "ladder":
                own = [s for s in self.document["ladder"] if s["split"] == verdict["split"]]
                kept = all(s["sign_right"] and s["within"] for s in own)
                self.assertEqual((verdict["count"], verdict["status"]), (len(own), "kept" if kept else "missed"))

    def test_what_is_missing_is_told(self):
        self.assertTrue(any("not in the document" in text for text in self.document["missing"]))

    def test_the_tables_of_the_readme_are_what_the_program_says(self):
        with open(README, encoding="utf-8") as file:
            expected = block_of(file.read())
        done = run([*ALL, "--format", "md"], timeout=600)
        found = done.stdout.splitlines()
        self.assertEqual(len(found), len(expected.splitlines()), HOW)
        for one, other in zip(found, expected.splitlines()):
            self.assertTrue(alike(one, other), f"the program says\n{one}\nthe file says\n{other}\n{HOW}")


class Validate(Folder):
    ONE = [os.path.join(RECORDED, "kernels", "flash3_n4096_d128.json"), "--device", RATES]

    def lines(self, *more):
        done = run(["validate", *self.ONE, "--format", "csv", *more])
        self.assertEqual(done.returncode, 0, done.stderr)
        return list(csv.DictReader(io.StringIO(done.stdout)))

    def test_metrics_can_be_chosen(self):
        self.assertEqual({row["metric"] for row in self.lines("--metric", "tensors")}, {"tensors"})
        self.assertEqual({row["metric"] for row in self.lines("--metric", "tensors,time")}, {"tensors", "time"})

    def test_baselines_stand_beside_times(self):
        for row in self.lines("--metric", "time"):
            for figure in ("roofline", "two_level"):
                error = float(row[f"{figure}_seconds"]) / float(row["measured"]) - 1
                self.assertAlmostEqual(float(row[f"{figure}_error"]), error, places=6)

    def test_tables_show_verdicts_first_and_every_row(self):
        done = run(["validate", *self.ONE])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(done.stdout.startswith("verdicts:"))
        self.assertIn("\nrows:", done.stdout)

    def test_a_page_and_a_report_of_the_json_are_alike(self):
        for arguments in (["--format", "html", "-o", self.path("a.html")], ["--format", "json", "-o", self.path("a.json")]):
            self.assertEqual(run(["validate", *self.ONE, *arguments]).returncode, 0)
        report = ["report", self.path("a.json"), "--title", "tilemeter validate", "-o", self.path("b.html")]
        self.assertEqual(run(report).returncode, 0)
        self.assertEqual(self.read("a.html"), self.read("b.html"))

    def test_threads_change_nothing(self):
        self.assertEqual(self.lines("-j", "1"), self.lines("-j", "3"))

    def test_fits_of_the_device_predict_without_a_split_and_bring_intervals(self):
        fits = self.path("fits.toml")
        self.assertEqual(run(["calibrate", *self.ONE, "-o", fits]).returncode, 0)
        plain = self.lines("--metric", "time")
        self.ONE = [self.ONE[0], "--device", fits]
        fitted = self.lines("--metric", "time")
        self.assertEqual({row["low"] for row in plain}, {""})
        for row in fitted:
            self.assertLess(float(row["low"]), float(row["predicted"]))
            self.assertLess(float(row["predicted"]), float(row["high"]))
        errors = [sum(abs(float(row["error"])) for row in rows) for rows in (plain, fitted)]
        self.assertLess(errors[1], errors[0])

    def test_anyones_profile_with_its_description(self):
        arguments = ["--profile", PROFILE, "--kernel", self.write("mine.toml", DESCRIPTION), "--device", "h200"]
        done = run(["validate", *arguments, "--format", "json"])
        self.assertEqual(done.returncode, 0, done.stderr)
        document = json.loads(done.stdout)
        rows = {row["metric"]: row for row in document["rows"]}
        self.assertTrue(rows["edge_read"]["within"])
        self.assertFalse(rows["edge_read"]["own"])
        self.assertIn("dram_read", rows)
        self.assertNotIn("time", rows)
        self.assertTrue(any("matches it" in note for note in document["notes"]))

    DENIED = ("==PROF== Connected to process 77\n==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU "
              "Performance Counters on the target device 0.\n")

    def test_j1_counters_that_are_not_permitted(self):
        """Times and predictions go on without them; only who demands them is told so by the exit status."""
        profile = ["--profile", self.write("denied.csv", self.DENIED), "--kernel", self.write("mine.toml", DESCRIPTION)]
        done = run(["validate", *self.ONE, *profile, "--format", "json"])
        self.assertEqual(done.returncode, 0, done.stderr)
        document = json.loads(done.stdout)
        self.assertIn("time", {row["metric"] for row in document["rows"]})
        self.assertTrue(any(n.startswith("denied.csv: not measured: counter permission") for n in document["notes"]))
        demanded = run(["validate", *self.ONE, *profile, "--metric", "time,edge_read", "--format", "json"])
        self.assertEqual(demanded.returncode, 1)
        self.assertIn("--metric edge_read: not measured: counter permission", demanded.stderr)
        self.assertEqual({row["metric"] for row in json.loads(demanded.stdout)["rows"]}, {"time"})
        self.assertEqual(run(["validate", *self.ONE, *profile, "--metric", "time,tensors"]).returncode, 0)
        self.refuse(["validate", *profile, "--device", "h200"], "nothing to compare", "denied.csv: not measured: counter permission")

    def test_pins_are_written_where_there_are_none_and_held_where_there_are(self):
        pins = self.path("pins.json")
        self.assertEqual(run(["validate", *self.ONE, "--pins", pins]).returncode, 0)
        self.assertEqual(run(["validate", *self.ONE, "--pins", pins]).returncode, 0)
        with open(pins, encoding="utf-8") as file:
            document = json.load(file)
        pin = next(p for p in document["pins"] if p["metric"] == "time" and p["who"] == "flash3")
        pin["mean"] = -1.0
        self.write("pins.json", json.dumps(document))
        done = run(["validate", *self.ONE, "--pins", pins])
        self.assertEqual(done.returncode, 1)
        self.assertIn("time, split none, no fit, flash3: mean error", done.stderr)
        self.assertIn("--renew", done.stderr)
        self.assertEqual(run(["validate", *self.ONE, "--pins", pins, "--renew"]).returncode, 0)
        self.assertEqual(run(["validate", *self.ONE, "--pins", pins]).returncode, 0)

    def test_a_damaged_counter_fails(self):
        with open(self.ONE[0], encoding="utf-8") as file:
            document = json.load(file)
        document["points"][0]["traffic"]["tensors"]["K"]["read_bytes"] += 2
        done = run(["validate", self.write("damaged.json", json.dumps(document)), "--device", "h200"])
        self.assertEqual(done.returncode, 1)
        self.assertIn("bytes per tensor", done.stderr)
        self.assertIn("K: counted", done.stdout)


class WrongInput(Folder):
    ONE = Validate.ONE

    def test_options(self):
        self.refuse(["validate"], "--profile", "folder")
        self.refuse(["validate", self.ONE[0]], "--device")
        self.refuse(["validate", *self.ONE, "--split", "lenght"], "--split lenght", "none, all, length, dim, mask, kernel")
        self.refuse(["validate", *self.ONE, "--all", "--split", "all"], "--all", "--split all")
        self.refuse(["validate", *self.ONE, "--metric", "bytes"], "--metric bytes", "edge_read")
        self.refuse(["validate", *self.ONE, "--device", "h200"], "--device")
        self.refuse(["validate", *self.ONE, "--renew"], "--renew", "--pins")
        self.refuse(["validate", *self.ONE, "--profile", PROFILE], "--profile", "--kernel")
        self.refuse(["validate", *self.ONE, "--kernel", "flash2"], "--kernel", "--profile")
        self.refuse(["validate", *self.ONE, "-j", "0"], "-j 0")
        self.refuse(["validate", *self.ONE, "--set", "sm.cont=3"], "sm.cont")
        self.refuse(["validate", *self.ONE, "--split", "length"], "--split length", "nothing to fit")

    def test_files(self):
        self.refuse(["validate", self.path("none.json"), "--device", "h200"], "none.json")
        self.refuse(["validate", self.write("text.json", "words"), "--device", "h200"], "text.json")
        self.refuse(["validate", self.write("count.json", '{"command": "count"}'), "--device", "h200"], "count.json")
        self.refuse(["validate", *self.ONE, "--metric", "dram_read"], "nothing to compare", "dram_read")
        self.refuse(["validate", *self.ONE, "--pins", self.write("pins.json", "[]")], "--pins", "pins.json")
        kernel = self.write("mine.toml", DESCRIPTION)
        self.refuse(["validate", "--profile", self.path("none.csv"), "--kernel", kernel, "--device", "h200"], "none.csv")
        self.refuse(["validate", "--profile", PROFILE, "--kernel", self.path("none.toml"), "--device", "h200"], "none.toml")
        self.refuse(["validate", "--profile", PROFILE, "--kernel", "nobody", "--device", "h200"], "--kernel", "nobody")
        silent = self.write("silent.toml", DESCRIPTION[: DESCRIPTION.index("[[launch]]")])
        self.refuse(["validate", "--profile", PROFILE, "--kernel", silent, "--device", "h200"], "launch")
        empty = self.write("empty.csv", "")
        self.refuse(["validate", "--profile", empty, "--kernel", kernel, "--device", "h200"], "empty.csv")
        table = self.write("table.csv", "a,b\n1,2\n")
        for described in (kernel, silent, "fa2"):
            self.refuse(["validate", "--profile", table, "--kernel", described, "--device", "h200"],
                        f"{table}: no export of Nsight Compute; expected what `ncu --csv` prints, with a header")

    def test_a_document_that_is_no_json(self):
        for name, text, words in (("empty.json", "", "is empty; expected a document of"),
                                  ("torn.json", '{"command": ', "not JSON: line 1, column 13: unexpected end of input; expected a document"),
                                  ("words.json", "abc", "not JSON: line 1, column 1: invalid literal"),
                                  ("table.csv", "a,b\n", "not JSON: line 1, column 1: ")):
            path = self.write(name, text)
            self.refuse(["validate", path, "--device", "h200"], f"{path}: ", words, "expected a document of `tilemeter measure`")
            self.assertNotIn("exception", run(["validate", path, "--device", "h200"]).stderr)


def renew():
    """Writes the pins, the tables of traces/README.md, and the rows that the root's README quotes of them, as the program
    says them now."""
    done = run([*ALL, "--format", "md", "--pins", PINS, "--renew"], timeout=600)
    if not done.stdout:
        sys.exit(done.stderr)
    with open(README, encoding="utf-8") as file:
        text = file.read()
    with open(README, "w", encoding="utf-8") as file:
        file.write(text[: text.index(BEGIN) + len(BEGIN)] + done.stdout + text[text.index(END) :])
    verdicts = done.stdout[: done.stdout.index("## worst")].splitlines()
    named = {tuple(line.split("|")[1:4]): line for line in verdicts if line.startswith("|")}
    with open(QUOTING, encoding="utf-8") as file:
        head, tail = file.read().split(QUOTED, 1)
    rows = [named.get(tuple(line.split("|")[1:4]), line) for line in tail.split("\n")]
    with open(QUOTING, "w", encoding="utf-8") as file:
        file.write(head + QUOTED + "\n".join(rows))


if __name__ == "__main__":
    if "--renew" in sys.argv:
        renew()
    else:
        unittest.main()
