"""Wrong input: one clear message on standard error, exit status 2, nothing on standard output, no file half written.

usage: bad_input_test.py PROGRAM [unittest options]
"""

import subprocess
import unittest

from program import PROGRAM, Folder, run


class BadInput(Folder):
    POINT = ["count", "--algorithm", "flash1", "--seq", "64"]

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
        self.refuse([*self.POINT, "-o", "-vv"], "-o needs a value")
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

    def test_a_report_is_html_and_names_its_input(self):
        path = self.path("m.json")
        run([*self.POINT, "-o", path])
        for name in ("x.csv", "x.json", "x.md", "x.txt"):
            self.refuse(["report", path, "-o", self.path(name)], "-o", name, "expected FILE.html")
        for name in ("x.html", "x.htm", "page"):
            self.assertEqual(run(["report", path, "-o", self.path(name)]).returncode, 0)
        for text, words in (("{}", '"schema" is missing'), ("{", "not JSON: line 1, column 2: "), ("[]", "the document is []"),
                            ('{"schema": 1, "command": "tune", "version": "0"}', '"results" is missing'),
                            ('{"traceEvents": [3]}', '"traceEvents[0]" is 3'), ("", "expected the JSON or CSV")):
            wrong = self.write("wrong.json", text)
            self.refuse(["report", wrong], f"report {wrong}: ", words)
            self.assertNotIn("report input", run(["report", wrong]).stderr)
            self.assertNotIn("json.exception", run(["report", wrong]).stderr)

    def test_show_names_what_was_given(self):
        for command in ("devices", "kernels", "algorithms"):
            self.refuse([command, "show"], f"{command} show: expected a name", f"`tilemeter {command}` lists the names")
            message = run([command, "show", "nobody"]).stderr
            self.refuse([command, "show", "nobody"], f"{command} show ", "nobody")
            self.assertNotIn("--", message)
        self.refuse(["devices", "show", "none.toml"], 'devices show "none.toml": does not exist')

    def test_a_value_stands_once_in_a_list(self):
        sweep = ["sweep", "--algorithm", "flash2", "--seq"]
        for arguments, words in (
                (["count", "--algorithm", "flash2,flash1,flash2", "--seq", "64"], "--algorithm flash2 stands twice in flash2,flash1,flash2"),
                ([*sweep, "64,128,64"], "--seq 64 stands twice in 64,128,64"),
                ([*sweep, "64:256:*2,256:512:*2"], "--seq 256 stands twice"),
                ([*sweep, "64", "--sram", "64KiB,65536B"], "--sram 64KiB stands twice"),
                ([*sweep, "64", "--device", "h200,t4,h200"], "--device h200 stands twice"),
                ([*sweep, "64", "--mask", "causal,none,causal"], "--mask causal stands twice"),
                ([*sweep, "64", "--dtype", "fp16,fp16"], "--dtype fp16 stands twice"),
                (["sweep", "--algorithm", "split_kv", "--seq", "64", "--splits", "auto,2,auto"], "--splits auto stands twice"),
                (["tune", "--algorithm", "flash2", "--seq", "64", "--device", "h200", "--warps", "4,4"], "--warps 4 stands twice"),
                (["complexity", "--theorem", "prop4,prop4"], "--theorem prop4 stands twice"),
                (["roofline", "--device", "h200,h200"], "--device h200 stands twice")):
            self.refuse(arguments, words, "expected each value once")
        self.assertEqual(run([*sweep, "64", "--window", "4,4", "--format", "csv"]).returncode, 0)
        self.assertEqual(run([*sweep, "64:256:*2,512", "--format", "csv"]).returncode, 0)

    def test_numbers_of_more_memory_than_a_machine_has(self):
        keys = ["--algorithm", "flash2", "--seq-q", "1", "--head-dim", "64", "--mode", "numeric", "--seq-k"]
        self.refuse(["count", *keys, "30000000"], "--mode numeric", "flash2", "GiB", "expected at most 8.00 GiB", "--mode count")
        self.refuse(["sweep", *keys, "64,30000000"], "--mode numeric", "expected at most 8.00 GiB")
        self.refuse(["count", "--algorithm", "standard", "--seq", "65536", "--mode", "numeric"], "standard", "8.00 GiB")
        self.refuse(["count", "--algorithm", "gemm", "--m", "32768", "--n", "32768", "--k", "32768", "--mode", "numeric"], "gemm")
        done = run(["count", *keys, "10000"])
        self.assertEqual((done.returncode, done.stderr), (0, ""))

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
        torn = self.write("torn.json", '{"schema": 1, "command": "tables", "version": "0", "tables": [{"name": "golden", "title": "t", "source": "s"}]}')
        self.refuse(["report", torn], f"report {torn}: ", "columns")
        other = self.write("other.json", '{"schema": 1, "command": "tables", "version": "0", "tables": [{"name": "x", "title": "t", "source": "s", "columns": [], '
                           '"rows": [[1]], "notes": [], "failures": [], "infeasible_rows": 0}]}')
        self.refuse(["report", other], "tables[0].rows[0]", "a cell for each column")
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


if __name__ == "__main__":
    unittest.main()
