"""Names that are misspelt, and errors for programs (--format json).

usage: errors_test.py PROGRAM [unittest options]
"""

import json
import unittest

from program import Folder, document, run

POINT = ["count", "--algorithm", "flash2", "--seq", "64"]


class Suggestions(Folder):
    def suggests(self, arguments, name):
        self.refuse(arguments, f'did you mean "{name}"?')

    def test_commands_and_options(self):
        self.suggests(["cuont"], "count")
        self.suggests(["occupency"], "occupancy")
        self.suggests([*POINT, "--haed-dim", "64"], "--head-dim")
        self.suggests([*POINT, "--sarm=1MiB"], "--sram")
        self.suggests(["devices", "shwo", "h200"], "show")
        self.suggests(["probe", "lsit"], "list")

    def test_the_nearest_of_several_is_meant(self):
        self.suggests(["count", "--algorithm", "flash4", "--seq", "64"], "flash3")
        self.suggests([*POINT, "--device", "H300"], "h200")

    def test_values(self):
        for option, typed, meant in [("--algorithm", "spilt_kv", "split_kv"), ("--device", "rtx4091", "rtx4090"),
                                     ("--dtype", "bf61", "bf16"), ("--stat-dtype", "fp23", "fp32"),
                                     ("--mask", "casual", "causal"), 
                                     ("--placement", "sarm", "sram"), ("--format", "jsno", "json"),
                                     ("--mode", "numerc", "numeric"), ("--color", "allways", "always")]:
            arguments = [option, typed] if option == "--algorithm" else ["--algorithm", "flash2", option, typed]
            self.suggests(["count", "--seq", "64", *arguments], meant)
        self.suggests([*POINT, "--sram", "1MiB", "--blocks", "papre"], "paper")
        self.suggests(["count", "--algorithm", "chunked", "--seq", "64", "--variant", "onchpi"], "onchip")
        self.suggests(["predict", "--seq", "64", "--device", "h200", "--kernel", "flahs3"], "flash3")
        self.suggests(["predict", *POINT[1:], "--device", "h200", "--matrix", "wgmm"], "wgmma")
        self.suggests(["measure", "--seq", "64", "--kernel", "flash2_plian"], "flash2_plain")
        self.suggests(["kernels", "show", "flash2_plian"], "flash2_plain")
        self.suggests(["algorithms", "show", "flahs1"], "flash1")
        self.suggests(["devices", "show", "h201"], "h200")
        self.suggests(["tables", "traffic-vs-k"], "traffic-vs-m")
        self.suggests(["complexity", "--theorem", "prop5"], "prop4")
        self.suggests(["tune", *POINT[1:], "--sram", "1MiB", "--by", "trafic"], "traffic")
        self.suggests(["roofline", "--device", "h200", "--kv-cache", "lama-3-8b"], "llama-3-8b")
        self.suggests(["roofline", "--device", "h200", "--critical-batch", "--weight-dtype", "int9"], "int8")
        self.suggests(["probe", "--only", "hbmm"], "hbm")

    def test_keys(self):
        self.suggests([*POINT, "--device", "h200", "--set", "sm.cuont=3"], "sm.count")
        self.suggests([*POINT, "--device", self.write("d.toml", 'base = "h201"\n')], "h200")
        overlay = self.write("e.toml", 'base = "h200"\n[sm]\ncuont = { value = 3, source = "a test" }\n')
        self.suggests([*POINT, "--device", overlay], "sm.count")
        layout = self.write("l.toml", 'name = "x"\nthreds = 128\n')
        self.suggests(["occupancy", "--layout-file", layout, "--device", "h200"], "threads")

    def test_metrics_and_splits(self):
        folder = self.folder.name
        self.suggests(["validate", folder, "--device", "h200", "--metric", "dram_raed"], "dram_read")
        self.suggests(["validate", folder, "--device", "h200", "--split", "lenght"], "length")

    def test_nothing_is_suggested_where_nothing_is_near(self):
        for arguments in [["count", "--algorithm", "mamba", "--seq", "64"], [*POINT, "--mask", "banded"]]:
            self.assertNotIn("did you mean", run(arguments).stderr)


class Json(Folder):
    def error(self, arguments):
        """The error of a command line that asks for JSON; its text must be that of the same without."""
        done = run([*arguments, "--format", "json"])
        self.assertEqual((done.returncode, done.stdout), (2, ""), arguments)
        written = json.loads(done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1)
        self.assertEqual(written["schema"], 1)
        plain = run(arguments).stderr.removeprefix("tilemeter: error: ").removesuffix("\n")
        self.assertEqual(written["error"]["message"], plain)
        return written["error"]

    def has(self, arguments, **parts):
        error = self.error(arguments)
        with self.subTest(arguments=" ".join(arguments)):
            self.assertEqual({name: value for name, value in error.items() if name in parts or name not in
                              ("message", "accepted", "choices")}, parts)

    def test_options_and_values(self):
        names = [row["name"] for row in document(["algorithms"])["algorithms"]]
        self.has(["count", "--algorithm", "flash4", "--seq", "64"], option="--algorithm", value="flash4",
                 suggestion="flash3", accepted=", ".join(names), choices=names)
        self.has(["count", "--algorithm", "standard,flash4", "--seq", "64"], option="--algorithm", value="flash4",
                 suggestion="flash3")
        self.has([*POINT, "--dtype=bf61"], option="--dtype", value="bf61", suggestion="bf16",
                 accepted="one of fp64, fp32, fp16, bf16, fp8", choices=["fp64", "fp32", "fp16", "bf16", "fp8"])
        self.has([*POINT, "--heads", "abc"], option="--heads", value="abc", accepted="an integer from 1 to 2^63 - 1")
        self.has([*POINT, "--mask", "window:a:0"], option="--mask", value="window:a:0",
                 accepted="an integer from 0 to 2^63 - 1")
        self.has([*POINT, "--window", "9,b"], option="--window", value="9,b", accepted="an integer from 0 to 2^63 - 1")
        self.has([*POINT, "--device", "h100"], option="--device", value="h100",
                 accepted="h100-sxm h100-pcie h100-nvl", choices=["h100-sxm", "h100-pcie", "h100-nvl"])
        self.has([*POINT, "--heads", "33", "--kv-heads", "2"], option="--heads", value="33")
        self.has(["sweep", "--algorithm", "flash1", "--seq", "64:128"], option="--seq", value="64:128",
                 accepted="a,b,c or from:to:*2 or from:to:+64")
        self.has([*POINT, "--output", "/nonexistent/x.json"], option="-o", value="/nonexistent/x.json")
        self.has([*POINT, "--packed=false"], option="--packed", value="false")
        self.has(["tables", "traffic-vs-k"], value="traffic-vs-k", suggestion="traffic-vs-m")

    def test_what_a_capacity_accepts_is_whole(self):
        self.has(["count", "--algorithm", "flash2", "--seq", "4096", "--block-q", "1000", "--block-k", "1000", "--sram", "100KiB"],
                 option="--sram", value="100KiB", accepted="at most 100.0 KiB; nearest that fit: 132x64")
        self.has(["count", "--algorithm", "flash2", "--seq", "4096", "--sram", "500B"], option="--sram", value="500B",
                 accepted="at most 500 B")
        two_limits = self.error(["count", "--algorithm", "flash2", "--seq", "4096", "--head-dim", "256", "--block-q", "256",
                                 "--block-k", "256", "--device", "rtx4090"])
        self.assertNotIn("accepted", two_limits)
        self.has(["count", "--algorithm", "split_kv", "--seq-q", "1", "--seq-k", "4096", "--splits", "99999", "--device", "h200"],
                 option="--splits", value="99999", accepted="1 to 58112, or auto")

    def test_names_after_show(self):
        for command, name, meant in (("devices", "h201", "h200"), ("kernels", "flahs2", "flash2"), ("algorithms", "flahs2", "flash2")):
            self.has([command, "show", name], value=name, suggestion=meant)

    def test_missing_options(self):
        self.has(["count", "--seq", "64"], option="--algorithm")
        self.has(["count", "--algorithm", "flash1"], option="--seq")
        self.has([*POINT, "--seq", "65"], option="--seq", accepted="once")
        self.has([*POINT, "--seed", "4"], option="--seed", value="4", accepted="--mode numeric")

    def test_command_lines_that_cannot_be_read(self):
        self.has(["cuont"], value="cuont", suggestion="count")
        self.has([*POINT, "--sarm"], option="--sarm", suggestion="--sram")
        self.has([*POINT, "word"], value="word")

    def test_keys(self):
        self.has([*POINT, "--device", "h200", "--set", "sm.cuont=3"], option="--set", key="sm.cuont",
                 value="sm.cuont=3", suggestion="sm.count")
        self.has([*POINT, "--device", "h200", "--set", "sm.count=x"], option="--set", key="sm.count", value="x",
                 accepted="a whole number of at least 1, without a unit")
        layout = self.write("l.toml", 'name = "x"\nthreads = 0\n')
        self.has(["occupancy", "--layout-file", layout, "--device", "h200"], file=layout, key="threads", value="0",
                 accepted="a whole number of 1 to 1024")
        overlay = self.write("a b.toml", 'base = "h200"\n[sm]\ncount = { value = -1, source = "a test" }\n')
        self.has([*POINT, "--device", overlay], file=overlay, key="sm.count", value="-1",
                 accepted="a whole number of at least 1, without a unit")

    def test_values_are_whole(self):
        long = "x" * 300
        self.has([*POINT, "--dtype", long], option="--dtype", value=long)
        done = run([*POINT, "--dtype", "a\nb", "--format", "json"])
        self.assertEqual(json.loads(done.stderr)["error"]["value"], "a\nb")

    def test_other_formats_have_text(self):
        for form in ["csv", "table"]:
            self.assertTrue(run([*POINT, "--heads", "0", "--format", form]).stderr.startswith("tilemeter: error: --heads"))
        self.assertTrue(run([*POINT, "--heads", "0", "-o", self.path("x.json")]).stderr.startswith("tilemeter: error: "))

    def test_other_messages_are_json_too(self):
        done = run([*POINT, "-v", "--format", "json"])
        lines = [json.loads(line) for line in done.stderr.splitlines()]
        self.assertTrue(lines and all("message" in line["info"] for line in lines), done.stderr)
        self.assertEqual(json.loads(done.stdout)["command"], "count")


if __name__ == "__main__":
    unittest.main()
