"""Documents as `count` and `sweep` write them, for the tests of the report. Figures come from the closed forms."""

import json

DTYPE = 2
STATISTICS = 4


def ceil_div(a, b):
    return -(-a // b)


def amounts(read, write):
    return {"read": read, "write": write, "total": read + write}


def flash1(n, d, block_q, block_k):
    """Reads and writes of each tensor: K/V outer, every key tile visits all query rows."""
    visits = ceil_div(n, block_k) * n
    return {
        "Q": (visits * d, 0),
        "K": (n * d, 0),
        "V": (n * d, 0),
        "O": (visits * d, visits * d),
        "l": (visits, visits),
        "m": (visits, visits),
    }


def flash2(n, d, block_q, block_k):
    """Q outer: K and V are streamed once for each query tile."""
    streamed = ceil_div(n, block_q) * n * d
    return {"Q": (n * d, 0), "K": (streamed, 0), "V": (streamed, 0), "O": (0, n * d), "LSE": (0, n)}


def standard(n, d, block_q, block_k):
    return {
        "Q": (n * d, 0),
        "K": (n * d, 0),
        "V": (n * d, 0),
        "O": (0, n * d),
        "S": (n * n, n * n),
        "P": (n * n, n * n),
    }


BILLS = {"flash1": flash1, "flash2": flash2, "standard": standard}


def traffic_of(bill):
    size = lambda tensor: STATISTICS if tensor in ("l", "m", "LSE") else DTYPE
    tensors = {
        name: {"read_elements": r, "write_elements": w, "read_bytes": r * size(name), "write_bytes": w * size(name)}
        for name, (r, w) in bill.items()
    }
    total = lambda key: sum(tensor[key] for tensor in tensors.values())
    return {
        "elements": amounts(total("read_elements"), total("write_elements")),
        "bytes": amounts(total("read_bytes"), total("write_bytes")),
        "tensors": tensors,
    }


def footprint(d, block_q, block_k):
    return 2 * d * (block_q + block_k) + block_q * block_k + 2 * block_q


def point(
    algorithm, n, d, tiling=None, capacity=None, capacity_key="capacity_elements", count_overflow=True, mask="none"
):
    """One point; with a budget, a tiling that overflows it is infeasible, and counted only if `count_overflow`."""
    block_q, block_k, rule = tiling or (128, 128, "default")
    is_standard = algorithm == "standard"
    peak = None if is_standard else footprint(d, block_q, block_k)
    size = 1 if capacity_key == "capacity_elements" else DTYPE
    fits = None if is_standard or capacity is None else peak * size <= capacity
    traffic = traffic_of(BILLS[algorithm](n, d, block_q, block_k))
    result = {
        "algorithm": algorithm,
        "problem": {
            "batch": 1,
            "heads": 1,
            "kv_heads": 1,
            "seq_q": n,
            "seq_k": n,
            "head_dim": d,
            "head_dim_v": d,
            "mask": mask,
            "dtype": "fp16",
            "stat_dtype": "fp32",
        },
        "tiling": None if is_standard else {"block_q": block_q, "block_k": block_k, "stages": 1, "rule": rule},
        "sram": {
            "placement": "sram",
            "peak_elements": peak,
            "peak_bytes": None if peak is None else peak * DTYPE,
            "capacity_elements": None,
            "capacity_bytes": None,
            "fits": fits,
            "tiles": (
                []
                if is_standard
                else [
                    {
                        "name": "K",
                        "space": "sram",
                        "rows": block_k,
                        "cols": d,
                        "elements": block_k * d,
                        "bytes": block_k * d * DTYPE,
                    }
                ]
            ),
        },
        "feasible": fits is not False,
    }
    result["sram"][capacity_key] = capacity
    if fits is not False or count_overflow:
        result["traffic"] = traffic
        result["closed_form"] = {
            "expression": "2Nd + Tc(3Nd + 4N)" if algorithm == "flash1" else "sum over tensors",
            "elements": traffic["elements"],
            "bytes": traffic["bytes"],
            "equal": True,
        }
    if fits is False:
        result["overflow_elements"] = peak - capacity // size
        result["reason"] = (
            f"tiling {block_q} x {block_k} needs {peak} elements on chip, the budget is {capacity // size}"
        )
    return result


def document(points, command="sweep"):
    return {"schema": 1, "command": command, "version": "0.1.0", "points": points}


def paper(budget, d):
    block_k = ceil_div(budget, 4 * d)
    return min(block_k, d), block_k, "paper"


BUDGETS = (12500, 25000, 50000, 100000, 200000)


def budget_sweep(algorithms=("flash1",), count_overflow=True):
    """The paper's rule at N = 4096, d = 64: the two smallest budgets overflow."""
    return document(
        [point(name, 4096, 64, paper(m, 64), m, count_overflow=count_overflow) for name in algorithms for m in BUDGETS]
    )


def block_sweep(
    sizes_q=range(16, 257, 16), sizes_k=range(16, 257, 16), algorithms=("flash2",), capacity=50000, count_overflow=False
):
    return document(
        [
            point(name, 4096, 64, (q, k, "given"), capacity, count_overflow=count_overflow)
            for name in algorithms
            for q in sizes_q
            for k in sizes_k
        ]
    )


def length_sweep():
    return document(
        [
            point(name, n, d, (64, 64, "given"))
            for name in ("standard", "flash1", "flash2")
            for d in (64, 128)
            for n in (512, 1024, 2048, 4096, 8192, 16384)
        ]
    )


def single_count():
    result = point("flash1", 4096, 64, paper(50000, 64), 50000)
    del result["feasible"]
    return {"schema": 1, "command": "count", "version": "0.1.0", **result}


def infeasible_sweep():
    return document([point("flash1", 4096, 64, paper(m, 64), m, count_overflow=False) for m in (12500, 25000)])


def mixed_sweep():
    """Several of everything: algorithms, masks, lengths, budgets in bytes and tilings."""
    return document(
        [
            point(name, n, 64, (q, k, "given"), m * 1024, "capacity_bytes", False, mask)
            for name in ("standard", "flash1", "flash2")
            for mask in ("none", "causal")
            for n in (1024, 4096)
            for m in (32, 64, 128, 227)
            for q in (32, 64, 128)
            for k in (32, 64, 128)
        ]
    )


def large_sweep():
    """10,000 points: 100 x 100 tilings."""
    return block_sweep(range(16, 16 * 101, 16), range(16, 16 * 101, 16), capacity=400000)


HOSTILE = '</script><script>window.broken = 1</script><!-- <img src=x onerror="window.broken = 1"> & \\ \u2028 {{data}}'


def hostile_sweep():
    """Text that tries to leave its place, in every field that takes text, and integers past 2^53 and at 2^63 - 1."""
    points = budget_sweep(count_overflow=False)["points"]
    points[0]["reason"] = HOSTILE
    points[1]["device"] = {"name": HOSTILE}
    points[2]["algorithm"] = HOSTILE
    points[2]["problem"]["mask"] = HOSTILE
    points[2]["closed_form"]["expression"] = HOSTILE
    points[2]["traffic"]["tensors"][HOSTILE] = {
        "read_elements": 1,
        "write_elements": 0,
        "read_bytes": 2,
        "write_bytes": 0,
    }
    points[3]["traffic"]["elements"] = amounts(9007199254740993, 1)
    points[4]["traffic"]["elements"] = {"read": 9223372036854775806, "write": 1, "total": 9223372036854775807}
    points[4]["closed_form"]["equal"] = False
    return document(points)


DOCUMENTS = {
    "budget": budget_sweep,
    "blocks": block_sweep,
    "length": length_sweep,
    "count": single_count,
    "infeasible": infeasible_sweep,
    "large": large_sweep,
    "mixed": mixed_sweep,
    "hostile": hostile_sweep,
    "not-counted": lambda: budget_sweep(count_overflow=False),
    "several": lambda: budget_sweep(("standard", "flash1", "flash2")),
}

if __name__ == "__main__":
    import sys

    print(json.dumps(DOCUMENTS[sys.argv[1]](), indent=2))


def tune_tiling(bill, n, d, block_q, block_k, capacity):
    """A candidate of tune: billed where it fits, else with a reason."""
    elements = footprint(d, block_q, block_k)
    result = {"block_q": block_q, "block_k": block_k, "stages": 1, "feasible": elements <= capacity, "reason": None}
    result["sram"] = {"elements": elements, "bytes": elements * DTYPE}
    if result["feasible"]:
        traffic = traffic_of(bill(n, d, block_q, block_k))
        result["traffic"] = {unit: traffic[unit]["total"] for unit in ("elements", "bytes")}
    else:
        result["reason"] = f"needs {elements} elements, {capacity} are allowed"
    return result


def tune(algorithms=("flash1", "flash2"), n=4096, d=64, capacity=50000):
    """The document of tune: tilings of two sizes, candidates of three."""
    results = []
    for algorithm in algorithms:
        bill = BILLS[algorithm]
        streamed = [(1, size) if algorithm == "flash1" else (size, 1) for size in (1, 16, 256, n)]
        front = [
            {
                "block_q": q,
                "block_k": k,
                "stages": 1,
                "on_chip": footprint(d, q, k),
                "traffic": traffic_of(bill(n, d, q, k))["elements"]["total"],
            }
            for q, k in streamed
        ]
        sizes = (16, 64, 256)
        results.append(
            {
                "algorithm": algorithm,
                "problem": point(algorithm, n, d)["problem"],
                "order": "K/V outer" if algorithm == "flash1" else "Q outer",
                "budget": {"owner": f"--sram {capacity}el", "placement": "sram", "capacity_elements": capacity},
                "feasible": True,
                "reason": None,
                "best": [tune_tiling(bill, n, d, *streamed[2], capacity)],
                "front": {"unit": "elements", "on_chip": "every tile", "complete": False, "tilings": front},
                "candidates": [tune_tiling(bill, n, d, q, k, capacity) for q in sizes for k in sizes],
            }
        )
    return {"schema": 1, "command": "tune", "version": "0.1.0", "results": results}
