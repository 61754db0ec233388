"""The command `roofline` on cases from practice, with the right answers.

usage: roofline_test.py PROGRAM [unittest options]
"""

import csv
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = None


def run(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=120)


def roofline(text, status=0):
    done = run("roofline", *text.split(), "--format", "json")
    if done.returncode != status:
        raise AssertionError(f"roofline {text}: exit {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)


def row(text, status=0):
    (only,) = roofline(text, status)["rows"]
    return only


def point(text):
    (only,) = roofline(text)["points"]
    return only


def table(text):
    done = run("roofline", *text.split())
    if done.returncode != 0:
        raise AssertionError(f"roofline {text}: exit {done.returncode}: {done.stderr}")
    return done.stdout


def known_algorithms():
    return {a["name"] for a in json.loads(run("algorithms", "--format", "json").stdout)["algorithms"]}


class Refusals(unittest.TestCase):
    def refuse(self, text, *words):
        done = run("roofline", *text.split())
        self.assertEqual((done.returncode, done.stdout), (2, ""), text)
        self.assertEqual(len(done.stderr.strip().splitlines()), 1)
        for word in words:
            self.assertIn(word, done.stderr)

    def test_views_exclude_each_other(self):
        self.refuse("--decode --fusion --device t4 --seq-k 64", "--fusion", "--decode")
        self.refuse("--algorithm flash2 --seq 64 --decode --device t4", "--algorithm", "--decode")

    def test_options_of_other_views(self):
        self.refuse("--decode --device t4 --seq-k 64 --layers 3", "--layers 3", "--decode")
        self.refuse("--device t4 --seq 64", "--seq 64", "--algorithm")
        self.refuse("--algorithm flash2 --seq 64 --device t4 --tokens 7", "--tokens")

    def test_missing_and_wrong_values(self):
        self.refuse("--decode --device t4", "--seq-k")
        self.refuse("--critical-batch", "--device")
        self.refuse("--critical-batch --device h100", "h100-sxm", "h100-pcie", "h100-nvl")
        self.refuse("--critical-batch --device t4 --weight-dtype int3", "int3", "int4")
        self.refuse("--critical-batch --device t4 --d-in 64", "--d-out")
        self.refuse("--critical-batch --device t4 --scale-dtype fp16", "--group-size")
        self.refuse("--kv-cache llama-3-9b --tokens 8 --device t4", "llama-3-8b")
        self.refuse("--kv-cache custom --tokens 8 --device t4", "--layers")
        self.refuse("--kv-cache llama-3-8b --layers 3 --tokens 8 --device t4", "--layers 3", "custom")
        self.refuse("--kv-cache llama-3-8b --device t4", "--tokens")
        self.refuse("--flops 10 --device t4", "--bytes")
        self.refuse("--bytes 10 --device t4", "--bytes 10", "--flops")
        self.refuse("--flops 10 --bytes 10 --device t4 --sustained 1.5", "--sustained", "1.5")
        self.refuse("--flops 10 --bytes 10 --device t4 --floor 5", "--floor", "us")
        self.refuse("--fusion --length 8 --ops 2 --side-elements 1 --device t4", "--side-elements 1", "2")
        self.refuse("--algorithm flash2 --seq 64", "--device")
        self.refuse("--algorithm flash2 --seq 64,128 --device t4 --time 1ms", "--time")
        self.refuse("--decode --heads 8 --kv-heads 3 --seq-k 64 --device t4", "--kv-heads")


class Devices(unittest.TestCase):
    def test_h1_h3_h5_h11_ridges_are_dense(self):
        for device, dtype, peak, memory, ridge in [
            ("h100-sxm", "bf16", 989.4e12, 3.35e12, 295.34),
            ("h100-pcie", "bf16", 756.5e12, 2.0e12, 378.25),
            ("h200", "bf16", 989.4e12, 4.8e12, 206.125),
            ("b200", "bf16", 2250e12, 7.672e12, 293.27),
            ("h20", "fp16", 148e12, 4e12, 37.0),
        ]:
            found = row(f"--device {device} --dtype {dtype}")
            self.assertAlmostEqual(found["peak_flop_per_second"] / 1e12, peak / 1e12, places=6)
            self.assertAlmostEqual(found["hbm_bytes_per_second"] / 1e12, memory / 1e12, places=6)
            self.assertAlmostEqual(found["hbm_ridge_flop_per_byte"], ridge, delta=0.006)
            self.assertAlmostEqual(found["critical_batch_tokens"], ridge, delta=0.006)

    def test_h1_share_of_the_dense_peak(self):
        found = row("--flops 480000000000000 --bytes 1000 --time 1s --device h100-sxm")
        self.assertAlmostEqual(found["measured_share_of_peak"], 0.485, places=3)

    def test_h8_what_is_unknown_says_so(self):
        found = row("--device v100 --dtype bf16")
        for key in ("peak_flop_per_second", "hbm_ridge_flop_per_byte", "critical_batch_tokens", "hbm_sustained_share"):
            self.assertIsNone(found[key])
        self.assertIn("unknown", table("--device v100 --dtype bf16"))
        found = row("--flops 1000 --bytes 1000 --dtype bf16 --time 1us --device v100")
        self.assertEqual(found["binding"], "unknown")
        self.assertIsNone(found["peak_bound_seconds"])
        self.assertIsNone(found["measured_share_of_peak"])
        self.assertEqual(found["measured_flop_per_second"], 1e9)

    def test_g8_units_stand_beside_the_figures(self):
        text = table("--device h100-sxm --dtype bf16")
        self.assertIn("3.35 TB/s", text)
        self.assertIn("3.047 TiB/s", text)
        for name in row("--device h100-sxm --dtype bf16"):
            if name.startswith(("peak_flop", "hbm_bytes", "l2_bytes")):
                self.assertTrue(name.endswith("_per_second"), name)

    def test_every_device_is_listed_without_one(self):
        names = [d["name"] for d in json.loads(run("devices", "--format", "json").stdout)["devices"]]
        self.assertEqual([found["device"] for found in roofline("")["rows"]], names)

    def test_set_changes_the_roof(self):
        found = row("--device h100-sxm --set hbm.bandwidth=6.7TB/s --dtype bf16")
        self.assertAlmostEqual(found["hbm_ridge_flop_per_byte"], 295.343 / 2, places=2)


class Bounds(unittest.TestCase):
    def test_h9_both_bounds_and_the_factor(self):
        for device, share in [("h100-sxm", 0.82), ("h200", 0.8), ("a100-80gb", 0.8)]:
            found = row(f"--flops 0 --bytes 1000000000 --device {device}")
            self.assertAlmostEqual(found["sustained_bound_seconds"], found["peak_bound_seconds"] / share)
            text = table(f"--flops 0 --bytes 1000000000 --device {device}")
            self.assertIn(f"at {100 * share:.0f} % of its peak; inference-sim", text)
        found = row("--flops 0 --bytes 1000000000 --device t4")
        self.assertIsNone(found["sustained_bound_seconds"])
        found = row("--flops 0 --bytes 1000000000 --device t4 --sustained 0.5")
        self.assertAlmostEqual(found["sustained_bound_seconds"], 2 / 320)

    def test_e20_without_bytes_the_time_is_the_floor_once(self):
        found = row("--flops 0 --bytes 0 --floor 4us --device h100-sxm")
        self.assertEqual(found["peak_bound_seconds"], 4e-6)
        self.assertEqual(found["sustained_bound_seconds"], 4e-6)
        self.assertEqual(found["binding"], "none")
        self.assertEqual(row("--flops 0 --bytes 0 --device h100-sxm")["peak_bound_seconds"], 0)
        self.assertIn("a floor of 4 us, once", table("--flops 0 --bytes 0 --floor 4us --device h100-sxm"))

    def test_g1_more_than_the_peak_fails(self):
        done = run("roofline", *"--flops 5802306355200 --bytes 1000 --time 0.97ms --device a100-80gb".split())
        self.assertEqual(done.returncode, 1)
        self.assertIn("above the peak", done.stderr)
        self.assertIn("layout", done.stderr)

    def test_h11_h20(self):
        found = point("--algorithm flash2 --batch 2 --heads 16 --seq 2048 --head-dim 128 --device h20 --time 0.545ms")
        figures = found["roofline"]
        self.assertAlmostEqual(figures["peak_bound_seconds"], 0.464e-3, delta=0.0005e-3)
        self.assertEqual(figures["binding"], "arithmetic")
        self.assertAlmostEqual(figures["measured_flop_per_second"], 126.1e12, delta=0.1e12)
        self.assertAlmostEqual(figures["measured_share_of_peak"], 0.852, delta=0.001)


class Decode(unittest.TestCase):
    def test_e19_exact_intensity(self):
        found = row("--decode --batch 4 --heads 32 --seq-k 131072 --head-dim 128 --device b200 --time 2.147ms")
        self.assertEqual(found["flops"], 8589934592)
        self.assertEqual(found["hbm_bytes"], 8590000128)
        self.assertEqual(found["hbm_intensity_flop_per_byte"], 8589934592 / 8590000128)
        self.assertAlmostEqual(found["peak_bound_seconds"], 1.120e-3, delta=0.0005e-3)
        self.assertAlmostEqual(found["measured_hbm_bytes_per_second"], 4.001e12, delta=0.0005e12)
        self.assertEqual(found["binding"], "hbm")

    def test_b27_packed_and_unpacked(self):
        case = "--decode --batch 4 --heads 96 --kv-heads 8 --seq-k 65536 --head-dim 128 --device h200 "
        found = row(case)
        self.assertEqual(found["cache_bytes"], 1073741824)
        self.assertEqual(found["packed_bytes"], 1073741824)
        self.assertEqual(found["unpacked_bytes"], 12 * 1073741824)
        self.assertAlmostEqual(row(case + "--time 0.621ms")["measured_hbm_bytes_per_second"], 1729e9, delta=1e9)
        # Twelve times the bytes in 1.816 ms are 7.1 TB/s, which device memory cannot give.
        text = table("--flops 51539607552 --bytes 12884901888 --time 1.816ms --device h200")
        self.assertIn("7.095 TB/s is above the 4.8 TB/s of device memory: part of these bytes came from the L2", text)

    def test_e1_group_and_batch(self):
        for batch in (1, 16):
            found = row(f"--decode --batch {batch} --heads 32 --kv-heads 8 --seq-k 8192 --device h100-sxm")
            self.assertAlmostEqual(found["hbm_intensity_flop_per_byte"], 3.998, places=3)
            self.assertEqual(found["cache_bytes"], 33554432 * batch)

    def test_decode_agrees_with_count(self):
        counted = json.loads(run(*("count --algorithm flash2 --seq-q 1 --seq-k 8192 --heads 32 --kv-heads 8 --head-dim 128 "
                                   "--packed --format json").split()).stdout)
        found = row("--decode --heads 32 --kv-heads 8 --seq-k 8192 --dtype fp16 --device h100-sxm")
        self.assertEqual(found["flops"], counted["operations"]["matmul_flops"])
        self.assertEqual(found["hbm_bytes"], counted["compulsory"]["bytes"])
        tensors = counted["traffic"]["tensors"]
        self.assertEqual(found["packed_bytes"], tensors["K"]["read_bytes"] + tensors["V"]["read_bytes"])


class Weights(unittest.TestCase):
    BASE = "--critical-batch --device h100-sxm "

    def test_formats(self):
        rows = roofline(self.BASE + "--weight-dtype bf16,int8,int4 --group-size 128")["rows"]
        # int8 in groups of 128 carries a scale too.
        expected = [295.343, 295.343 / 2 * (1 + 2 / 128), 76.14]
        for found, batch in zip(rows, expected):
            self.assertAlmostEqual(found["critical_batch_tokens"], batch, delta=0.005)
        self.assertEqual(rows[2]["weight_bytes_each"], 0.515625)

    def test_int8_arithmetic(self):
        found = row(self.BASE + "--weight-dtype int8 --math-dtype int8")
        self.assertAlmostEqual(found["critical_batch_tokens"], 295.36, delta=0.005)

    def test_zero_points(self):
        found = row(self.BASE + "--weight-dtype int4 --group-size 64 --zero-point-dtype int4")
        self.assertEqual(found["weight_bytes_each"], 0.5 + (16 + 4) / (8 * 64))

    def test_activations(self):
        found = row(self.BASE + "--weight-dtype bf16 --d-in 4096 --d-out 4096")
        self.assertAlmostEqual(found["with_activations_tokens"], 345.11, delta=0.005)
        self.assertEqual(row(self.BASE + "--d-in 512 --d-out 512")["with_activations_tokens"], "never")

    def test_cache(self):
        base = "--kv-cache llama-3-8b --device h100-sxm --tokens "
        found = row(base + "8192")
        self.assertEqual(found["cache_bytes_per_token"], 131072)
        self.assertEqual(found["cache_bytes_per_sequence"], 1073741824)
        self.assertEqual(found["sequences"], 59)
        self.assertAlmostEqual(found["sequences_exact"], 59.55, places=2)
        self.assertEqual(row(base + "8192 --memory 80GiB")["sequences"], 65)
        self.assertEqual(row(base + "8000")["sequences"], 60)
        self.assertEqual(row(base + "8192 --reserve 5GB")["sequences"], 54)
        notes = " ".join(roofline(base + "8192")["notes"])
        for words in ("decimal", "activations", "32 layers", "8,030,261,248 parameters"):
            self.assertIn(words, notes)

    def test_custom_model_and_one_that_does_not_fit(self):
        custom = "--kv-cache custom --layers 32 --kv-heads 8 --head-dim 128 --parameters 8030261248 --tokens 8192 "
        self.assertEqual(row(custom + "--memory 80GB")["sequences"], 59)
        large = roofline("--kv-cache llama-3-70b --tokens 8192 --device h100-sxm")
        self.assertEqual(large["rows"][0]["sequences"], 0)
        self.assertIn("61,107,412,992 bytes", " ".join(large["notes"]))

    def test_fusion(self):
        rows = roofline("--fusion --length 1000 --ops 3 --side-elements 1000,0,0 --device a100-80gb")["rows"]
        self.assertEqual([r["read_elements"] for r in rows[:2]], [4000, 2000])
        self.assertEqual([r["write_elements"] for r in rows[:2]], [3000, 1000])
        resident = rows[-1]
        self.assertEqual(resident["hbm_intensity_flop_per_byte"], 1.25)
        self.assertAlmostEqual(resident["attainable_share_of_peak"], 0.0082, places=4)

    def test_vector_addition(self):
        found = roofline("--fusion --length 1000 --ops 1 --side-elements 1000 --device h100-sxm")["rows"][0]
        self.assertAlmostEqual(found["hbm_intensity_flop_per_byte"], 1 / 6)
        self.assertAlmostEqual(found["attainable_share_of_peak"] * 100, 0.056, places=3)


class Points(unittest.TestCase):
    def test_g2_pairs_beside_the_half_convention(self):
        found = point("--algorithm flash2 --seq 4096 --head-dim 128 --causal --block-q 128 --block-k 64 --device a100-80gb")
        other = found["roofline"]["conventions"]
        self.assertEqual((other["visited_tiles"], other["all_tiles"]), (1056, 2048))
        self.assertEqual(other["full_flops"], 4 * 4096 * 4096 * 128)
        self.assertEqual(other["half_flops"], 2 * 4096 * 4096 * 128)
        self.assertEqual(other["pair_flops"], 4 * 128 * 4096 * 4097 // 2)
        self.assertEqual(other["visited_flops"], found["operations"]["matmul_flops"])
        text = table("--algorithm flash2 --seq 4096 --head-dim 128 --causal --block-q 128 --block-k 64 --device a100-80gb")
        self.assertIn("1,056 of 2,048 tiles visited (51.6 %)", text)

    def test_g5_g7_flops(self):
        flops = lambda text: point(text + " --device a100-80gb")["roofline"]["flops"]
        self.assertEqual(flops("--algorithm flash2 --batch 2 --heads 16 --seq 1024 --head-dim 64"), 8589934592)
        training = " --batch 64 --heads 16 --seq 1024 --head-dim 64"
        for algorithm in ("standard", "flash1", "flash2"):
            self.assertEqual(flops("--algorithm " + algorithm + training), 274877906944)
        for algorithm, factor in [("standard_backward", 2), ("flash1_backward", 2.5), ("flash2_backward", 2.5)]:
            if algorithm in known_algorithms():
                self.assertEqual(flops(f"--algorithm {algorithm}{training} --no-capacity"), int(274877906944 * factor))

    def test_levels_are_told_apart(self):
        found = point("--algorithm flash2 --seq 4096 --head-dim 128 --heads 8 --block-q 128 --block-k 128 --device a100-80gb")
        figures = found["roofline"]
        self.assertEqual(figures["hbm_bytes"], found["compulsory"]["bytes"])
        self.assertEqual(figures["sm_edge_bytes"], found["traffic"]["bytes"]["total"])
        self.assertAlmostEqual(figures["l2_ridge_flop_per_byte"], 312 / 7.219, places=6)
        self.assertGreater(figures["no_l2_hits_bound_seconds"], 0)
        text = table("--algorithm standard,flash2 --seq 4096 --device a100-80gb")
        self.assertNotRegex(text.splitlines()[0] + text.splitlines()[1], "DRAM")
        self.assertIn("real DRAM traffic lies between the two", text)

    def test_an_unknown_l2_bandwidth_sets_no_bound(self):
        text = table("--algorithm flash2 --seq 4096 --device h100-sxm")
        self.assertIn("L2 bandwidth of h100-sxm unknown: it sets no bound here", text)
        self.assertIsNone(point("--algorithm flash2 --seq 4096 --device h100-sxm")["roofline"]["l2_ridge_flop_per_byte"])

    def test_every_algorithm_and_several_devices(self):
        for name in sorted(known_algorithms()):
            done = run("roofline", "--algorithm", name, "--seq", "256", "--device", "h100-sxm", "--format", "json")
            if done.returncode == 2 and ("needs" in done.stderr or "not an option" in done.stderr):
                continue  # an algorithm that is no attention takes other sizes
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("roofline", json.loads(done.stdout)["points"][0])
        points = roofline("--algorithm standard,flash2 --seq 1024,2048 --device h100-sxm,h200")["points"]
        self.assertEqual(len(points), 8)

    def test_what_does_not_fit(self):
        big = "--algorithm flash2 --seq 512 --head-dim 256 --block-q 128 --block-k 64 --device rtx4090"
        done = run("roofline", *big.split())
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        points = roofline(big + ",h100-sxm")["points"]
        self.assertEqual([p["feasible"] for p in points], [False, True])
        self.assertNotIn("roofline", points[0])


class Formats(unittest.TestCase):
    VIEWS = {
        "ridges": "--device h100-sxm",
        "critical-batch": "--critical-batch --device h100-sxm",
        "decode": "--decode --seq-k 4096 --device a100-80gb",
        "kv-cache": "--kv-cache llama-3-8b --tokens 8192 --device h100-sxm",
        "fusion": "--fusion --length 1024 --device a100-80gb",
        "operation": "--flops 1000 --bytes 1000 --device h200",
        "points": "--algorithm standard,flash2 --seq 1024 --device a100-80gb",
    }

    def test_every_view_in_every_format(self):
        for view, text in self.VIEWS.items():
            document = roofline(text)
            self.assertEqual((document["schema"], document["command"], document["view"]), (1, "roofline", view))
            rows = document.get("rows") or document.get("points")
            cells = list(csv.DictReader(io.StringIO(run("roofline", *text.split(), "--format", "csv").stdout)))
            self.assertEqual(len(cells), len(rows))
            if "rows" in document:
                self.assertEqual(list(cells[0]), list(rows[0]))
            for format, start in (("md", "|"), ("html", "<!doctype html>")):
                done = run("roofline", *text.split(), "--format", format)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn(start, done.stdout)

    def test_report_takes_every_document(self):
        with tempfile.TemporaryDirectory() as folder:
            for view, text in self.VIEWS.items():
                for ending in ("json", "csv") if view == "points" else ("json",):
                    source = os.path.join(folder, f"{view}.{ending}")
                    self.assertEqual(run("roofline", *text.split(), "-o", source).returncode, 0)
                    done = run("report", source, "-o", source + ".html")
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertIn('id="roofs"', pathlib.Path(source + ".html").read_text())

    def test_help_has_examples_that_work(self):
        text = run("roofline", "--help").stdout
        examples = [line.split("tilemeter ", 1)[1] for line in text.splitlines() if line.startswith("  tilemeter ")]
        self.assertGreaterEqual(len(examples), 5)
        for example in examples:
            done = run(*example.split())
            self.assertEqual(done.returncode, 0, example + done.stderr)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main(verbosity=1)
