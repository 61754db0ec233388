"""chunked, materialised and linear_attention through the program: their options, what they refuse, what they report.

usage: chunked_test.py PROGRAM [unittest options]
"""

import unittest

from program import Folder, count, document


class Case(Folder):
    def refuse(self, text, *words, command="count"):
        super().refuse([command, *text.split()], *words)


class BadInput(Case):
    CHUNKED = "--algorithm chunked --seq 64 "
    LINEAR = "--algorithm linear_attention --seq 64 "

    def test_chunk_sizes(self):
        for option in ("--chunk-q", "--chunk-k"):
            for value in ("0", "-1", "x", "1.5"):
                self.refuse(f"{self.CHUNKED}{option} {value}", option, value)
            self.refuse(f"{self.CHUNKED}{option} 8,16", option, "sweep")
        self.refuse(self.LINEAR + "--chunk 0", "--chunk 0")
        self.refuse(self.CHUNKED + "--chunk-q 8 --blocks fit --sram 1MiB", "--blocks fit", "--chunk-q 8")

    def test_options_of_other_algorithms(self):
        for option in ("--chunk-q 8", "--chunk-k 8", "--chunk 8"):
            self.refuse("--algorithm flash2 --seq 64 " + option, option.split()[0], "chunked" if "-q" in option or
                        "-k" in option else "linear_attention")
        self.refuse(self.CHUNKED + "--chunk 8", "--chunk is not an option of chunked", "linear_attention")
        self.refuse(self.LINEAR + "--chunk-q 8", "--chunk-q is not an option of linear_attention", "chunked")
        self.refuse("--algorithm materialised --seq 64 --variant fused", "--variant", "chunked")
        for option in ("--stages 2", "--empty-lse +inf", "--o-dtype fp32"):
            self.refuse(self.CHUNKED + option, option.split()[0])

    def test_variants(self):
        self.refuse(self.CHUNKED + "--variant state", "--variant state", "onchip, fused, unfused")
        self.refuse(self.LINEAR + "--variant fused", "--variant fused", "state, state_memory, scores, causal_chunks")
        self.refuse(self.CHUNKED + "--variant nothing", "--variant nothing", "onchip")

    def test_what_they_do_not_take(self):
        for algorithm in ("chunked", "linear_attention"):
            self.refuse(f"--algorithm {algorithm} --seq 64 --heads 4 --kv-heads 2 --packed", "--packed", algorithm)
        self.refuse(self.LINEAR + "--variant state --causal", "--mask causal", "causal_chunks")
        self.refuse(self.LINEAR + "--window 4,0", "--mask window", "scores")
        self.refuse(self.LINEAR + "--variant causal_chunks", "causal_chunks", "--causal")
        self.refuse("--algorithm linear_attention --seq-q 8 --seq-k 9 --causal", "--seq-q 8 --seq-k 9", "equal lengths")

    def test_a_sweep_refuses_before_its_first_row(self):
        self.refuse("--algorithm linear_attention --seq 64 --variant state --mask none,causal", "--mask causal",
                    command="sweep")

    def test_capacity(self):
        chunks = "--algorithm chunked --seq 4096 --chunk-q 1024 --chunk-k 64 "
        need = 1024 * 64 + 2 * 64 * 64 + 4390912
        self.refuse(chunks + f"--sram {need - 1}el", "chunked 1024x64", str(need), "nearest that fit")
        self.assertTrue(count(chunks + f"--sram {need}el")["sram"]["fits"])
        self.refuse("--algorithm chunked --seq 4096 --sram 50000el --blocks optimum", "--blocks optimum", "--chunk-q")
        self.refuse("--algorithm materialised --seq 4096 --sram 2el", "materialised", "not even the smallest")
        self.refuse("--algorithm linear_attention --seq 4096 --sram 5000el", "--chunk 64", "nearest that fits: --chunk 3")
        self.refuse("--algorithm linear_attention --seq 4096 --sram 4096el", "not even one row fits beside the state")


class Results(Case):
    def test_chunks_in_place_of_tiles(self):
        point = count("--algorithm chunked --seq 4000")
        self.assertEqual(point["tiling"], {"chunk_q": 1024, "chunk_k": 64, "rule": "default"})
        self.assertEqual(point["options"]["variant"], "onchip")
        point = count("--algorithm chunked --seq 4000 --chunk-k 100 --variant fused")
        self.assertEqual(point["tiling"], {"chunk_q": 1024, "chunk_k": 100, "rule": "given"})
        self.assertEqual(count("--algorithm chunked --seq 64 --block-q 8 --block-k 4")["tiling"],
                         {"chunk_q": 8, "chunk_k": 4, "rule": "given"})
        fitted = count("--algorithm chunked --seq 4096 --sram 50000el")
        self.assertEqual(fitted["tiling"], {"chunk_q": 9, "chunk_k": 64, "rule": "fit"})
        self.assertEqual(count("--algorithm linear_attention --seq 64")["tiling"], {"chunk": 64, "rule": "default"})
        self.assertEqual(count("--algorithm linear_attention --seq 64 --chunk 7")["tiling"], {"chunk": 7, "rule": "given"})
        self.assertIsNone(count("--algorithm linear_attention --seq 64 --variant scores")["tiling"])

    def test_options_reach_the_algorithms_that_take_them(self):
        both = count("--algorithm flash2,chunked --seq 256 --block-q 32 --block-k 16 --chunk-q 64 --chunk-k 8")["points"]
        self.assertEqual([both[0]["tiling"]["block_q"], both[0]["tiling"]["block_k"]], [32, 16])
        self.assertEqual([both[1]["tiling"]["chunk_q"], both[1]["tiling"]["chunk_k"]], [64, 8])
        self.assertTrue(all(point["closed_form"]["equal"] for point in both))

    def test_workspace(self):
        point = count("--algorithm chunked --seq 4096 --chunk-q 1024 --chunk-k 64 --variant fused --heads 3")
        self.assertEqual(point["workspace"], {"elements": 3 * 4390912, "bytes": 3 * 4 * 4390912})
        self.assertNotIn("workspace", count("--algorithm flash2 --seq 64"))

    def test_numbers(self):
        base = "--seq-q 50 --seq-k 70 --head-dim 8 --head-dim-v 12 --heads 4 --kv-heads 2 --mode numeric --algorithm "
        for algorithm in ("chunked --causal --chunk-q 16 --chunk-k 9 --variant " + variant
                          for variant in ("onchip", "fused", "unfused")):
            self.assertTrue(count(base + algorithm)["numeric"]["ok"], algorithm)
        for algorithm in ("materialised --window 5,2", "linear_attention", "linear_attention --variant state_memory",
                          "linear_attention --variant scores --causal"):
            self.assertTrue(count(base + algorithm)["numeric"]["ok"], algorithm)
        point = count("--algorithm linear_attention --seq 100 --causal --chunk 16 --mode numeric")
        self.assertTrue(point["numeric"]["ok"])
        self.assertEqual(point["options"]["variant"], "causal_chunks")

    def test_the_mask_chooses_the_variant(self):
        swept = document("sweep --algorithm linear_attention --seq 64 --mask none,causal".split())
        self.assertEqual([point["options"]["variant"] for point in swept["points"]], ["state", "causal_chunks"])

    def test_no_keys(self):
        for algorithm in ("chunked", "chunked --variant fused", "chunked --variant unfused", "materialised",
                          "linear_attention", "linear_attention --variant scores"):
            point = count(f"--algorithm {algorithm} --seq-q 64 --seq-k 0 --mode numeric")
            self.assertTrue(point["closed_form"]["equal"] and point["numeric"]["ok"], algorithm)
            self.assertEqual(point["traffic"]["tensors"]["O"]["write_elements"], 64 * 64)

    def test_index_overflow_of_a_workspace(self):
        wide = "--algorithm chunked --seq 1048576 --heads 64 --chunk-k 64 --variant "
        warned = [note for note in count(wide + "fused").get("warnings", []) if "part has" in note]
        self.assertEqual(len(warned), 1)
        self.assertIn(str(64 * 1024 * 16384 * 66), warned[0])
        self.assertFalse(any("part" in note for note in count(wide + "onchip").get("warnings", [])))


if __name__ == "__main__":
    unittest.main()
