"""Times of this project's kernels over those of other libraries at the same point, as recorded on one GPU with an empty L2.

usage: beside_peers.py FOLDER    a folder of recordings, such as traces/measured/h200
"""

import json
import pathlib
import statistics
import sys

PEERS = {"sdpa_flash": "FlashAttention-2", "sdpa_cudnn": "cuDNN", "cublas": "cuBLAS"}
HOW = {"stat_dtype", "o_dtype", "packed"}
DEFAULTS = {"batch": 1, "group_size": 0, "weight_dtype": "bf16"}  # which peers' recordings leave out


def points(folder):
    for path in sorted(pathlib.Path(folder).glob("*.json")):
        document = json.loads(path.read_text(encoding="utf-8"))
        if document.get("command") in ("measure", "peers"):
            yield from document["points"]


def cold_seconds(point):
    """The median time with an empty L2, of a single launch; None where there is no valid one."""
    times = [time for time in point.get("times") or [] if time["regime"] == "cold" and time["method"] == "single launch"]
    return times[0]["seconds"]["median"] if times and times[0].get("valid", True) else None


def sizes(point):
    """What was computed, but not how: one key for a kernel and its peer."""
    problem = {key: value for key, value in point["problem"].items() if key not in HOW and DEFAULTS.get(key) != value}
    problem["backward"] = point["algorithm"] == "gradients" or point["algorithm"].endswith("_backward")
    return frozenset(problem.items())


def on(dtype, key):
    """The same sizes in another type."""
    return frozenset({**dict(key), "dtype": dtype}.items())


def ratios(own, peers):
    """(kernel, other) -> ratios of times at the points that both have; a kernel on fp8 stands beside itself on bf16."""
    found = {}
    for (kernel, key), seconds in own.items():
        for peer, name in PEERS.items():
            if (peer, key) in peers:
                found.setdefault((kernel, name), []).append(seconds / peers[peer, key])
        if dict(key)["dtype"] == "fp8" and (kernel, on("bf16", key)) in own:
            found.setdefault((kernel + " on fp8", "itself on bf16"), []).append(seconds / own[kernel, on("bf16", key)])
    return found


def fastest(folder):
    """(kernel, sizes) -> seconds of its fastest variant."""
    found = {}
    for point in points(folder):
        seconds = cold_seconds(point)
        if seconds is not None:
            key = point["kernel"], sizes(point)
            found[key] = min(seconds, found.get(key, seconds))
    return found


def main():
    if len(sys.argv) != 2 or not pathlib.Path(sys.argv[1], "kernels").is_dir():
        sys.exit(__doc__.strip())
    folder = pathlib.Path(sys.argv[1])
    own, peers = fastest(folder / "kernels"), fastest(folder / "other")
    print(f"{'kernel':<18} {'beside':<17} {'points':>6}   time over the other's: least, median, most")
    for (kernel, peer), values in sorted(ratios(own, peers).items()):
        values.sort()
        print(f"{kernel:<18} {peer:<17} {len(values):>6}   {values[0]:.2f}  {statistics.median(values):.2f}  {values[-1]:.2f}")


if __name__ == "__main__":
    main()
