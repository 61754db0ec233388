#!/usr/bin/env python3
"""Times what a GPU's own libraries make of the same problems, by the protocol of `tilemeter measure` and in its JSON.

usage: peers.py attention --seq 2048,8192 --head-dim 64,128 [--batch B] [--heads H] [--kv-heads G] [--seq-q M]
                          [--causal both|yes|no] [--backend flash,cudnn,efficient,math] [--tokens T --hidden C]
       peers.py gradients ...: the backward pass of the same problems
       peers.py gemm --m 8192 --n 8192 --k 8192
       peers.py layer --tokens 1,16,256 --d-in 16384 --d-out 16384
       peers.py copy --bytes 1073741824
       ... [--dtype bf16] [--cache cold|warm|both] [--samples 30] [--seed 1] [--sustained] [-o FILE.json]

Sizes may be lists, a,b,c; every combination is a point. With --tokens and --hidden, batch = tokens / seq and heads =
hidden / head_dim. Needs PyTorch with CUDA; without it, one line on standard error and exit status 2. A backend that
refuses a point leaves a row with "supported": false and its reason.
"""

import argparse
import contextlib
import datetime
import itertools
import json
import math
import statistics
import sys
import time

try:
    import torch
except ImportError:
    torch = None

LEAST_FLUSH = 256 << 20
SINGLE_FROM = 50e-6
WARMUP_LAUNCHES, WARMUP_SECONDS = 3, 0.2
SUSTAINED_SECONDS, SUSTAINED_CHUNK = 2.0, 0.02
CHECKED_ROWS = 64
TOLERANCE = {"fp16": 2e-3, "bf16": 1.6e-2, "fp32": 1e-5}


class Clocks:
    """Clock and power by the management library, where its Python package is."""

    def __init__(self):
        try:
            import pynvml
            pynvml.nvmlInit()
            self.nvml, self.handle = pynvml, pynvml.nvmlDeviceGetHandleByIndex(torch.cuda.current_device())
        except Exception:  # no package, no library, no permission: records go without
            self.nvml = None

    def read(self):
        if self.nvml is None:
            return None
        return (1e6 * self.nvml.nvmlDeviceGetClockInfo(self.handle, self.nvml.NVML_CLOCK_SM),
                1e-3 * self.nvml.nvmlDeviceGetPowerUsage(self.handle))

    def driver(self):
        if self.nvml is None:
            return "unknown"
        version = self.nvml.nvmlSystemGetDriverVersion()
        return version.decode() if isinstance(version, bytes) else version


def quantile(ordered, fraction):
    place = fraction * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


class Timer:
    """The protocol: warm-up, an empty or a warm L2, events around single launches or graph replays, medians."""

    def __init__(self, samples):
        self.samples = samples
        self.clocks = Clocks()
        l2 = torch.cuda.get_device_properties(0).L2_cache_size
        self.flush_bytes = max(LEAST_FLUSH, 2 * l2)
        self.scratch = torch.empty(self.flush_bytes // 4, dtype=torch.int32, device="cuda")

    def flush(self):
        """Writes the scratch buffer and reads it back, so that the L2 keeps no dirty lines."""
        self.scratch.fill_(1)
        return self.scratch.amax()

    @staticmethod
    def timed(launch):
        start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        launch()
        stop.record()
        stop.synchronize()
        return 1e-3 * start.elapsed_time(stop)

    def warm_up(self, launch):
        until = time.monotonic() + WARMUP_SECONDS
        while True:
            one = self.timed(lambda: [launch() for _ in range(WARMUP_LAUNCHES)]) / WARMUP_LAUNCHES
            if time.monotonic() >= until:
                return one

    @staticmethod
    def captured(launch, count):
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            launch()
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            for _ in range(count):
                launch()
        return graph.replay

    def cold(self, launch):
        self.warm_up(launch)

        def sample():
            self.flush()
            return self.timed(launch)

        return self.record("cold", "single launch", 1, self.flush_bytes, sample)

    def warm(self, launch):
        one = self.warm_up(launch)
        count, method, repeated = 1, "single launch", launch
        if one < SINGLE_FROM:
            count, method = max(10, min(100, math.ceil(200e-6 / one))), "graph replay"
            repeated = self.captured(launch, count)

        def sample():
            repeated()
            return self.timed(repeated) / count

        return self.record("warm", method, count, 0, sample)

    def sustained(self, launch):
        one = self.warm_up(launch)
        chunk = max(1, math.ceil(SUSTAINED_CHUNK / one))
        launches = lambda: [launch() for _ in range(chunk)]
        end = time.monotonic() + SUSTAINED_SECONDS / 3
        while time.monotonic() < end:
            self.timed(launches)
        seconds, readings = [], []
        end = time.monotonic() + SUSTAINED_SECONDS
        while time.monotonic() < end:
            seconds.append(self.timed(launches) / chunk)
            readings.append(self.clocks.read())
        return self.figures("sustained", "batch", chunk, 0, seconds, readings)

    def record(self, regime, method, launches, flushed, sample):
        seconds, readings = [], []
        for _ in range(self.samples):
            seconds.append(sample())
            readings.append(self.clocks.read())
        return self.figures(regime, method, launches, flushed, seconds, readings)

    @staticmethod
    def figures(regime, method, launches, flushed, seconds, readings):
        ordered = sorted(seconds)
        if len(ordered) < 2 or ordered[0] <= 0:
            raise RuntimeError(f"no valid samples: {len(ordered)} taken")
        first, third = quantile(ordered, 0.25), quantile(ordered, 0.75)
        reach = 1.5 * (third - first)
        clocks = [reading[0] for reading in readings if reading]
        highest, fall = 0, 0
        for clock in clocks:
            highest = max(highest, clock)
            fall = max(fall, 1 - clock / highest)
        return {
            "regime": regime, "method": method, "launches": launches, "samples": len(ordered), "discarded": 0,
            "outliers": sum(s < first - reach or s > third + reach for s in ordered), "flush_bytes": flushed,
            "seconds": {"median": quantile(ordered, 0.5), "mean": statistics.fmean(ordered), "least": ordered[0],
                        "p5": quantile(ordered, 0.05), "p95": quantile(ordered, 0.95), "most": ordered[-1],
                        "quartile_range": third - first},
            "clocks": {"sm_hertz": statistics.median(clocks) if clocks else None, "fall": fall if clocks else None},
            "watts": statistics.fmean(reading[1] for reading in readings if reading) if clocks else None,
        }


def relative_error(values, expected):
    error = (values.double() - expected).norm() / expected.norm()
    return error.item() if torch.isfinite(error) else math.inf


class Work:
    """What is timed: `prepare` runs once before it."""
    roundings = 1  # by how much the tolerance of the type is wider

    def prepare(self):
        pass


class Attention(Work):
    algorithm = "attention"

    def __init__(self, sizes, dtype, seed):
        self.sizes = sizes
        generator = torch.Generator("cuda").manual_seed(seed)
        shape = lambda heads, rows: (sizes["batch"], heads, rows, sizes["head_dim"])
        normal = lambda *size: torch.randn(size, generator=generator, device="cuda", dtype=dtype)
        self.q = normal(*shape(sizes["heads"], sizes["seq_q"]))
        self.k = normal(*shape(sizes["kv_heads"], sizes["seq_k"]))
        self.v = normal(*shape(sizes["kv_heads"], sizes["seq_k"]))
        self.causal = sizes["mask"] != "none"
        self.grouped = sizes["heads"] != sizes["kv_heads"]

    def contexts(self, names):
        from torch.nn.attention import SDPBackend, sdpa_kernel
        backends = {"flash": SDPBackend.FLASH_ATTENTION, "cudnn": SDPBackend.CUDNN_ATTENTION,
                    "efficient": SDPBackend.EFFICIENT_ATTENTION, "math": SDPBackend.MATH}
        return [("sdpa_" + name, sdpa_kernel(backends[name])) for name in names]

    def launch(self):
        return torch.nn.functional.scaled_dot_product_attention(self.q, self.k, self.v, is_causal=self.causal,
                                                                enable_gqa=self.grouped)

    def error(self, output):
        """Over random rows of every head, against the definition in double precision, one batch entry at a time."""
        sizes, group = self.sizes, self.sizes["heads"] // self.sizes["kv_heads"]
        rows = torch.randperm(sizes["seq_q"], device="cuda")[:CHECKED_ROWS]
        squares = [0.0, 0.0]
        for batch, head in itertools.product(range(sizes["batch"]), range(sizes["heads"])):
            k, v = (t[batch, head // group].double() for t in (self.k, self.v))
            scores = self.q[batch, head, rows].double() @ k.T / math.sqrt(sizes["head_dim"])
            if self.causal:
                hidden = torch.arange(sizes["seq_k"], device="cuda")[None, :] > rows[:, None]
                scores.masked_fill_(hidden, -math.inf)
            expected = torch.softmax(scores, -1) @ v
            squares[0] += (output[batch, head, rows].double() - expected).square().sum().item()
            squares[1] += expected.square().sum().item()
        return math.sqrt(squares[0] / squares[1])

    def pairs(self):
        seq_q, seq_k = self.sizes["seq_q"], self.sizes["seq_k"]
        a_head = sum(min(row + 1, seq_k) for row in range(seq_q)) if self.causal else seq_q * seq_k
        return self.sizes["batch"] * self.sizes["heads"] * a_head

    def flops(self):
        return 4 * self.pairs() * self.sizes["head_dim"]

    def compulsory_bytes(self):
        return sum(t.numel() * t.element_size() for t in (self.q, self.q, self.k, self.v))


class Gradients(Attention):
    """dQ, dK, dV of what a forward pass, which is not timed, left."""
    algorithm = "gradients"
    roundings = 2

    def __init__(self, sizes, dtype, seed):
        super().__init__(sizes, dtype, seed)
        generator = torch.Generator("cuda").manual_seed(seed + 1)
        self.d_o = torch.randn(self.q.shape, generator=generator, device="cuda", dtype=dtype)
        self.operands = [tensor.requires_grad_() for tensor in (self.q, self.k, self.v)]
        self.output = None

    def prepare(self):
        self.output = super().launch()

    def launch(self):
        return torch.autograd.grad(self.output, self.operands, self.d_o, retain_graph=True)

    def expected(self, batch, kv_head):
        """dQ of the group's heads, dK and dV of one K/V head in double precision."""
        sizes, group = self.sizes, self.sizes["heads"] // self.sizes["kv_heads"]
        k, v = (t[batch, kv_head].detach().double() for t in (self.k, self.v))
        d_q, d_k, d_v = [], torch.zeros_like(k), torch.zeros_like(v)
        for head in range(kv_head * group, (kv_head + 1) * group):
            q, d_o = (t[batch, head].detach().double() for t in (self.q, self.d_o))
            scores = q @ k.T / math.sqrt(sizes["head_dim"])
            if self.causal:
                scores.masked_fill_(torch.ones_like(scores, dtype=torch.bool).triu_(1), -math.inf)
            p = torch.softmax(scores, -1)
            d_p = d_o @ v.T
            d_s = p * (d_p - (p * d_p).sum(-1, keepdim=True)) / math.sqrt(sizes["head_dim"])
            d_q.append(d_s @ k)
            d_k += d_s.T @ q
            d_v += p.T @ d_o
        return torch.stack(d_q), d_k, d_v

    def error(self, gradients):
        """The largest of the three errors, over the first and the last K/V head."""
        sizes, group = self.sizes, self.sizes["heads"] // self.sizes["kv_heads"]
        worst = 0.0
        for batch, kv_head in {(0, 0), (sizes["batch"] - 1, sizes["kv_heads"] - 1)}:
            own = (gradients[0][batch, kv_head * group:(kv_head + 1) * group], gradients[1][batch, kv_head],
                   gradients[2][batch, kv_head])
            worst = max([worst, *map(relative_error, own, self.expected(batch, kv_head))])
        return worst

    def flops(self):
        """Five products for the forward pass's two, by convention."""
        return 10 * self.pairs() * self.sizes["head_dim"]

    def compulsory_bytes(self):
        return 2 * sum(t.numel() * t.element_size() for t in (self.q, self.q, self.k, self.v))


class Product(Work):
    """C = A B."""

    def __init__(self, sizes, a, b):
        self.sizes = sizes
        self.a, self.b = a, b
        self.c = torch.empty(a.shape[0], b.shape[1], device="cuda", dtype=a.dtype)

    def contexts(self, _names):
        return [("cublas", contextlib.nullcontext())]

    def launch(self):
        return torch.matmul(self.a, self.b, out=self.c)

    def error(self, output):
        rows = torch.randperm(self.a.shape[0], device="cuda")[:CHECKED_ROWS]
        return relative_error(output[rows], self.a[rows].double() @ self.b.double())

    def flops(self):
        return 2 * self.a.shape[0] * self.b.shape[1] * self.a.shape[1]

    def compulsory_bytes(self):
        return sum(t.numel() * t.element_size() for t in (self.a, self.b, self.c))


def normal_matrices(dtype, seed, *shapes):
    generator = torch.Generator("cuda").manual_seed(seed)
    return [torch.randn(shape, generator=generator, device="cuda", dtype=dtype) for shape in shapes]


class Gemm(Product):
    algorithm = "gemm"

    def __init__(self, sizes, dtype, seed):
        super().__init__(sizes, *normal_matrices(dtype, seed, (sizes["m"], sizes["k"]), (sizes["k"], sizes["n"])))


class Layer(Product):
    """Y = X W^T with W as d_out rows of d_in weights."""
    algorithm = "weight_layer"

    def __init__(self, sizes, dtype, seed):
        x, w = normal_matrices(dtype, seed, (sizes["tokens"], sizes["d_in"]), (sizes["d_out"], sizes["d_in"]))
        super().__init__(sizes, x, w.T)


class Copy(Work):
    algorithm = "copy"

    def __init__(self, sizes, dtype, seed):
        self.sizes = sizes
        generator = torch.Generator("cuda").manual_seed(seed)
        elements = sizes["bytes"] // torch.empty(0, dtype=dtype).element_size()
        self.x = torch.randn(elements, generator=generator, device="cuda", dtype=dtype)
        self.y = torch.empty_like(self.x)

    def contexts(self, _names):
        return [("copy", contextlib.nullcontext())]

    def launch(self):
        return self.y.copy_(self.x)

    def error(self, output):
        return 0.0 if torch.equal(output, self.x) else math.inf

    def flops(self):
        return 0

    def compulsory_bytes(self):
        return 2 * self.x.numel() * self.x.element_size()


def measured(name, context, work, dtype, options, timer):
    """One row, as a point of `tilemeter measure` has it."""
    row = {"kernel": name, "algorithm": work.algorithm, "problem": {**work.sizes, "dtype": dtype}, "tiling": None}
    try:
        with context:
            work.prepare()
            error = work.error(work.launch())
            row.update(supported=True, reason=None)
            tolerance = work.roundings * TOLERANCE[dtype]
            row["gate"] = {"ok": error <= tolerance, "error": error, "tolerance": tolerance}
            row["failure"] = None if error <= tolerance else f"wrong numbers: relative error {error:.3g}"
            row["compulsory_bytes"], row["useful_flops"] = work.compulsory_bytes(), work.flops()
            row["times"] = []
            if row["failure"]:
                return row
            regimes = [r for r in ("cold", "warm") if options.cache in (r, "both")]
            for regime in regimes + (["sustained"] if options.sustained else []):
                figures = getattr(timer, regime)(work.launch)
                median = figures["seconds"]["median"]
                figures["flops_per_second"] = work.flops() / median if work.flops() else None
                figures["compulsory_bytes_per_second"] = work.compulsory_bytes() / median
                row["times"].append(figures)
    except (RuntimeError, torch.OutOfMemoryError) as refused:
        row.update(supported=False, reason=str(refused).splitlines()[0])
    return row


def sizes_of(options):
    """The points of the grid, each as a dictionary of sizes."""
    if options.what == "gemm":
        return [dict(m=m, n=n, k=k) for m, n, k in itertools.product(options.m, options.n, options.k)]
    if options.what == "layer":
        return [dict(tokens=tokens, d_in=d_in, d_out=d_out)
                for tokens, d_in, d_out in itertools.product(options.tokens or [1], options.d_in, options.d_out)]
    if options.what == "copy":
        return [dict(bytes=size) for size in options.bytes]
    points = []
    masks = {"both": ["none", "causal"], "yes": ["causal"], "no": ["none"]}[options.causal]
    for head_dim, seq, batch, heads, mask in itertools.product(options.head_dim, options.seq, options.batch,
                                                               options.heads, masks):
        if options.tokens:
            batch, heads = max(1, options.tokens[0] // seq), options.hidden // head_dim
        for seq_q, kv_heads in itertools.product(options.seq_q or [seq], options.kv_heads or [heads]):
            if mask == "causal" and seq_q != seq:
                continue  # PyTorch's causal mask is aligned at the top left
            points.append(dict(batch=batch, heads=heads, kv_heads=kv_heads, seq_q=seq_q, seq_k=seq, head_dim=head_dim,
                               head_dim_v=head_dim, mask=mask))
    return points


def sizes(text):
    return [int(part) for part in text.split(",")]


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["attention", "gradients", "gemm", "layer", "copy"])
    for name, default in [("batch", "1"), ("heads", "1"), ("seq", "2048"), ("head-dim", "64"), ("m", "8192"),
                          ("n", "8192"), ("k", "8192"), ("d-in", "16384"), ("d-out", "16384"), ("bytes", str(1 << 30))]:
        parser.add_argument("--" + name, type=sizes, default=sizes(default))
    for name in ("seq-q", "kv-heads"):
        parser.add_argument("--" + name, type=sizes)
    parser.add_argument("--tokens", type=sizes)
    parser.add_argument("--hidden", type=int, default=2048)
    parser.add_argument("--causal", choices=["both", "yes", "no"], default="no")
    parser.add_argument("--backend", default="flash,cudnn,efficient,math")
    parser.add_argument("--dtype", choices=sorted(TOLERANCE), default="bf16")
    parser.add_argument("--cache", choices=["cold", "warm", "both"], default="both")
    parser.add_argument("--samples", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sustained", action="store_true")
    parser.add_argument("-o", "--output")
    return parser.parse_args(arguments)


def main(arguments):
    options = parse(arguments)
    if torch is None or not torch.cuda.is_available():
        print("peers.py needs PyTorch with CUDA and a GPU", file=sys.stderr)
        return 2
    dtype = {"fp16": torch.float16, "bf16": torch.bfloat16, "fp32": torch.float32}[options.dtype]
    kind = {"attention": Attention, "gradients": Gradients, "gemm": Gemm, "layer": Layer, "copy": Copy}[options.what]
    timer = Timer(options.samples)
    properties = torch.cuda.get_device_properties(0)
    record = {
        "schema": 1, "command": "peers", "version": "torch " + torch.__version__,
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "gpu": {"name": properties.name, "driver": timer.clocks.driver(), "toolkit": torch.version.cuda,
                "cudnn": torch.backends.cudnn.version(), "sm_count": properties.multi_processor_count,
                "l2_bytes": properties.L2_cache_size},
        "seed": options.seed, "flush_bytes": timer.flush_bytes, "points": [],
    }
    for point in sizes_of(options):
        work = kind(point, dtype, options.seed)
        for name, context in work.contexts(options.backend.split(",")):
            record["points"].append(measured(name, context, work, options.dtype, options, timer))
        del work
    text = json.dumps(record, indent=1) + "\n"
    if options.output:
        with open(options.output, "w", encoding="utf-8") as file:
            file.write(text)
    else:
        sys.stdout.write(text)
    return 1 if any(point.get("failure") for point in record["points"]) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
