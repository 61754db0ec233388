"""`count`, `sweep`, `predict` and `tune` are the program's: documents, columns, errors, threads."""

import csv
import io
import os
import pickle
import signal
import threading
import time
import unittest
import warnings

import support

import tilemeter


def cell(value):
    """As the program writes a value of JSON into CSV."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


class Documents(unittest.TestCase):
    CASES = [
        ("count", {"algorithm": "flash1", "seq": 4096, "head_dim": 64, "sram": "50000el", "blocks": "paper"}),
        ("count", {"algorithm": ["standard", "flash2"], "seq_q": 100, "seq_k": 333, "window": (100, 0), "batch": 2}),
        ("count", {"algorithm": "flash2", "seq": 8192, "heads": 32, "kv_heads": 8, "causal": True, "device": "h200",
                   "set": {"sm.shared_per_block": "512KiB", "sm.count": 64}}),
        ("count", {"algorithm": "flash2", "seq": 70, "dtype": "bf16", "mode": "numeric", "seed": 3}),
        ("count", {"algorithm": "flash2", "seq": 300, "head_dim": 64, "device": "a100-80gb", "per_sm": True}),
        ("count", {"algorithm": "gemm", "m": 512, "n": 512, "k": 64, "sram": "560el", "blocks": "optimum"}),
        ("count", {"algorithm": "flash2", "seq": 2**40, "head_dim": 128, "window": "4096,0"}),
        ("count", {"algorithm": "flash2", "seq": 130, "mode": "numeric", "causal": True, "unsafe": True}),
        ("sweep", {"algorithm": "standard,flash1,flash2", "seq": "512:2048:*2", "sram": "4KiB,100KiB", "mask": "none,causal"}),
        ("sweep", {"seq": [256, 512], "device": "h200,a100-80gb", "algorithm": ("flash2", "flash3"), "jobs": 2}),
        ("predict", {"algorithm": "flash2", "seq": 2048, "heads": 16, "head_dim": 128, "dtype": "bf16", "device": "h200"}),
        ("predict", {"kernel": "fa2", "seq": 1024, "heads": 8, "head_dim": 64, "dtype": "bf16", "device": "h200"}),
        ("predict", {"algorithm": "flash1,softmax", "seq": 512, "rows": 1024, "cols": 512, "device": "h200", "warps": 8}),
        ("tune", {"algorithm": "flash1,flash2", "seq": 4096, "head_dim": 64, "sram": "50000el", "top": 3}),
        ("tune", {"algorithm": "flash2", "seq": 4096, "head_dim": 128, "device": "h200", "by": "time"}),
    ]

    @staticmethod
    def words(options):
        for keyword, value in options.items():
            option = "--" + keyword.replace("_", "-")
            if value is True:
                yield from (option,) if option != "--unsafe" else ("--unsafe=reverse",)
            elif keyword == "set":
                for key, change in value.items():
                    yield from (option, f"{key}={change}")
            else:
                yield from (option, value if isinstance(value, str) else
                            ",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value))

    def test_every_document_is_the_programs(self):
        for command, options in self.CASES:
            with self.subTest(command=command, options=options):
                self.assertEqual(getattr(tilemeter, command)(**options), support.document(command, *self.words(options)))

    def test_columns_are_the_programs_csv(self):
        for command, options in self.CASES:
            with self.subTest(command=command, options=options):
                status, text, error = support.program(command, *self.words(options), "--format", "csv")
                self.assertEqual((status, error), (0, ""))
                rows = list(csv.DictReader(io.StringIO(text)))
                columns = tilemeter.columns(getattr(tilemeter, command)(**options))
                self.assertEqual({len(values) for values in columns.values()}, {len(rows)})
                for name in rows[0]:
                    values = columns.get(name, [None] * len(rows))
                    written = [row[name] for row in rows]
                    for value, text in zip(values, written):
                        if isinstance(value, float):
                            self.assertEqual(value, float(text), name)
                        else:
                            self.assertEqual(cell(value), text, name)
                self.assertLessEqual(set(columns), set(rows[0]))

    def test_a_sweep_in_columns(self):
        options = {"algorithm": "flash1,flash2,standard", "seq": "64:640:+64", "sram": "2KiB:64KiB:*2", "jobs": 2}
        self.assertEqual(tilemeter.sweep_columns(**options), tilemeter.columns(tilemeter.sweep(**options)))

    def test_the_order_of_keywords_is_that_of_the_points(self):
        lengths = lambda **options: [point["problem"]["seq_q"] for point in tilemeter.sweep(**options)["points"]]
        self.assertEqual(lengths(algorithm="flash1,flash2", seq=[64, 128]), [64, 128, 64, 128])
        self.assertEqual(lengths(seq=[64, 128], algorithm="flash1,flash2"), [64, 64, 128, 128])

    def test_columns_of_other_documents_are_refused(self):
        for document in ({}, {"command": "occupancy"}, {"command": 3}, [1, 2], "count"):
            with self.assertRaises(tilemeter.Error):
                tilemeter.columns(document)

    def test_types_of_numpy_and_torch(self):
        numpy = support.numpy

        class Like:
            def __str__(self):
                return "torch.bfloat16"

        for given, dtype in ((numpy.float32, "fp32"), (numpy.dtype("float16"), "fp16"), (Like(), "bf16"), ("fp64", "fp64")):
            self.assertEqual(tilemeter.count("flash2", seq=64, dtype=given)["problem"]["dtype"], dtype)
        self.assertEqual(tilemeter.count("flash2", seq=numpy.int64(64), causal=numpy.bool_(False))["problem"]["mask"], "none")


class Errors(unittest.TestCase):
    def error_of(self, command, *positional, **options):
        with self.assertRaises(tilemeter.Error) as caught:
            getattr(tilemeter, command)(*positional, **options)
        return caught.exception

    def test_messages_are_the_programs(self):
        for command, options in [
                ("count", {"algorithm": "flash2", "seq": 64, "dtype": "bf61"}),
                ("count", {"algorithm": "flash2", "seq": "x"}),
                ("count", {"algorithm": "flash2"}),
                ("count", {"algorithm": "flash9", "seq": 64}),
                ("count", {"algorithm": "flash2", "seq": 64, "sram": "100"}),
                ("count", {"algorithm": "flash2", "seq": 4096, "sram": "1KiB", "block_q": 64, "block_k": 64}),
                ("count", {"algorithm": "flash2", "seq": 2**62, "heads": 64}),
                ("count", {"algorithm": "flash2", "seq": 64, "device": "h200", "set": {"sm.cuont": "3"}}),
                ("sweep", {"algorithm": "flash2", "seq": "64:32:*2"}),
                ("sweep", {"algorithm": "flash2", "seq": 64, "jobs": 0}),
                ("predict", {"algorithm": "flash2", "seq": 64}),
                ("tune", {"algorithm": "flash2", "seq": 64}),
                ("tune", {"algorithm": "flash2", "seq": 64, "sram": "100KiB", "by": "taim"})]:
            with self.subTest(command=command, options=options):
                error = self.error_of(command, **options)
                status, output, said = support.program(command, *Documents.words(options))
                self.assertEqual((status, output), (2, ""))
                self.assertEqual(said, f"tilemeter: error: {error}\n")

    def test_parts_of_a_message(self):
        error = self.error_of("count", "flash2", seq=64, dtype="bf61")
        self.assertIsInstance(error, ValueError)
        self.assertEqual((error.option, error.value, error.suggestion), ("--dtype", "bf61", "bf16"))
        self.assertIn("fp64", error.choices)
        self.assertIn("one of fp64", error.accepted)
        again = pickle.loads(pickle.dumps(error))
        self.assertEqual((str(again), vars(again)), (str(error), vars(error)))

    def test_keywords(self):
        error = self.error_of("count", "flash2", seqq=64)
        self.assertEqual((error.option, error.suggestion), ("--seqq", "--seq"))
        for keyword in ("format", "output", "resume", "quiet"):
            self.assertIn("--" + keyword, str(self.error_of("sweep", "flash2", seq=64, **{keyword: True})))
        self.assertIn("needs a value", str(self.error_of("count", "flash2", seq=True)))
        self.assertIn("takes no value", str(self.error_of("count", "flash2", seq=64, causal="yes")))
        with self.assertRaises(TypeError):
            tilemeter.count("flash2", algorithm="flash1", seq=64)

    def test_a_sweep_keeps_what_does_not_fit(self):
        points = tilemeter.sweep("flash2", seq=512, block_q=64, block_k=64, sram=["1KiB", "100KiB"])["points"]
        self.assertEqual([point["feasible"] for point in points], [False, True])
        self.assertIn("1KiB", points[0]["reason"])

    def test_checks_that_hold_are_silent(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            tilemeter.count("flash2", seq=64, mode="numeric")


class Threads(unittest.TestCase):
    def test_others_run_while_it_counts(self):
        ticks = []
        done = threading.Event()

        def tick():
            while not done.is_set():
                ticks.append(time.monotonic())
                time.sleep(0.001)

        ticker = threading.Thread(target=tick)
        ticker.start()
        start = time.monotonic()
        tilemeter.count("flash2", seq=400, head_dim=64, block_q=16, block_k=16, mode="numeric", heads=4)
        end = time.monotonic()
        done.set()
        ticker.join()
        during = [start, *(at for at in ticks if start < at < end), end]
        self.assertGreater(end - start, 0.02, "too short to see anything")
        longest = max(after - before for before, after in zip(during, during[1:]))
        self.assertLess(longest, 0.5 * (end - start), "the lock was held")

    def test_several_at_once(self):
        expected = tilemeter.count("flash2", seq=1000, causal=True)
        results = []
        threads = [threading.Thread(target=lambda: results.append(tilemeter.count("flash2", seq=1000, causal=True)))
                   for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(results, [expected] * 8)

    def test_an_interrupt_ends_a_sweep_also_while_it_checks(self):
        interrupt = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
        interrupt.start()
        with self.assertRaises(KeyboardInterrupt):
            tilemeter.sweep_columns("flash1,flash2", seq=4096, head_dim=64, block_q="1:1000:+1", block_k="1:1000:+1")

    def test_what_python_raises_ends_a_sweep(self):
        from tilemeter import _core

        def refuse(batch):
            raise KeyboardInterrupt

        with self.assertRaises(KeyboardInterrupt):
            _core.sweep([("algorithm", "flash2"), ("seq", "64:6400:+64")], "rows", refuse)


if __name__ == "__main__":
    support.main()
