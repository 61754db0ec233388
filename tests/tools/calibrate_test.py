"""The command `calibrate`: figures that were put in come out again, and `predict` reads the overlay that it writes.

usage: calibrate_test.py PROGRAM [unittest options]
"""

import json
import os
import shutil
import tempfile
import unittest

from program import document, message, output

MEASURED = os.path.join(os.path.dirname(__file__), "..", "..", "traces", "measured", "h200")
KERNELS = os.path.join(MEASURED, "kernels")
RATES = os.path.join(MEASURED, "rates.toml")
POINT = ["--seq", "4096", "--head-dim", "128", "--heads", "16", "--batch", "4", "--dtype", "bf16"]


def recorded(name):
    with open(os.path.join(KERNELS, name + ".json")) as file:
        return json.load(file)


def make_documents(folder):
    """Documents of measure whose times are the model's own, with figures that were chosen."""
    settings = [f"--set=fit.flash2.{name}={value}" for name, value in
                {"products": "1.2 x", "shared": "0.4 x", "scalar": "0.9 x", "hidden": "0.3 x"}.items()]
    source = recorded("flash2_n4096_d128")
    for seq in (512, 1024, 4096):
        for dim in (64, 128, 256):
            made = json.loads(json.dumps(source))
            made["points"] = []
            for point in recorded(f"flash2_n{seq}_d{dim}")["points"]:
                causal = ["--causal"] if point["problem"]["mask"] == "causal" else []
                predicted = document(["predict", "--kernel", "flash2", "--device", RATES, "--seq", str(seq), "--head-dim",
                                      str(dim), "--batch", str(point["problem"]["batch"]), "--heads",
                                      str(point["problem"]["heads"]), "--dtype", "bf16", *causal, *settings])
                for time in point["times"]:
                    time["seconds"]["median"] = predicted["time"]["seconds"]
                made["points"].append(point)
            with open(os.path.join(folder, f"made_n{seq}_d{dim}.json"), "w") as file:
                json.dump(made, file)


class Calibrate(unittest.TestCase):
    def test_what_was_put_in_comes_out(self):
        with tempfile.TemporaryDirectory() as folder:
            make_documents(folder)
            fit = document(["calibrate", folder, "--device", RATES])["kernels"][0]
            self.assertEqual(fit["kernel"], "flash2")
            self.assertEqual(fit["observations"], 18)
            self.assertLess(fit["mean_error"], 0.01)
            figures = {f["key"].split(".")[-1]: f for f in fit["figures"]}
            self.assertTrue(figures["shared"]["determined"])
            for name, value in {"products": 1.2, "shared": 0.4, "scalar": 0.9, "hidden": 0.3}.items():
                self.assertLess(abs(figures[name]["value"] - value), figures[name]["half_width95"] + 0.02, name)

    def test_an_overlay_is_read_again(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "fits.toml")
            output(["calibrate", KERNELS, "--device", RATES, "--kernel", "flash2", "-o", path])
            with open(path) as file:
                text = file.read()
            self.assertIn("[fit.flash2]", text)
            self.assertIn("[probe.hbm]", text)
            self.assertIn("interval", text)
            fitted = document(["predict", "--kernel", "flash2", "--device", path, *POINT])
            self.assertEqual(fitted["time"]["source"], "fit")
            self.assertLess(fitted["time"]["low"], fitted["time"]["seconds"])
            self.assertGreater(fitted["time"]["high"], fitted["time"]["seconds"])
            measured = recorded("flash2_n4096_d128")["points"][0]["times"][0]
            self.assertLess(abs(fitted["time"]["seconds"] / measured["seconds"]["median"] - 1), 0.1)
            shown = output(["devices", "show", path])
            self.assertIn("fit.flash2.products", shown)

    def test_an_overlay_keeps_what_was_set(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "fits.toml")
            gemm = os.path.join(KERNELS, "gemm.json")
            output(["calibrate", gemm, "--device", "h200", "--set", "sm.count=100", "--set", "l2.size=64MiB", "-o", path])
            facts = {fact["key"]: fact["value"] for fact in document(["devices", "show", path])["facts"]}
            self.assertEqual((facts["sm.count"], facts["l2.size"]), ("100", "64 MiB"))

    def test_a_long_command_line_is_cut_so_that_the_overlay_can_be_read(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "fits.toml")
            gemm = os.path.join(folder, *["a_folder_with_a_long_name_" * 4] * 12, "gemm.json")
            os.makedirs(os.path.dirname(gemm))
            shutil.copy(os.path.join(KERNELS, "gemm.json"), gemm)
            output(["calibrate", gemm, "--device", RATES, "-o", path])
            with open(path) as file:
                commands = [line.split('command = "')[1].split('"')[0] for line in file if line.startswith("launch")]
            self.assertEqual([(len(c), c[-4:]) for c in commands], [(1000, " ...")])
            document(["devices", "show", path])

    def test_longer_times_can_be_left_out(self):
        fit = document(["calibrate", KERNELS, "--device", RATES, "--kernel", "flash2", "--max-seq", "1024"])["kernels"][0]
        self.assertLess(fit["observations"], 20)

    def test_wrong_input(self):
        for arguments, words in (
                (["--device", RATES], "calibrate needs what was measured"),
                ([KERNELS], "calibrate needs --device"),
                ([KERNELS, "--device", RATES, "--kernel", "flash9"], 'flash9'),
                ([KERNELS, "--device", RATES, "--max-seq", "0"], "--max-seq"),
                ([KERNELS, "--device", RATES, "--kernel", "flash2", "--max-seq", "1"], "no time of any kernel"),
                ([RATES + ".none", "--device", RATES], "rates.toml.none"),
                ([KERNELS, "--device", "h200", "--set", "fit.flash3.speed=2"], "fit.KERNEL.FIGURE"),
                ([KERNELS, "--device", "h200", "--set", "fit.flash3.products=99 x"], "expected"),
                ([KERNELS, "--device", RATES, "--format", "html"], "html")):
            self.assertIn(words, message(["calibrate", *arguments]))


if __name__ == "__main__":
    unittest.main()
