#!/usr/bin/env python3
"""Attention counted, computed and predicted by tilemeter, beside NumPy and PyTorch's scaled_dot_product_attention.

usage: sdpa.py [--device NAME|FILE.toml] [--samples 20] [-o FILE.json]

Four cells: what tiled attention moves; how that falls with the memory on chip; the numbers of the tiled algorithms; and,
with PyTorch on a GPU, the numbers and times of its backends. Without one the last says what it leaves out. Times are
taken by the protocol of tools/peers.py: medians of single launches that find an empty L2.
"""

import argparse
import contextlib
import datetime
import json
import pathlib
import sys

import numpy

import tilemeter

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import peers  # noqa: E402

KERNELS = {"flash": "fa2", "cudnn": "cudnn"}  # PyTorch's backend: the description that predicts it


# %% What is counted


def print_table(title, rows):
    """Dictionaries with the same keys, as columns."""
    cells = [list(rows[0])] + [[f"{value:.3g}" if isinstance(value, float) else str(value) for value in row.values()]
                               for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells)]
    print(f"\n{title}")
    for line in cells:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip())


def traffic_rows():
    """Bytes across the edge of the SMs, of three algorithms in tiles that fit 100 KiB."""
    points = tilemeter.count("standard,flash1,flash2", seq=4096, head_dim=64, sram="100KiB")["points"]
    return [{"algorithm": point["algorithm"], "MiB": point["traffic"]["bytes"]["total"] / 2**20,
             "= closed form": point["closed_form"]["equal"]} for point in points]


# %% How it falls with the memory on chip


def sweep_rows():
    """Traffic of flash2 against M; ``pandas.DataFrame(table)`` takes the same columns."""
    table = tilemeter.sweep_columns("flash2", seq=4096, head_dim=64, sram="16KiB:256KiB:*2")
    return [{"M bytes": size, "block_q": block_q, "block_k": block_k, "MiB": moved / 2**20}
            for size, block_q, block_k, moved in zip(table["sram_capacity_bytes"], table["tiling_block_q"],
                                                     table["tiling_block_k"], table["traffic_bytes_total"])]


# %% The numbers


def reference(q, k, v, causal):
    """Attention of (batch, heads, rows, d) arrays in double precision."""
    q, k, v = (array.astype(numpy.float64) for array in (q, k, v))
    scores = q @ k.swapaxes(-1, -2) / numpy.sqrt(q.shape[-1])
    if causal:
        scores[..., ~numpy.tri(q.shape[-2], k.shape[-2], dtype=bool)] = -numpy.inf
    weights = numpy.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True) @ v


def largest(values, expected):
    return float(numpy.abs(values.astype(numpy.float64) - expected).max())


def number_rows():
    """Largest difference to NumPy in double precision."""
    random = numpy.random.default_rng(1)
    q, k, v = (random.standard_normal((1, 4, 300, 64)) for _ in range(3))
    return [{"algorithm": algorithm, "dtype": dtype, "causal": causal,
             "max error": largest(tilemeter.attention(q, k, v, algorithm, causal=causal, dtype=dtype).o,
                                  reference(q, k, v, causal))}
            for algorithm in ("standard_tiled", "flash1", "flash2", "flash3", "split_kv")
            for dtype in ("fp64", "fp32", "bf16") for causal in (False, True)]


# %% PyTorch


def array_of(tensor):
    return tensor.float().cpu().numpy()


def backends_of(work, backends):
    """(backend, context) of those that take the problem."""
    for backend in backends:
        context = lambda: work.contexts([backend])[0][1]
        with contextlib.suppress(RuntimeError):
            with context():
                work.launch()
            yield backend, context()


def torch_number_rows(torch):
    """Each backend in bf16, flash2 of tilemeter in bf16 on the same tensors, and double precision."""
    rows = []
    for seq, head_dim, mask in ((512, 64, "none"), (1000, 64, "causal"), (777, 128, "none"), (1024, 128, "causal")):
        sizes = dict(batch=1, heads=4, kv_heads=4, seq_q=seq, seq_k=seq, head_dim=head_dim, head_dim_v=head_dim, mask=mask)
        work = peers.Attention(sizes, torch.bfloat16, seed=1)
        q, k, v = map(array_of, (work.q, work.k, work.v))
        exact = reference(q, k, v, work.causal)
        tiled = tilemeter.attention(q, k, v, causal=work.causal, dtype="bf16", block_q=128, block_k=64).o
        for backend, context in backends_of(work, ("flash", "cudnn", "efficient", "math")):
            with context:
                output = array_of(work.launch())
            rows.append({"backend": backend, "N": seq, "d": head_dim, "mask": mask,
                         "max |torch - tilemeter|": largest(output, tiled.astype(numpy.float64)),
                         "max |torch - fp64|": largest(output, exact), "max |tilemeter - fp64|": largest(tiled, exact)})
    return rows


def torch_time_rows(torch, timer, device):
    """Measured and predicted milliseconds of 16384 tokens in heads of 2048 / d, bf16."""
    rows = []
    for seq, head_dim, mask in ((1024, 128, "none"), (4096, 64, "none"), (4096, 128, "none"), (4096, 128, "causal"),
                                (16384, 128, "none"), (16384, 128, "causal")):
        sizes = dict(batch=16384 // seq, heads=2048 // head_dim, kv_heads=2048 // head_dim, seq_q=seq, seq_k=seq,
                     head_dim=head_dim, head_dim_v=head_dim, mask=mask)
        work = peers.Attention(sizes, torch.bfloat16, seed=1)
        for backend, context in backends_of(work, KERNELS):
            with context:
                timed = timer.cold(work.launch)
            seconds, clock = timed["seconds"], timed["clocks"]["sm_hertz"]
            predicted = tilemeter.predict(
                kernel=KERNELS[backend], device=device, dtype="bf16", batch=sizes["batch"], heads=sizes["heads"], seq=seq,
                head_dim=head_dim, causal=work.causal)["time"]["seconds"]
            rows.append({"backend": backend, "N": seq, "d": head_dim, "mask": mask, "SM MHz": clock and round(clock / 1e6),
                         "measured ms": 1e3 * seconds["median"], "p5 ms": 1e3 * seconds["p5"], "p95 ms": 1e3 * seconds["p95"],
                         "predicted ms": 1e3 * predicted, "error %": 100 * (predicted / seconds["median"] - 1)})
    return rows


def torch_record(options):
    """The comparison as a document, or why there is none."""
    torch = peers.torch
    if torch is None or not torch.cuda.is_available():
        return {"left_out": "PyTorch with CUDA and a GPU are not here: no numbers and times of its backends"}
    timer = peers.Timer(options.samples)
    return {"gpu": {"name": torch.cuda.get_device_name(), "driver": timer.clocks.driver(), "toolkit": torch.version.cuda,
                    "cudnn": torch.backends.cudnn.version()},
            "torch": torch.__version__, "numbers": torch_number_rows(torch),
            "times": torch_time_rows(torch, timer, options.device)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="h200", help="what times are predicted for")
    parser.add_argument("--samples", type=int, default=20)
    parser.add_argument("-o", "--output", help="also write everything as JSON")
    options = parser.parse_args()
    record = {"command": "sdpa.py " + " ".join(sys.argv[1:]), "version": tilemeter.__version__, "device": options.device,
              "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
              "traffic": traffic_rows(), "sweep": sweep_rows(), "numbers": number_rows(), "torch": torch_record(options)}
    print_table("Bytes across the edge of the SMs, N 4096, d 64, 100 KiB", record["traffic"])
    print_table("flash2 against the memory on chip", record["sweep"])
    print_table("Largest error against NumPy in double precision, N 300, d 64", record["numbers"])
    if "left_out" in record["torch"]:
        print("\n" + record["torch"]["left_out"])
    else:
        print_table("PyTorch's backends and tilemeter's flash2 in bf16", record["torch"]["numbers"])
        print_table(f"Times on {record['torch']['gpu']['name']}, predicted for {options.device}", record["torch"]["times"])
    if options.output:
        pathlib.Path(options.output).write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
