"""The page of every command in a real browser: what the program writes is what is drawn, for every reader.

report_pages_test.py PROGRAM [unittest arguments]

Each kind of result is made by the program itself (of `measure`, a recording), shown in headless Chromium, and held against its
JSON: marks of charts, the table under each chart, and the CSV. Each page is then judged for accessibility in both themes, for
its width on a telephone, and for print.
"""

import csv
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor

from browser import Browser, find_browser
from report_case import DRAWN

PROGRAM = sys.argv.pop(1)
ROOT = pathlib.Path(__file__).resolve().parents[2]
H200 = ROOT / "traces" / "measured" / "h200"
RATES = ["--device", str(H200 / "rates.toml")]
RECORDING = str(H200 / "kernels" / "flash3_n4096_d128.json")
ACCESSIBILITY = (pathlib.Path(__file__).parent / "accessibility.js").read_text(encoding="utf-8")

SETTLED_WIDTH = """new Promise((done) => {
  const width = () => document.documentElement.scrollWidth;
  const look = (turns) => (width() <= innerWidth || turns === 0 ? done(width()) : setTimeout(look, 20, turns - 1));
  look(200);
})"""

BIG = "--seq 2048 --heads 16 --head-dim 128 --dtype bf16 --device h200"
COMMANDS = {
    "count": "count --algorithm flash1 --seq 4096 --head-dim 64 --sram 50000el --blocks paper",
    "numeric": "count --algorithm flash2 --seq 200 --causal --dtype bf16 --mode numeric",
    "sweep": "sweep --algorithm standard,flash1,flash2 --seq 4096 --head-dim 64 --sram 6250el:200000el:*2",
    "blocks": "sweep --algorithm flash2 --seq 4096 --head-dim 64 --sram 50000el --block-q 32:256:+32 --block-k 32:256:+32",
    "predict": f"predict --algorithm flash2,flash3 {BIG}",
    "simulate": f"simulate --algorithm flash3 {BIG}",
    "tune": "tune --algorithm flash1,flash2 --seq 1024 --head-dim 64 --sram 50000el",
    "fastest": "tune --algorithm flash2 --by time --simulate 4 --seq 1024 --heads 16 --head-dim 128 --device h200",
    "spilling": "tune --algorithm flash2 --seq 1024 --batch 65536 --head-dim 128 --device h200",
    "complexity": "complexity --theorem thm2 --seq 4096 --head-dim 64",
    "roofline": "roofline --device h100-sxm",
    "occupancy": "occupancy --algorithm flash2 --seq 8192 --head-dim 128 --block-q 64,128 --block-k 64 --device h200,rtx4090",
    "tables": "tables traffic-vs-m figure2",
}
FROM_RECORDINGS = {
    "validate": ["validate", RECORDING, *RATES, "--all"],
    "calibrate": ["calibrate", RECORDING, *RATES],
}
FOLDER = tempfile.TemporaryDirectory(prefix="tilemeter-pages-")
DOCUMENTS = {}
MADE = "2024-02-29"  # the day of the pages
os.environ["SOURCE_DATE_EPOCH"] = "1709208000"


def place(name):
    return os.path.join(FOLDER.name, name)


def run(*arguments):
    return subprocess.run([PROGRAM, *arguments], check=True, capture_output=True, text=True).stdout


def make(name):
    """Writes the document called `name` and its page."""
    source = place(name + ".json")
    if name == "measure":
        source = RECORDING
    elif name == "timeline":
        run("simulate", *f"--algorithm flash3 {BIG} --trace {source}".split())
    else:
        text = run(*FROM_RECORDINGS.get(name, COMMANDS.get(name, "").split()), "--format", "json")
        pathlib.Path(source).write_text(text, encoding="utf-8")
    run("report", source, "-o", place(name + ".html"))
    DOCUMENTS[name] = json.loads(pathlib.Path(source).read_text(encoding="utf-8"))


NAMES = [*COMMANDS, *FROM_RECORDINGS, "measure", "timeline"]


def setUpModule():
    find_browser()  # ends the program where there is none
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(make, NAMES))


def tearDownModule():
    FOLDER.cleanup()


def number(text):
    """The number that a cell shows or CSV holds; other text as it stands."""
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return text


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.browser = Browser()
        cls.js = cls.browser.evaluate

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()

    def tearDown(self):
        self.assertEqual(self.browser.complaints(), [])

    def show(self, name):
        self.browser.size(1280, 1200)
        self.browser.call("Performance.disable")
        self.browser.call("Performance.enable", timeDomain="threadTicks")  # no other process's time
        self.browser.open(place(name + ".html"))
        self.browser.evaluate(DRAWN)
        self.assertLess(self.busy_seconds(), 1)
        self.document = DOCUMENTS[name]

    def drawn(self, chart, kind, value):
        """`value` (JavaScript of `set`) of the datasets of this kind."""
        return self.js(f"Chart.getChart('{chart}-chart').data.datasets.filter(({{kind}}) => kind === '{kind}').map((set) => {value})")

    def busy_seconds(self):
        """What the page took of its thread so far."""
        metrics = self.browser.call("Performance.getMetrics")["metrics"]
        return next(metric["value"] for metric in metrics if metric["name"] == "TaskDuration")

    def headline(self):
        return self.js("document.getElementById('headline').textContent")

    def check_tables(self):
        """Every table equals its CSV, cell by cell."""
        script = """(async () => {
          document.querySelectorAll('details').forEach((node) => { node.open = true; });
          await new Promise((done) => setTimeout(done, 20));
          const found = [];
          const original = URL.createObjectURL;
          HTMLAnchorElement.prototype.click = () => {};
          for (const button of document.querySelectorAll('button[id$="-csv"]:not([hidden])')) {
            const id = button.id.replace(/-csv$/, '');
            const rows = [...document.querySelectorAll(`#${id}-table tbody tr`)].map(
                (row) => [...row.cells].map((cell) => cell.querySelector('details') ? null : cell.textContent));
            const text = await new Promise((done) => {
              URL.createObjectURL = (blob) => { blob.text().then(done); return 'data:,'; };
              button.click();
            });
            found.push([id, rows, text]);
          }
          URL.createObjectURL = original;
          return found;
        })()"""
        tables = self.js(script)
        self.assertGreater(len(tables), 0)
        for table, shown, text in tables:
            _, *rows = csv.reader(io.StringIO(text, newline=""))
            self.assertGreater(len(rows), 0, table)
            self.assertEqual(len(shown), min(len(rows), 500), table)
            for cells, row in zip(shown, rows):
                self.assertEqual(len(cells), len(row), table)
                for cell, value in zip(cells, row):
                    self.check_cell(cell, value, table)

    def check_cell(self, cell, value, table):
        if cell is None:  # folded; it holds the same sentences as a list
            return
        one, other = number(cell), number(value)
        if isinstance(one, float) and isinstance(other, float):
            self.assertAlmostEqual(one, other, delta=1e-5 * abs(other), msg=table)
        else:
            self.assertEqual(cell, value, table)

    def check_page(self, name):
        """What holds for the page of every command; the page is open and as it was drawn."""
        self.assertGreater(len(self.headline()), 20)
        self.assertRegex(self.headline(), r"\d")
        provenance = self.js("document.getElementById('provenance').textContent")
        self.assertIn(self.document.get("command", "simulate --trace"), provenance)
        self.assertIn(self.document.get("date", "version"), provenance)
        for word in self.document.get("arguments", []):
            self.assertIn(word, provenance)
        self.assertIn("page made" + MADE, provenance)
        self.assertLess(os.path.getsize(place(name + ".html")), 6e6)
        self.assertEqual(self.js("document.getAnimations().length"), 0)
        self.check_tables()
        self.assertEqual(self.js(ACCESSIBILITY), [], "light")
        self.browser.scheme("dark")
        self.browser.size(360, 800)
        # Charts follow the width of the window when they are told of it, some frames later.
        self.assertLessEqual(self.js(SETTLED_WIDTH), 360)
        self.assertEqual(self.js(ACCESSIBILITY), [], "dark")
        self.browser.scheme("light")


class AnyPage(Pages):
    """What a reader does with any page."""

    def test_a_keyboard_reaches_every_control_and_shows_where_it_is(self):
        for name in ("count", "timeline"):
            self.show(name)
            count = self.js(
                "[...document.querySelectorAll('a[href], button:not(:disabled), select, input, summary, [tabindex=\"0\"]')]"
                ".filter((node) => node.getClientRects().length > 0).length"
            )
            seen = []
            for _ in range(count):
                self.browser.tab()
                seen.append(self.js("(() => { window.seen ??= new Set(); window.seen.add(document.activeElement);"
                                    " return getComputedStyle(document.activeElement).outlineStyle; })()"))
            self.assertEqual(self.js("window.seen.size"), count)
            self.assertNotIn("none", seen)

    def test_a_page_prints_with_its_charts(self):
        self.show("predict")
        before = self.js("window.printed = 0; addEventListener('beforeprint', () => { window.printed += 1; });")
        self.assertIsNone(before)
        pages = self.browser.call("Page.printToPDF", printBackground=True)["data"]
        self.assertGreater(len(pages), 50000)
        self.assertEqual(self.js("window.printed"), 1)


class EveryKind(Pages):
    """The marks of each kind of chart are the figures of the JSON, and the page is one for every reader."""

    def test_counts_tables_and_tilings(self):
        for name in ("count", "numeric", "blocks", "tune", "roofline", "tables"):
            with self.subTest(page=name):
                self.show(name)
                self.check_page(name)

    def test_the_fastest_tilings_and_what_the_best_suffer(self):
        self.show("fastest")
        (result,) = self.document["results"]
        best = result["best"][0]
        self.assertIn(f"flash2 is fastest with tiles of {best['block_q']} x {best['block_k']}, stages {best['stages']}", self.headline())
        cells = self.js("document.getElementById('best').textContent")
        for words in ("Least time", "simulated", "closed form"):
            self.assertIn(words, cells)
        self.check_page("fastest")
        self.show("spilling")
        cells = self.js("document.getElementById('best').textContent")
        for warning in self.document["results"][0]["best"][0]["warnings"]:
            self.assertIn(warning, cells)
        self.check_page("spilling")

    def test_sweep(self):
        self.show("sweep")
        points = self.document["points"]
        for label in ("flash1", "flash2"):
            own = [p["traffic"]["elements"]["total"] for p in points if p["algorithm"] == label]
            self.assertIn(own, self.drawn("budget", "line", "set.data.map(({y}) => y)"))
        bound = points[0]["compulsory"]["elements"]
        self.assertEqual(set(self.drawn("budget", "bound", "set.data.map(({y}) => y)")[0]), {bound})
        chosen = next(p for p in points if p["algorithm"] == "flash2" and p["sram"]["capacity_elements"] == 25000)
        moved, standard = chosen["traffic"]["elements"]["total"], points[0]["traffic"]["elements"]["total"]
        self.assertIn(f"flash2 moves {moved / 1e6:.1f} M elements", self.headline())
        self.assertIn(f"{standard / moved:.2g}x fewer than standard attention", self.headline())
        self.assertIn("it breaks even by M = 12,500", self.headline())
        self.check_page("sweep")

    def test_predict(self):
        self.show("predict")
        first, second = self.document["points"]
        seconds = [point["time"]["seconds"] for point in (first, second)]
        self.assertEqual(self.drawn("times", "times", "set.data"), [[[0, value] for value in seconds]])
        ranges = [[point["time"]["low"], point["time"]["high"]] for point in (first, second)]
        self.assertEqual(self.drawn("times", "times", "set.whiskers"), [ranges])
        (bars,) = self.drawn("bounds", "bounds", "set.data")
        floor, bounds = first["time"]["floor_seconds"], first["time"]["bounds"]
        expected = sorted((value for value in bounds.values() if value > 0), reverse=True)
        self.assertEqual(bars[1 : 1 + len(expected)], [[floor, floor + value] for value in expected])
        self.assertIn(f"{max(seconds) / min(seconds):.2g}x faster", self.headline())
        self.check_page("predict")

    def test_simulate(self):
        self.show("simulate")
        sms = self.document["sms"]
        cells = self.drawn("utilisation", "busy", "set.data.map(({x, y, busy}) => [x, y, busy])")[0]
        expected = [
            [str(sm["index"]), unit, busy / sm["resident_seconds"]] for sm in sms for unit, busy in sm["busy_seconds"].items()
        ]
        self.assertEqual(cells, expected)
        waits = dict(self.drawn("waits", "waits", "[set.cause, set.data[0]]"))
        self.assertEqual(waits, {cause: 100 * part for cause, part in self.document["waits"].items() if part > 0})
        for cause, shares in self.drawn("sm-waits", "waits", "[set.cause, set.data]"):
            seconds = [sm["working_seconds"] if cause == "working" else sm["wait_seconds"][cause] for sm in sms]
            wholes = [sm["working_seconds"] + sum(sm["wait_seconds"].values()) for sm in sms]
            for part, second, whole in zip(shares, seconds, wholes):
                self.assertAlmostEqual(part, 100 * second / whole, places=9)
        self.check_page("simulate")

    def test_timeline(self):
        self.show("timeline")
        spans = [event for event in self.document["traceEvents"] if event["ph"] == "X" and event["pid"] == 0]
        low, high = self.js("(() => { const {min, max} = Chart.getChart('timeline-chart').scales.x; return [min, max]; })()")
        inside = [s for s in spans if s["ts"] + s["dur"] > low and s["ts"] < high]
        busy = sorted((s["cat"], s["name"], s["ts"]) for s in inside if s["cat"] != "wait")
        drawn = [tuple(one) for one in sum(self.drawn("timeline", "span", "set.data.map(({span}) => [span.unit, span.name, span.begin])"), [])]
        self.assertEqual(sorted(drawn), busy)
        self.assertIn("In steady state a step of the loop takes", self.headline())
        self.js("[...document.querySelectorAll('#timeline button')].find(({textContent: text}) => text === 'Whole run').click()")
        last = max(s["ts"] + s["dur"] for s in spans)
        self.assertAlmostEqual(self.js("Chart.getChart('timeline-chart').scales.x.max"), last, places=6)
        self.check_page("timeline")

    def test_measure(self):
        self.show("measure")
        times = [time["seconds"] for point in self.document["points"] for time in point["times"] if time["seconds"]]
        self.assertEqual(self.drawn("measured", "measured", "set.data"), [[[0, t["median"]] for t in times]])
        self.assertEqual(self.drawn("measured", "measured", "set.whiskers"), [[[t["p5"], t["p95"]] for t in times]])
        self.assertIn("NVIDIA H200", self.headline())
        self.assertIn(self.document["commit"], self.js("document.getElementById('provenance').textContent"))
        self.check_page("measure")

    def test_calibrate(self):
        self.show("calibrate")
        (kernel,) = self.document["kernels"]
        pairs = [[one["measured_seconds"], one["predicted_seconds"]] for one in kernel["residuals"]]
        self.assertEqual(self.drawn("scatter", "rows", "set.data.map(({x, y}) => [x, y])"), [pairs])
        self.assertEqual(self.drawn("factors", "factors", "set.data"), [[figure["value"] for figure in kernel["figures"]]])
        halves = [figure["half_width95"] for figure in kernel["figures"]]
        drawn = self.drawn("factors", "factors", "set.whiskers.map((range) => range && (range[1] - range[0]) / 2)")[0]
        for one, other in zip(drawn, halves, strict=True):
            self.assertAlmostEqual(one, other, places=9)
        self.check_page("calibrate")

    def test_occupancy(self):
        self.show("occupancy")
        points = self.document["points"]
        limits = self.drawn("limits", "limit", "set.data")
        self.assertEqual(limits, [[p["blocks_by"][key] for p in points] for key in ("shared_memory", "registers", "warps", "blocks")])
        self.assertEqual(self.drawn("limits", "resident", "set.data"), [[p["resident_blocks"] for p in points]])
        self.assertIn("25 % of its warps, limited by shared memory and registers", self.headline())
        self.check_page("occupancy")

    def test_complexity(self):
        self.show("complexity")
        (theorem,) = self.document["theorems"]
        figures = [f for f in theorem["figures"] if f["figure"].startswith("exponent")]
        self.assertEqual(self.drawn("exponents", "exponents", "set.data"), [[f["value"] for f in figures]])
        rows = [d for d in self.document["distances"] if d["blocks"] in ("fit", "none") and d["ratio"] and d["sram_elements"]]
        ratios = sum(self.drawn("distances", "distance", "set.data.map(({y}) => y)"), [])
        self.assertEqual(sorted(ratios), sorted(d["ratio"] for d in rows))
        self.check_page("complexity")

    def test_validate_shows_error_bars_and_the_figure_of_the_paper(self):
        self.show("validate")
        low, high = next((r["low"], r["high"]) for r in self.document["rows"] if r["metric"] == "time" and r["low"])
        self.js("(() => { const field = document.querySelector('#scatter select'); field.value = 'time/all';"
                " field.dispatchEvent(new Event('change')); })()")
        bars = sum(self.drawn("scatter", "rows", "set.whiskers"), [])
        self.assertIn([low, high], bars)
        (table,) = self.document["reproductions"]
        self.assertEqual(table["name"], "figure2")
        rows = [row for row in table["rows"] if row[1] is not None]
        self.assertEqual(self.drawn("figure2", "computed", "set.data"), [[row[1] for row in rows]])
        self.assertEqual(set(self.drawn("figure2", "printed in the paper", "set.data")[0]), {40.3, 4.4})
        self.assertIn("N = 1024, d = 64, 16 heads", self.js("document.getElementById('figure2').textContent"))
        self.check_page("validate")


if __name__ == "__main__":
    unittest.main(verbosity=2)
