"""The roofline of the report: roofs, ridges and operations are where their figures say."""

import json
import os
import subprocess

import report_documents as documents
from report_case import ReportCase, Setting

H100_RIDGE = 989.4 / 3.35
A100 = {
    "name": "my-a100",
    "peaks": {"fp16": {"flop_per_second": 312e12, "unit": "tensor"}},
    "levels": [{"level": "hbm", "bytes_per_second": 2039e9}, {"level": "l2", "bytes_per_second": 7219e9}],
    "sustained_share": 0.8,
}


def on_device(point, device, flops, compulsory):
    point["device"] = device
    point["operations"] = {"matmul_flops": flops}
    point["compulsory"] = {"elements": compulsory // 2, "bytes": compulsory}
    return point


def two_points(device):
    """flash2 and standard attention of one head, N = 4096, d = 64, on a device."""
    flops, compulsory = 4 * 4096 * 4096 * 64, 4 * 4096 * 64 * 2
    return [on_device(documents.point(name, 4096, 64), device, flops, compulsory) for name in ("flash2", "standard")]


def roofline_rows(rows, devices):
    return {
        "schema": 1,
        "command": "roofline",
        "version": "0.1.0",
        "view": "operation",
        "devices": devices,
        "notes": ["a note"],
        "title": "One operation",
        "rows": rows,
    }


class RooflineReportTest(ReportCase):
    def close_to(self, found, expected):
        self.assertEqual(len(found), len(expected))
        for one, other in zip(found, expected):
            self.assertAlmostEqual(one / other, 1, places=9)

    def test_a_shipped_device_gives_its_roof_by_name(self):
        self.open(documents.document(two_points("h100-sxm")))
        self.assertIn("roofline", self.sections())
        (ridges,) = self.series("roofline-chart", "ridge", "x")
        self.close_to(ridges, [H100_RIDGE])
        (roof,) = self.series("roofline-chart", "roof")
        self.close_to(roof[1:], [989.4e12, 989.4e12])
        self.assertEqual(
            self.js("Object.values(Chart.getChart('roofline-chart').scales).map((scale) => scale.type)"),
            ["logarithmic"] * 2,
        )
        self.assertIn("ridge at 295.3 FLOP/B for fp16", self.text("#roofline .notes"))
        self.assertIn("bandwidth of the L2 is unknown", self.text("#roofline .notes"))

    def test_operations_stand_on_the_roof_of_their_level(self):
        document = documents.document(two_points("my-a100"))
        document["devices"] = [A100]
        self.open(document)
        flops, compulsory = 4 * 4096 * 4096 * 64, 4 * 4096 * 64 * 2
        (marks,) = self.series("roofline-chart", "compulsory", "x")
        self.close_to(marks, [flops / compulsory] * 2)
        (edges,) = self.series("roofline-chart", "edge", "x")
        moved = [point["traffic"]["bytes"]["total"] for point in document["points"]]
        self.close_to(edges, [flops / total for total in moved])
        (heights,) = self.series("roofline-chart", "edge")
        self.close_to(heights, [min(312e12, flops / total * 7219e9) for total in moved])
        self.assertEqual(len(self.series("roofline-chart", "roof")), 2)
        self.close_to(self.series("roofline-chart", "ridge", "x")[0], [312 / 2.039, 312 / 7.219])
        self.assertEqual(len(self.series("roofline-chart", "sustained")), 1)
        # The L2 leaves standard attention less than device memory does.
        share = 100 * flops / moved[1] * 7219e9 / 312e12
        self.assertAlmostEqual(float(self.texts("#roofline-table tbody tr:last-child td")[-1]), share, places=3)

    def test_the_table_holds_what_the_chart_shows(self):
        self.open(documents.document(two_points("h100-sxm")))
        cells = self.texts("#roofline-table tbody tr:first-child > *")
        self.assertEqual(cells[:4], ["flash2", "4,294,967,296", "2,097,152", "2,048"])
        self.assertEqual(cells[-1], "100")
        label = self.js("document.getElementById('roofline-chart').getAttribute('aria-label')")
        self.assertIn("Roofline of h100-sxm for fp16, 2 operations", label)
        self.assertIn("table below", label)

    def test_hovering_an_operation_names_it(self):
        self.open(documents.document(two_points("h100-sxm")))
        index = "Chart.getChart('roofline-chart').data.datasets.findIndex(({kind}) => kind === 'edge')"
        self.js("document.getElementById('roofline-chart').scrollIntoView({ block: 'center' })")
        place = self.js(
            f"""(() => {{ const {{ left, top }} = document.getElementById('roofline-chart').getBoundingClientRect();
                const {{ x, y }} = Chart.getChart('roofline-chart').getDatasetMeta({index}).data[1].getCenterPoint();
                return [left + x, top + y]; }})()"""
        )
        self.browser.mouse("mouseMoved", *place)
        text = self.js("Chart.getChart('roofline-chart').tooltip.body.flatMap(({ lines }) => lines).join(' ')")
        self.assertIn("standard", text)
        self.assertIn("at the SM edge", text)

    def test_an_unknown_device_has_no_roofline(self):
        self.open(documents.document(two_points("no-such-gpu")))
        self.assertNotIn("roofline", self.sections())

    def test_a_type_without_a_peak_says_so(self):
        points = two_points("v100")
        for point in points:
            point["problem"]["dtype"] = "bf16"
        self.open(documents.document(points))
        self.assertIn("its peak for bf16 is unknown", self.text("#roofline .notes"))
        self.assertFalse(self.js("Boolean(Chart.getChart('roofline-chart'))"))

    def test_devices_can_be_chosen(self):
        self.open(documents.document(two_points("h100-sxm") + two_points("h200")))
        self.close_to(self.series("roofline-chart", "ridge", "x")[0], [H100_RIDGE])
        self.choose("roofline", "device", "h200")
        self.close_to(self.series("roofline-chart", "ridge", "x")[0], [989.4 / 4.8])
        self.assertEqual(len(self.series("roofline-chart", "compulsory")[0]), 2)

    def test_rows_of_the_command(self):
        rows = [
            {"device": "my-a100", "math_dtype": "fp16", "flops": 1000, "hbm_bytes": 1000, "binding": "hbm",
             "measured_flop_per_second": 1.0e12},
            {"device": "my-a100", "math_dtype": "fp16", "flops": 0, "hbm_bytes": 1000, "binding": "hbm",
             "measured_flop_per_second": None},
        ]
        document = roofline_rows(rows, [A100])
        self.open(document)
        self.assertEqual(self.sections(), ["roofline", "rows"])
        self.assertEqual(self.series("roofline-chart", "compulsory", "x"), [[1]])
        self.assertEqual(self.series("roofline-chart", "measured"), [[1.0e12]])
        self.assertIn("1 operation without FLOPs", self.text("#roofline .notes"))
        self.assertEqual(self.texts("#rows-table tbody tr:first-child > *")[:4], ["my-a100", "fp16", "1,000", "1,000"])
        self.assertIn("a note", self.text("#rows"))
        self.assertEqual(json.loads(self.downloaded("json")), document)

    def test_roofs_alone(self):
        rows = [{"device": "my-a100", "hbm_ridge_flop_per_byte": 153.02}]
        self.open(roofline_rows(rows, [A100]))
        self.close_to(self.series("roofline-chart", "ridge", "x")[0], [312 / 2.039, 312 / 7.219])
        self.assertEqual(self.texts("#roofline-table tbody th"), ["device memory", "L2"])
        self.assertEqual(self.series("roofline-chart", "compulsory"), [])

    def test_csv_of_a_sweep_with_a_device(self):
        self.open(documents.document(two_points("h100-sxm")))
        source, page = (os.path.join(Setting.folder, name) for name in ("roofline.csv", "roofline.html"))
        drawn = self.series("roofline-chart", "edge", "x")
        with open(source, "w", newline="") as file:
            file.write(self.downloaded("csv"))
        subprocess.run([Setting.render, source, page, "Report"], check=True)
        self.show(page)
        self.assertEqual(self.series("roofline-chart", "edge", "x"), drawn)
