"""The commands `predict` and `simulate`: the fields of the contract, cases from practice, and refusals.

usage: time_test.py PROGRAM [unittest options]
"""

import json
import unittest

import program
from program import document, message, output

POINT = "--algorithm flash2 --seq 1024 --heads 8 --head-dim 64 --dtype bf16 --block-q 64 --block-k 64 --device h200"
RESOURCES = ["tensor", "exp", "fma", "alu", "shared", "l2", "hbm"]


def predict(text):
    return document(["predict", *text.split()])


def simulate(text):
    return document(["simulate", *text.split()])


class Contract(unittest.TestCase):
    def test_time_has_its_fields(self):
        point = predict(POINT)
        self.assertEqual((point["schema"], point["command"], point["algorithm"]), (1, "predict", "flash2"))
        time = point["time"]
        self.assertEqual(list(time["bounds"]), RESOURCES)
        self.assertEqual(list(time)[:6], ["seconds", "low", "high", "binding", "roofline_seconds", "bounds"])
        self.assertEqual(time["binding"], max(time["bounds"], key=time["bounds"].get))
        self.assertGreaterEqual(time["seconds"], time["low"])
        self.assertLessEqual(time["seconds"], time["high"])
        self.assertTrue(all(rate["from"] for rate in point["rates"]))

    def test_the_three_traffics_agree(self):
        point = predict(POINT)
        edge = point["traffic"]["bytes"]
        self.assertEqual(point["levels"]["sm_edge"], {"read": edge["read"], "write": edge["write"]})
        self.assertEqual(point["levels"]["l2"]["hits"] + point["levels"]["dram"]["read"], edge["read"])
        self.assertEqual(point["hbm"]["total"], sum(point["levels"]["dram"].values()))

    def test_waits_are_shares_of_the_blocks_time(self):
        self.assertAlmostEqual(sum(predict(POINT)["waits"].values()), 1, places=9)

    def test_sms_sum_to_the_bill(self):
        point = simulate(POINT)
        self.assertEqual(len(point["sms"]), 132)
        for way in ("read", "write"):
            self.assertEqual(sum(sm[way + "_bytes"] for sm in point["sms"]), point["traffic"]["bytes"][way])
        self.assertEqual(sum(sm["blocks"] for sm in point["sms"]), 8 * 16)
        for sm in point["sms"]:
            self.assertEqual(list(sm["busy_seconds"]), ["tensor", "exp", "fma", "alu", "shared", "load", "store"])
            self.assertTrue(all(busy <= point["time"]["seconds"] for busy in sm["busy_seconds"].values()))

    def test_folded_waves_give_what_all_give(self):
        text = POINT.replace("--heads 8", "--heads 64")
        folded = simulate(text)["time"]["seconds"]
        self.assertAlmostEqual(simulate(text + " --waves all")["time"]["seconds"] / folded, 1, delta=0.01)

    def test_count_has_a_time_on_a_device(self):
        point = document(["count", *POINT.split()])
        self.assertEqual(list(point["time"]["bounds"]), RESOURCES)
        self.assertEqual(point["time"]["source"], "closed form")
        self.assertGreaterEqual(point["hbm"]["total"] + point["hbm"]["left_in_l2"], point["compulsory"]["bytes"])
        self.assertNotIn("time", document(["count", *POINT.replace("--device h200", "").split()]))

    def test_tables_and_lists(self):
        text = output(["predict", *POINT.split()])
        for word in ("roofline", "DRAM", "SM edge", "binding", "data-sheet peaks", "clock"):
            self.assertIn(word, text)
        several = output(["predict", *POINT.replace("flash2", "flash2,split_kv").split()])
        self.assertIn("split_kv", several)
        rows = output(["simulate", *POINT.split(), "--format", "csv"]).splitlines()
        self.assertEqual(len(rows), 133)
        self.assertIn("busy_seconds_tensor", rows[0])
        self.assertIn("time_bounds_tensor", output(["predict", *POINT.split(), "--format", "csv"]).splitlines()[0])


class Cases(unittest.TestCase):
    def test_h11_h20_is_bound_by_arithmetic(self):
        time = predict("--algorithm flash2 --seq 2048 --batch 2 --heads 16 --head-dim 128 --device h20 --block-q 128 "
                       "--block-k 64")["time"]
        self.assertAlmostEqual(time["roofline_seconds"], 0.464e-3, delta=0.0005e-3)
        self.assertEqual(time["binding"], "tensor")
        self.assertGreater(time["seconds"], 0.464e-3)

    def test_h9_both_rooflines_and_the_share_between_them(self):
        time = predict("--algorithm elementwise --length 100000000 --ops 1 --dtype bf16 --device h100-sxm")["time"]
        self.assertAlmostEqual(time["roofline_seconds"] / time["roofline_sustained_seconds"], time["sustained_share"])

    def test_i3_the_peak_follows_the_clock(self):
        slow, fast = (predict(POINT + f" --clock {clock}")["time"] for clock in (1_200_000_000, 2_062_000_000))
        ratio = slow["share_of_peak"] * slow["seconds"] / (fast["share_of_peak"] * fast["seconds"])
        self.assertAlmostEqual(ratio, 2062 / 1200, places=6)

    def test_f3_short_kernels_are_launch_bound(self):
        self.assertEqual(predict("--algorithm flash2 --seq 64 --head-dim 64 --device h200 --block-q 64 --block-k 64")
                         ["time"]["kind"], "launch-bound")

    def test_e18_idle_sms_make_a_lower_bound(self):
        point = predict("--algorithm flash2 --seq-q 1 --seq-k 65536 --heads 16 --head-dim 128 --device h200 --block-q 16 "
                        "--block-k 64")
        self.assertEqual(point["time"]["kind"], "lower bound")
        self.assertIn("idle", " ".join(point["notes"]))

    def test_every_algorithm_of_attention_has_a_time(self):
        for name in ("standard", "standard_tiled", "flash1", "flash2", "flash3", "split_kv", "zigzag", "chunked",
                     "flash2_backward", "linear_attention"):
            text = POINT.replace("flash2", name).replace("-q 64", "-q 16").replace("-k 64", "-k 16").replace("1024", "512")
            point = document(["count", *text.split()])
            self.assertGreater(point["time"]["seconds"], 0, name)


class Trace(program.Folder):
    def test_a_trace_opens(self):
        output(["simulate", *POINT.split(), "--trace", self.path("t.json"), "--trace-sms", "1"])
        with open(self.path("t.json"), encoding="utf-8") as file:
            events = json.load(file)["traceEvents"]
        self.assertEqual({e["pid"] for e in events}, {0})
        names = {e["args"]["name"] for e in events if e["name"] == "thread_name"}
        self.assertIn("tensor", names)
        rows = {}
        for event in events:
            if event["ph"] == "X":
                rows.setdefault(event["tid"], []).append((event["ts"], event["ts"] + event["dur"]))
        self.assertIn(0, rows)
        for spans in rows.values():
            spans.sort()
            for before, after in zip(spans, spans[1:]):
                self.assertLessEqual(before[1], after[0] + 1e-9)


class SustainedBandwidth(unittest.TestCase):
    def test_h9_both_rooflines_and_the_factor_between_them(self):
        copy = "--algorithm elementwise --length 100000000 --ops 1 --dtype bf16 --device "
        for device, share in (("h100-sxm", 0.82), ("a100-80gb", 0.80), ("h200", 0.80)):
            time = predict(copy + device)["time"]
            self.assertEqual(time["sustained_share"], share)
            self.assertAlmostEqual(time["roofline_seconds"] / time["roofline_sustained_seconds"], share, places=6)


class CountShowsTime(unittest.TestCase):
    def test_its_table_has_the_time_of_its_json(self):
        time = document(["count", *POINT.split()])["time"]
        text = output(["count", *POINT.split()])
        self.assertIn("time on h200, in closed form", text)
        self.assertIn(f"{time['seconds'] * 1e6:,.3f} us ({time['kind']})", text)
        self.assertNotIn("time on", output(["count", *POINT.replace(" --device h200", "").split()]))


class NotSimulated(unittest.TestCase):
    def test_a_launch_of_too_many_events_has_its_closed_form(self):
        text = "--algorithm flash2 --seq 1048576 --causal --head-dim 128 --device h200 --block-q 128 --block-k 64"
        point = predict(text)
        self.assertEqual(point["time"]["source"], "closed form")
        self.assertEqual(point["time"]["seconds"], point["estimate"]["seconds"])
        self.assertEqual((point["waits"], point["launches"]), (None, None))
        self.assertEqual(point["levels"]["dram"]["read"], point["hbm"]["read"])
        self.assertIn("not simulated: flash2: the simulation has some", point["notes"][-1])
        self.assertIn("million events", message(["simulate", *text.split()]))

    def test_kernels_without_tiles_take_their_bounds(self):
        point = predict("--algorithm standard --seq 2048 --batch 2 --heads 8 --head-dim 64 --device h200")
        time = point["time"]
        self.assertEqual((time["source"], len(point["estimate"]["launches"])), ("closed form", 3))
        self.assertGreaterEqual(time["seconds"], max(time["bounds"].values()))
        self.assertLess(time["seconds"], sum(time["bounds"].values()))


class Refusals(program.Folder):
    def refuse(self, text, *words, command="predict"):
        said = message([command, *text.split()])
        for word in words:
            self.assertIn(word, said)

    def test_options_name_what_they_accept(self):
        self.refuse("--algorithm flash2 --seq 64", "--device")
        self.refuse(POINT + " --clock 0", "--clock")
        self.refuse(POINT + " --clock fast", "--clock", "GHz")
        self.refuse(POINT + " --overlap both", "--overlap both", "serial", "pipelined")
        self.refuse(POINT + " --scheduling fair", "static-persistent")
        self.refuse(POINT + " --blocks-per-sm 99", "--blocks-per-sm 99", "1 to 32")
        self.refuse(POINT + " --warps 33", "--warps 33", "1 to 32")
        self.refuse(POINT.replace("h200", "a100-80gb") + " --matrix wgmma", "--matrix wgmma", "sm_80", "mma")
        self.refuse(POINT.replace("--seq 1024", "--seq 1024,2048"), "--seq")

    def test_ranges_are_whole(self):
        for warps in ("0", "-1", "x", "99999999999999999999"):
            self.refuse(POINT + f" --warps {warps}", f"--warps {warps}" if warps != "x" else "--warps", "1 to 32")
        for clock in ("1e-9", "12", "fast"):
            self.refuse(POINT + f" --clock {clock}", "--clock", "1 MHz to 100 GHz", "1.98 GHz")

    def test_stages_of_a_gemm(self):
        point = ("--algorithm gemm --m 512 --n 512 --k 512 --block-m 64 --block-n 64 --block-k 64 --device h200 "
                 "--stages 2")
        self.assertLess(predict(point)["time"]["seconds"], predict(point[:-1] + "1")["time"]["seconds"])
        self.refuse(point + " --order a", "--stages 2", "--order c")

    def test_traces(self):
        self.assertIn("--trace: expected the name of a file", message(["simulate", *POINT.split(), "--trace", ""]))
        self.refuse(POINT + " --trace-sms 2", "--trace-sms 2", "--trace", command="simulate")
        self.refuse(POINT + " --trace /nowhere/t.json", "--trace", command="simulate")
        same = self.path("t.json")
        self.refuse(POINT + f" --trace {same} -o {same}", "--trace", command="simulate")


if __name__ == "__main__":
    unittest.main()
