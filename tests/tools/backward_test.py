"""The backward passes through the program: cases from practice, options and messages.

usage: backward_test.py PROGRAM [unittest options]
"""

import unittest

from program import count, refusal

BACKWARD = ("standard_backward", "flash1_backward", "flash2_backward")


def flops(text):
    return count(text)["operations"]["matmul_flops"]


def total(point):
    return point["traffic"]["elements"]["total"]


class Work(unittest.TestCase):
    def test_g5_matrix_products_of_a_small_model(self):
        shape = " --batch 2 --heads 16 --seq 1024 --head-dim 64"
        self.assertEqual(flops("--algorithm flash2" + shape), 8589934592)
        self.assertEqual(flops("--algorithm flash2_backward" + shape), 21474836480)

    def test_g7_backward_against_forward(self):
        shape = " --batch 64 --heads 16 --seq 1024 --head-dim 64"
        forward = flops("--algorithm standard" + shape)
        self.assertEqual(forward, 274877906944)
        self.assertEqual(flops("--algorithm standard_backward" + shape), 2 * forward)
        for flash in ("flash1_backward", "flash2_backward"):
            self.assertEqual(2 * flops(f"--algorithm {flash}" + shape), 5 * forward)
        self.assertEqual(2 * flops("--algorithm flash2_backward --variant two_kernels" + shape), 7 * forward)


    def test_visible_pairs_need_what_whole_tiles_take_without_a_mask(self):
        for algorithm in BACKWARD:
            operations = count(f"--algorithm {algorithm} --seq 1024 --head-dim 64")["operations"]
            self.assertEqual(operations["pair_flops"], operations["matmul_flops"], algorithm)


class Accumulation(unittest.TestCase):
    SHAPE = "--algorithm flash2_backward --batch 2 --heads 8 --seq 1024 --head-dim 64 "
    BUFFER = 2 * 8 * 1024 * 64  # elements of dQ

    def test_c8_unordered_adds_share_one_buffer(self):
        point = count(self.SHAPE)
        self.assertEqual(point["workspace"]["tensors"]["dQacc"]["bytes"], 4 * self.BUFFER)
        self.assertNotIn("dKx", point["workspace"]["tensors"])

    def test_c8_in_order_each_block_along_the_keys_has_its_own(self):
        base = count(self.SHAPE)["traffic"]["tensors"]["dQacc"]
        for device, sms in (("", 108), ("--device h100-sxm", 132)):
            tiles = " --block-q 64 --block-k 64 "
            splits = -(-sms // 16)
            point = count(self.SHAPE + "--deterministic --no-capacity" + tiles + device)
            plain = count(self.SHAPE + "--no-capacity" + tiles + device)
            self.assertEqual(point["workspace"]["tensors"]["dQacc"]["bytes"], 4 * splits * self.BUFFER)
            for direction in ("read", "write"):
                more = [p["traffic"]["tensors"]["dQacc"][direction + "_elements"] for p in (point, plain)]
                self.assertEqual(more[0] - more[1], (splits - 1) * self.BUFFER)
            self.assertTrue(any(f"{splits} buffers" in warning for warning in point["warnings"]))
        self.assertEqual(base["read_elements"], base["write_elements"])

    def test_one_buffer_where_there_are_more_streams_than_sms(self):
        point = count("--algorithm flash2_backward --deterministic --batch 16 --heads 16 --seq 256")
        self.assertEqual(point["workspace"]["tensors"]["dQacc"]["bytes"], 4 * 16 * 16 * 256 * 64)
        self.assertTrue(point["options"]["deterministic"])

    def test_two_kernels_need_no_accumulator(self):
        point = count(self.SHAPE + "--variant two_kernels --deterministic")
        self.assertNotIn("dQacc", point["workspace"]["tensors"])
        self.assertEqual(point["options"]["variant"], "two_kernels")

    def test_d5_a_large_batch_overflows_the_index_of_the_workspace(self):
        for batch in (10000, 15000):
            point = count(f"--algorithm flash2_backward --batch {batch} --heads 16 --seq 128 --head-dim 128")
            elements = batch * 16 * 128 * 128
            self.assertGreater(elements, 2**31 - 1)
            self.assertTrue(any(f"dQacc has {elements} elements" in warning for warning in point["warnings"]))
        small = "--algorithm flash2_backward --heads 4 --seq 262144 --head-dim 128 "
        self.assertNotIn("warnings", count(small))
        ordered = count(small + "--deterministic")["warnings"]
        self.assertEqual([w for w in ordered if "overflows" in w][0].split()[0], "dQacc")
        self.assertEqual(len([w for w in ordered if "overflows" in w]), 1)

    def test_grouped_heads_form_dk_and_dv_apart(self):
        base = "--heads 8 --kv-heads 2 --seq 256 --head-dim 32 "
        for algorithm in BACKWARD:
            point = count(f"--algorithm {algorithm} {base}")
            self.assertEqual(point["workspace"]["tensors"]["dKx"]["bytes"], 2 * 8 * 256 * 32)
            self.assertEqual(point["traffic"]["tensors"]["dK"]["write_elements"], 2 * 256 * 32)
            packed = count(f"--algorithm {algorithm} {base} --packed")
            self.assertNotIn("dKx", packed.get("workspace", {"tensors": {}})["tensors"])


class Standard(unittest.TestCase):
    BASE = "--algorithm standard_backward --seq 512 --head-dim 64 "
    N2, ND = 512 * 512, 512 * 64

    def test_steps_of_their_own(self):
        for steps, passes in (("none", 7), ("scale", 9), ("mask", 9), ("dropout", 10), ("scale,mask,dropout", 14)):
            self.assertEqual(total(count(self.BASE + "--unfused " + steps)), passes * self.N2 + 8 * self.ND, steps)

    def test_none_is_the_default(self):
        default, none = count(self.BASE), count(self.BASE + "--unfused none")
        self.assertNotEqual(default.pop("arguments"), none.pop("arguments"))
        self.assertEqual(default, none)
        self.assertEqual(count(self.BASE + "--unfused dropout")["options"], {"unfused": "dropout"})

    def test_scores_in_another_type(self):
        narrow, wide = count(self.BASE), count(self.BASE + "--score-dtype fp32")
        more = wide["traffic"]["bytes"]["total"] - narrow["traffic"]["bytes"]["total"]
        self.assertEqual(more, 2 * 7 * self.N2)

    def test_it_has_no_mask_tensor_and_no_tiles(self):
        self.assertIn("--mask-shape", refusal(self.BASE + "--mask-shape full"))
        self.assertIsNone(count(self.BASE)["tiling"])


class Capacity(unittest.TestCase):
    def test_the_nominal_sizes_never_fit_algorithm_4(self):
        for capacity in (600, 12500, 25000, 50000, 100000, 200000, 1000000):
            message = refusal(f"--algorithm flash1_backward --seq 8192 --sram {capacity}el --blocks paper")
            for words in ("flash1_backward", f"allows {capacity} elements", "dK", "dV"):
                self.assertIn(words, message)

    def test_the_largest_tiles_that_fit(self):
        for algorithm in ("flash1_backward", "flash2_backward", "flash2_backward --variant two_kernels"):
            for budget in ("--sram 50000el", "--sram 100KiB", "--device h100-sxm"):
                point = count(f"--algorithm {algorithm} --seq 4096 --blocks fit {budget}")
                self.assertTrue(point["sram"]["fits"], (algorithm, budget))

    def test_the_optimum_has_one_query_row(self):
        one, d = " --seq 4096 --head-dim 64 --blocks optimum --sram 50000el", 64
        first = count("--algorithm flash1_backward" + one)["tiling"]
        self.assertEqual(first["block_k"], (50000 - 4 * d - 3) // (4 * d + 2))
        second = count("--algorithm flash2_backward" + one)["tiling"]
        self.assertEqual(second["block_k"], (50000 - 3 * d - 2) // (4 * d + 2))
        # Tc decides; among equal traffic the query tile may grow only as far as it fits.
        self.assertEqual((first["block_q"], second["block_q"]), (1, 1))

    def test_dq_in_another_type(self):
        base = "--algorithm flash1_backward --seq 512 --head-dim 64 "
        narrow, wide = (count(base + "--o-dtype " + t)["traffic"]["tensors"] for t in ("fp16", "fp32"))
        self.assertEqual(wide["dQ"]["read_bytes"], 2 * narrow["dQ"]["read_bytes"])
        self.assertEqual(wide["O"], narrow["O"])

    def test_initial_values(self):
        base = "--algorithm flash1_backward --seq 512 --head-dim 64 "
        self.assertEqual(total(count(base + "--init")) - total(count(base)), 3 * 512 * 64)


class Numbers(unittest.TestCase):
    def test_gradients_agree_with_double_precision(self):
        shape = "--seq-q 70 --seq-k 90 --heads 4 --kv-heads 2 --head-dim 24 --block-q 32 --block-k 16 --mode numeric "
        for algorithm in (*BACKWARD, "flash2_backward --variant two_kernels", "flash2_backward --deterministic",
                          "standard_backward --unfused scale,mask,dropout"):
            for mask in ("", "--causal ", "--causal-top-left ", "--window 9,3 "):
                for dtype in ("fp64", "fp16", "bf16"):
                    point = count(f"--algorithm {algorithm} {shape}{mask}--dtype {dtype}")
                    self.assertTrue(point["numeric"]["ok"], (algorithm, mask, dtype, point["numeric"]))
                    self.assertTrue(point["closed_form"]["equal"])


if __name__ == "__main__":
    unittest.main()
