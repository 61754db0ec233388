"""The option --kernel of `predict`, `simulate` and `occupancy`: what a described kernel brings, and what is refused.

usage: kernel_option_test.py PROGRAM [unittest options]
"""

import unittest

import program
from program import document, message

POINT = "--seq 1024 --heads 8 --head-dim 64 --dtype bf16 --device h200"
MINE = """name = "mine"
title = "a kernel of mine"
algorithm = "flash2"
source = "its author"
[execution]
row_order = "descending"
[[build]]
head_dim = 64
block_q = 64
block_k = 32
stages = 3
threads = 256
blocks_per_sm = 1
"""


def predict(text):
    return document(["predict", *text.split()])


class Described(program.Folder):
    def test_tiles_stages_and_execution_are_the_kernels(self):
        point = predict(f"--kernel flash3 {POINT} --causal")
        self.assertEqual(point["algorithm"], "flash3")
        self.assertEqual(point["tiling"], {"block_q": 192, "block_k": 128, "stages": 2, "rule": "given"})
        execution = point["execution"]
        self.assertEqual(execution["kernel"], "flash3")
        self.assertEqual((execution["matrix"], execution["scheduling"]), ("wgmma", "forth-and-back"))
        self.assertEqual((execution["row_order"], execution["fastest"]), ("longest-first", "streams"))
        self.assertEqual((execution["warps"], execution["math_warps"], execution["blocks_per_sm"]), (16, 12, 1))
        self.assertEqual(predict(f"--kernel flash3 {POINT}")["execution"]["row_order"], "ascending")

    def test_options_say_it_better(self):
        point = predict(f"--kernel fa2 {POINT} --block-q 64 --block-k 64 --stages 2 --row-order descending "
                        "--blocks-per-sm 1 --warps 8")
        self.assertEqual(point["tiling"], {"block_q": 64, "block_k": 64, "stages": 2, "rule": "given"})
        execution = point["execution"]
        self.assertEqual((execution["row_order"], execution["blocks_per_sm"], execution["warps"]), ("descending", 1, 8))
        self.assertEqual(execution["kernel"], "fa2")

    def test_given_sizes_choose_the_build(self):
        small = predict(f"--kernel flash2 {POINT} --block-q 64 --block-k 64")
        self.assertEqual(small["execution"]["blocks_per_sm"], 3)
        self.assertEqual(predict(f"--kernel flash2 {POINT}")["tiling"]["block_q"], 128)

    def test_without_a_kernel_nothing_is_named(self):
        self.assertNotIn("kernel", predict(f"--algorithm flash2 {POINT}")["execution"])

    def test_simulate_takes_it_too(self):
        point = document(["simulate", "--kernel", "cudnn", *POINT.split()])
        self.assertEqual(point["execution"]["tails"], "padded")
        self.assertEqual(point["tiling"]["block_k"], 128)

    def test_a_layer_takes_the_tiling_that_suits_its_tokens(self):
        text = "--kernel weight_layer --d-in 4096 --d-out 4096 --dtype bf16 --device h200 --tokens"
        self.assertEqual(predict(text + " 16")["tiling"]["block_m"], 64)
        self.assertEqual(predict(text + " 200")["tiling"]["block_m"], 224)

    def test_every_kernel_that_ships_has_a_time(self):
        forward = "--seq 512 --heads 4 --head-dim 64 --device h200 --dtype bf16"
        points = {"gemm": "--m 512 --n 512 --k 512", "softmax": "--rows 512 --cols 4096", "elementwise": "--length 65536",
                  "weight_layer": "--tokens 16 --d-in 1024 --d-out 1024",
                  "weight_layer_int8": "--tokens 16 --d-in 1024 --d-out 1024 --weight-dtype int8"}
        names = program.run(["predict", "--kernel", "?"])
        listed = names.stderr.split("the kernels are: ")[1].split(", or a path")[0].split()
        self.assertGreater(len(listed), 30)
        for name in listed:
            with self.subTest(name):
                dim = "128" if name.startswith("flash3_rung") or name == "cudnn_backward" else "64"
                text = points.get(name, forward.replace("--head-dim 64", "--head-dim " + dim))
                text += "" if name not in points else " --device h200 --dtype bf16"
                if name == "flash2_plain":
                    text = text.replace("bf16", "fp32")
                point = predict(f"--kernel {name} {text}")
                self.assertGreater(point["time"]["seconds"], 0)
                self.assertEqual(point["execution"]["kernel"], name)

    def test_a_file_describes_a_kernel(self):
        point = predict(f"--kernel {self.write('mine.toml', MINE)} {POINT}")
        self.assertEqual(point["tiling"], {"block_q": 64, "block_k": 32, "stages": 3, "rule": "given"})
        self.assertEqual(point["execution"]["kernel"], "mine")
        self.assertEqual(point["execution"]["row_order"], "descending")

    def test_occupancy_has_its_threads_and_registers(self):
        row = document(["occupancy", "--kernel", "fa2", *POINT.replace("64", "128").split()])
        text = str(row)
        self.assertIn("'block_k': 64", text)
        self.assertIn("255", text)


class Refused(program.Folder):
    def refused(self, text, *words):
        said = message(["predict", *text.split()])
        for word in words:
            self.assertIn(word, said)

    def test_names(self):
        self.refused(f"--kernel flash9 {POINT}", '--kernel "flash9": unknown kernel', "did you mean", "fa2")
        self.refused(f"--kernel fa {POINT}", "fits several kernels", "fa2 fa2_backward")
        self.refused(f"--kernel no/such.toml {POINT}", "--kernel", "no/such.toml")

    def test_contradictions(self):
        self.refused(f"--kernel fa2 --algorithm flash3 {POINT}", "--kernel fa2 executes flash2, not --algorithm flash3")
        self.refused(f"--kernel cudnn {POINT.replace('64', '96')}", "--kernel cudnn: no build for head_dim 96", "128 x 128")
        self.refused(f"--kernel flash3 {POINT.replace('h200', 'a100-80gb')}", "--kernel flash3: a100-80gb", "wgmma")

    def test_files(self):
        path = self.write("mine.toml", MINE.replace("threads = 256", "threads = 2560"))
        self.refused(f"--kernel {path} {POINT}", "mine.toml: build[1].threads: found 2560", "1 to 1024")
        path = self.write("mine.toml", MINE.replace("flash2", "flash7"))
        self.refused(f"--kernel {path} {POINT}", 'mine.toml: algorithm: found the text "flash7"')


if __name__ == "__main__":
    unittest.main()
