"""The page of `validate`: verdicts in words, and charts whose marks and tables are the rows of the document."""

from report_case import ReportCase

DEVICE = {
    "name": "h200",
    "peaks": {"bf16": {"flop_per_second": 989.4e12, "unit": "tensor"}},
    "levels": [{"level": "hbm", "bytes_per_second": 4.8e12}],
    "sustained_share": None,
}
PARTS = {"floor": 2e-6, "tensor": 5e-4, "exp": 3e-4, "fma": 0, "alu": 0, "shared": 1e-4, "l2": 1e-4, "hbm": 5e-5}


def observation(kernel, seq, seconds):
    return {
        "source": f"{kernel}.json, point 1",
        "kernel": kernel,
        "own": True,
        "algorithm": "flash2",
        "problem": {"seq_q": seq, "seq_k": seq, "head_dim": 128, "dtype": "bf16", "mask": "none"},
        "text": f"N {seq}",
        "device": "h200",
        "math_dtype": "bf16",
        "flops": 4 * seq * seq * 128,
        "compulsory_bytes": 4 * seq * 128 * 2,
        "edge_bytes": 20 * seq * 128 * 2,
        "measured_seconds": seconds,
    }


def time_row(number, kernel, seq, role, measured, predicted):
    return {
        "observation": number,
        "source": f"{kernel}.json, point 1",
        "kernel": kernel,
        "own": True,
        "problem": f"N {seq}",
        "metric": "time",
        "split": "length",
        "role": role,
        "measured": measured,
        "predicted": predicted,
        "error": predicted / measured - 1,
        "basis": "closed form",
        "low": predicted * 0.95,
        "high": predicted * 1.05,
        "inside": True,
        "roofline": {"seconds": measured / 2, "error": -0.5},
        "two_level": {"seconds": measured * 2, "error": 1.0},
        "parts": PARTS,
    }


def bytes_row(number, kernel, seq, measured, predicted):
    row = time_row(number, kernel, seq, "no fit", measured, predicted)
    return {**row, "metric": "dram_read", "split": None, "low": None, "high": None, "parts": None}


def document():
    worst = [{"kernel": "flash3", "problem": "N 4096", "source": "flash3.json, point 1", "error": 0.2, "detail": "why <so>"}]
    rows = [
        time_row(0, "flash2", 1024, "fitted", 5e-4, 5.1e-4),
        time_row(1, "flash3", 4096, "held out", 6e-4, 7.2e-4),
        time_row(1, "flash2", 4096, "held out", 8e-4, 7.9e-4),
        bytes_row(1, "flash3", 4096, 2**53 + 1, 2**53 + 3),
    ]
    summary = {
        "split": "length", "role": "held out", "metric": "time", "who": "own kernels", "group": True, "count": 2,
        "mean": 0.1062, "median": 0.1062, "max": 0.2, "bias": 0.09, "coverage": 0.5, "intervals": 2,
        "roofline_mean": 0.5, "two_level_mean": 1.0, "worst": worst[0],
    }
    step = {
        "split": "all", "rung": "flash3_rung3", "below": "flash3_rung2", "problem": "N 4096", "measured_gain": 0.02,
        "predicted_gain": -0.05, "points": -7.0, "sign_right": False, "within": True,
    }
    return {
        "schema": 1, "command": "validate", "version": "0.1.0", "device": "h200", "interval": 0.9,
        "verdicts": [
            {"metric": "tensors", "split": None, "who": "all kernels", "limit": "exact", "status": "kept", "words": "2 of 2", "count": 2, "worst": []},
            {"metric": "time", "split": "length", "who": "own kernels", "limit": "mean 3 %", "status": "missed", "words": "mean 10.62 %", "count": 2, "worst": worst},
            {"metric": "l2_read", "split": None, "who": "all kernels", "limit": "none stated", "status": "no limit", "words": "mean 9 %", "count": 1, "worst": []},
        ],
        "splits": [{"name": "length", "statement": "fitted where N <= 1024", "fitted": 1, "held_out": 2, "fits": []}],
        "summaries": [summary], "ladder": [step], "missing": ["a.json, row 1: none"], "notes": ["a <note>"],
        "devices": [DEVICE],
        "observations": [observation("flash2", 1024, 5e-4), observation("flash3", 4096, 6e-4)],
        "rows": rows,
    }


class ValidateReportTest(ReportCase):
    def opened(self):
        self.open(document())

    def test_verdicts_come_first_in_words(self):
        self.opened()
        self.assertEqual(
            self.sections(), ["verdicts", "scatter", "errors", "parts", "ladder", "roofline", "summaries", "notes"]
        )
        self.assertEqual(self.text("#verdict"), "1 of 2 limits kept")
        rows = self.texts("#verdicts-table tbody tr")
        self.assertEqual(len(rows), 3)
        self.assertIn("time\tmissed\tlength\town kernels\tmean 3 %\tmean 10.62 %", rows[1])
        self.assertIn("median error of 10.6 %, 10.6 % in the mean; a roofline's mean is 50 %", self.text("#headline"))
        self.assertIn("flash3, N 4096: +20.00 % (why <so>)", self.js("document.querySelector('#verdicts details li').textContent"))

    def test_marks_are_the_rows_and_held_out_ones_are_marked(self):
        self.opened()
        self.assertEqual(self.series("scatter-chart", "rows", "x"), [[5e-4]])
        self.assertEqual(self.series("scatter-chart", "held out", "x"), [[8e-4], [6e-4]])
        self.assertEqual(self.series("scatter-chart", "held out"), [[7.9e-4], [7.2e-4]])
        scales = self.js("Object.values(Chart.getChart('scatter-chart').scales).map((scale) => scale.type)")
        self.assertEqual(scales, ["logarithmic"] * 2)
        self.assertEqual(self.series("errors-chart", "held out", "x"), [[4096], [4096]])
        (error,) = self.series("errors-chart", "rows")
        self.assertAlmostEqual(error[0], 2, places=6)

    def test_another_metric_can_be_shown_with_its_rows(self):
        self.opened()
        self.choose("scatter", "show", "dram_read/")
        self.assertEqual(self.series("scatter-chart", "rows", "x"), [[2**53 + 1.0]])
        (row,) = self.texts("#scatter-table tbody tr")
        self.assertIn("flash3", row)
        self.assertIn(f"{2**53 + 1:,}", row)

    def test_the_roofline_has_a_mark_for_what_was_measured(self):
        self.opened()
        (measured,) = self.series("roofline-chart", "measured")
        self.assertAlmostEqual(measured[1] / (4 * 4096 * 4096 * 128 / 6e-4), 1, places=9)

    def test_a_time_is_taken_apart(self):
        self.opened()
        self.choose("parts", "row", "1")
        labels = self.js("Chart.getChart('parts-chart').data.labels")
        self.assertEqual(
            labels,
            [[name] for name in ("launches", "tensor unit", "exponentials", "shared memory", "L2", "device memory",
                                 "not hidden under the largest", "predicted", "measured")],
        )
        parts = self.js("Chart.getChart('parts-chart').data.datasets[0].data")
        self.assertEqual(parts[1], [2e-6, 2e-6 + 5e-4])
        self.assertEqual(parts[-1], [0, 6e-4])
        self.js("document.querySelector('#parts-data').open = true")
        self.js("new Promise((done) => setTimeout(done, 50))")
        self.assertEqual(len(self.texts("#parts-table tbody tr")), 9)

    def test_the_ladder_and_the_summaries_are_tables_too(self):
        self.opened()
        (step,) = self.texts("#ladder-table tbody tr")
        self.assertIn("flash3_rung3\tflash3_rung2\t2\t-5\t-7\tNO\tyes", step)
        (summary,) = self.texts("#summaries-table tbody tr")
        self.assertIn("10.62", summary)
        self.assertEqual(self.texts("#notes-table tbody tr"), ["a.json, row 1: none", "a <note>"])
