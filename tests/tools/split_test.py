"""Split-KV, FlashAttention-3, boustrophedon order and mistakes on purpose, through the program.

usage: split_test.py PROGRAM [unittest options]
"""

import json
import os
import pathlib
import re
import tempfile
import unittest

from program import count, document, refusal, run


def tensor(point, name):
    return point["traffic"]["tensors"][name]


class Splits(unittest.TestCase):
    def test_j9_nine_splits_fill_an_a100(self):
        point = count("--algorithm split_kv --heads 12 --seq-q 1 --seq-k 16384 --head-dim 128 --splits 9")
        self.assertEqual(tensor(point, "Oacc")["write_bytes"], 55296)
        self.assertEqual(tensor(point, "Oacc")["read_bytes"], 55296)
        self.assertEqual(tensor(point, "LSEacc")["write_bytes"], 432)
        self.assertEqual(tensor(point, "LSEacc")["read_bytes"], 432)
        self.assertTrue(point["closed_form"]["equal"])

    def test_j9_blocks_over_the_sms(self):
        for splits, device, sms in ((9, "a100-80gb", 108), (11, "h100-sxm", 132)):
            point = count(f"--algorithm split_kv --heads 12 --seq-q 1 --seq-k 65536 --head-dim 128 --splits {splits} "
                          f"--device {device} --per-sm")
            self.assertEqual(len(point["sms"]), sms)
            self.assertTrue(all(sm["blocks"] >= 1 for sm in point["sms"]))
            # One block of the first kernel on every SM: 12 heads x splits fill them exactly.
            predicted = document(f"predict --algorithm split_kv --heads 12 --seq-q 1 --seq-k 65536 --head-dim 128 --splits {splits} "
                                 f"--device {device} --blocks-per-sm 1".split())
            first = predicted["estimate"]["launches"][0]
            self.assertEqual((first["blocks"], first["waves"], first["wave_efficiency"]), (sms, 1, 1.0))
            for name, width in (("Oacc", 128), ("LSEacc", 1)):
                for way in ("write_bytes", "read_bytes"):
                    self.assertEqual(tensor(point, name)[way], 12 * splits * width * 4)

    def test_b27_a_group_of_twelve(self):
        base = "--algorithm split_kv --batch 4 --heads 96 --kv-heads 8 --seq-q 1 --seq-k 65536 --head-dim 128 --dtype bf16 "
        unpacked, packed = count(base), count(base + "--packed")
        unique = unpacked["compulsory"]["tensors"]
        self.assertEqual(unique["K"]["bytes"] + unique["V"]["bytes"], 1073741824)
        keys = lambda point: tensor(point, "K")["read_bytes"] + tensor(point, "V")["read_bytes"]
        self.assertEqual(keys(packed), 1073741824)
        self.assertEqual(keys(unpacked), 12 * 1073741824)

    def test_b4_the_merge_needs_minus_infinity_whatever_is_declared(self):
        base = ("--algorithm split_kv --heads 2 --seq-q 60 --seq-k 40 --causal --splits 5 --block-q 16 --block-k 8 "
                "--dtype fp32 --mode numeric --empty-lse ")
        for declared in ("+inf", "-inf"):
            point = count(base + declared)
            self.assertTrue(point["numeric"]["ok"])
            self.assertEqual(point["operations"]["empty_rows"], 40)
            self.assertEqual(point["options"].get("empty_lse", "+inf"), declared)

    def test_auto_follows_the_device(self):
        base = ("--algorithm split_kv --heads 32 --kv-heads 8 --packed --seq-q 1 --seq-k 8192 --head-dim 128 "
                "--block-q 64 --block-k 128 ")
        for device, splits, slots in (("", 22, 216), ("--device a100-80gb", 22, 216), ("--device h100-sxm", 32, 264)):
            for auto in ("", "--splits auto "):
                options = count(base + auto + device)["options"]
                self.assertEqual((options["splits"], options["split_slots"]), (splits, slots))
        self.assertEqual(count(base + "--splits 3")["options"], {"splits": 3})

    def test_splits_are_swept(self):
        done = run("sweep --algorithm split_kv --seq-q 1 --seq-k 4096 --splits auto,1:8:*2 --format json".split(), timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([p["options"]["splits"] for p in json.loads(done.stdout)["points"]][1:], [1, 2, 4, 8])

    def test_segments_share_one_number_of_splits(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "segments.txt")
            pathlib.Path(path).write_text("1 8192\n1 100\n1 4096\n")
            point = count(f"--algorithm split_kv --segments {path} --heads 8 --block-q 64 --block-k 128")
        self.assertEqual(tensor(point, "LSEacc")["write_elements"], point["options"]["splits"] * 3 * 8)
        self.assertTrue(point["closed_form"]["equal"])

    def test_pages(self):
        base = "--algorithm split_kv --seq-q 1 --seq-k 1000 --block-q 16 --block-k 64 --splits 4 --dtype fp32 --mode numeric "
        for page, entries in ((16, 15 * 4 + 3), (64, 16), (256, 16)):
            point = count(base + f"--page-size {page}")
            self.assertEqual(tensor(point, "block_table")["read_elements"], entries)
            self.assertEqual(tensor(point, "block_table")["read_bytes"], 4 * entries)
            self.assertTrue(point["numeric"]["ok"])
        message = refusal(base + "--page-size 48")
        for words in ("--page-size 48", "--block-k (64)"):
            self.assertIn(words, message)

    def test_refusals(self):
        for text, words in (("--algorithm split_kv --seq 64 --splits 0", "--splits 0"),
                            ("--algorithm split_kv --seq 64 --splits some", "--splits some"),
                            ("--algorithm flash2 --seq 64 --splits 4", "it belongs to split_kv"),
                            ("--algorithm split_kv --seq 64 --splits 9223372036854775807", "2^63 - 1")):
            self.assertIn(words, refusal(text))

    def test_more_splits_than_fit_are_named_and_the_most_that_fit_do(self):
        point = "--algorithm split_kv --seq-q 1 --seq-k 4096 --head-dim 64"
        for budget in ("--device h200", "--device t4", "--sram 64KiB", "--sram 20000el"):
            for tiles in ("", " --block-q 16 --block-k 16"):
                message = refusal(f"{point} {budget}{tiles} --splits 99999")
                self.assertIn("error: --splits 99999: the combine kernel of split_kv needs", message)
                most = int(re.search(r"; expected 1 to (\d+), or auto", message).group(1))
                self.assertTrue(count(f"{point} {budget}{tiles} --splits {most}")["sram"]["fits"])
                self.assertIn(f"--splits {most + 1}: ", refusal(f"{point} {budget}{tiles} --splits {most + 1}"))
        done = run(f"sweep {point} --device h200 --splits 8,99999 --format json".split())
        fine, past = json.loads(done.stdout)["points"]
        self.assertTrue(fine["feasible"])
        self.assertIn("--splits 99999", past["reason"])
        self.assertTrue(count(f"{point} --device h200 --block-q 16 --block-k 16 --no-capacity --splits 99999")["closed_form"]["equal"])

    def test_splits_without_keys_are_a_note(self):
        point = "--algorithm split_kv --seq-q 1 --seq-k 4096 --block-q 16 --block-k 128 --splits "
        self.assertFalse(any("--splits" in note for note in count(point + "32").get("warnings", [])))
        notes = count(point + "33")["warnings"]
        self.assertTrue(any("--splits 33 of 32 key tiles: 1 have no keys" in note for note in notes), notes)


class Zigzag(unittest.TestCase):
    def test_saves_a_tile_at_each_turn(self):
        base = "--seq 1024 --head-dim 64 --block-q 128 --block-k 64 --algorithm "
        plain, zigzag = count(base + "flash2"), count(base + "zigzag")
        self.assertEqual(plain["traffic"]["elements"]["total"] - zigzag["traffic"]["elements"]["total"], 2 * 64 * 64 * 7)
        self.assertEqual(zigzag["closed_form"]["expression"], "2Nd + N + 2 Tr Nd - 2 Bc d (Tr - 1)")
        self.assertEqual(zigzag["operations"], plain["operations"])


class Flash3(unittest.TestCase):
    def test_same_bill_as_flash2_and_two_stages(self):
        base = "--seq 1000 --head-dim 64 --causal --block-q 128 --block-k 64 --dtype bf16 --mode numeric --algorithm "
        second, third = count(base + "flash2"), count(base + "flash3")
        self.assertEqual(third["traffic"], second["traffic"])
        self.assertEqual(third["operations"], second["operations"])
        self.assertEqual((second["tiling"]["stages"], third["tiling"]["stages"]), (1, 2))
        more = third["sram"]["peak_elements"] - second["sram"]["peak_elements"]
        self.assertEqual(more, 128 * 64 + 2 * 64 * 64)
        self.assertEqual(count(base + "flash3 --stages 1")["tiling"]["stages"], 1)


class Unsafe(unittest.TestCase):
    def test_practice_two(self):
        for seq, rows, keys, lost in ((300, 64, 100, 44), (300, 100, 64, 212), (257, 48, 33, 147), (1000, 64, 196, 60),
                                      (300, 64, 64, 0), (128, 32, 128, 0)):
            for algorithm in ("flash1", "flash2"):
                point = count(f"--algorithm {algorithm} --seq {seq} --head-dim 16 --causal --block-q {rows} "
                              f"--block-k {keys} --dtype fp32 --mode numeric --unsafe")
                with self.subTest(algorithm=algorithm, seq=seq, rows=rows):
                    self.assertEqual(point["numeric"]["predicted_nan_rows"], lost)
                    self.assertEqual(point["numeric"]["nan_rows"], lost)
                    self.assertTrue(point["numeric"]["ok"])
                    self.assertEqual(point["options"]["unsafe"], "reverse")

    def test_forward_order_fails_with_windows_and_with_few_keys(self):
        base = "--algorithm flash2 --head-dim 8 --block-q 64 --block-k 64 --dtype fp32 --mode numeric --unsafe unguarded "
        for mask, lost in (("--seq 1024 --window 100,0", 392), ("--seq 1024 --window 128,0", 0),
                           ("--seq-q 300 --seq-k 100 --causal", 200), ("--seq 300 --causal", 0)):
            self.assertEqual(count(base + mask)["numeric"]["nan_rows"], lost)

    def test_no_rescale_is_wrong_and_shown_to_be(self):
        for algorithm in ("flash1", "flash2"):
            base = f"--algorithm {algorithm} --seq 512 --block-q 64 --mode numeric --unsafe no-rescale --block-k "
            numeric = count(base + "64")["numeric"]
            self.assertTrue(numeric["ok"])
            self.assertGreater(numeric["rel_frobenius"], 10 * numeric["tolerance"])
            self.assertEqual((numeric["nan_rows"], numeric["predicted_nan_rows"]), (0, 0))
            one_tile = count(base + "512")["numeric"]
            self.assertTrue(one_tile["ok"])
            self.assertLess(one_tile["rel_frobenius"], one_tile["tolerance"])

    def test_the_option_in_every_place(self):
        base = "--algorithm flash2 --seq 300 --block-q 64 --block-k 100"
        for text in ("--unsafe " + base + " --causal", base + " --unsafe --causal", base + " --causal --unsafe",
                     base + " --causal --unsafe reverse", base + " --causal --unsafe=reverse"):
            self.assertEqual(count(text)["options"], {"unsafe": "reverse"})
        self.assertIn("--unsafe true: expected one of reverse, no-rescale, unguarded", refusal(base + " --unsafe true"))
        self.assertIn("--unsafe is given 2 times", refusal(base + " --unsafe --unsafe"))
        self.assertIn("it belongs to flash1, flash2, flash3", refusal("--algorithm standard --seq 64 --unsafe"))

    def test_no_traffic_changes(self):
        base = "--algorithm flash1 --seq 1000 --window 100,0 --block-q 64 --block-k 100 --elide-first "
        right = count(base)
        for mistake in ("reverse", "no-rescale", "unguarded"):
            wrong = count(base + "--unsafe " + mistake)
            self.assertEqual(wrong["traffic"], right["traffic"])
            self.assertEqual(wrong["operations"], right["operations"])

    def test_the_table_says_what_was_predicted(self):
        done = run(("count --algorithm flash2 --seq 300 --head-dim 16 --causal --block-q 64 --block-k 100 --dtype fp32 "
                    "--mode numeric --unsafe").split(), timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("rows with NaN 44 (predicted 44): ok", done.stdout)


if __name__ == "__main__":
    unittest.main(verbosity=1)
