"""`triton_perf_model` as Triton's autotuner calls it, with a stand-in for triton.Config."""

import itertools
import math
import unittest

import support

import tilemeter


class Config:
    """What the autotuner needs of triton.Config."""

    def __init__(self, kwargs, num_warps=4, num_stages=3):
        self.kwargs, self.num_warps, self.num_stages = kwargs, num_warps, num_stages

    def all_kwargs(self):
        return {**self.kwargs, "num_warps": self.num_warps, "num_ctas": 1, "num_stages": self.num_stages}


def pruned(configs, named_arguments, keywords, perf_model, top_k):
    """The configurations that the autotuner would run: those with the smallest estimates."""
    estimates = {config: perf_model(**named_arguments, **keywords, **config.all_kwargs()) for config in configs}
    return sorted(estimates, key=lambda config: estimates[config])[:top_k]


class Tensor:
    def __init__(self, *shape):
        self.shape = shape


CONFIGS = [Config({"BLOCK_M": m, "BLOCK_N": n}, num_warps=warps, num_stages=stages) for m, n, warps, stages in
           itertools.product((16, 64, 128, 512), (16, 128), (4, 8), (1, 4))]
NAMES = {"seq": "N_CTX", "heads": "H", "batch": lambda arguments: arguments["Q"].shape[0], "head_dim": "HEAD_DIM"}
OPTIONS = {"device": "h200", "dtype": "fp16", "causal": True}
ARGUMENTS = {"Q": Tensor(2, 16, 2048, 128), "sm_scale": 0.1, "N_CTX": 2048, "H": 16}
KEYWORDS = {"HEAD_DIM": 128}


def predicted(config):
    """The closed form of `predict`; infinity for what does not fit."""
    try:
        return tilemeter.predict(
            "flash2", seq=2048, heads=16, batch=2, head_dim=128, block_q=config.kwargs["BLOCK_M"],
            block_k=config.kwargs["BLOCK_N"], stages=config.num_stages, warps=config.num_warps,
            **OPTIONS)["estimate"]["seconds"]
    except tilemeter.Error:
        return math.inf


class PerfModel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.model = tilemeter.triton_perf_model("flash2", names=NAMES, **OPTIONS)
        cls.seconds = {config: cls.model(**ARGUMENTS, **KEYWORDS, **config.all_kwargs()) for config in CONFIGS}

    def test_seconds_are_those_of_predict(self):
        finite = [config for config in CONFIGS if math.isfinite(self.seconds[config])]
        self.assertGreater(len(finite), len(CONFIGS) // 3)
        for config in finite[::5]:
            self.assertEqual(self.seconds[config], predicted(config))

    def test_what_does_not_fit_or_spills_is_infinite(self):
        candidates = tilemeter.tune("flash2", seq=2048, heads=16, batch=2, head_dim=128, warps="4",
                                    **OPTIONS)["results"][0]["candidates"]
        kept = {(each["block_q"], each["block_k"], each["stages"]): each["feasible"] and not each["spills"]
                for each in candidates}
        compared = 0
        for config in CONFIGS:
            size = (config.kwargs["BLOCK_M"], config.kwargs["BLOCK_N"], config.num_stages)
            if config.num_warps == 4 and size in kept:
                self.assertEqual(math.isfinite(self.seconds[config]), kept[size], size)
                compared += 1
        self.assertGreater(compared, 4)
        self.assertTrue(all(math.isinf(self.seconds[config]) for config in CONFIGS if config.kwargs["BLOCK_M"] == 512))

    def test_pruning_keeps_the_fastest(self):
        kept = pruned(CONFIGS, ARGUMENTS, KEYWORDS, self.model, top_k=4)
        best = sorted(self.seconds.values())[:4]
        self.assertEqual([self.seconds[config] for config in kept], best)
        self.assertTrue(all(math.isfinite(seconds) for seconds in best))

    def test_products(self):
        model = tilemeter.triton_perf_model("gemm", device="h200", dtype="fp16", names={
            "m": "M", "n": "N", "k": "K", "block_m": "BLOCK_SIZE_M", "block_n": "BLOCK_SIZE_N", "block_k": "BLOCK_SIZE_K"})
        call = {"a_ptr": Tensor(4096, 4096), "M": 4096, "N": 4096, "K": 4096, "BLOCK_SIZE_K": 32, "num_stages": 3}
        large, small, huge = (model(**call, BLOCK_SIZE_M=size, BLOCK_SIZE_N=size, num_warps=8) for size in (128, 16, 1024))
        self.assertLess(large, small)
        self.assertEqual(huge, math.inf)

    def test_wrong_input_is_no_infinity(self):
        with self.assertRaises(tilemeter.Error):
            tilemeter.triton_perf_model("flash2")
        with self.assertRaises(KeyError):
            self.model(N_CTX=64, H=1, Q=Tensor(1), BLOCK_M=64, BLOCK_N=64, num_warps=4, num_stages=1)
        with self.assertRaises(tilemeter.Error):
            self.model(**{**ARGUMENTS, "N_CTX": -1}, **KEYWORDS, **CONFIGS[0].all_kwargs())


if __name__ == "__main__":
    support.main()
