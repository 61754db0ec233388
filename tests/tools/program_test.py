"""The program as its users call it: exit status, what goes to which stream, and which files are left.

usage: program_test.py PROGRAM [unittest options]
"""

import csv
import io
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = None

SLOW = ["sweep", "--algorithm", "flash1,flash2", "--head-dim", "64", "--block-q", "1:24:+1", "--block-k", "1:24:+1",
        "--seq", "4001,4099", "--mask", "none,causal,window:100:0"]
SMALL = ["sweep", "--algorithm", "standard,flash1,flash2", "--seq", "100:1000:+50", "--sram", "2000el:32000el:*2",
         "--head-dim", "16"]


def run(arguments, **options):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=120, **options)


class Folder(unittest.TestCase):
    """A test in an empty folder of its own."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def files(self):
        return sorted(os.listdir(self.folder.name))


class BadInput(Folder):
    POINT = ["count", "--algorithm", "flash1", "--seq", "64"]

    def refuse(self, arguments, *words):
        done = run(arguments)
        with self.subTest(arguments=" ".join(arguments)):
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertEqual(done.stdout, "")
            self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
            for word in words:
                self.assertIn(word, done.stderr)

    def test_names(self):
        self.refuse(["count", "--algorithm", "flash9", "--seq", "64"], "--algorithm", "flash9", "flash2")
        self.refuse(["counts"], "counts", "count")
        self.refuse([*self.POINT, "--seqq", "4"], "--seqq", "\"--seq")
        self.refuse([*self.POINT, "word"], "word")
        self.refuse([*self.POINT, "--device", "h100"], "h100-sxm", "h100-pcie")
        self.refuse([*self.POINT, "--device", "mi300x"], "mi300x")
        self.refuse([*self.POINT, "--device", "h200", "--set", "sm.cont=3"], "sm.cont")
        self.refuse([*self.POINT, "--dtype", "fp12"], "--dtype", "fp12", "fp16")
        self.refuse([*self.POINT, "--mask", "causl"], "--mask", "causl", "causal")
        self.refuse([*self.POINT, "--blocks", "best", "--sram", "1MiB"], "--blocks", "best", "optimum")
        self.refuse([*self.POINT, "--format", "xml"], "--format", "xml", "csv")
        self.refuse([*self.POINT, "--placement", "l2"], "--placement", "l2")
        self.refuse(["algorithms", "show", "flash9"], "flash9")
        self.refuse(["devices", "show", "nothing"], "nothing")
        self.refuse(["devices", "list"], "list")

    def test_numbers(self):
        for option in ["--seq", "--head-dim", "--head-dim-v", "--batch", "--heads", "--kv-heads"]:
            for value in ["0", "-4", "abc", "", "1.5", "99999999999999999999", "9223372036854775808"]:
                arguments = ["count", "--algorithm", "flash1", option, value]
                self.refuse(arguments if option == "--seq" else [*arguments, "--seq", "64"], option, value)
        self.refuse(["count", "--algorithm", "flash1", "--seq-q", "0", "--seq-k", "4"], "--seq-q 0")
        self.refuse([*self.POINT, "--block-q", "0", "--block-k", "4"], "--block-q")
        self.refuse([*self.POINT, "--stages", "0"], "--stages")
        self.refuse([*self.POINT, "--row-splits", "0"], "--row-splits")
        self.refuse([*self.POINT, "--heads", "33", "--kv-heads", "2"], "33", "2", "--heads")
        self.refuse([*self.POINT, "--heads", "3", "--kv-heads", "2"], "--kv-heads")
        self.refuse([*self.POINT, "--seq"], "--seq")
        self.refuse(["count", "--algorithm", "flash1", "--seq", "64", "--seq", "65"], "--seq")
        self.refuse(["count", "--algorithm", "flash2", "--seq", "4000000000000000000"], "2^63 - 1")
        self.refuse(["sweep", "--algorithm", "flash2", "--seq", "64,4000000000000000000"], "2^63 - 1")
        self.refuse([*self.POINT, "--seed", "4"], "--seed", "--mode numeric")
        self.refuse([*self.POINT, "--mode", "numeric", "--dtype", "fp8"], "--dtype fp8")
        self.refuse([*self.POINT, "--mode", "numeric", "--o-dtype", "fp8"], "--o-dtype fp8")
        self.refuse(["count", "--algorithm", "standard", "--seq", "64", "--mode", "numeric", "--score-dtype", "fp8"],
                    "--score-dtype fp8")

    def test_options_given_wrongly(self):
        self.refuse([*self.POINT, "--head-dim"], "--head-dim needs a value", "--head-dim D")
        self.refuse(["count", "--algorithm", "--seq", "64"], "--algorithm needs a value")
        self.refuse([*self.POINT, "-o", "-q"], "-o needs a value")
        self.refuse([*self.POINT, "--seq", "65"], "--seq is given 2 times")
        self.refuse([*self.POINT, "--packed", "--packed"], "--packed is given 2 times")
        self.refuse([*self.POINT, "--packed=false"], "--packed=false", "no value")
        self.refuse([*self.POINT, "--no-capacity=yes"], "--no-capacity=yes", "no value")
        self.refuse(["count", "--algorithm", "", "--seq", "64"], '--algorithm ""')

    def test_a_message_is_one_line_whatever_the_input(self):
        self.refuse([*self.POINT, "--dtype", "a\nb\x1b[31m"], "--dtype a?b?[31m")
        self.refuse([*self.POINT, "a\nb"], "a?b")
        message = run([*self.POINT, "--dtype", "x" * 100000]).stderr
        self.assertLess(len(message), 500)

    def test_a_message_quotes_the_whole_value(self):
        self.refuse([*self.POINT, "--sram", "0KiB"], "--sram 0KiB")
        self.refuse([*self.POINT, "--mask", "window:a:0"], "--mask window:a:0", "side a")
        self.refuse([*self.POINT, "--window", "9,b"], "--window 9,b", "side b")
        sweep = ["sweep", "--algorithm", "flash1", "--seq"]
        self.refuse([*sweep, "64:128:*1"], "--seq 64:128:*1: factor 1")
        self.refuse([*sweep, "64:128:+0"], "--seq 64:128:+0: step 0")
        self.refuse([*sweep, "0:128:*2"], "--seq 0:128:*2: start 0")

    def test_more_sms_than_a_gpu_can_have(self):
        self.refuse([*self.POINT, "--per-sm", "--sms", "99999999999"], "--sms 99999999999", "100000")

    def test_a_report_does_not_replace_its_input(self):
        path = self.path("m.json")
        run([*self.POINT, "-o", path])
        before = self.read("m.json")
        self.refuse(["report", path, "-o", path], "-o", "input")
        self.assertEqual(self.read("m.json"), before)

    def test_a_folder_is_named_as_one(self):
        self.refuse([*self.POINT, "-o", self.folder.name], "-o", "directory")

    def test_sizes(self):
        for value in ["100", "100KB", "100kib", "0KiB", "-5el", "1.5MiB", "", "99999999999999999999el"]:
            self.refuse([*self.POINT, "--sram", value], "--sram")
        self.refuse([*self.POINT, "--sram", "1el"], "1")
        self.refuse([*self.POINT, "--sram", "50000el", "--device", "h200"], "--sram 50000el")

    def test_ranges(self):
        sweep = ["sweep", "--algorithm", "flash1", "--seq"]
        self.refuse([*sweep, "64:32:*2"], "--seq", "64:32:*2", "from:to")
        self.refuse([*sweep, "1:9000000000:+1"], "--seq", "1000000")
        self.refuse([*sweep, "64:128"], "--seq")
        self.refuse(["count", "--algorithm", "flash1", "--seq", "64,128"], "--seq 64,128", "sweep")
        self.refuse(["sweep", "--algorithm", "flash1", "--seq", "1:10000:+1", "--batch", "1:10000:+1", "--heads",
                     "1:10000:+1"], "--heads", "points")

    def test_contradictions(self):
        pairs = [
            (["--blocks", "paper"], ["--sram"]),
            (["--blocks", "fit"], ["--device"]),
            (["--sram", "1MiB", "--blocks", "fit", "--block-q", "8", "--block-k", "8"], ["--blocks", "--block-q"]),
            (["--block-q", "8"], ["--block-q", "--block-k"]),
            (["--seq-q", "4", "--seq-k", "4"], ["--seq 64", "--seq-q"]),
            (["--causal", "--causal-top-left"], ["--causal", "--causal-top-left"]),
            (["--window", "4,0", "--causal-top-left"], ["--window", "--causal-top-left"]),
            (["--causal", "--window", "4,4"], ["--causal", "--window"]),
            (["--mask", "none", "--causal"], ["--mask", "--causal"]),
            (["--window", "4,-3"], ["--window", "-3"]),
            (["--set", "sm.count=3"], ["--set", "--device"]),
            (["--per-sm"], ["--per-sm", "--device"]),
            (["--init", "--elide-first"], ["--init", "--elide-first"]),
            (["--empty-lse", "+inf"], ["--empty-lse", "flash1", "flash2"]),
            (["--unfused", "scale"], ["--unfused", "standard_unfused"]),
        ]
        for arguments, words in pairs:
            self.refuse([*self.POINT, *arguments], *words)
        self.refuse(["count", "--algorithm", "flash2", "--seq", "8", "--o-dtype", "fp32"], "--o-dtype", "flash1")
        self.refuse(["count", "--seq", "8"], "--algorithm")
        self.refuse(["count", "--algorithm", "flash1"], "--seq")
        self.refuse(["sweep", "--algorithm", "flash1", "--seq", "8", "--resume"], "--resume", "-o")

    def test_tables(self):
        self.refuse(["tables", "traffic-vs-k"], "traffic-vs-k", "did you mean", "traffic-vs-m", "score-matrix")
        self.refuse(["tables", "traffic-vs-m", "--format", "xml"], "--format xml", "json")
        self.refuse(["tables", "--list", "--format", "json"], "--list", "--format")
        torn = self.write("torn.json", '{"schema": 1, "command": "tables", "tables": [{"name": "golden"}]}')
        self.refuse(["report", torn], "report input", "columns")
        other = self.write("other.json", '{"schema": 1, "command": "tables", "tables": [{"name": "x", "columns": [], '
                           '"rows": [[1]], "notes": [], "failures": [], "infeasible_rows": 0}]}')
        self.refuse(["report", other], "table x", "1 cells")
        self.refuse(["tables", "--seq", "64"], "--seq", "tables")

    def test_capacity(self):
        self.refuse(["count", "--algorithm", "flash1", "--seq", "4096", "--sram", "12500el", "--blocks", "paper"], "12500")
        self.refuse(["count", "--algorithm", "flash2", "--seq", "256", "--heads", "2", "--head-dim", "256", "--dtype",
                     "bf16", "--block-q", "128", "--block-k", "64", "--device", "rtx4090"], "flash2", "rtx4090", "99.0 KiB")

    def test_files(self):
        self.refuse([*self.POINT, "-o", "/nonexistent/x.json"], "-o", "/nonexistent/x.json")
        self.refuse([*self.POINT, "-o", self.folder.name], "-o")
        self.refuse([*self.POINT, "-o", self.path("x.dat")], "-o", ".csv")
        self.refuse([*self.POINT, "-o", "/dev/null", "--format", "csv"], "-o /dev/null")
        self.refuse([*self.POINT, "--device", self.path("none.toml")], "none.toml")
        self.refuse([*self.POINT, "--device", self.write("torn.toml", "name = {value = ")], "torn.toml")
        self.refuse(["report", self.path("none.json"), "-o", self.path("x.html")], "none.json")
        self.refuse(["report", self.write("empty.json", ""), "-o", self.path("x.html")], "empty.json")
        self.refuse(["report"], "report")
        self.refuse(["tables", "traffic-vs-m", "-o", "/nonexistent/x.json"], "-o", "/nonexistent/x.json")
        lengths = ["count", "--algorithm", "flash2", "--segments"]
        self.refuse([*lengths, self.path("none")], "--segments")
        self.refuse([*lengths, self.write("bad", "1 2\n1\n")], "--segments", "line 2")
        self.refuse([*lengths, self.write("good", "4 4\n"), "--batch", "2"], "--segments", "--batch")
        self.assertEqual(self.files(), ["bad", "empty.json", "good", "torn.toml"])

    def test_a_refused_count_leaves_no_file(self):
        self.refuse([*self.POINT, "--sram", "1el", "-o", self.path("x.json")], "1")
        self.assertEqual(self.files(), [])

    def test_a_full_disk(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([PROGRAM, *self.POINT], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
        self.assertEqual(done.returncode, 2)
        self.assertIn("standard output", done.stderr)


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

    def test_every_algorithm_equals_its_closed_form(self):
        for mask in ["none", "causal", "causal_top_left", "window:50:7"]:
            sweep = self.json(["sweep", "--algorithm", "standard,standard_tiled,standard_unfused,flash1,flash2", "--seq-q",
                               "1,77", "--seq-k", "0,130", "--block-q", "16,33", "--block-k", "24", "--heads", "4",
                               "--kv-heads", "2", "--mask", mask])
            for point in sweep["points"]:
                self.assertTrue(point["feasible"])
                self.assertTrue(point["closed_form"]["equal"], json.dumps(point))

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
        self.assertIn("<td>17,383,424</td>", page.stdout)
        self.assertIn("6 of 30 rows do not fit", page.stdout)

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
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
