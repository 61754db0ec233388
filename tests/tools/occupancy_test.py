"""`tilemeter occupancy`: cases from practice, the formats, and wrong input.

usage: occupancy_test.py PROGRAM [unittest options]
"""

import csv
import io
import os
import pathlib
import tempfile
import unittest

from program import document, message, run

LAYOUTS = pathlib.Path(__file__).resolve().parent.parent / "golden" / "layouts"

# The sizes of the algorithms that are not attention.
SIZES = {
    "gemm": ["--m", "512", "--n", "512", "--k", "512"],
    "weight_layer": ["--tokens", "64", "--d-in", "512", "--d-out", "512"],
    "softmax": ["--rows", "64", "--cols", "512"],
    "elementwise": ["--length", "4096"],
}


def ask(*arguments):
    return document(["occupancy", *arguments])


def layout(name, device):
    return ask("--layout-file", str(LAYOUTS / (name + ".toml")), "--device", device)


def flash2(text):
    return ask("--algorithm", "flash2", *text.split())


def refusal(*arguments):
    return message(["occupancy", *arguments])


def layout_refusal(name, device):
    return refusal("--layout-file", str(LAYOUTS / (name + ".toml")), "--device", device)


class Layouts(unittest.TestCase):
    """Kernels of other projects, by their layout files."""

    def test_a2_backward_at_d_256(self):
        for name, device, size in [("fa2-backward-d256-h100", "h100-sxm", 180224),
                                   ("fa2-backward-d256-a100", "a100-80gb", 147456),
                                   ("fa2-backward-d256-a100-newest", "a100-80gb", 147460),
                                   ("fa2-backward-d256-rtx", "rtx3090", 98304), ("fa2-backward-d256-rtx", "rtx4090", 98304)]:
            row = layout(name, device)
            self.assertEqual((row["shared_bytes"], row["fits"], row["needs_opt_in"]), (size, True, True), name)
        for device in ("rtx3090", "rtx4090"):
            self.assertIn("not supported on " + device, layout_refusal("fa2-backward-d256-dropout", device))
            self.assertIn("dropout", layout_refusal("fa2-backward-d256-dropout", device))
        path = str(LAYOUTS / "fa2-backward-d256-dropout.toml")
        rows = ask("--layout-file", path, "--device", "a100-80gb,rtx3090")["points"]
        self.assertEqual([(r["supported"], r["resident_blocks"]) for r in rows], [(True, 1), (False, 0)])

    def test_a4_first_backward(self):
        self.assertEqual(layout("fa1-backward-d128", "a100-80gb")["shared_bytes"], 155648)
        self.assertIn("152.0 KiB", layout_refusal("fa1-backward-d128", "rtx3090"))

    def test_a5_backward_bytes(self):
        for name, size in [("d32-128x128", 106496), ("d32-128x128-v-in-registers", 98304), ("d64-128x128", 147456),
                           ("d64-64x128-v-in-registers", 73728), ("d96-64x128-v-in-registers", 94208),
                           ("d96-64x128", 118784), ("d128-64x128", 147456), ("d128-64x64-v-in-registers", 81920),
                           ("d192-64x64", 139264), ("d192-64x64-v-in-registers", 98304)]:
            self.assertEqual(layout("fa2-backward-" + name, "h100-sxm")["shared_bytes"], size, name)

    def test_a7_blocks_by_shared_memory(self):
        for name, size, device, blocks in [("d128-128x32", 49152, "rtx3090", 2), ("d128-128x64", 65536, "a100-80gb", 2),
                                           ("d128-128x64", 65536, "h100-sxm", 3), ("d128-128x64", 65536, "rtx3090", 1),
                                           ("d256-64x64", 98304, "h100-sxm", 2), ("d256-64x64", 98304, "a100-80gb", 1),
                                           ("d256-128x64", 131072, "a100-80gb", 1)]:
            row = layout("fa2-forward-" + name, device)
            self.assertEqual((row["shared_bytes"], row["blocks_by"]["shared_memory"]), (size, blocks), (name, device))
            d, tiles = name[1:].split("-")
            block_q, block_k = tiles.split("x")
            same = flash2(f"--seq 1024 --head-dim {d} --block-q {block_q} --block-k {block_k} --device {device}")
            self.assertEqual((same["shared_bytes"], same["blocks_by"]["shared_memory"]), (size, blocks))

    def test_a8_the_limiter_by_name(self):
        for name, by, limiter, percent in [("a", (1, 2), ["shared memory"], 100 * 4 / 48),
                                           ("b", (1, 1), ["shared memory", "registers"], 100 * 8 / 48),
                                           ("c", (2, 2), ["shared memory", "registers"], 100 * 16 / 48)]:
            row = layout("prefill-" + name, "rtx5090")
            self.assertEqual((row["blocks_by"]["shared_memory"], row["blocks_by"]["registers"]), by)
            self.assertEqual(row["limiter"], limiter)
            self.assertAlmostEqual(row["occupancy"]["percent"], percent)
        self.assertEqual(layout("prefill-a", "rtx5090")["shared_bytes"], 67584)
        self.assertEqual(layout("prefill-b", "rtx5090")["shared_bytes"], 69632)
        self.assertEqual(layout("prefill-c", "rtx5090")["shared_bytes"], 34816)

    def test_a11_the_error_names_what_is_needed(self):
        for name, size in [("mla-kpe0", 213856), ("mla-kpe64", 222048)]:
            self.assertEqual(layout(name, "h100-sxm")["shared_bytes"], size)
        message = layout_refusal("mla-kpe128", "h100-sxm")
        for words in ("246624 B", "232448 B", "14176 B", "K_pe 2x16", "Q_nope 64", "h100-sxm"):
            self.assertIn(words, message)

    def test_a12_other_columns_of_v(self):
        for name, size in [("flex-128x32x2", 90112), ("flex-128x16x3", 79872), ("flex-32x64x2", 94208)]:
            self.assertEqual(layout(name, "rtx3090")["shared_bytes"], size)
        self.assertIn("147456 B against 101376 B", layout_refusal("flex-64x64x3", "rtx3090"))
        self.assertEqual(layout("flex-64x64x3", "a100-80gb")["shared_bytes"], 147456)

    def test_a20_accumulators_live_in_the_register_file(self):
        row = layout("o-accumulator", "rtx3090")
        self.assertEqual(row["accumulators"], {"bytes": 32768, "bytes_per_warp": 8192, "registers_per_thread": 64})
        self.assertEqual(row["register_file_bytes"], 262144)
        self.assertIs(row["spills"], False)

    def test_a22_the_default_without_opting_in(self):
        for name, size, opt_in in [("minimal-d64", 28672, False), ("minimal-d128", 53248, True),
                                   ("minimal-dynamic-elements", 163840, True), ("minimal-dynamic-bytes", 46080, False)]:
            row = layout(name, "h100-sxm")
            self.assertEqual((row["shared_bytes"], row["needs_opt_in"], row["shared_default_bytes"]), (size, opt_in, 49152))

    def test_a24_the_grid_of_a_file(self):
        grid = ask("--layout-file", str(LAYOUTS / "split-kv-grid.toml"), "--device", "h100-sxm", "--no-capacity")["grid"]
        self.assertEqual((grid["x"], grid["y"], grid["z"]), (1, 4, 65538))
        self.assertEqual((grid["launchable"], grid["axis"], grid["axis_limit"]), (False, "z", 65535))


class Algorithms(unittest.TestCase):
    def test_a1_neighbours_that_fit(self):
        point = ["--algorithm", "flash2", "--seq", "256", "--heads", "2", "--head-dim", "256", "--dtype", "bf16",
                 "--causal", "--block-q", "128", "--block-k", "64", "--device"]
        self.assertIn("64x64", refusal(*point, "rtx4090"))
        rows = ask(*point, "rtx4090,rtx3090,rtx5090,a100-80gb,h100-sxm")["points"]
        self.assertEqual([r["fits"] for r in rows], [False, False, False, True, True])
        self.assertEqual({r["shared_bytes"] for r in rows}, {131072})
        self.assertEqual([r["shared_over_bytes"] for r in rows], [29696] * 3 + [0, 0])

    def test_an_overflow_that_is_asked_for(self):
        row = flash2("--seq 256 --head-dim 256 --block-q 128 --block-k 64 --device rtx4090 --no-capacity")
        self.assertEqual((row["fits"], row["shared_bytes"], row["resident_blocks"]), (False, 131072, 0))
        sheet = run(["occupancy", "--algorithm", "flash2", "--seq", "256", "--head-dim", "256", "--block-q", "128",
                     "--block-k", "64", "--device", "rtx4090", "--no-capacity"]).stdout
        self.assertIn("DOES NOT FIT: flash2 128x64", sheet)

    def test_a16_a19_limits_by_exact_capability(self):
        self.assertEqual(flash2("--seq 1024 --device rtx5090")["shared_limit_bytes"], 101376)
        self.assertEqual(flash2("--seq 1024 --device h100-sxm")["shared_limit_bytes"], 232448)
        rows = ask("--algorithm", "flash2", "--seq", "512", "--head-dim", "128", "--block-q", "64", "--block-k", "64",
                   "--device", "h100-sxm", "--sram", "49152B,49150B")["points"]
        self.assertEqual([r["fits"] for r in rows], [True, False])

    def test_a21_spills_of_large_tiles(self):
        rows = flash2("--seq 4096 --head-dim 256 --block-q 64,128 --block-k 32,64 --warps 4 --device a100-80gb")["points"]
        self.assertEqual([r["accumulators"]["registers_per_thread"] for r in rows],
                         [128 + 16 + 1, 128 + 32 + 1, 256 + 32 + 2, 256 + 64 + 2])
        self.assertEqual([r["spills"] for r in rows], [False, False, True, True])
        self.assertTrue(any("spill" in warning for warning in rows[3]["warnings"]))
        self.assertFalse(flash2("--seq 4096 --head-dim 256 --block-q 128 --block-k 64 --warps 8 --device a100-80gb")["spills"])

    def test_registers_of_the_compiler(self):
        base = "--seq 4096 --head-dim 128 --block-q 64 --block-k 64 --device h100-sxm "
        alone, given = flash2(base), flash2(base + "--registers 180")
        self.assertEqual((alone["registers_from"], alone["registers_per_thread"]), ("accumulators", 97))
        self.assertTrue(any("--registers" in warning for warning in alone["warnings"]))
        self.assertEqual((given["registers_from"], given["registers_per_thread"]), ("given", 180))
        self.assertEqual(given["warnings"], [])
        self.assertEqual((alone["blocks_by"]["registers"], given["blocks_by"]["registers"]), (4, 2))
        self.assertTrue(flash2(base + "--registers 80")["spills"])
        self.assertIn("128 a thread of 512", refusal("--algorithm", "flash2", *base.split(), "--warps", "16", "--registers", "200"))

    def test_a24_a26_the_axes_of_a_grid(self):
        for text, axis in [("--seq 16 --batch 65535", None), ("--seq 16 --batch 65536", "y"), ("--seq 16 --heads 65536", "z"),
                           ("--seq 3 --heads 71280 --head-dim 128", "z"), ("--seq 16 --batch 40000", None),
                           ("--seq 16 --batch 80000", "y"), ("--seq 16 --batch 262144", "y")]:
            row = flash2(text + " --device a100-80gb --no-capacity")
            self.assertEqual((row["grid"]["axis"], row["grid"]["launchable"]), (axis, axis is None), text)
            self.assertEqual(row["grid"]["mapping"], "(query tiles, batch, heads)")
        row = flash2("--seq 3 --heads 71280 --head-dim 128 --device a100-80gb --no-capacity")
        self.assertTrue(any("heads 71280 > 65535" in w and "(B, H, N, d)" in w for w in row["warnings"]))

    def test_a_grid_past_its_axes_is_refused_alone_and_a_row_in_a_list(self):
        base = ["--algorithm", "flash2", "--seq", "16", "--device", "a100-80gb", "--batch"]
        message = refusal(*base, "65536")
        for words in ("cannot be launched", "grid.y: batch 65536 > 65535", "--no-capacity"):
            self.assertIn(words, message)
        fine, past = ask(*base, "65535,65536")["points"]
        self.assertEqual((fine["reason"], past["reason"]), (None, "cannot be launched: grid.y: batch 65536 > 65535"))
        self.assertEqual((past["fits"], past["resident_blocks"]), (True, fine["resident_blocks"]))
        self.assertIn("cannot be launched", run(["occupancy", *base, "65535,65536"]).stdout)
        self.assertIn("grid.z: 65538 > 65535", layout_refusal("split-kv-grid", "h100-sxm"))

    def test_warps_are_those_of_predict(self):
        for algorithm in ("flash2", "flash3", "flash1", "split_kv"):
            for tiles in ("64 64", "128 64", "128 128", "64 128"):
                block_q, block_k = tiles.split()
                for device in ("a100-80gb", "h200", "v100"):
                    point = ["--algorithm", algorithm, "--seq", "1024", "--head-dim", "64", "--block-q", block_q, "--block-k",
                             block_k, "--device", device]
                    predicted = document(["predict", *point])["execution"]["warps"]
                    answer = ask(*point)
                    for row in answer.get("points", [answer]):
                        with self.subTest(point=" ".join(point)):
                            self.assertEqual(row["warps"], predicted)

    def test_a_row_for_each_kernel(self):
        rows = ask("--algorithm", "standard_tiled", "--seq", "1000", "--batch", "2", "--heads", "3", "--device", "h200",
                   "--block-q", "128", "--block-k", "64", "--block-d", "32")["points"]
        grids = {r["kernel"]: (r["grid"]["x"], r["grid"]["y"], r["grid"]["z"]) for r in rows}
        self.assertEqual(grids, {"scores": (16, 8, 6), "softmax": (8, 1, 6), "output": (2, 8, 6)})

    def test_every_algorithm_of_the_catalog(self):
        names = [a["name"] for a in document(["algorithms"])["algorithms"]]
        for name in names:
            with self.subTest(algorithm=name):
                rows = ask("--algorithm", name, *SIZES.get(name, ["--seq", "512"]), "--device", "h200,t4")
                for row in rows["points"]:
                    self.assertTrue(row["resident_blocks"] > 0 or row["reason"])
        self.assertIn("has no tiles", refusal("--algorithm", "standard", "--seq", "512", "--device", "h200"))

    def test_segments_are_one_batch(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "segments.txt")
            pathlib.Path(path).write_text("100 100\n300 200\n")
            row = flash2(f"--segments {path} --block-q 128 --block-k 64 --heads 5 --device h200")
        self.assertEqual((row["grid"]["x"], row["grid"]["y"], row["grid"]["z"]), (3, 2, 5))

    def test_every_tile_in_shared_memory(self):
        row = flash2("--seq 1024 --block-q 32 --block-k 32 --dtype fp32 --placement sram --device h200")
        self.assertEqual(row["accumulators"]["bytes"], 0)
        self.assertEqual(row["shared_bytes"], 4 * (4 * 32 * 64 + 32 * 32 + 2 * 32))
        self.assertEqual(row["registers_from"], "unknown")


class Formats(unittest.TestCase):
    POINTS = ["--algorithm", "flash2", "--seq", "4096", "--head-dim", "128,256", "--block-q", "128", "--block-k", "64",
              "--device", "rtx4090,h100-sxm"]

    def test_json_and_csv_agree(self):
        points = ask(*self.POINTS)
        self.assertEqual((points["schema"], points["command"]), (1, "occupancy"))
        rows = list(csv.DictReader(io.StringIO(run(["occupancy", *self.POINTS, "--format", "csv"]).stdout)))
        self.assertEqual(len(rows), 4)
        for row, point in zip(rows, points["points"]):
            self.assertEqual(int(row["shared_bytes"]), point["shared_bytes"])
            self.assertEqual(int(row["resident_blocks"]), point["resident_blocks"])
            self.assertEqual(row["reason"] or None, point["reason"])
            self.assertEqual(row["limiter"], "+".join(point["limiter"] or []))

    def test_tables_for_people(self):
        for form in ("table", "md"):
            text = run(["occupancy", *self.POINTS, "--format", form]).stdout
            for words in ("rtx4090", "65,536", "131,072", "does not fit", "limiter"):
                self.assertIn(words, text)
        sheet = run(["occupancy", *self.POINTS[:4], "--head-dim", "128", *self.POINTS[6:10], "--device", "h100-sxm"]).stdout
        for words in ("65,536 B", "only after opting in", "97 a thread", "limited by registers", "note:", "(32 x 1 x 1)"):
            self.assertIn(words, sheet)

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, words in [("a.html", '"command":"occupancy"'), ("a.csv", "resident_blocks"), ("a.json", '"command": "occupancy"'),
                                ("a.md", "| limiter"), ("a.txt", "limiter")]:
                path = os.path.join(folder, name)
                done = run(["occupancy", *self.POINTS, "-o", path])
                self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
                self.assertIn(words, pathlib.Path(path).read_text())
            self.assertEqual(len(os.listdir(folder)), 5)

    def test_several_layouts(self):
        rows = ask("--layout-file", str(LAYOUTS / "mla-kpe64.toml"), "--layout-file", str(LAYOUTS / "mla-kpe128.toml"),
                   "--device", "h100-sxm,b200")["points"]
        self.assertEqual([(r["layout"], r["device"], r["fits"]) for r in rows],
                         [("mla-kpe64", "h100-sxm", True), ("mla-kpe64", "b200", True),
                          ("mla-kpe128", "h100-sxm", False), ("mla-kpe128", "b200", False)])

    def test_set_changes_the_device(self):
        path = str(LAYOUTS / "mla-kpe128.toml")
        row = ask("--layout-file", path, "--device", "h100-sxm", "--set", "sm.shared_per_block=256KiB")
        self.assertIs(row["fits"], True)


class WrongInput(unittest.TestCase):
    POINT = ["--algorithm", "flash2", "--seq", "64"]

    def test_options(self):
        device = ["--device", "h200"]
        path = str(LAYOUTS / "mla-kpe64.toml")
        for arguments, words in [([], "--layout-file"), (self.POINT, "needs --device"), (["--layout-file", path], "needs --device"),
                                 ([*self.POINT, *device, "--warps", "33"], "--warps 33: expected 1 to 32"),
                                 ([*self.POINT, *device, "--warps", "0"], "--warps 0"),
                                 ([*self.POINT, *device, "--registers", "256"], "--registers 256: expected 1 to 255"),
                                 ([*self.POINT, *device, "--sram", "5000el"], "--sram 5000el"),
                                 ([*self.POINT, "--device", "h300"], "unknown device"),
                                 (["--algorithm", "flash9", "--seq", "64", *device], "flash9"),
                                 (["--algorithm", "flash2", *device], "needs a length"),
                                 (["--layout-file", path, *device, *self.POINT], "--algorithm contradicts --layout-file"),
                                 (["--layout-file", path, *device, "--warps", "4"], "--warps contradicts --layout-file"),
                                 (["--layout-file", "/none.toml", *device], '--layout-file "/none.toml": does not exist'),
                                 (["--layout-file", str(LAYOUTS), *device], "is a directory"),
                                 ([*self.POINT, *device, "--block-q", "1:1000:+1", "--block-k", "1:1000:+1"], "1000000 points")]:
            with self.subTest(arguments=" ".join(arguments)):
                self.assertIn(words, refusal(*arguments))

    def test_a_layout_file_that_is_wrong(self):
        good = (LAYOUTS / "mla-kpe64.toml").read_text()
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "mine.toml")
            for old, new, words in [("threads = 384", "", "threads is missing"), ("threads = 384", "thread = 384", "unknown key"),
                                    ('"864 B"', '"864 b"', "extra[1].size"), ("rows = 64", "rows = 6.4", "tile[1].rows"),
                                    ("threads = 384", "threads = ", "not a TOML file")]:
                pathlib.Path(path).write_text(good.replace(old, new, 1))
                message = refusal("--layout-file", path, "--device", "h200")
                self.assertIn(words, message)
                self.assertIn("mine.toml", message)


if __name__ == "__main__":
    unittest.main()
