"""`tilemeter kernels` and `tilemeter measure`: what they say without a GPU, and what they refuse.

usage: measure_test.py PROGRAM [unittest options]
"""

import csv
import io
import unittest

from program import document, message, output, run

POINT = ["--kernel", "flash2_plain", "--seq", "256", "--head-dim", "64", "--dtype", "fp32"]


def refusal(*arguments):
    return message(["measure", *arguments])


class Kernels(unittest.TestCase):
    def test_the_list_names_what_each_mirrors(self):
        rows = {row["name"]: row for row in document(["kernels"])["kernels"]}
        self.assertEqual(rows["flash2_plain"]["mirrors"], "flash2")
        self.assertEqual(rows["flash2_plain"]["types"], "fp32")
        self.assertIn("64", rows["flash2_plain"]["head dims"].split(", "))
        algorithms = {row["name"] for row in document(["algorithms"])["algorithms"]}
        self.assertLessEqual({row["mirrors"] for row in rows.values()}, algorithms)

    def test_every_kernel_can_be_shown(self):
        for row in document(["kernels"])["kernels"]:
            facts = {fact["fact"]: fact["value"] for fact in document(["kernels", "show", row["name"]])["facts"]}
            self.assertEqual(facts["mirrors"], row["mirrors"])
            self.assertIn("refuses", facts)
            tilings = [value for fact, value in facts.items() if fact.startswith("tiling ")]
            self.assertEqual(len(tilings), int(row["tilings"]), row["name"])
            for tiling in tilings:
                self.assertRegex(tiling, r"^\d+ threads, [\d.]+ (B|KiB) shared.*sm_")

    def test_a_kernel_shown_as_text_and_csv(self):
        text = output(["kernels", "show", "flash2_plain"])
        self.assertIn("tiling block_q 32, block_k 64, head_dim 64", text)
        self.assertIn("64 threads, 40.00 KiB shared", text)
        rows = list(csv.reader(io.StringIO(output(["kernels", "--format", "csv"]))))
        self.assertEqual(rows[0][:2], ["name", "mirrors"])

    def test_unknown_kernels_are_refused_with_the_names(self):
        self.assertIn("flash2_plain", message(["kernels", "show", "flash9"]))
        self.assertIn("flash2_plain", refusal("--kernel", "flash9", "--seq", "64"))


class Measure(unittest.TestCase):
    def test_one_line_without_a_gpu(self):
        done = run(["measure", *POINT, "--samples", "5"])
        if done.returncode == 0:
            self.assertIn("flash2_plain", done.stdout)
            return
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(len(done.stderr.strip().splitlines()), 1)
        self.assertIn("measure needs a GPU", done.stderr)

    def test_wrong_options(self):
        self.assertIn("--algorithm", refusal("--seq", "64"))
        self.assertIn("cold, warm, both", refusal(*POINT, "--cache", "hot"))
        self.assertIn("--seed", refusal(*POINT, "--seed", "-1"))
        self.assertIn("not --algorithm flash1", refusal(*POINT, "--algorithm", "flash1"))
        self.assertIn("no kernel mirrors it", refusal("--algorithm", "standard_unfused", "--seq", "64"))

    def test_f2_a_single_shot_is_refused(self):
        for samples in ("0", "1", "4"):
            self.assertIn("--samples " + samples, refusal(*POINT, "--samples", samples))
        self.assertIn("5 to 10000", refusal(*POINT, "--samples", "10001"))

    def test_b21_a_kernel_refuses_what_it_is_not_compiled_for(self):
        for head_dim in ("72", "96", "100"):
            text = refusal("--kernel", "flash2_plain", "--seq", "256", "--head-dim", head_dim, "--dtype", "fp32")
            self.assertIn("accepted are 32/32, 64/64, 128/128", text)
        self.assertIn("--dtype bf16: accepted is fp32", refusal(*POINT[:-1], "bf16"))
        self.assertIn("48x32", refusal(*POINT, "--block-q", "48", "--block-k", "32"))
        self.assertIn("--packed", refusal(*POINT, "--heads", "4", "--kv-heads", "2", "--packed"))

    def test_b20_ragged_lengths_are_no_refusal(self):
        done = run(["measure", *POINT[:2], "--seq", "1000", *POINT[4:], "--samples", "5"])
        self.assertTrue(done.returncode == 0 or "needs a GPU" in done.stderr, done.stderr)

    def test_a_kernel_with_a_ring_of_its_own_is_planned(self):
        done = run(["measure", "--kernel", "gemm", "--m", "256", "--n", "256", "--k", "256", "--samples", "5"])
        self.assertTrue(done.returncode == 0 or "needs a GPU" in done.stderr, done.stderr)

    def test_what_no_kernel_does(self):
        self.assertIn("--unsafe", refusal(*POINT, "--unsafe", "no-rescale"))


if __name__ == "__main__":
    unittest.main()
