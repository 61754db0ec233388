"""The neighbours of attention through the program: gemm, weight_layer, softmax, elementwise.

usage: neighbours_test.py PROGRAM [unittest options]
"""

import csv
import io
import unittest

from program import Folder, count, document, output, run


GEMM = "--algorithm gemm --m 512 --n 512 --k 64"
LAYER = "--algorithm weight_layer --tokens 8 --d-in 1024 --d-out 512"
SOFTMAX = "--algorithm softmax --rows 32 --cols 1000"
CHAIN = "--algorithm elementwise --length 4096 --ops 3"


def elements(point):
    tensors = point["traffic"]["tensors"]
    return {name: (tensor["read_elements"], tensor["write_elements"]) for name, tensor in tensors.items()}


class Gemm(unittest.TestCase):
    TILES = " --block-m 16 --block-n 16 --block-k 16"

    def test_four_orders(self):
        expected = {
            "c": ("c_stationary", 1048576, 1048576, 0, 262144),
            "a": ("a_stationary", 32768, 1048576, 786432, 1048576),
            "b": ("b_stationary", 1048576, 32768, 786432, 1048576),
            "none": ("no_reuse", 1048576, 1048576, 1048576, 1048576),
        }
        for word, (name, a, b, c_read, c_written) in expected.items():
            for order in (word, name):
                with self.subTest(order=order):
                    point = count(GEMM + self.TILES + " --order " + order)
                    self.assertEqual(elements(point), {"A": (a, 0), "B": (b, 0), "C": (c_read, c_written)})
                    self.assertEqual(point["tiling"], {"block_m": 16, "block_n": 16, "block_k": 16, "order": name,
                                                       "rule": "given"})
                    self.assertTrue(point["closed_form"]["equal"])
                    self.assertEqual(point["sram"]["peak_elements"], 3 * 256)

    def test_json_holds_what_a_product_has(self):
        point = count(GEMM)
        self.assertEqual(point["problem"], {"batch": 1, "m": 512, "n": 512, "k": 64, "dtype": "fp16"})
        self.assertEqual(set(point["operations"]), {"matmul_flops", "tiles", "exp"})
        self.assertEqual(point["operations"]["matmul_flops"], 2 * 512 * 512 * 64)
        self.assertEqual(point["compulsory"]["elements"], 2 * 512 * 64 + 512 * 512)

    def test_a_batch_is_so_many_products(self):
        self.assertEqual(count(GEMM + " --batch 5")["traffic"]["elements"]["total"],
                         5 * count(GEMM)["traffic"]["elements"]["total"])

    def test_optimum_takes_the_order_too(self):
        for capacity, most in [(560, 1835008), (2144, 819200), (8384, 425984), (33344, 327680)]:
            point = count(f"{GEMM} --sram {capacity}el --blocks optimum")
            self.assertLessEqual(point["traffic"]["elements"]["total"], most)
            self.assertTrue(point["sram"]["fits"])
        self.assertEqual(count(f"{GEMM} --sram 2144el --blocks optimum --order c")["tiling"]["order"], "c_stationary")

    def test_fit_is_square(self):
        tiling = count("--algorithm gemm --m 900 --n 900 --k 900 --sram 99el")["tiling"]
        self.assertEqual((tiling["block_m"], tiling["block_n"], tiling["block_k"], tiling["rule"]), (9, 9, 1, "fit"))

    def test_sizes_of_devices_are_multiples_of_16(self):
        tiling = count("--algorithm gemm --m 4096 --n 4096 --k 4096 --device h100-sxm")["tiling"]
        self.assertEqual([tiling[size] % 16 for size in ("block_m", "block_n", "block_k")], [0, 0, 0])


class Layer(unittest.TestCase):
    def test_few_tokens_read_the_weights_once(self):
        for dtype, bits in [("bf16", 16), ("int8", 8), ("int4", 4)]:
            point = count(f"{LAYER} --weight-dtype {dtype}")
            self.assertEqual(point["traffic"]["tensors"]["W"]["read_bytes"], 1024 * 512 * bits // 8)
            self.assertNotIn("scales", point["traffic"]["tensors"])

    def test_a_scale_a_group(self):
        point = count(LAYER + " --weight-dtype int4 --group-size 128")
        tensors = point["traffic"]["tensors"]
        read = tensors["W"]["read_bytes"] + tensors["scales"]["read_bytes"]
        self.assertEqual(read, 1024 * 512 * (4 / 8 + 2 / 128))
        self.assertEqual(point["problem"]["group_size"], 128)
        self.assertEqual(point["problem"]["weight_dtype"], "int4")

    def test_tokens_in_tiles_read_the_weights_again(self):
        point = count("--algorithm weight_layer --tokens 33 --d-in 64 --d-out 32 --block-m 16 --block-n 32 --block-k 64")
        self.assertEqual(point["traffic"]["tensors"]["W"]["read_elements"], 3 * 64 * 32)


class Softmax(unittest.TestCase):
    def test_passes(self):
        size = 32 * 1000
        for variant, reads, exps in [("naive", 2, 2 * size), ("safe", 3, 2 * size), ("online", 2, 3 * size - 32),
                                     ("resident", 1, size)]:
            with self.subTest(variant=variant):
                point = count(f"{SOFTMAX} --variant {variant}")
                self.assertEqual(elements(point), {"X": (reads * size, 0), "Y": (0, size)})
                self.assertEqual(point["operations"]["exp"]["scores"] + point["operations"]["exp"]["rescale"], exps)
                self.assertEqual(point["options"]["variant"], variant)

    def test_a_row_that_does_not_fit(self):
        done = run(["count", *f"{SOFTMAX} --variant resident --sram 1001el".split()])
        self.assertEqual(done.returncode, 2)
        self.assertIn("softmax resident, rows of 1000", done.stderr)
        self.assertTrue(count(f"{SOFTMAX} --variant resident --sram 1002el")["sram"]["fits"])


class Chain(unittest.TestCase):
    def test_fused_and_unfused(self):
        n = 4096
        self.assertEqual(elements(count(CHAIN)), {"X": (n, 0), "Y": (2 * n, 3 * n)})
        self.assertEqual(elements(count(CHAIN + " --side-inputs 2 --variant fused")),
                         {"X": (n, 0), "side": (2 * n, 0), "Y": (0, n)})


class Numbers(unittest.TestCase):
    def test_every_version_computes_what_it_should(self):
        points = [f"--algorithm gemm --m 40 --n 30 --k 50 --block-m 16 --block-n 16 --block-k 16 --order {order}"
                  for order in "abc"]
        points += [f"--algorithm weight_layer --tokens 9 --d-in 70 --d-out 20 --weight-dtype {dtype} --group-size {group}"
                   for dtype, group in [("bf16", 0), ("int8", 0), ("int8", 33), ("int4", 0), ("int4", 32)]]
        points += [f"--algorithm softmax --rows 5 --cols 77 --block-k 16 --variant {variant}"
                   for variant in ("naive", "safe", "online", "resident")]
        points += [f"--algorithm elementwise --length 500 --ops 40 --side-inputs 3 --variant {variant}"
                   for variant in ("fused", "unfused")]
        for text in points:
            for dtype in ("fp64", "fp32", "fp16", "bf16"):
                with self.subTest(text=text, dtype=dtype):
                    self.assertTrue(count(f"{text} --dtype {dtype} --mode numeric")["numeric"]["ok"])


class Lists(unittest.TestCase):
    def test_algorithms_of_different_computations(self):
        together = "--algorithm flash2,gemm,softmax --seq 64 --m 8 --n 8 --k 8 --rows 4 --cols 16"
        points = document(["count", *together.split()])["points"]
        self.assertEqual([point["algorithm"] for point in points], ["flash2", "gemm", "softmax"])
        self.assertEqual(set(points[1]["traffic"]["tensors"]), {"A", "B", "C"})
        self.assertIn("Q", points[0]["traffic"]["tensors"])

    def test_csv_and_table_of_a_sweep(self):
        text = "--algorithm gemm --m 64 --n 64 --k 64 --sram 64el:4096el:*4 --order a,c"
        rows = list(csv.DictReader(io.StringIO(output(["sweep", *text.split(), "--format", "csv"]))))
        self.assertEqual(len(rows), 8)
        self.assertEqual({row["closed_form_equal"] for row in rows}, {"true"})
        self.assertEqual({row["tiling_order"] for row in rows}, {"a_stationary", "c_stationary"})
        self.assertEqual({row["problem_m"] for row in rows}, {"64"})
        self.assertIn("Bm", output(["sweep", *text.split()]))
        self.assertIn("<html", output(["sweep", *text.split(), "--format", "html"]))


class BadInput(Folder):
    def refuse(self, text, *words):
        super().refuse(["count", *text.split()], *words)

    def test_sizes_that_are_missing(self):
        self.refuse("--algorithm gemm", "gemm needs --m, --n and --k")
        self.refuse("--algorithm gemm --m 4 --n 4", "gemm needs --m, --n and --k")
        self.refuse("--algorithm weight_layer --tokens 4", "weight_layer needs --tokens, --d-in and --d-out")
        self.refuse("--algorithm softmax --rows 4", "softmax needs --rows and --cols")
        self.refuse("--algorithm elementwise", "elementwise needs --length")
        self.refuse(GEMM.replace("gemm", "gemm,flash2"), "needs a length")
        self.refuse("--algorithm flash2,gemm --seq 64", "gemm needs --m")

    def test_options_of_attention(self):
        for option in ("--seq 64", "--heads 4", "--head-dim 64", "--causal", "--mask causal", "--packed", "--block-q 16",
                       "--stat-dtype fp32"):
            self.refuse(f"{GEMM} {option}", option.split()[0], "gemm", "attention", "--m, --n and --k")
        self.refuse(f"{GEMM} --empty-lse +inf", "--empty-lse", "gemm")

    def test_options_of_neighbours(self):
        self.refuse("--algorithm flash2 --seq 64 --m 4", "--m is not an option of flash2", "gemm")
        self.refuse(f"{SOFTMAX} --order a", "--order", "softmax")
        self.refuse(f"{GEMM} --order d", "--order d", "c_stationary")
        self.refuse(f"{GEMM} --m 0".replace("--m 512 ", ""), "--m 0")
        self.refuse(f"{GEMM} --block-m 16", "--block-m 16 needs --block-n")
        self.refuse(f"{GEMM} --block-k 16", "--block-k 16 needs --block-m and --block-n")
        self.refuse(f"{GEMM} --block-m 16 --block-n 16 --block-k 16 --blocks fit --sram 9KiB", "contradicts")
        self.refuse(f"{GEMM} --blocks paper --sram 9KiB", "--blocks paper", "--block-m")
        self.refuse(f"{GEMM} --block-m 64 --block-n 64 --block-k 64 --sram 4KiB", "gemm 64x64x64", "nearest that fit")
        self.refuse(f"{LAYER} --weight-dtype int2", "--weight-dtype int2", "int4")
        self.refuse(f"{LAYER} --group-size 32", "--group-size 32", "bf16")
        self.refuse(f"{LAYER} --weight-dtype int4 --group-size 3", "--group-size 3", "even")
        self.refuse(f"{SOFTMAX} --variant fused", "--variant fused", "safe, online, naive, resident")
        self.refuse(f"{CHAIN} --side-inputs 4", "--side-inputs 4", "--ops 3")
        self.refuse(f"{CHAIN} --dtype fp8 --mode numeric", "--dtype fp8")
        self.refuse("--algorithm gemm --m 4000000000 --n 4000000000 --k 4000000000", "2^63 - 1")


if __name__ == "__main__":
    unittest.main()
