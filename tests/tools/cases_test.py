"""Cases from practice and verified bills, through the program: what people ran into, with the right answers.

usage: cases_test.py PROGRAM [unittest options]
"""

import json
import os
import pathlib
import tempfile
import unittest

from program import count, document, output, refusal, run
from program import message as run_message

TESTS = pathlib.Path(__file__).resolve().parent.parent
GOLDEN = TESTS / "golden" / "traffic.json"
RECORDED = TESTS.parent / "traces" / "measured"


def tensor(point, name, direction):
    return point["traffic"]["tensors"][name][direction + "_bytes"]


class Golden(unittest.TestCase):
    """Every verified bill of an algorithm that exists here."""

    def test_bills(self):
        known = {a["name"] for a in document(["algorithms"])["algorithms"]}
        checked = 0
        for entry in json.loads(GOLDEN.read_text())["entries"]:
            arguments = entry["args"]
            if arguments[arguments.index("--algorithm") + 1] not in known:
                continue
            with self.subTest(arguments=" ".join(arguments)):
                self.check(entry, count("--no-capacity " + " ".join(arguments)))
            checked += 1
        self.assertGreaterEqual(checked, 170)

    def check(self, entry, point):
        self.assertTrue(point["closed_form"]["equal"])
        self.assertEqual(point["traffic"]["elements"], entry["elements"])
        for direction, amount in entry["bytes"].items():
            self.assertEqual(point["traffic"]["bytes"][direction], amount)
        for name, (read, write) in entry["tensors"].items():
            counted = point["traffic"]["tensors"][name]
            self.assertEqual([counted["read_elements"], counted["write_elements"]], [read, write], name)
        operations = point["operations"]
        for figure, value in entry["operations"].items():
            if figure == "exp":
                for kind, exps in value.items():
                    self.assertEqual(operations["exp"][kind], exps, kind)
            else:
                self.assertEqual(operations[figure], value, figure)
        if "extra_memory_elements" in entry:
            self.assertEqual(point["workspace"]["elements"], entry["extra_memory_elements"])
        if "sram_peak_elements" in entry:
            self.assertEqual(point["sram"]["peak_elements"], entry["sram_peak_elements"])


class Capacity(unittest.TestCase):
    BIG = "--algorithm flash2 --seq 256 --heads 2 --head-dim 256 --dtype bf16 --causal --block-q 128 --block-k 64 --device "

    def test_a1_tiles_too_large_for_some_gpus(self):
        for device in ("rtx4090", "rtx3090"):
            message = refusal(self.BIG + device)
            for words in ("flash2 128x64, d=256, bf16", "128.0 KiB", "Q 64 + K 32 + V 32", device, "99.0 KiB", "64x64", "128x32"):
                self.assertIn(words, message)
            self.assertNotIn("128x48", message)
        for device in ("a100-80gb", "h100-sxm"):
            self.assertTrue(count(self.BIG + device)["sram"]["fits"])

    def test_a7_blocks_by_shared_memory(self):
        for tiles, d, device, blocks in [("128 32", 128, "rtx3090", 2), ("128 64", 128, "a100-80gb", 2),
                                         ("128 64", 128, "h100-sxm", 3), ("128 64", 128, "rtx3090", 1),
                                         ("64 64", 256, "h100-sxm", 2), ("64 64", 256, "a100-80gb", 1),
                                         ("128 64", 256, "a100-80gb", 1)]:
            rows, keys = tiles.split()
            point = count(f"--algorithm flash2 --seq 1024 --head-dim {d} --block-q {rows} --block-k {keys} --device {device}")
            self.assertEqual(point["sram"]["resident_blocks"], blocks, (tiles, d, device))

    def test_a14_a_length_given_as_head_dim(self):
        text = "--algorithm flash2 --batch 8 --seq 1024 --head-dim 1024 --dtype fp32 --device h100-sxm"
        words = refusal(text + " --block-q 64 --block-k 64")
        for word in ("768.0 KiB", "227.0 KiB", "head_dim 1024 equals seq", "swapped?"):
            self.assertIn(word, words)
        self.assertTrue(any("swapped?" in warning for warning in count(text)["warnings"]))

    def test_a17_a_gpu_that_is_not_listed(self):
        words = refusal("--algorithm flash2 --seq 1024 --device mi300x")
        for word in ("--device", '"mi300x"', "unknown device", "h100-sxm"):
            self.assertIn(word, words)
        # Tiles of 128 x 64 at d = 256 are the 131072 B of the source, against the 65536 B of that GPU.
        words = refusal("--algorithm flash2 --seq 1024 --head-dim 256 --block-q 128 --block-k 64 --placement gpu --sram 65536B")
        self.assertIn("128.0 KiB", words)
        self.assertIn("64.0 KiB", words)

    def test_j7_sizes_that_fit_are_listed(self):
        words = refusal("--algorithm flash2 --seq 1024 --head-dim 128 --block-q 128 --block-k 256 --stages 3 --device rtx3090")
        self.assertIn("nearest that fit: 128x32", words)
        listed = output("tune --algorithm flash2 --seq 1024 --head-dim 256 --device rtx3090 --triton".split())
        self.assertIn("triton.Config({'BLOCK_M': 64, 'BLOCK_N': 32}, num_stages=2, num_warps=4)", listed)
        self.assertNotIn("'BLOCK_M': 128, 'BLOCK_N': 64", listed)

    def test_a15_two_bytes_too_many(self):
        # 64x64 at d = 128 needs exactly 48 KiB: it fits at that size, and not with two bytes less.
        fits = "--algorithm flash2 --seq 512 --head-dim 128 --block-q 64 --block-k 64 --placement gpu --sram "
        self.assertTrue(count(fits + "49152B")["sram"]["fits"])
        message = refusal(fits + "49150B")
        self.assertIn("49152", message)
        self.assertIn("49150", message)
        # The three of practice, exact to the byte: no KiB that rounds to the limit.
        with tempfile.TemporaryDirectory() as folder:
            for needed, limit, device in ((65538, 65536, "t4"), (131074, 101376, "rtx4090"), (108672, 101376, "rtx4090")):
                path = os.path.join(folder, "block.toml")
                pathlib.Path(path).write_text(f'name = "b"\nthreads = 128\n[[tile]]\nname = "K"\nrows = 1\ncols = {needed}\n'
                                              'type = "fp8"\nspace = "shared"\n')
                message = run_message(["occupancy", "--layout-file", path, "--device", device])
                for words in (f"{needed} B", f"{limit} B", f"{needed - limit} B"):
                    self.assertIn(words, message)
                fits = document(["occupancy", "--layout-file", path, "--device", "a100-80gb"])
                self.assertEqual((fits["fits"], fits["shared_bytes"]), (True, needed))

    def test_a22_a_rule_that_takes_bytes_for_elements(self):
        # 48 KiB are 12288 elements of fp32: Bc = 48. Bytes taken for elements give 192, and 163840 B of tiles.
        base = "--algorithm flash1 --seq 4096 --head-dim 64 --dtype fp32 --blocks paper --no-capacity --sram "
        self.assertEqual(count(base + "49152B")["tiling"]["block_k"], 48)
        self.assertEqual(count(base + "49152el")["tiling"]["block_k"], 192)
        # 53248 B at d = 128 where a launch has no more than the default: refused before it fails in silence.
        for name, fits in (("minimal-d64", True), ("minimal-d128", False)):
            command = ["occupancy", "--layout-file", str(TESTS / "golden" / "layouts" / f"{name}.toml"), "--device", "t4", "--set",
                       "sm.shared_per_block=48KiB"]
            if fits:
                self.assertEqual(document(command)["shared_bytes"], 28672)
            else:
                for words in ("53248 B", "49152 B", "4096 B"):
                    self.assertIn(words, run_message(command))

    def test_a16_limit_by_exact_compute_capability(self):
        point = count("--algorithm flash2 --seq 1024 --head-dim 64 --device rtx5090")
        self.assertEqual(point["sram"]["capacity_bytes"], 101376)
        refusal("--algorithm flash2 --seq 1024 --head-dim 128 --block-q 128 --block-k 144 --device rtx5090")

    def test_a19_opt_in_limit(self):
        self.assertEqual(count("--algorithm flash2 --seq 1024 --device h100-sxm")["sram"]["capacity_bytes"], 232448)

    def test_a23_where_s_lives(self):
        point = count("--algorithm flash1 --seq 4096 --head-dim 64 --sram 24576el --blocks paper --no-capacity")
        self.assertEqual((point["tiling"]["block_q"], point["tiling"]["block_k"]), (64, 96))
        elements = {tile["name"]: tile["elements"] for tile in point["sram"]["tiles"]}
        self.assertEqual(sum(elements[name] for name in "QKVO"), 20480)
        self.assertEqual(point["sram"]["peak_elements"], 26752)
        self.assertIs(point["sram"]["fits"], False)
        self.assertEqual({tile["space"] for tile in point["sram"]["tiles"]}, {"sram"})

    def test_d8_a_large_budget_is_printed_unchanged(self):
        self.assertEqual(count("--algorithm flash2 --seq 1024 --sram 1677721600B")["sram"]["capacity_bytes"], 1677721600)
        self.assertEqual(count("--algorithm flash2 --seq 1024 --sram 1638400KiB")["sram"]["capacity_bytes"], 1677721600)


class Masks(unittest.TestCase):
    def test_b1_more_queries_than_keys(self):
        point = count("--algorithm flash2 --batch 2 --heads 16 --seq-q 2048 --seq-k 1024 --head-dim 128 --dtype bf16 "
                      "--causal --block-q 128 --block-k 64")
        self.assertEqual(point["operations"]["empty_rows"], 1024 * 32)
        self.assertEqual(point["operations"]["pairs"], 524800 * 32)
        self.assertEqual(point["operations"]["tiles"], 72 * 32)
        self.assertEqual(tensor(point, "Q", "read"), 8388608)
        self.assertEqual(tensor(point, "K", "read") + tensor(point, "V", "read"), 75497472)
        self.assertEqual(tensor(point, "O", "write"), 16777216)
        self.assertEqual(tensor(point, "LSE", "write"), 262144)

    def test_b2_alignment(self):
        for lengths, bottom_right, top_left in [((4, 6), 18, 10), ((1, 4096), 4096, 1)]:
            base = f"--algorithm flash2 --seq-q {lengths[0]} --seq-k {lengths[1]} "
            self.assertEqual(count(base + "--causal")["operations"]["pairs"], bottom_right)
            point = count(base + "--causal-top-left")
            self.assertEqual(point["operations"]["pairs"], top_left)
            self.assertEqual(point["problem"]["mask"], "causal_top_left")

    def test_b3_rows_without_keys_in_numbers(self):
        for declared in ("+inf", "-inf"):
            point = count(f"--algorithm flash2 --seq-q 100 --seq-k 60 --causal --mode numeric --dtype fp32 --empty-lse {declared}")
            self.assertTrue(point["numeric"]["ok"])
            self.assertEqual(point["numeric"]["nan_rows"], 0)

    def test_b9_a_window_of_one_key_more(self):
        base = "--algorithm flash2 --seq 8192 --block-q 128 --block-k 64 --window "
        narrow, wide = count(base + "4095,0"), count(base + "4096,0")
        self.assertEqual(narrow["operations"]["pairs"], 25167872)
        self.assertEqual(wide["operations"]["pairs"], 25171968)
        self.assertEqual(narrow["operations"]["tiles"], 3168)
        self.assertEqual(narrow["traffic"], wide["traffic"])

    def test_b11_a_window_that_is_causal(self):
        base = "--algorithm flash2 --seq 16384 --block-q 128 --block-k 64 "
        causal, window = count(base + "--causal"), count(base + "--window 16383,0")
        self.assertEqual(causal["operations"], window["operations"])
        self.assertEqual(causal["traffic"], window["traffic"])

    def test_b12_a_negative_side_is_refused(self):
        self.assertIn("--window", refusal("--algorithm flash2 --seq 1024 --window 100,-3"))

    def test_b13_fewer_rows_than_a_tile(self):
        point = count("--algorithm flash2 --heads 40 --seq 8 --head-dim 128 --block-q 128 --block-k 128")
        self.assertEqual(point["operations"]["tiles"], 40)
        for name, direction in (("Q", "read"), ("K", "read"), ("V", "read"), ("O", "write")):
            self.assertEqual(tensor(point, name, direction), 81920)

    def test_b17_a_tail_of_one(self):
        base = "--algorithm flash2 --seq 1025 --head-dim 64 --dtype bf16 --block-q 128 --block-k 64 "
        for mask, tiles, streamed in (("", 153, 2361600), ("--causal", 89, 1442048)):
            point = count(base + mask)
            self.assertEqual(point["operations"]["tiles"], tiles)
            self.assertEqual(tensor(point, "K", "read") + tensor(point, "V", "read"), streamed)

    def test_b17_the_same_tail_padded(self):
        base = "predict --algorithm flash2 --seq 1025 --head-dim 64 --dtype bf16 --block-q 128 --block-k 64 --device h200"
        queries = 9 * 128 * 64 * 2
        for mask, streamed in (("", 2506752), (" --causal", 1458176)):
            edge = document((base + " --tails padded" + mask).split())["levels"]["sm_edge"]
            self.assertEqual(edge["read"] - queries, streamed)

    def test_b22_a_head_dim_that_libraries_pad(self):
        point = count("--algorithm flash2 --seq 1024 --head-dim 132")
        note = " ".join(point["warnings"])
        for words in ("264", "8.25", "136"):
            self.assertIn(words, note)
        # The copies read d = 132 and write d = 136 of Q, K and V.
        self.assertIn(str(3 * 1024 * (132 + 136) * 2), note.replace(",", ""))
        # The kernels of the library are those for 160 columns, or 192 by version: their FLOPs and tiles.
        self.assertIn("160 columns, 1.21 times", note)
        self.assertIn("192 columns, 1.45 times", note)
        own = count("--algorithm flash2 --seq 1024 --head-dim 132 --block-q 128 --block-k 64 --placement gpu --sram 227KiB")
        for columns, ratio in ((160, 160 / 132), (192, 192 / 132)):
            bucket = count(f"--algorithm flash2 --seq 1024 --head-dim {columns} --block-q 128 --block-k 64 --placement gpu --sram 227KiB")
            self.assertEqual(bucket["operations"]["matmul_flops"], own["operations"]["matmul_flops"] * ratio)
            shared = sum(tile["bytes"] for tile in bucket["sram"]["tiles"] if tile["name"] in ("Q", "K", "V"))
            self.assertEqual(shared, (128 + 2 * 64) * columns * 2)
            self.assertIn(f"{ratio:.2f} times", note)
        self.assertFalse(any("columns" in w for w in count("--algorithm flash2 --seq 1024 --head-dim 136").get("warnings", [])))

    def test_b23_segments(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "segments.txt")
            pathlib.Path(path).write_text("0 2538\n1208 1742\n840 840\n0 3072\n")
            point = count(f"--algorithm flash2 --segments {path} --heads 4 --kv-heads 1 --head-dim 256 --block-q 64 --block-k 64")
        self.assertEqual(point["operations"]["pairs"], 2809936 * 4)
        streamed = 19 * 1742 + 14 * 840  # query tiles times keys; the segments without queries stream none
        self.assertEqual(point["traffic"]["tensors"]["K"]["read_elements"], 4 * streamed * 256)

    def test_b23_gradients_of_keys_that_no_query_sees(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "segments.txt")
            pathlib.Path(path).write_text("0 2538\n1208 1742\n840 840\n0 3072\n")
            for variant in ("flash2_backward", "flash2_backward --variant two_kernels", "flash2_backward --deterministic",
                            "flash1_backward", "standard_backward"):
                point = count(f"--algorithm {variant} --segments {path} --heads 4 --kv-heads 1 --head-dim 64 --no-capacity")
                tensors = point["traffic"]["tensors"]
                self.assertTrue(point["closed_form"]["equal"], variant)
                for name in ("dK", "dV"):  # every row is written, those of the first and the last segment as zeros
                    self.assertEqual(tensors[name]["write_elements"], 8192 * 64, variant)
                self.assertEqual(point["compulsory"]["tensors"]["K"]["elements"], (1742 + 840) * 64)
                self.assertEqual(point["operations"]["pairs"], 4 * 2809936)

    def test_b26_heads_that_do_not_divide(self):
        for heads in (33, 3):
            message = refusal(f"--algorithm flash2 --seq 64 --heads {heads} --kv-heads 2")
            self.assertIn(str(heads), message)
            self.assertIn("2", message)
        count("--algorithm flash2 --seq 64 --heads 8 --kv-heads 2")

    def test_no_keys_at_all(self):
        for algorithm in ("flash1 --init", "flash2", "standard", "standard_tiled"):
            point = count(f"--algorithm {algorithm} --seq-q 64 --seq-k 0")
            self.assertEqual(tensor(point, "K", "read") + tensor(point, "V", "read"), 0)
            self.assertEqual(point["traffic"]["tensors"]["O"]["write_elements"], 64 * 64)


class Overflow(unittest.TestCase):
    def warned(self, text):
        return any("32-bit" in warning for warning in count(text).get("warnings", []))

    def test_d1_d2_a_32_bit_index(self):
        self.assertFalse(self.warned("--algorithm standard --seq 46340 --head-dim 64"))
        self.assertTrue(self.warned("--algorithm standard --seq 46341 --head-dim 64"))
        for shape, scores in (("--batch 8 --heads 28 --seq 4096", 3758096384), ("--batch 64 --heads 16 --seq 2048", 4294967296)):
            point = count("--algorithm standard " + shape)
            self.assertEqual(point["traffic"]["tensors"]["S"]["write_elements"], scores)
            self.assertTrue(any(str(scores) in warning for warning in point["warnings"]))

    def test_d7_one_key_more_than_16_bits_count(self):
        for keys in (65536, 65537):
            point = count(f"--algorithm standard,flash2 --seq-q 4 --seq-k {keys} --head-dim 8 --mode numeric")
            for one in point["points"]:
                self.assertTrue(one["numeric"]["ok"], one["algorithm"])
                self.assertEqual(one["operations"]["pairs"], 4 * keys)
        tensors = count("--algorithm standard --seq 65537 --heads 64")["traffic"]["tensors"]
        self.assertEqual(tensors["S"]["write_elements"], 64 * 65537 ** 2)

    def test_a_figure_past_63_bits_is_named(self):
        self.assertIn("S write elements would pass 2^63 - 1", refusal("--algorithm standard --seq 4294967296"))

    def test_a_window_at_two_to_the_forty(self):
        point = count("--algorithm flash2 --seq 1099511627776 --window 4096,0 --block-q 128 --block-k 128")
        self.assertTrue(point["closed_form"]["equal"])


class Accounting(unittest.TestCase):
    def test_e1_decode_reads_the_cache_once_per_kv_head(self):
        base = "--algorithm flash2 --seq-q 1 --seq-k 8192 --heads 32 --kv-heads 8 --head-dim 128 "
        unique = count(base)["compulsory"]["tensors"]
        self.assertEqual(unique["K"]["bytes"] + unique["V"]["bytes"], 33554432)
        packed = count(base + "--packed")
        self.assertEqual(tensor(packed, "K", "read") + tensor(packed, "V", "read"), 33554432)

    def test_e2_prefill(self):
        point = count("--algorithm flash2 --seq 4096 --heads 32 --head-dim 128 --block-q 128 --block-k 128")
        unique = point["compulsory"]
        self.assertEqual({name: t["bytes"] for name, t in unique["tensors"].items()}, dict.fromkeys("QKVO", 33554432))
        self.assertEqual(unique["bytes"], 134217728)
        self.assertEqual(tensor(point, "K", "read") + tensor(point, "V", "read"), 2147483648)
        self.assertEqual(tensor(point, "LSE", "write"), 524288)

    def test_e3_flash1_against_standard(self):
        base = "--seq 1024 --head-dim 64 "
        flash = count("--algorithm flash1 --sram 24576el --blocks paper --no-capacity " + base)
        self.assertEqual(flash["traffic"]["elements"]["total"], 2338816)
        self.assertEqual(flash["closed_form"]["expression"], "2Nd + Tc(3Nd + 4N)")
        self.assertEqual(count("--algorithm standard " + base)["traffic"]["elements"]["total"], 4456448)

    def test_e4_ragged_tiles_move_what_is_there(self):
        read = {keys: count(f"--algorithm flash2 --seq 1056 --head-dim 64 --block-q 2000 --block-k {keys}")["traffic"]
                for keys in (64, 100, 1056, 5000)}
        self.assertEqual(len({json.dumps(traffic) for traffic in read.values()}), 1)

    def test_e15_bytes_and_time_that_contradict_the_peak(self):
        # 94.59 % of the 983 GB/s of its memory clock, in 272.16 us, are 253 MB; K and V are 268.
        case = "roofline --flops 1000 --bytes 268435456 --time 272.16us --device rtx4090 --set hbm.bandwidth=983.04GB/s"
        answer = document(case.split())
        notes = " ".join(answer["notes"])
        for words in ("986.3 GB/s is above", "983 GB/s", "the time or the bytes are wrong"):
            self.assertIn(words, notes)
        self.assertNotIn("100.3", run(case.split()).stdout)
        self.assertIsNone(answer["rows"][0]["measured_share_of_hbm"])
        implied = round(0.9459 * 983.04e9 * 272.16e-6)
        self.assertEqual(round(implied / 1e6), 253)
        agrees = " ".join(document(case.replace("268435456", str(implied)).split())["notes"])
        self.assertNotIn("are wrong", agrees)

    def test_g1_as_passed_and_as_meant(self):
        point = count("--algorithm flash2 --seq 48 --heads 21730 --head-dim 64")
        self.assertEqual(point["operations"]["matmul_flops"], 12816875520)
        meant = count("--algorithm flash2 --seq 21730 --heads 48 --head-dim 64")
        self.assertEqual(meant["operations"]["matmul_flops"], 5802306355200)

    def test_g3_g4_flops(self):
        point = count("--algorithm flash2 --seq-q 4 --seq-k 10 --head-dim 8 --head-dim-v 16 --causal")
        self.assertEqual(point["operations"]["pairs"], 34)
        self.assertEqual(point["operations"]["pair_flops"], 1632)
        shared = count("--algorithm flash2 --seq 256 --heads 8 --kv-heads 2")
        own = count("--algorithm flash2 --seq 256 --heads 8")
        self.assertEqual(shared["operations"]["matmul_flops"], own["operations"]["matmul_flops"])
        self.assertEqual(4 * shared["compulsory"]["tensors"]["K"]["bytes"], own["compulsory"]["tensors"]["K"]["bytes"])


class Devices(unittest.TestCase):
    def test_h1_h2_h3_h5_rates(self):
        for name, key, rate in (("h100-sxm", "rate.tensor.bf16", "989.4 TFLOP/s"),
                                ("h100-pcie", "rate.tensor.bf16", "756.5 TFLOP/s"),
                                ("h100-nvl", "rate.tensor.bf16", "835.5 TFLOP/s"),
                                ("h200", "rate.tensor.bf16", "989.4 TFLOP/s"), ("h200", "hbm.bandwidth", "4.8 TB/s"),
                                ("b200", "hbm.bandwidth", "7.672 TB/s"), ("h100-sxm", "hbm.bandwidth", "3.35 TB/s")):
            shown = document(["devices", "show", name])
            facts = {fact["key"]: fact["value"] for fact in shown["facts"]}
            self.assertEqual(facts[key], rate, name)

    def test_c3_fp32_is_no_tf32(self):
        # TF32 is no operand type here: the peak of fp32 is that of its multiply-add pipe, 19.5 and not 156 TFLOP/s.
        peaks = document("roofline --device a100-80gb".split())["devices"][0]["peaks"]
        self.assertEqual((peaks["fp32"]["flop_per_second"], peaks["fp32"]["unit"]), (19.5e12, "fma"))
        self.assertIn("--dtype tf32", refusal("--algorithm flash2 --seq 64 --dtype tf32"))

    def test_h2_h100_is_ambiguous(self):
        message = refusal("--algorithm flash2 --seq 64 --device h100")
        for name in ("h100-sxm", "h100-pcie", "h100-nvl"):
            self.assertIn(name, message)

    def test_j2_more_heads_than_a_grid_holds(self):
        notes = " ".join(count("--algorithm flash2 --seq 3 --heads 71280 --head-dim 128")["warnings"])
        for words in ("71280", "65535", "layout"):
            self.assertIn(words, notes)


class Recorded(unittest.TestCase):
    def test_f2_f4_f9_f11_times_of_one_regime_and_one_flush(self):
        """Cold times are emptied by the document's one flush, of 256 MiB and twice the L2 at least; warm ones by none."""
        documents = 0
        for path in sorted((RECORDED / "h200" / "kernels").glob("*.json")):
            recorded = json.loads(path.read_text())
            documents += 1
            self.assertGreaterEqual(recorded["flush_bytes"], max(256 << 20, 2 * (50 << 20)))
            for time in (time for point in recorded["points"] for time in point.get("times", [])):
                flush = recorded["flush_bytes"] if time["regime"] == "cold" else 0
                self.assertEqual(time["flush_bytes"], flush, path.name)
                self.assertGreaterEqual(time["samples"], 5, path.name)
        self.assertGreaterEqual(documents, 100)


if __name__ == "__main__":
    unittest.main()
