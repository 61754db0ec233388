"""The report in a real browser: what is drawn is what the document says, nothing is loaded, nothing complains.

report_browser_test.py --render build/.../render_report [--keep DIR] [unittest arguments]
"""

import argparse
import csv
import io
import json
import os
import subprocess
import sys
import tempfile
import time
import unittest

import report_documents as documents
from browser import find_browser
from report_case import ReportCase, Setting
from report_roofline import RooflineReportTest  # its tests run with those below, as do those of the next
from report_validate import ValidateReportTest

TOTALS = [67960832, 34242560, 17383424, 9355264, 5341184]
STANDARD = 68157440


def grouped(number):
    return f"{number:,}"


class TuneTest(ReportCase):
    def test_the_front_the_map_and_the_rejected_candidates(self):
        document = documents.tune()
        self.open(document)
        self.assertEqual(self.sections(), ["best", "front", "blocks", "rejected"])
        self.assertIn("moves least with tiles of", self.text("#headline"))
        fronts = [[tiling["traffic"] for tiling in result["front"]["tilings"]] for result in document["results"]]
        memory = [[tiling["on_chip"] for tiling in result["front"]["tilings"]] for result in document["results"]]
        self.assertEqual(self.series("front-chart", "line"), fronts)
        self.assertEqual(self.series("front-chart", "line", "x"), memory)
        self.assertEqual(
            self.js("Object.values(Chart.getChart('front-chart').scales).map((scale) => scale.type)"),
            ["logarithmic"] * 2,
        )
        self.assertEqual(len(self.series("blocks-chart", "heat", "x")[0]), 9)
        fitting = [one for one in document["results"][0]["candidates"] if one["feasible"]]
        least = min(one["traffic"]["elements"] for one in fitting)
        self.assertIn(f"Minimum: {grouped(least)} elements", self.text("#minimum"))
        first, second = self.texts("#best-table tbody tr")
        self.assertIn("1 x 256", first)
        self.assertIn("256 x 1", second)
        rejected = [one for result in document["results"] for one in result["candidates"] if not one["feasible"]]
        self.assertEqual([row.split("\t")[-1] for row in self.texts("#rejected-table tbody tr")],
                         [one["reason"] for one in rejected])


class ReportTest(ReportCase):
    def test_budget_sweep_draws_the_points_and_standard_attention(self):
        self.open(documents.budget_sweep(), "Traffic <and> more")
        self.assertEqual(self.text("h1"), "Traffic <and> more")
        self.assertEqual(self.sections(), ["budget", "points"])
        self.assertEqual(self.series("budget-chart", "line"), [TOTALS])
        self.assertEqual(self.series("budget-chart", "line", "x"), [list(documents.BUDGETS)])
        self.assertEqual(self.series("budget-chart", "standard"), [[STANDARD] * 5])
        self.assertEqual(
            self.js("Object.values(Chart.getChart('budget-chart').scales).map((scale) => scale.type)"),
            ["logarithmic"] * 2,
        )
        self.assertEqual(self.text("#verdict"), "5 points counted, all equal to their closed form")
        self.assertIn("2 points of 5 do not fit", self.text("#infeasible"))
        self.assertEqual(self.column("total", "elements"), [grouped(total) for total in TOTALS])
        self.assertEqual(self.column("total", "binary units")[2], "33.8 MiB")

    def test_budget_sweep_marks_what_does_not_fit(self):
        self.open(documents.budget_sweep())
        drawn = "Chart.getChart('budget-chart').getDatasetMeta(0).data.map((mark) => mark.options.{})"
        bad = self.js("getComputedStyle(document.documentElement).getPropertyValue('--bad').trim()")
        self.assertEqual(
            [colour == bad for colour in self.js(drawn.format("borderColor"))], [True, True, False, False, False]
        )
        self.assertIn("does not fit the budget, counted all the same", " ".join(self.texts("#budget .key li")))
        self.assertEqual(self.column("status", "against closed form"), ["infeasible, equal"] * 2 + ["equal"] * 3)
        self.assertEqual(self.column("overflow", "elements"), ["2,543", "2,136", "", "", ""])

    def test_break_even_at_the_smallest_budget(self):
        self.open(documents.budget_sweep())
        (text,) = self.texts("#budget .break-even")
        self.assertIn("flash1: break-even at or below M = 12,500 elements", text)
        self.assertIn("67,960,832 elements against 68,157,440 elements", text)
        self.assertIn("does not fit (2,543 elements too large)", text)
        self.assertIn("fits and is not above standard attention is 50,000 elements", text)
        self.assertEqual(self.series("budget-chart", "break-even", "x"), [[12500]])

    def test_break_even_between_two_budgets_and_nowhere(self):
        below = documents.point("flash1", 4096, 64, documents.paper(6250, 64), 6250)
        self.open(documents.document([below, *documents.budget_sweep()["points"]]))
        self.assertIn(
            "break-even between M = 6,250 elements and M = 12,500 elements", self.texts("#budget .break-even")[0]
        )
        self.assertEqual(self.series("budget-chart", "break-even", "x"), [[12500]])
        self.open(documents.document([below, documents.point("flash1", 4096, 64, documents.paper(3125, 64), 3125)]))
        self.assertEqual(
            self.texts("#budget .break-even"),
            ["flash1: above standard attention at every counted M, up to 6,250 elements."],
        )
        self.assertEqual(self.series("budget-chart", "break-even"), [])

    def test_standard_attention_is_taken_from_the_points_where_it_is_counted(self):
        points = documents.budget_sweep(("standard", "flash1", "flash2"))["points"]
        for point in points[:5]:
            point["traffic"]["elements"] = documents.amounts(20000000, 10000000)
        self.open(documents.document(points))
        self.assertEqual(self.series("budget-chart", "standard"), [[30000000] * 5])
        self.assertEqual(
            self.js("Chart.getChart('budget-chart').data.datasets.map((set) => set.label)")[:3],
            ["flash1", "flash2", "standard attention (counted)"],
        )
        self.assertIn(
            "flash1: break-even between M = 25,000 elements and M = 50,000 elements", self.text("#budget .notes")
        )
        self.assertIn("flash2: above standard attention at every counted M", self.text("#budget .notes"))

    def test_uncounted_points_stand_on_the_axis(self):
        self.open(documents.budget_sweep(count_overflow=False))
        self.assertEqual(self.series("budget-chart", "line"), [TOTALS[2:]])
        self.assertEqual(self.series("budget-chart", "uncounted", "x"), [[12500, 25000]])
        self.assertEqual(
            self.series("budget-chart", "uncounted"), [[self.js("Chart.getChart('budget-chart').scales.y.min")] * 2]
        )
        self.assertEqual(self.text("#verdict"), "3 points counted, all equal to their closed form")
        self.assertIn("does not fit, not counted", self.text("#budget .key"))

    def test_bytes_can_be_shown_instead(self):
        self.open(documents.budget_sweep())
        self.choose("budget", "show", "bytes")
        self.assertEqual(self.series("budget-chart", "line")[0][2], 35454976)
        self.assertEqual(self.series("budget-chart", "standard")[0][0], 2 * STANDARD)

    def test_budgets_in_bytes_and_several_of_everything(self):
        self.open(documents.mixed_sweep())
        self.assertEqual(self.sections(), ["budget", "blocks", "seq-q", "points"])
        self.assertEqual(len(self.series("budget-chart", "line")), 8)
        self.assertEqual(self.series("budget-chart", "line", "x")[0], [size * 1024 for size in (32, 64, 128, 227)])
        self.assertEqual(len(self.series("budget-chart", "standard")), 2)
        self.choose("blocks", "M", str(227 * 1024))
        self.choose("blocks", "algorithm", "flash2")
        expected = [
            p["traffic"]["elements"]["total"]
            for p in documents.mixed_sweep()["points"]
            if p["algorithm"] == "flash2"
            and p["problem"]["mask"] == "none"
            and p["problem"]["seq_q"] == 1024
            and p["sram"]["capacity_bytes"] == 227 * 1024
        ]
        self.assertEqual(
            self.js(
                "Chart.getChart('blocks-chart').data.datasets[0].data.map((item) => Number(item.point.elements.total))"
            ),
            expected,
        )

    def test_block_sweep_draws_a_cell_for_each_point(self):
        document = documents.block_sweep()
        self.open(document)
        self.assertEqual(self.sections(), ["blocks", "points"])
        cells = self.js(
            "Chart.getChart('blocks-chart').data.datasets[0].data.map(({ x, y, point, look }) => [x, y, point.elements ? String(point.elements.total) : null, look.fills.length])"
        )
        expected = [
            [
                str(p["tiling"]["block_q"]),
                str(p["tiling"]["block_k"]),
                str(p["traffic"]["elements"]["total"]) if "traffic" in p else None,
                1 if p["feasible"] else 2,
            ]
            for p in document["points"]
        ]
        self.assertEqual(cells, expected)
        self.assertEqual(sum(1 for cell in cells if cell[3] == 2), 124)
        self.assertEqual(
            self.js(
                "Chart.getChart('blocks-chart').getDatasetMeta(0).data.filter((cell) => cell.width > 0 && cell.height > 0).length"
            ),
            256,
        )
        least = min(
            (
                p["traffic"]["elements"]["total"],
                p["sram"]["peak_elements"],
                p["tiling"]["block_q"],
                p["tiling"]["block_k"],
            )
            for p in document["points"]
            if p["feasible"]
        )
        self.assertIn(
            f"Minimum: {grouped(least[0])} elements at block_q = {least[2]}, block_k = {least[3]}.",
            self.text("#minimum"),
        )
        self.assertEqual(
            self.js(
                "Chart.getChart('blocks-chart').data.datasets[0].data.filter(({ look }) => look.isMinimum).map(({ x, y }) => [x, y])"
            ),
            [[str(least[2]), str(least[3])]],
        )

    def test_hovering_a_cell_shows_its_figures_or_its_reason(self):
        document = documents.block_sweep()
        self.open(document)
        self.browser.mouse("mouseMoved", *self.place_of("blocks-chart", 0))
        tooltip = self.js(
            "(() => { const tip = Chart.getChart('blocks-chart').tooltip; return [...tip.title, ...tip.body.flatMap(({ lines }) => lines), ...tip.footer].join('\\n'); })()"
        )
        self.assertIn("block_q = 16, block_k = 16", tooltip)
        self.assertIn(f"total {grouped(document['points'][0]['traffic']['elements']['total'])} elements", tooltip)
        self.browser.mouse("mouseMoved", *self.place_of("blocks-chart", 255))
        tooltip = self.js("Chart.getChart('blocks-chart').tooltip.footer.join(' ')")
        self.assertIn(document["points"][255]["reason"], tooltip)

    def test_dragging_zooms_and_the_button_resets(self):
        for document, chart in ((documents.budget_sweep(), "budget-chart"), (documents.block_sweep(), "blocks-chart")):
            self.open(document)
            range_of = f"(() => {{ const {{ min, max }} = Chart.getChart('{chart}').scales.x; return [min, max]; }})()"
            before = self.js(range_of)
            start = self.place_of(chart, 1)
            self.browser.drag(start, (start[0] + 300, start[1] + (120 if chart == "budget-chart" else -120)))
            after = self.js(range_of)
            self.assertLess(after[1] - after[0], before[1] - before[0])
            if chart == "blocks-chart":
                ticks = self.js(
                    f"Chart.getChart('{chart}').scales.x.ticks.map(({{ value, label }}) => [16 * (value + 1), Number(label)])"
                )
                self.assertEqual([size for size, _ in ticks], [label for _, label in ticks])
            self.click(f"section:has(#{chart}) .bar button:not([disabled])")
            self.assertEqual(self.js(range_of), before)

    def test_other_dimensions_have_line_charts(self):
        self.open(documents.length_sweep())
        self.assertEqual(self.sections(), ["seq-q", "head-dim", "points"])
        self.assertEqual(self.series("seq-q-chart", "line", "x"), [[512, 1024, 2048, 4096, 8192, 16384]] * 4)
        self.assertEqual(
            [line[3] for line in self.series("seq-q-chart", "standard")], [STANDARD, 4 * 4096 * 128 + 4 * 4096 * 4096]
        )

    def test_single_count_shows_its_tensors(self):
        self.open(documents.single_count())
        self.assertEqual(self.sections(), ["tensors", "points"])
        self.assertEqual(
            self.js("Chart.getChart('tensors-chart').data.datasets.reduce((sum, set) => sum + set.data[0], 0)"),
            17383424,
        )
        self.assertEqual(self.text("#verdict"), "1 point counted, equal to its closed form")

    def test_no_feasible_point(self):
        self.open(documents.infeasible_sweep())
        self.assertEqual(self.text("#verdict"), "No point was counted")
        self.assertIn("No point is feasible", self.text("#infeasible"))
        self.open(documents.document([]))
        self.assertEqual(self.sections(), [])

    def test_hostile_text_is_shown_and_nothing_else(self):
        text = self.open(documents.hostile_sweep())
        self.assertEqual(self.js("typeof window.broken"), "undefined")
        self.assertEqual(self.js("document.querySelectorAll('img, script').length"), 4)
        self.assertIn('<img src=x onerror="window.broken = 1">', text)
        self.assertEqual(self.js("document.querySelectorAll('tr.detail').length"), 0)
        self.js("document.querySelectorAll('button.expand').forEach((button) => button.click())")
        self.assertEqual(self.js("document.querySelectorAll('tr.detail').length"), 5)
        self.assertEqual(self.js("document.querySelectorAll('img').length"), 0)
        self.assertEqual(self.js("typeof window.broken"), "undefined")
        self.assertEqual(self.text("#verdict"), "3 points counted, 1 of them NOT equal to its closed form")

    def test_integers_are_exact_in_the_table_and_in_the_files(self):
        document = documents.hostile_sweep()
        self.open(document)
        self.assertEqual(self.column("total", "elements")[4], "9,223,372,036,854,775,807")
        self.assertEqual(self.column("read", "elements")[3], "9,007,199,254,740,993")
        self.assertEqual(json.loads(self.downloaded("json")), document)
        rows = list(csv.DictReader(io.StringIO(self.downloaded("csv"), newline="")))
        self.assertEqual(
            [row["traffic_elements_total"] for row in rows],
            ["", "", "17383424", "9007199254740994", "9223372036854775807"],
        )
        self.assertEqual(rows[0]["reason"], documents.HOSTILE)
        self.assertEqual([row["sram_capacity_elements"] for row in rows], [str(m) for m in documents.BUDGETS])

    def test_the_downloaded_csv_gives_the_same_report(self):
        self.open(documents.budget_sweep(count_overflow=False))
        source, page = (os.path.join(Setting.folder, name) for name in ("again.csv", "again.html"))
        with open(source, "w", newline="") as file:
            file.write(self.downloaded("csv"))
        drawn = (
            [self.series("budget-chart", kind) for kind in ("line", "uncounted", "standard")],
            self.texts("#table tbody td"),
            self.texts(".break-even, #verdict"),
        )
        subprocess.run([Setting.render, source, page, "Report"], check=True)
        self.show(page)
        self.assertEqual(
            (
                [self.series("budget-chart", kind) for kind in ("line", "uncounted", "standard")],
                self.texts("#table tbody td"),
                self.texts(".break-even, #verdict"),
            ),
            drawn,
        )

    def test_table_sorts_filters_and_opens(self):
        self.open(documents.budget_sweep())
        heads = self.js("[...document.querySelectorAll('#table thead button')].map((button) => button.innerText)")
        place = heads.index("total") + 2
        self.click(f"#table thead th:nth-child({place}) button")
        self.assertEqual(self.column("total", "elements"), [grouped(total) for total in sorted(TOTALS)])
        self.click(f"#table thead th:nth-child({place}) button")
        self.assertEqual(self.column("total", "elements"), [grouped(total) for total in sorted(TOTALS, reverse=True)])
        self.js(
            "(() => { const field = document.getElementById('filter'); field.value = '17,383,424'; field.dispatchEvent(new Event('input')); })()"
        )
        self.assertEqual(self.column("M", "elements"), ["50,000"])
        self.click("button.expand")
        self.assertIn("5,505,024", self.text("tr.detail"))
        self.assertIn("2Nd + Tc(3Nd + 4N) = 17,383,424 elements", self.text("tr.detail"))

    def test_ten_thousand_points_stay_usable(self):
        start = time.monotonic()
        self.open(documents.large_sweep())
        self.assertLess(time.monotonic() - start, 60)
        self.assertEqual(self.js("Chart.getChart('blocks-chart').getDatasetMeta(0).data.length"), 10000)
        self.assertEqual(self.js("document.querySelectorAll('#table tbody tr').length"), 100)
        self.click("#more")
        self.assertEqual(self.js("document.querySelectorAll('#table tbody tr').length"), 200)
        self.assertIn("200 of 10,000 points shown", self.text("#shown"))
        place = self.place_of("blocks-chart", 0)
        start = time.monotonic()
        self.browser.mouse("mouseMoved", *place)
        self.assertEqual(self.js("Chart.getChart('blocks-chart').tooltip.title"), ["block_q = 16, block_k = 16"])
        self.assertLess(time.monotonic() - start, 5)
        redraw = self.js(
            "(() => { const start = performance.now(); Chart.getChart('blocks-chart').update('none'); return performance.now() - start; })()"
        )
        self.assertLess(redraw, 2000)

    def test_dark_and_light_schemes_differ_and_redraw(self):
        self.open(documents.budget_sweep())
        colours = {}
        for scheme in ("light", "dark"):
            self.browser.scheme(scheme)
            self.js("new Promise((done) => setTimeout(done, 200))")
            colours[scheme] = self.js(
                "[getComputedStyle(document.body).backgroundColor, Chart.getChart('budget-chart').data.datasets[0].borderColor]"
            )
        self.browser.scheme("light")
        self.assertNotEqual(colours["light"][0], colours["dark"][0])
        self.assertNotEqual(colours["light"][1], colours["dark"][1])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--render", required=True, help="the program render_report")
    parser.add_argument("--keep", help="folder for the pages; default a temporary one")
    arguments, rest = parser.parse_known_args()
    Setting.render = os.path.abspath(arguments.render)
    find_browser()  # ends the program where there is none
    with tempfile.TemporaryDirectory(prefix="tilemeter-report-") as folder:
        Setting.folder = arguments.keep or folder
        os.makedirs(Setting.folder, exist_ok=True)
        unittest.main(argv=[sys.argv[0], *rest], verbosity=2)


if __name__ == "__main__":
    main()
