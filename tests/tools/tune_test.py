"""The command tune: published optima, exhaustive search, candidates of devices, formats, wrong input.

usage: tune_test.py PROGRAM [unittest options]
"""

import csv
import io
import json
import math
import re
import unittest

from program import Folder, document, run

# Tile sizes of least traffic and their traffic, N = 4096, d = 64: (M, flash1 Bc, traffic, flash2 Br, traffic).
OPTIMA = [
    (12500, 95, 35848192, 94, 23597056),
    (25000, 192, 18186240, 189, 12062720),
    (50000, 386, 9355264, 380, 6295552),
    (100000, 774, 5341184, 762, 3674112),
    (200000, 1549, 2932736, 1525, 2101248),
]


def tune(text):
    done = run(["tune", *text.split(), "--format", "json"])
    if done.returncode != 0:
        raise AssertionError(f"tune {text}: exit {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)["results"]


def sizes(tiling):
    return tiling["block_q"], tiling["block_k"]


def covers(block, extent):
    return -(-extent // block)


class ByTime(unittest.TestCase):
    POINT = "--algorithm flash2 --seq 1024 --heads 16 --head-dim 128 --dtype bf16 --device h200"

    def test_the_fastest_come_first(self):
        (result,) = tune(f"{self.POINT} --by time --top 7")
        fits = [c for c in result["candidates"] if c["feasible"]]
        order = [(c["spills"], c["time"]["source"] == "closed form", c["time"]["seconds"]) for c in fits]
        self.assertEqual(order, sorted(order))
        self.assertEqual(len(result["best"]), 7)
        best = [(sizes(b), b["stages"], b["time"]["seconds"]) for b in result["best"]]
        self.assertEqual(best, [(sizes(c), c["stages"], c["time"]["seconds"]) for c in fits[:7]])
        self.assertFalse(any(c["spills"] for c in fits[:7]))
        self.assertTrue(all("time" not in c for c in result["candidates"] if not c["feasible"]))

    def predicted(self, tiling):
        options = (f"--block-q {tiling['block_q']} --block-k {tiling['block_k']} --stages {tiling['stages']} "
                   f"--warps {tiling['warps']}")
        return document(["predict", *self.POINT.split(), *options.split()])

    def test_times_are_those_of_predict(self):
        (result,) = tune(f"{self.POINT} --by time --simulate 3 --top 4")
        for place, best in enumerate(result["best"]):
            predicted = self.predicted(best)
            closed = predicted["estimate"]["seconds"]
            self.assertAlmostEqual(best["time"]["closed_form_seconds"] / closed, 1, places=9)
            self.assertEqual(best["time"]["source"], "engine" if place < 3 else "closed form")
            ranked = predicted["time"]["seconds"] if place < 3 else closed
            self.assertAlmostEqual(best["time"]["seconds"] / ranked, 1, places=9)

    def test_the_engine_runs_the_fastest_in_closed_form(self):
        fits = {}
        for simulate in (0, 5, 16):
            (result,) = tune(f"{self.POINT} --by time --simulate {simulate}")
            fits[simulate] = [c for c in result["candidates"] if c["feasible"] and not c["spills"]]
            ran = [c for c in fits[simulate] if c["time"]["source"] == "engine"]
            self.assertEqual((len(ran), result["search"]["simulated"]), (simulate, simulate))
            rest = [c["time"]["closed_form_seconds"] for c in fits[simulate][simulate:]]
            self.assertTrue(all(c["time"]["closed_form_seconds"] <= min(rest) for c in ran))
        self.assertEqual(result["search"]["simulated"], 16)  # the default
        default = tune(f"{self.POINT} --by time")[0]
        self.assertEqual(default["candidates"], result["candidates"])

    def test_stages_that_the_closed_form_does_not_tell_apart(self):
        (result,) = tune(f"{self.POINT} --by time")
        ran = [c for c in result["candidates"] if c["feasible"] and c["time"]["source"] == "engine"]
        pairs = [(a, b) for a in ran for b in ran if sizes(a) == sizes(b) and a["stages"] < b["stages"]]
        same = [(a, b) for a, b in pairs if a["time"]["closed_form_seconds"] == b["time"]["closed_form_seconds"]]
        self.assertTrue(same)
        self.assertTrue(any(a["time"]["seconds"] != b["time"]["seconds"] for a, b in same))

    def test_stages_that_were_asked_for(self):
        (result,) = tune(f"{self.POINT} --stages 2")
        self.assertEqual({c["stages"] for c in result["candidates"]}, {2})

    def test_tables_and_csv_have_times(self):
        table = run(["tune", *self.POINT.split(), "--by", "time"])
        self.assertEqual(table.returncode, 0, table.stderr)
        for words in ("least predicted time", "simulated", "closed form", "the engine ran 16 of the fastest (--simulate)"):
            self.assertIn(words, table.stdout)
        alone = run(["tune", *self.POINT.split(), "--by", "time", "--simulate", "0"]).stdout
        self.assertIn("the engine ran 0", alone)
        rows = list(csv.DictReader(io.StringIO(run(["tune", *self.POINT.split(), "--by", "time", "--format", "csv"]).stdout)))
        best = [r for r in rows if r["list"] == "best"]
        self.assertTrue(all(float(r["time_seconds"]) > 0 and r["time_source"] == "engine" for r in best))
        self.assertTrue(all(float(r["time_closed_form_seconds"]) > 0 for r in best))


class Marks(unittest.TestCase):
    """What a kernel of the best tilings would suffer, and where the front leaves the budget."""

    def test_the_best_of_all_sizes_may_spill_and_say_so(self):
        for device in ("a100-80gb", "h200"):
            (result,) = tune(f"--algorithm flash2 --seq 4096 --head-dim 128 --device {device}")
            for best in result["best"]:
                registers, limit = best["accumulator_registers_per_thread"], best["registers_per_thread_limit"]
                self.assertEqual(best["spills"], registers + 83 > limit)
                self.assertEqual([w for w in best["warnings"] if "spill" in w] != [], best["spills"])
            self.assertTrue(result["best"][0]["spills"])
        text = run(["tune", "--algorithm", "flash2", "--seq", "4096", "--head-dim", "128", "--device", "h200"]).stdout
        self.assertIn("likely to spill registers: ", text)

    def test_a_device_gives_the_best_what_it_gives_the_same_candidate(self):
        (result,) = tune("--algorithm flash2 --seq 1024 --heads 16 --head-dim 128 --device h200 --by time --simulate 2")
        for best in result["best"]:
            same = next(c for c in result["candidates"] if sizes(c) == sizes(best) and c["stages"] == best["stages"])
            for key in ("warps", "spills", "resident_blocks", "launchable", "time", "accumulator_registers_per_thread"):
                self.assertEqual(best[key], same[key], key)

    def test_a_grid_that_cannot_be_launched(self):
        for batch, launchable in ((65535, True), (65536, False)):
            (result,) = tune(f"--algorithm flash2 --seq 256 --batch {batch} --head-dim 128 --device a100-80gb")
            for tiling in result["best"] + result["candidates"]:
                self.assertEqual(tiling["launchable"], launchable)
            warned = [w for best in result["best"] for w in best["warnings"] if "grid.y: batch 65536 > 65535" in w]
            self.assertEqual(len(warned), 0 if launchable else len(result["best"]))

    def test_the_front_says_where_it_leaves_the_budget(self):
        for point, unit in (("split_kv --seq-q 1 --seq-k 65536 --head-dim 128 --device h200", "bytes"),
                            ("flash2 --seq 1024 --head-dim 64 --sram 50000el", "elements"),
                            ("flash2 --seq 1024 --head-dim 64 --sram 64KiB", "bytes")):
            (result,) = tune("--algorithm " + point)
            capacity = result["budget"]["capacity_" + unit]
            tilings = result["front"]["tilings"]
            self.assertEqual([t["fits"] for t in tilings], [t["on_chip"] <= capacity for t in tilings])
            self.assertTrue(tilings[0]["fits"])
            self.assertFalse(tilings[-1]["fits"])
            command = ["tune", "--algorithm", *point.split()]
            self.assertRegex(run(command).stdout, r"\d+ of them need more than .* has: what more memory would save")
            rows = list(csv.DictReader(io.StringIO(run([*command, "--format", "csv"]).stdout)))
            fits = [row["feasible"] for row in rows if row["list"] == "front"]
            self.assertEqual(fits, ["true" if t["fits"] else "false" for t in tilings])

    def test_no_device_no_marks(self):
        (result,) = tune("--algorithm flash2 --seq 1024 --head-dim 64 --sram 64KiB")
        self.assertNotIn("warnings", result["best"][0])
        self.assertNotIn("launchable", result["candidates"][0])


class Optimum(unittest.TestCase):
    def test_published_optima_in_one_call(self):
        budgets = ",".join(f"{row[0]}el" for row in OPTIMA)
        results = tune(f"--algorithm flash1,flash2 --seq 4096 --head-dim 64 --sram {budgets}")
        self.assertEqual(len(results), 10)
        for (capacity, keys, flash1, rows, flash2), first, second in zip(OPTIMA, results[:5], results[5:]):
            for result, best, traffic in ((first, (1, keys), flash1), (second, (rows, 1), flash2)):
                with self.subTest(capacity=capacity, algorithm=result["algorithm"]):
                    self.assertEqual(result["budget"]["capacity_elements"], capacity)
                    self.assertEqual(sizes(result["best"][0]), best)
                    self.assertEqual(result["best"][0]["traffic"]["elements"], traffic)
                    self.assertTrue(result["search"]["exhaustive"])

    def test_backward_passes(self):
        d = 64
        for capacity in (12500, 50000, 200000):
            first, second = tune(
                f"--algorithm flash1_backward,flash2_backward --seq 4096 --head-dim {d} --sram {capacity}el")
            self.assertEqual(sizes(first["best"][0]), (1, (capacity - 4 * d - 3) // (4 * d + 2)))
            self.assertEqual(sizes(second["best"][0]), (1, (capacity - 3 * d - 2) // (4 * d + 2)))

    def test_a_matrix_product_against_memory(self):
        most = {560: 1835008, 2144: 819200, 8384: 425984, 33344: 327680}
        budgets = ",".join(f"{capacity}el" for capacity in most)
        results = tune(f"--algorithm gemm --m 512 --n 512 --k 64 --sram {budgets}")
        for result, (capacity, traffic) in zip(results, most.items()):
            best = result["best"][0]
            self.assertLessEqual(best["traffic"]["elements"], traffic)
            self.assertLessEqual(best["sram"]["elements"], capacity)
            curve = result["front"]["tilings"]
            self.assertGreater(len(curve), 20)
            self.assertEqual(curve[-1]["traffic"], 512 * 64 * 2 + 512 * 512)

    def test_the_gap_to_the_lower_bound(self):
        (result,) = tune("--algorithm flash2 --seq 4096 --head-dim 64 --sram 50000el")
        bound = result["lower_bound"]
        self.assertEqual((bound["name"], bound["elements"]), ("row-granular", 5520640))
        self.assertAlmostEqual(bound["ratio"], 6295552 / 5520640)

    def test_budgets_in_bytes(self):
        for kib, d, keys, rows in ((163, 64, 640, 420), (163, 128, 321, 213), (227, 64, 892, 586), (227, 128, 448, 297)):
            first, second = tune(f"--algorithm flash1,flash2 --seq 1048576 --head-dim {d} --sram {kib}KiB")
            self.assertEqual(sizes(first["best"][0]), (1, keys))
            self.assertEqual(sizes(second["best"][0]), (rows, 1))

    def test_the_best_few_differ_in_traffic_and_fit(self):
        (result,) = tune("--algorithm flash2 --seq 4096 --head-dim 64 --sram 50000el --top 7")
        traffic = [tiling["traffic"]["elements"] for tiling in result["best"]]
        self.assertEqual(traffic, [2 * 4096 * 64 * (1 + tiles) + 4096 for tiles in range(11, 18)])
        for tiling in result["best"]:
            self.assertLessEqual(tiling["sram"]["elements"], 50000)

    def test_every_pair_of_sizes_of_small_problems(self):
        for mask in ("", "--causal", "--causal-top-left", "--window 9,2"):
            for budget, unit in (("300el", "elements"), ("2000B", "bytes")):
                for algorithm in ("flash1", "flash2"):
                    point = f"--algorithm {algorithm} --seq-q 24 --seq-k 20 --head-dim 4 --sram {budget} {mask}"
                    with self.subTest(point=point):
                        (result,) = tune(point)
                        self.assertEqual(result["best"][0]["traffic"][unit], self.least(point, unit))

    def least(self, point, unit):
        done = run(["sweep", *point.split(), "--block-q", "1:24:+1", "--block-k", "1:20:+1", "--format", "csv"])
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = [row for row in csv.DictReader(io.StringIO(done.stdout)) if row["feasible"] == "true"]
        self.assertGreater(len(rows), 20)
        return min(int(row[f"traffic_{unit}_total"]) for row in rows)


class Front(unittest.TestCase):
    def test_the_front_falls_from_the_smallest_tiling_to_the_least_traffic(self):
        (result,) = tune("--algorithm flash2 --seq 4096 --head-dim 64 --sram 50000el")
        front = result["front"]
        self.assertTrue(front["complete"])
        memory = [tiling["on_chip"] for tiling in front["tilings"]]
        traffic = [tiling["traffic"] for tiling in front["tilings"]]
        self.assertEqual(memory, sorted(set(memory)))
        self.assertEqual(traffic, sorted(set(traffic), reverse=True))
        self.assertEqual(memory[0], 4 * 64 + 3)
        self.assertEqual(memory[-1], 2 * 64 + 4096 * (2 * 64 + 3))
        self.assertEqual(traffic[-1], 4 * 4096 * 64 + 4096)
        # one tiling for each number of query tiles
        self.assertEqual(len(front["tilings"]), len({covers(block, 4096) for block in range(1, 4097)}))

    def test_the_best_within_the_budget_is_on_the_front(self):
        for algorithm in ("flash1", "flash2"):
            (result,) = tune(f"--algorithm {algorithm} --seq 1000 --head-dim 32 --causal --sram 20000el")
            within = [t["traffic"] for t in result["front"]["tilings"] if t["on_chip"] <= 20000]
            self.assertEqual(min(within), result["best"][0]["traffic"]["elements"])


class Candidates(unittest.TestCase):
    def test_each_is_billed_or_rejected_with_the_arithmetic(self):
        (result,) = tune("--algorithm flash2 --seq 4096 --head-dim 128 --device rtx4090")
        candidates = result["candidates"]
        self.assertEqual(len(candidates), 11 * 11 * 4)
        for one in candidates:
            shared = (one["block_q"] + 2 * one["stages"] * one["block_k"]) * 128 * 2
            registers = 4 * one["block_q"] * (128 + one["block_k"] + 2)
            self.assertEqual(one["sram"]["shared_bytes"], shared)
            self.assertEqual(one["sram"]["register_bytes"], registers)
            self.assertEqual(one["feasible"], shared <= 101376 and registers <= 262144)
            self.assertEqual(one["accumulator_registers_per_thread"], math.ceil(registers / 4 / (32 * one["warps"])))
            if one["feasible"]:
                rows = covers(one["block_q"], 4096)
                self.assertEqual(one["traffic"]["bytes"], 2 * (2 * 4096 * 128 * (1 + rows)) + 4 * 4096)
                self.assertGreaterEqual(one["resident_blocks"], 1)
            else:
                self.assertRegex(one["reason"], r"needs .* rtx4090 allows .* a block")
                self.assertEqual(one["resident_blocks"], 0)

    def test_d256_on_the_a100_is_not_ranked_by_shared_memory_alone(self):
        (result,) = tune("--algorithm flash2 --seq 4096 --head-dim 256 --device a100-80gb")
        fitting = [one for one in result["candidates"] if one["feasible"]]
        self.assertTrue(any(one["spills"] for one in fitting))
        self.assertTrue(any(not one["spills"] for one in fitting))
        order = [(one["spills"], one["traffic"]["bytes"]) for one in fitting]
        self.assertEqual(order, sorted(order))
        for one in fitting:
            self.assertEqual(one["spills"], one["accumulator_registers_per_thread"] + 83 > one["registers_per_thread_limit"])
        text = run(["tune", "--algorithm", "flash2", "--seq", "4096", "--head-dim", "256", "--device", "a100-80gb"]).stdout
        self.assertIn("likely to spill registers", text)
        self.assertIn("registers/thread", text)

    def test_four_warps_at_d128_spill_with_128_rows_and_not_with_64(self):
        (result,) = tune("--algorithm flash2 --seq 4096 --head-dim 128 --causal --device a100-80gb --warps 4")
        spills = {sizes(one): one["spills"] for one in result["candidates"] if one["stages"] == 1}
        self.assertTrue(spills[128, 64])
        self.assertFalse(spills[64, 64])

    def test_sizes_past_the_problem_are_rejected(self):
        (result,) = tune("--algorithm flash2 --seq-q 20 --seq-k 300 --head-dim 64 --device h200")
        for one in result["candidates"]:
            if one["block_q"] > 32:
                self.assertFalse(one["feasible"])
        self.assertTrue(any("only 20 query rows" in (one["reason"] or "") for one in result["candidates"]))

    def test_lists_to_paste(self):
        point = ["tune", "--algorithm", "flash2", "--seq", "4096", "--head-dim", "64", "--device", "a100-80gb"]
        triton = run([*point, "--triton"])
        self.assertEqual(triton.returncode, 0, triton.stderr)
        head, *lines = triton.stdout.splitlines()
        self.assertIn("flash2", head)
        pattern = r"triton\.Config\(\{'BLOCK_M': (\d+), 'BLOCK_N': (\d+)\}, num_stages=(\d), num_warps=(4|8)\),"
        self.assertGreater(len(lines), 10)
        for line in lines:
            self.assertRegex(line, f"^{pattern}$")
            for size in re.match(pattern, line).groups()[:2]:
                self.assertEqual(int(size) & (int(size) - 1), 0, line)  # a Triton block is a power of two
        (result,) = tune(" ".join(point[1:]))
        self.assertEqual([line.rstrip(",") for line in lines], result["triton"])
        cutlass = run([*point, "--cutlass"]).stdout.splitlines()
        self.assertEqual(cutlass[1:], result["cutlass"])
        self.assertRegex(cutlass[1], r"^cute::Shape<cute::Int<\d+>, cute::Int<\d+>, cute::Int<64>>;  //")
        kept = [one for one in result["candidates"] if one["feasible"] and not one["spills"]]
        self.assertEqual(len(kept), len(result["cutlass"]))
        powers = [one for one in kept if all(one[size] & (one[size] - 1) == 0 for size in ("block_q", "block_k"))]
        self.assertEqual(len(powers), len(lines))


class Formats(Folder):
    POINT = ["tune", "--algorithm", "flash1,flash2", "--seq", "512", "--head-dim", "64", "--sram", "100KiB"]

    def test_csv_has_one_row_a_tiling(self):
        results = tune(" ".join(self.POINT[1:]))
        rows = list(csv.DictReader(io.StringIO(run([*self.POINT, "--format", "csv"]).stdout)))
        for result in results:
            for name, tilings in (("best", result["best"]), ("front", result["front"]["tilings"]),
                                  ("candidate", result["candidates"])):
                own = [row for row in rows if (row["algorithm"], row["list"]) == (result["algorithm"], name)]
                self.assertEqual([(int(r["block_q"]), int(r["block_k"])) for r in own], [sizes(t) for t in tilings])
                self.assertTrue(all(r["traffic_bytes"] or r["feasible"] == "false" for r in own))

    def test_table_and_md_and_page(self):
        text = run(self.POINT).stdout
        for words in ("best: least traffic: flash1", "front: traffic against memory on chip: flash2", "rejected:",
                      "no tiling moves less", "100.0 KiB"):
            self.assertIn(words, text)
        self.assertIn("--rejected lists them", text)
        every = run([*self.POINT, "--rejected"]).stdout
        self.assertGreater(len(every.splitlines()), len(text.splitlines()))
        self.assertIn("| block_q (rows) |", run([*self.POINT, "--format", "md"]).stdout)
        self.assertEqual(run([*self.POINT, "-o", self.path("t.json")]).returncode, 0)
        self.assertEqual(run(["report", self.path("t.json"), "-o", self.path("t.html")]).returncode, 0)
        self.assertIn(b"showTune", self.read("t.html"))
        page = run([*self.POINT, "--format", "html"]).stdout
        self.assertIn("<!doctype html>", page)
        self.assertEqual(self.files(), ["t.html", "t.json"])

    def test_the_example_of_the_help_text(self):
        help_text = run(["tune", "--help"]).stdout
        example = re.search(r"tilemeter (tune --algorithm flash1,flash2.*)", help_text).group(1)
        done = run(example.split())
        self.assertEqual(done.returncode, 0, done.stderr)
        for figure in ("9,355,264", "6,295,552"):
            self.assertIn(figure, help_text)
            self.assertIn(figure, done.stdout)


class WrongInput(Folder):
    POINT = ["tune", "--algorithm", "flash2", "--seq", "4096"]

    def test_refusals(self):
        budget = [*self.POINT, "--sram", "100KiB"]
        self.refuse(self.POINT, "--sram", "--device")
        self.refuse([*self.POINT, "--sram", "100el"], "not even the smallest tiling fits")
        self.refuse([*budget, "--by", "time"], "--by time", "--device")
        self.refuse("tune --algorithm gemm --m 512 --n 512 --k 512 --device h200 --by time".split(), "--by time", "gemm", "traffic")
        self.refuse([*budget, "--by", "luck"], "--by luck", "traffic")
        self.refuse([*budget, "--simulate", "4"], "--simulate 4", "--by time")
        self.refuse([*self.POINT, "--device", "h200", "--by", "time", "--simulate", "1001"], "--simulate 1001", "0 to 1000")
        splits = "tune --algorithm split_kv --seq-q 1 --seq-k 4096 --device h200 --splits 99999".split()
        self.refuse(splits, "--splits 99999", "expected 1 to 58112")
        self.refuse([*budget, "--top", "0"], "--top")
        self.refuse([*budget, "--top", "5000"], "--top 5000", "1000")
        self.refuse([*budget, "--warps", "64"], "--warps 64", "32")
        self.refuse([*budget, "--blocks", "fit"], "--blocks")
        self.refuse([*budget, "--block-q", "64"], "--block-q")
        self.refuse([*budget, "--unfused", "mask"], "--unfused", "standard_unfused")
        self.refuse([*budget, "--head-dim", "64,128"], "--head-dim 64,128", "sweep")
        self.refuse([*budget, "--triton", "--cutlass"], "--triton", "--cutlass")
        self.refuse([*budget, "--triton", "--format", "csv"], "--triton", "--format csv")
        self.refuse(["tune", "--algorithm", "standard", "--seq", "64", "--sram", "1MiB"], "standard", "no tiles")
        self.refuse(["tune", "--seq", "64", "--sram", "1MiB"], "--algorithm")

    def test_one_budget_of_several_may_be_too_small(self):
        small, large = tune("--algorithm flash2 --seq 4096 --head-dim 64 --sram 100el,50000el")
        self.assertFalse(small["feasible"])
        self.assertIn("needs 259 elements", small["reason"])
        self.assertEqual(small["best"], [])
        self.assertTrue(large["feasible"])


if __name__ == "__main__":
    unittest.main()
