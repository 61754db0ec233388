"""The example runs where there is no PyTorch, and says what it leaves out."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import support

EXAMPLE = pathlib.Path(__file__).resolve().parents[2] / "examples" / "python" / "sdpa.py"


class Example(unittest.TestCase):
    def test_it_runs_without_torch(self):
        with tempfile.TemporaryDirectory() as folder:
            written = os.path.join(folder, "sdpa.json")
            without = os.path.join(folder, "torch.py")
            with open(without, "w", encoding="utf-8") as file:
                file.write("raise ImportError\n")
            path = os.pathsep.join([folder, os.environ["PYTHONPATH"]])
            done = subprocess.run([sys.executable, "-B", EXAMPLE, "-o", written], capture_output=True, text=True, timeout=120,
                                  env={**os.environ, "PYTHONPATH": path})
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            with open(written, encoding="utf-8") as file:
                record = json.load(file)
        self.assertIn("PyTorch with CUDA and a GPU are not here", done.stdout)
        self.assertTrue(all(row["= closed form"] for row in record["traffic"]))
        moved = [row["MiB"] for row in record["sweep"]]
        self.assertEqual(moved, sorted(moved, reverse=True))
        limits = {"fp64": 1e-13, "fp32": 1e-5, "bf16": 5e-2}
        for row in record["numbers"]:
            self.assertLess(row["max error"], limits[row["dtype"]], row)


if __name__ == "__main__":
    support.main()
