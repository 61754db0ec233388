"""`tilemeter complexity` as its users call it.

usage: complexity_test.py PROGRAM [unittest options]
"""

import csv
import io
import json
import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM = None


def run(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=300)


def document(*arguments):
    done = run("complexity", *arguments, "--format", "json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


class Theorems(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.whole = document()

    def figures(self, theorem, **wanted):
        named = next(t for t in self.whole["theorems"] if t["name"] == theorem)
        found = [f for f in named["figures"] if all(f[key] == value for key, value in wanted.items())]
        self.assertTrue(found, wanted)
        return found

    def test_document(self):
        self.assertEqual(self.whole["schema"], 1)
        self.assertEqual(self.whole["command"], "complexity")
        self.assertEqual(self.whole["counted_by"], "simulator")
        self.assertEqual(self.whole["seed"], 1)
        self.assertEqual(self.whole["fits"], [])

    def test_every_theorem_holds_on_counts(self):
        names = [t["name"] for t in self.whole["theorems"]]
        for name in ["thm1", "thm2", "thm5", "square-tiles", "prop3", "prop4", "saha-ye", "li", "row-granular", "matmul"]:
            self.assertIn(name, names)
        for theorem in self.whole["theorems"]:
            with self.subTest(theorem["name"]):
                self.assertTrue(theorem["ok"], theorem["verdict"])
                self.assertTrue(theorem["figures"])
                for key in ["title", "source", "statement", "validity", "edges", "verdict"]:
                    self.assertTrue(theorem[key])

    def test_exponents(self):
        exact = self.figures("thm2", algorithm="flash1", quantity="T - 2Nd", where="aligned", figure="exponent of M")[0]
        self.assertAlmostEqual(exact["value"], -1, places=9)
        self.assertEqual(exact["points"], 7)
        joint = self.figures("thm2", algorithm="flash2", where="random")
        self.assertEqual([f["figure"] for f in joint], ["exponent of N", "exponent of d", "exponent of M"])
        for figure, value in zip(joint, [1.993, 1.964, -0.996]):
            self.assertEqual(figure["points"], 400)
            self.assertLess(abs(figure["value"] - value), 0.02)
            self.assertLess(0, figure["half_width_95"])
            self.assertLess(figure["half_width_95"], 0.01)

    def test_backward(self):
        joint = self.figures("thm5", algorithm="flash1_backward", blocks="paper", where="random")
        for figure, (name, value) in zip(joint, [("N", 1.996), ("d", 1.986), ("M", -0.994)]):
            self.assertEqual((figure["figure"], figure["quantity"]), (f"exponent of {name}", "T - 4Nd"))
            self.assertLess(abs(figure["value"] - value), 0.02)
        variants = {f["variant"] for f in self.figures("thm5", algorithm="flash2_backward")}
        self.assertEqual(variants, {"atomics", "two_kernels"})
        standard = self.figures("thm5", algorithm="standard_backward", quantity="T - 8Nd")[0]
        self.assertAlmostEqual(standard["value"], 2, places=9)
        for figure in self.figures("li"):
            self.assertEqual(figure["accepted"], {"from": None, "to": None})

    def test_small_cache_and_product(self):
        scores = self.figures("saha-ye", algorithm="materialised", figure="exponent of M")[0]
        self.assertLess(abs(scores["value"] + 0.516), 0.02)
        product = self.figures("matmul", algorithm="gemm", figure="exponent of M")[0]
        self.assertLess(abs(product["value"] + 0.5), 0.02)
        for figure in self.figures("matmul", algorithm="gemm", figure="smallest"):
            self.assertGreaterEqual(figure["value"], 1)

    def test_crossovers(self):
        expected = {("flash2", "optimum"): (0.50, 0.59), ("flash1", "optimum"): (0.85, 0.96),
                    ("flash1", "paper"): (2.4, 2.5)}
        rows = self.whole["crossovers"]
        self.assertEqual(len(rows), 12)
        for row in rows:
            least, most = expected[row["algorithm"], row["blocks"]]
            ratio = row["sram_over_d_squared"]
            self.assertEqual(ratio, row["sram_elements"] / row["head_dim"] ** 2)
            self.assertTrue(row["ok"] and least - 0.005 <= ratio <= most + 0.005, row)
            self.assertLessEqual(row["moved_elements"], row["opponent_elements"])
            self.assertEqual((row["opponent"], row["seq"]), ("materialised", 8192))

    def test_extra_memory_and_operations(self):
        for algorithm, exponent in [("flash1", 1), ("flash2", 1), ("standard", 2)]:
            figure = self.figures("thm1", algorithm=algorithm, quantity="extra memory", figure="exponent of N")[0]
            self.assertAlmostEqual(figure["value"], exponent, places=9)

    def test_nothing_is_below_its_bound(self):
        for row in self.whole["distances"]:
            self.assertTrue(row["ok"])
            self.assertGreaterEqual(row["moved_elements"], row["bound_elements"])
        best = next(r for r in self.whole["distances"] if r["algorithm"] == "flash2" and r["blocks"] == "optimum"
                    and r["sram_elements"] == 50000)
        self.assertEqual((best["block_q"], best["moved_elements"]), (380, 6295552))
        self.assertEqual((best["bound"], best["bound_elements"]), ("row-granular", 5520640))

    def test_break_even(self):
        known = {("flash1", "paper", "none"): 12289, ("flash1", "fit", "none"): 15043,
                 ("flash1", "optimum", "none"): 6451, ("flash2", "optimum", "none"): 4320,
                 ("flash1", "paper", "panels"): 10241, ("flash1", "fit", "panels"): 12943,
                 ("flash1", "optimum", "panels"): 3613, ("flash2", "optimum", "panels"): 1962}
        found = {(r["algorithm"], r["blocks"], r["opponent_blocks"]): r for r in self.whole["break_even"]}
        for key, capacity in known.items():
            self.assertEqual(found[key]["sram_elements"], capacity, key)
        self.assertFalse(found["flash1", "paper", "none"]["fits"])
        self.assertTrue(found["flash1", "fit", "none"]["fits"])


class Choices(unittest.TestCase):
    def test_one_theorem_alone(self):
        one = document("--theorem", "prop4,thm1")
        self.assertEqual([t["name"] for t in one["theorems"]], ["prop4", "thm1"])
        self.assertEqual((one["distances"], one["break_even"], one["crossovers"]), ([], [], []))
        self.assertEqual(len(document("--theorem", "saha-ye", "--algorithm", "flash2")["crossovers"]), 4)

    def test_one_algorithm(self):
        one = document("--algorithm", "flash1")
        algorithms = {f["algorithm"] for t in one["theorems"] for f in t["figures"]}
        self.assertEqual(algorithms, {"flash1"})
        self.assertEqual({r["algorithm"] for r in one["distances"]}, {"flash1"})

    def test_the_seed_draws_the_points(self):
        def value(seed):
            figures = document("--theorem", "thm2", "--seed", seed)["theorems"][0]["figures"]
            return [f["value"] for f in figures if f["where"] == "random"]
        self.assertEqual(value("5"), value("5"))
        self.assertNotEqual(value("5"), value("6"))

    def test_a_grid_of_ones_own(self):
        own = document("--algorithm", "flash2", "--blocks", "optimum", "--seq", "65536,131072,262144",
                       "--head-dim", "64",
                       "--sram", "16384el:262144el:*2")
        self.assertEqual(own["theorems"], [])
        streamed = {f["figure"]: f["value"] for f in own["fits"] if f["quantity"] == "T - 2Nd - N"}
        self.assertEqual(set(streamed), {"exponent of N", "exponent of M"})
        self.assertLess(abs(streamed["exponent of M"] + 1), 0.02)
        self.assertEqual(len(own["distances"]), 15)
        self.assertEqual(len(own["break_even"]), 6)
        self.assertTrue(all(f["accepted"] == {"from": None, "to": None} for f in own["fits"]))

    def test_a_head_wider_than_long_never_breaks_even(self):
        own = document("--algorithm", "flash1", "--blocks", "paper", "--seq", "16", "--head-dim", "128", "--sram", "9000el")
        self.assertEqual(own["fits"], [])
        self.assertIsNone(own["break_even"][0]["sram_elements"])


class Formats(unittest.TestCase):
    ARGUMENTS = ["--theorem", "thm1,row-granular"]

    def test_table_and_md(self):
        for form in ["table", "md"]:
            text = run("complexity", *self.ARGUMENTS, "--format", form).stdout
            for words in ["extra memory", "exponent of N", "verdict: holds", "agrees", "elements", "seed 1"]:
                self.assertIn(words, text)

    def test_csv(self):
        rows = list(csv.DictReader(io.StringIO(run("complexity", *self.ARGUMENTS, "--format", "csv").stdout)))
        self.assertEqual(set(rows[0]), {"table", "row", "column", "unit", "value"})
        one = list(csv.DictReader(io.StringIO(run("complexity", "--theorem", "thm1", "--format", "csv").stdout)))
        self.assertEqual(one[0]["algorithm"], "flash1")
        self.assertAlmostEqual(float(one[0]["measured"]), 2)

    def test_files_and_report(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "c.json")
            done = run("complexity", *self.ARGUMENTS, "-o", path)
            self.assertEqual((done.returncode, done.stdout), (0, ""))
            page = os.path.join(folder, "c.html")
            self.assertEqual(run("report", path, "-o", page).returncode, 0)
            direct = run("complexity", *self.ARGUMENTS, "--format", "html").stdout
            with open(page, encoding="utf-8") as file:
                self.assertEqual(file.read().replace(path, "tilemeter complexity"), direct)
            with open(path, "w", encoding="utf-8") as file:
                file.write('{"schema": 1, "command": "complexity", "theorems": 3}')
            broken = run("report", path)
            self.assertEqual((broken.returncode, broken.stdout), (2, ""))
            self.assertIn("complexity", broken.stderr)
            with open(path, "w", encoding="utf-8") as file:
                file.write('{"schema": 1, "command": "complexity", ')
            self.assertEqual(run("report", path).returncode, 2)

    def test_help(self):
        text = run("complexity", "--help").stdout
        for theorem in document()["theorems"]:
            self.assertIn(theorem["name"], text)
        self.assertIn("tilemeter complexity --theorem", text)


class Errors(unittest.TestCase):
    def refuse(self, *arguments, words):
        done = run("complexity", *arguments)
        with self.subTest(arguments=" ".join(arguments)):
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertEqual(done.stdout, "")
            self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
            for word in words:
                self.assertIn(word, done.stderr)

    def test_values(self):
        self.refuse("--theorem", "thm9", words=["--theorem thm9", "thm1"])
        self.refuse("--algorithm", "flash9", words=["--algorithm flash9", "flash2"])
        self.refuse("--blocks", "best", words=["--blocks best", "optimum"])
        self.refuse("--seed", "x", words=["--seed x"])
        self.refuse("--seq", "0", words=["--seq"])
        self.refuse("--head-dim", "64:16:*2", words=["--head-dim"])
        self.refuse("--sram", "100KiB", words=["--sram 100KiB", "elements", "51200el"])
        self.refuse("--seq", "1:200:+1", "--head-dim", "1:200:+1", words=["10000 points"])
        self.refuse("word", words=["word"])

    def test_points_that_determine_no_exponent(self):
        self.refuse("--algorithm", "flash1", "--blocks", "fit", "--sram", "20000el,40000el",
                    words=["2 observations", "at least 3"])

    def test_points_without_a_tile(self):
        self.refuse("--algorithm", "flash1", "--blocks", "fit", "--sram", "100el,200el,400el", words=["M = 100 elements"])

    def test_figures_that_overflow(self):
        self.refuse("--algorithm", "flash1", "--seq", "4000000000000000000", words=["2^63 - 1"])


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main(argv=sys.argv)
