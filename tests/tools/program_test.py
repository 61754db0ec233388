"""The program as its users call it: exit status, what goes to which stream, and which files are left.

usage: program_test.py PROGRAM [unittest options]
"""

import csv
import io
import json
import os
import signal
import subprocess
import time
import unittest

from program import PROGRAM, Folder, run

SLOW = ["sweep", "--algorithm", "flash1,flash2", "--head-dim", "64", "--block-q", "1:24:+1", "--block-k", "1:24:+1",
        "--seq", "4001,4099", "--mask", "none,causal,window:100:0"]
SMALL = ["sweep", "--algorithm", "standard,flash1,flash2", "--seq", "100:1000:+50", "--sram", "2000el:32000el:*2",
         "--head-dim", "16"]


class Results(Folder):
    def json(self, arguments):
        done = run([*arguments, "--format", "json"])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr, "")
        return json.loads(done.stdout)

    def test_pages(self):
        self.assertIn("count", run([]).stdout)
        self.assertRegex(run(["--version"]).stdout, r"^tilemeter \d+\.\d+\.\d+\n$")
        for command in ["count", "sweep", "tables", "report", "devices", "algorithms"]:
            done = run([command, "--help"])
            self.assertEqual(done.returncode, 0)
            self.assertIn("example:\n  tilemeter " + ("sweep" if command == "report" else command), done.stdout)
        self.assertIn("flash2", run(["algorithms"]).stdout)
        self.assertIn("FlashAttention-2", run(["algorithms", "show", "flash2"]).stdout)
        self.assertIn("rtx4090", run(["devices"]).stdout)
        self.assertIn("sm.shared_per_block", run(["devices", "show", "h200"]).stdout)

    def test_one_point_and_several(self):
        one = self.json(["count", "--algorithm", "flash1", "--seq", "4096", "--sram", "50000el", "--blocks", "paper"])
        self.assertEqual((one["schema"], one["command"]), (1, "count"))
        self.assertEqual(one["traffic"]["elements"]["total"], 17383424)
        self.assertTrue(one["closed_form"]["equal"])
        two = self.json(["count", "--algorithm", "standard,flash1", "--seq", "4096"])
        self.assertEqual([point["algorithm"] for point in two["points"]], ["standard", "flash1"])

    def test_the_arguments_of_a_document_make_it_again(self):
        point = ["--algorithm", "flash2", "--seq", "300", "--head-dim", "32", "--causal"]
        for words in [["count", *point, "--sram", "30KiB"], ["sweep", *point, "--sram", "9KiB,30KiB"], ["algorithms"],
                      ["predict", *point, "--device", "h200"], ["simulate", *point, "--device", "h200"],
                      ["tune", *point, "--sram", "30KiB"], ["occupancy", *point, "--device", "h200"],
                      ["roofline", "--device", "h200", "--dtype", "bf16"], ["tables", "figure2"], ["devices", "show", "h200"],
                      ["complexity", "--theorem", "thm2"]]:
            with self.subTest(command=words[0]):
                first = self.json(words)
                self.assertEqual(first["arguments"], words[1:])
                self.assertEqual(self.json([first["command"], *first["arguments"]]), first)

    def test_how_a_result_is_shown_is_none_of_its_arguments(self):
        shown = run([*SMALL, "-v", "-j", "2", "--color", "never", "-o", self.path("a.json")])
        self.assertEqual(shown.returncode, 0, shown.stderr)
        self.assertEqual(self.read("a.json").decode(), run([*SMALL, "--format", "json", "-q"]).stdout)

    def test_every_algorithm_equals_its_closed_form(self):
        for mask in ["none", "causal", "causal_top_left", "window:50:7"]:
            sweep = self.json(["sweep", "--algorithm", "standard,standard_tiled,standard_unfused,flash1,flash2", "--seq-q",
                               "1,77", "--seq-k", "0,130", "--block-q", "16,33", "--block-k", "24", "--heads", "4",
                               "--kv-heads", "2", "--mask", mask])
            for point in sweep["points"]:
                self.assertTrue(point["feasible"])
                self.assertTrue(point["closed_form"]["equal"], json.dumps(point))

    def test_every_algorithm_in_every_format(self):
        sizes = {"gemm": ["--m", "9", "--n", "9", "--k", "9"], "weight_layer": ["--tokens", "4", "--d-in", "8", "--d-out", "8"],
                 "softmax": ["--rows", "4", "--cols", "9"], "elementwise": ["--length", "99"]}
        listed = json.loads(run(["algorithms", "--format", "json"]).stdout)["algorithms"]
        for name in [algorithm["name"] for algorithm in listed]:
            for format_name in ["table", "csv", "json", "md", "html"]:
                point = ["count", "--algorithm", name, *sizes.get(name, ["--seq", "40", "--head-dim", "8"])]
                with self.subTest(algorithm=name, format=format_name):
                    done = run([*point, "--format", format_name])
                    self.assertEqual((done.returncode, done.stderr), (0, ""))
                    self.assertIn(name, done.stdout)

    def test_zero_keys(self):
        point = self.json(["count", "--algorithm", "flash2", "--seq-q", "100", "--seq-k", "0"])
        self.assertEqual(point["traffic"]["elements"], {"read": 0, "write": 100 * 65, "total": 100 * 65})
        self.assertEqual(point["operations"]["empty_rows"], 100)

    def test_segments(self):
        lengths = self.write("lengths", "0 2538\n1208 1742\n840 840\n0 3072\n")
        point = self.json(["count", "--algorithm", "flash2", "--segments", lengths, "--head-dim", "256", "--heads", "4",
                           "--kv-heads", "1"])
        self.assertEqual(point["operations"]["pairs"], 4 * 2809936)
        self.assertTrue(point["closed_form"]["equal"])

    def test_infeasible_rows(self):
        sweep = self.json(["sweep", "--algorithm", "flash1", "--seq", "4096", "--sram", "12500el:50000el:*2", "--blocks",
                           "paper"])
        self.assertEqual([point["feasible"] for point in sweep["points"]], [False, False, True])
        self.assertEqual([point.get("overflow_elements") for point in sweep["points"]], [2543, 2136, None])
        self.assertNotIn("traffic", sweep["points"][0])
        self.assertIn("12", sweep["points"][0]["reason"])

    def test_a_tiling_counted_over_capacity_is_infeasible(self):
        sweep = self.json(["sweep", "--algorithm", "flash1", "--seq", "4096", "--sram", "12500el:50000el:*2", "--blocks",
                           "paper", "--no-capacity"])
        self.assertEqual([point["feasible"] for point in sweep["points"]], [False, False, True])
        self.assertEqual([point["traffic"]["elements"]["total"] for point in sweep["points"]],
                         [67960832, 34242560, 17383424])
        self.assertIn("--sram 12500el allows 12500", sweep["points"][0]["reason"])
        self.assertIsNone(sweep["points"][2]["reason"])

    def test_numeric(self):
        point = self.json(["count", "--algorithm", "flash2", "--seq", "70", "--mode", "numeric", "--seed", "3", "--causal"])
        self.assertTrue(point["numeric"]["ok"])

    def test_per_sm(self):
        point = self.json(["count", "--algorithm", "flash2", "--seq", "1000", "--heads", "3", "--per-sm", "--sms", "7"])
        self.assertEqual(len(point["sms"]), 7)
        self.assertEqual(sum(sm["read_bytes"] for sm in point["sms"]), point["traffic"]["bytes"]["read"])
        self.assertEqual(sum(sm["write_bytes"] for sm in point["sms"]), point["traffic"]["bytes"]["write"])

    def test_csv_has_the_same_columns_everywhere(self):
        headers = set()
        for arguments in [SMALL, ["count", "--algorithm", "standard_unfused", "--seq", "64"]]:
            rows = list(csv.reader(io.StringIO(run([*arguments, "--format", "csv"]).stdout)))
            headers.add(tuple(rows[0]))
            self.assertEqual({len(row) for row in rows}, {len(rows[0])})
        self.assertEqual(len(headers), 1)
        self.assertIn("traffic_bytes_read", headers.pop())

    def test_tables(self):
        names = [line.split()[0] for line in run(["tables", "--list"]).stdout.splitlines()]
        everything = self.json(["tables"])
        self.assertEqual([table["name"] for table in everything["tables"]], names)
        self.assertEqual((everything["schema"], everything["command"]), (1, "tables"))
        some = run(["tables", "traffic-vs-m", "score-matrix"]).stdout
        self.assertLess(some.index("traffic-vs-m: "), some.index("score-matrix: "))
        for extension in ["csv", "json", "md", "txt", "html"]:
            path = self.path("tables." + extension)
            done = run(["tables", "traffic-vs-n", "fitting", "-o", path])
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
            form = "table" if extension == "txt" else extension
            self.assertEqual(self.read(path).decode(), run(["tables", "traffic-vs-n", "fitting", "--format", form]).stdout)
        page = run(["report", self.path("tables.json")])
        self.assertEqual(page.returncode, 0, page.stderr)
        self.assertIn("17383424", page.stdout)
        self.assertIn('"infeasible_rows":6', page.stdout)

    def test_file_and_output_agree(self):
        for extension in ["csv", "json", "md", "txt", "html"]:
            name = "out." + extension
            self.assertEqual(run([*SMALL, "-o", self.path(name)]).returncode, 0)
            form = "table" if extension == "txt" else extension
            self.assertEqual(self.read(name), run([*SMALL, "--format", form]).stdout.encode(), extension)
            self.assertEqual(self.files(), [name])
            os.remove(self.path(name))

    def test_report_from_json_and_csv(self):
        for extension in ["json", "csv"]:
            source = self.path("in." + extension)
            self.assertEqual(run([*SMALL, "-o", source]).returncode, 0)
            done = run(["report", source, "-o", self.path("page.html")])
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(b"<html", self.read("page.html"))


class Sweeps(Folder):
    def test_threads_do_not_change_a_byte(self):
        one = run([*SMALL, "--format", "json", "-j", "1"]).stdout
        for threads in ["2", "7"]:
            self.assertEqual(run([*SMALL, "--format", "json", "-j", threads]).stdout, one)
            self.assertEqual(run([*SMALL, "-o", self.path("x.json"), "-j", threads]).returncode, 0)
            self.assertEqual(self.read("x.json").decode(), one)

    def test_rows_stream(self):
        with subprocess.Popen([PROGRAM, *SLOW, "--format", "csv"], stdout=subprocess.PIPE, text=True) as sweep:
            sweep.stdout.readline()
            self.assertTrue(sweep.stdout.readline().startswith("flash1"))
            self.assertIsNone(sweep.poll(), "the first row came only at the end")
            sweep.kill()
            sweep.stdout.close()

    def test_a_closed_pipe_ends_quietly(self):
        with subprocess.Popen([PROGRAM, *SLOW, "--format", "csv"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True) as sweep:
            sweep.stdout.readline()
            sweep.stdout.close()
            self.assertEqual(sweep.wait(timeout=60), 0)
            self.assertEqual(sweep.stderr.read(), "")

    def start_and(self, number, name):
        """Starts the slow sweep and sends it a signal when some points are recorded; returns status and messages."""
        partial = self.path(name + ".partial")
        with subprocess.Popen([PROGRAM, *SLOW, "-o", self.path(name)], stderr=subprocess.PIPE, text=True) as sweep:
            while not os.path.exists(partial) or os.path.getsize(partial) < 50000:
                self.assertIsNone(sweep.poll(), "the sweep ended too early to be interrupted")
                time.sleep(0.002)
            sweep.send_signal(number)
            status = sweep.wait(timeout=60)
            return status, sweep.stderr.read()

    def test_resume_after_kill(self):
        self.assertEqual(run([*SLOW, "-o", self.path("whole.csv")]).returncode, 0)
        self.start_and(signal.SIGKILL, "cut.csv")
        self.assertEqual(self.files(), ["cut.csv.partial", "whole.csv"])
        with open(self.path("cut.csv.partial"), "ab") as partial:
            partial.write(b"1234abcd 77 {\"torn")
        refused = run([*SLOW, "-o", self.path("cut.csv")])
        self.assertEqual(refused.returncode, 2)
        self.assertIn("--resume", refused.stderr)
        other = run([*SLOW, "--batch", "2", "-o", self.path("cut.csv"), "--resume"])
        self.assertEqual(other.returncode, 2)
        self.assertIn("another command line", other.stderr)
        done = run([*SLOW, "-o", self.path("cut.csv"), "--resume", "-j", "3"])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.read("cut.csv"), self.read("whole.csv"))
        self.assertEqual(self.files(), ["cut.csv", "whole.csv"])

    def test_interrupts_say_how_to_go_on(self):
        for number in [signal.SIGINT, signal.SIGTERM]:
            status, messages = self.start_and(number, "x.json")
            self.assertEqual(status, 130)
            self.assertEqual(len(messages.strip().splitlines()), 1, messages)
            self.assertIn("--resume", messages)
            self.assertEqual(self.files(), ["x.json.partial"])
            os.remove(self.path("x.json.partial"))

    def test_unwritable_output_is_noticed_before_work(self):
        begin = time.monotonic()
        self.assertEqual(run([*SLOW, "-o", "/nonexistent/x.csv"]).returncode, 2)
        self.assertLess(time.monotonic() - begin, 5)


if __name__ == "__main__":
    unittest.main()
