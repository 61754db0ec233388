"""2,000 random command lines as processes: the exit status, the streams, and the files that are left.

usage: random_processes_test.py PROGRAM [SEED]
"""

import concurrent.futures
import json
import os
import pathlib
import random
import sys
import tempfile

from program import run

SEED = 20261130
RUNS = 2000

NUMBERS = ["1", "2", "7", "16", "33", "64", "100", "128", "256"]
ODD = ["0", "-1", "", "abc", "1.5", "9223372036854775807", "99999999999999999999", "64,128", "64:128:*2", "128:64:*2", "1e3",
       "\u00e4", " 8", "0x10", "--seq", "nan"]
COMMANDS = {"count": 8, "occupancy": 4, "predict": 4, "sweep": 2, "tune": 1, "simulate": 1, "roofline": 1}
ALGORITHMS = ["standard", "standard_tiled", "standard_unfused", "flash1", "flash2", "flash3", "zigzag", "split_kv", "chunked",
              "materialised", "linear_attention", "standard_backward", "flash1_backward", "flash2_backward"]
SIZES = {"gemm": ["--m", "--n", "--k"], "weight_layer": ["--tokens", "--d-in", "--d-out"], "softmax": ["--rows", "--cols"],
         "elementwise": ["--length"]}
TYPES = ["fp64", "fp32", "fp16", "bf16", "fp8", "int8"]
# What an option may be given: values that some command takes.
VALUES = {
    "--head-dim": NUMBERS, "--head-dim-v": NUMBERS, "--batch": ["1", "2", "3"], "--heads": ["1", "4", "6", "8"],
    "--kv-heads": ["1", "2", "4"], "--mask": ["none", "causal", "causal_top_left", "window:10:0", "window:-1:3", "window:1"],
    "--window": ["10,0", "-1,-1", "100,-3", "4"], "--dtype": TYPES, "--stat-dtype": TYPES, "--score-dtype": TYPES,
    "--o-dtype": TYPES, "--sram": ["100KiB", "50000el", "2000el", "1el", "64KiB", "100KB"],
    "--device": ["h200", "t4", "a100-80gb", "rtx4090", "h100", "v100", "nothing"],
    "--set": ["sm.count=3", "hbm.bandwidth=1TB/s", "sm.cont=3", "l2.size=1MiB", "sm.shared_per_block=512KiB", "=", "a"],
    "--placement": ["sram", "gpu", "l2"], "--blocks": ["paper", "fit", "optimum", "best"], "--block-q": NUMBERS,
    "--block-k": NUMBERS, "--block-d": NUMBERS, "--block-m": NUMBERS, "--block-n": NUMBERS, "--stages": ["1", "2", "3", "9"],
    "--variant": ["atomics", "two_kernels", "onchip", "fused", "unfused", "none"], "--unfused": ["scale", "mask,dropout", "none"],
    "--mask-shape": ["row", "full"], "--row-splits": ["1", "2", "5"], "--splits": ["auto", "1", "3", "500"],
    "--page-size": ["16", "64"], "--chunk-q": NUMBERS, "--chunk-k": NUMBERS, "--chunk": NUMBERS, "--empty-lse": ["+inf", "-inf"],
    "--unsafe": ["reverse", "no-rescale", "unguarded"], "--order": ["c", "a", "b", "none"], "--weight-dtype": ["bf16", "int8", "int4"],
    "--group-size": ["0", "64", "128"], "--ops": ["1", "3"], "--side-inputs": ["0", "1"], "--mode": ["count", "numeric"],
    "--seed": ["1", "77"], "--sms": ["1", "132"], "--warps": ["1", "4", "8", "33"], "--registers": ["32", "255", "256"],
    "--matrix": ["scalar", "mma", "wgmma"], "--overlap": ["serial", "pipelined"], "--scheduling": ["grid", "counter"],
    "--row-order": ["ascending", "longest-first"], "--tails": ["padded", "predicated"], "--blocks-per-sm": ["1", "2", "99"],
    "--clock": ["1.6GHz", "1600000000", "0"], "--by": ["traffic", "time"], "--top": ["1", "3"], "--kernel": ["flash2", "fa2", "mine"],
}
FLAGS = ["--packed", "--causal", "--causal-top-left", "--no-capacity", "--init", "--elide-first", "--deterministic", "--per-sm", "-q",
         "-v", "--rejected", "--unsafe", "--nothing"]
# Options that go together with every algorithm of attention, so that many runs come to an end.
TAME = {"--head-dim": NUMBERS, "--batch": ["1", "2", "3"], "--heads": ["1", "4", "6"], "--mask": ["none", "causal"],
        "--dtype": ["fp32", "fp16", "bf16"], "--no-capacity": [None]}
FORMATS = ["table", "csv", "json", "md", "html"]


def tame_options_of(random_, algorithm):
    options = [[name, random_.choice(NUMBERS)] for name in SIZES.get(algorithm, ["--seq"])]
    if algorithm not in SIZES:
        for name in random_.sample(sorted(TAME), random_.choice([0, 1, 2, 3])):
            options.append([name, random_.choice(TAME[name])])
    return [[word for word in option if word] for option in options]


def options_of(random_, algorithm):
    """Options of a point: those that it needs, mostly, and a few others in any order."""
    if random_.random() < 0.5:
        return tame_options_of(random_, algorithm)
    options = []
    for name in SIZES.get(algorithm, ["--seq"]):
        if random_.random() < 0.97:
            options.append([name, random_.choice(NUMBERS)])
    for name in random_.sample(sorted(VALUES), random_.choice([0, 1, 1, 2, 3, 5])):
        options.append([name, random_.choice(VALUES[name] if random_.random() < 0.9 else ODD)])
    for name in random_.sample(FLAGS, random_.choice([0, 0, 1, 2])):
        options.append([name])
    if random_.random() < 0.2:
        options += [["--block-q", random_.choice(NUMBERS)], ["--block-k", random_.choice(NUMBERS)]]
    random_.shuffle(options)
    return options


def command_line(random_):
    command = random_.choices(list(COMMANDS), COMMANDS.values())[0]
    algorithm = random_.choice([*ALGORITHMS, *SIZES, random_.choice(["flash9", "flash1,flash2", "FLASH2"])])
    options = options_of(random_, algorithm)
    given = {option[0] for option in options}
    if command in ("predict", "simulate", "occupancy", "roofline") and "--device" not in given and random_.random() < 0.95:
        options.append(["--device", "h200"])
    form = random_.choice(FORMATS)
    words = [command, "--algorithm", algorithm, *(word for option in options for word in option), "--format", form]
    return words, form, random_.choice([None, None, "out." + form, "missing/out." + form])


def outcome_of(words, form, target):
    """The exit status of a run, and what is wrong with it."""
    with tempfile.TemporaryDirectory() as folder:
        if target:
            words = [*words, "-o", os.path.join(folder, target)]
        done = run(words, timeout=120)
        files = os.listdir(folder)
        written = pathlib.Path(folder, files[0]).read_text(encoding="utf-8") if files else ""
    messages = len(done.stderr.strip().splitlines())
    told_once = messages == 1 or ("-v" in words and messages > 1)
    return done.returncode, fault_of(done, form, target, files, written, told_once)


def fault_of(done, form, target, files, written, told_once):
    if done.returncode not in (0, 1, 2):
        return f"exit {done.returncode}: {done.stderr}"
    if done.returncode == 2:
        if done.stdout or files or not told_once:
            return f"exit 2 with {done.stdout[:80]!r}, files {files}, messages {done.stderr!r}"
        return None
    if files != ([target] if target else []):
        return f"exit {done.returncode} and files {files}"
    result = written if target else done.stdout
    if target and done.stdout:
        return f"standard output beside -o: {done.stdout[:80]!r}"
    if not result.strip():
        return "no result"
    if form == "json":
        json.loads(result)
    return None


def main():
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else SEED
    print(f"random processes: seed {seed}, {RUNS} runs")
    random_ = random.Random(seed)
    lines = [command_line(random_) for _ in range(RUNS)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        outcomes = list(pool.map(lambda line: outcome_of(*line), lines))
    faults = [(line, fault) for line, (_, fault) in zip(lines, outcomes) if fault]
    for (words, _, target), fault in faults[:20]:
        print("tilemeter", " ".join(words), "-o " + target if target else "", "\n   ", fault)
    done = sum(status == 0 for status, _ in outcomes)
    refused = sum(status == 2 for status, _ in outcomes)
    print(f"{done} done, {refused} refused, {len(faults)} faults")
    return 1 if faults or min(done, refused) < RUNS // 10 else 0


if __name__ == "__main__":
    sys.exit(main())
