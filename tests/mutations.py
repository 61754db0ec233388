#!/usr/bin/env python3
"""Shows that the laws bite: breaks the counting or the arithmetic in one way at a time, and expects a law to fail.

usage: tests/mutations.py BUILD_FOLDER [--only NAME]

Works on a copy of the sources inside BUILD_FOLDER. Exit status 0 when the unbroken copy passes and every mutant fails.
"""
import argparse
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ("model", "sim", "traces", "kernels", "tools", "tests")

# name, file, text, replacement: what a careless change could do.
MUTANTS = [
    ("flash2 skips the last key tile", "sim/algorithms/flash2.cpp", "return outer_.visited.keys_of(query_tile); };",
     "TileRange r = outer_.visited.keys_of(query_tile); if (!r.empty()) --r.last; return r; };"),
    ("flash1 visits one query tile too few", "sim/algorithms/flash1.cpp", "TileRange range = visited_.queries_of(j);",
     "TileRange range = visited_.queries_of(j); if (!range.empty()) --range.last;"),
    ("flash2 drops the rescale of the output", "sim/algorithms/query_outer.hpp",
     "block.scale_rows(tiles.o, tiles.factors.rescale);", ""),
    ("the ragged tile counts as a full one", "model/geometry.hpp",
     "return size < extent - begin(tile) ? size : extent - begin(tile); }", "return tile >= 0 ? size : 0; }"),
    ("flash1 forgets to write l and m", "sim/algorithms/flash1.cpp",
     "block.store(Phase::store, memory_.whole_rows(l_, stream, row, rows), tiles.l);\n"
     "    block.store(Phase::store, memory_.whole_rows(m_, stream, row, rows), tiles.m);", ""),
    ("flash1 forgets to read l and m", "sim/algorithms/flash1.cpp",
     "block.load(Phase::load_state, tiles.l, memory_.whole_rows(l_, stream, rows.begin, rows.size));\n"
     "    block.load(Phase::load_state, tiles.m, memory_.whole_rows(m_, stream, rows.begin, rows.size));", ""),
    ("rows without keys are not guarded", "sim/numerics.cpp",
     "return maximum == minus_infinity<Scalar> ? Scalar(0) : maximum;", "return maximum;"),
    ("dead query tiles read Q", "sim/algorithms/flash2.cpp", "if (!keys_of(at.row.index).empty()) block.load", "block.load"),
    ("a folded run is counted by its longest step", "sim/block.inl",
     "Wide(first.full_length()) + Wide(last.full_length())", "Wide(longest.full_length()) * Wide(2)"),
    ("stores are billed at two bytes whatever the type", "sim/block.inl",
     ".write_bytes = bytes_of(to.shape.rows, to.shape.cols, to.tensor->dtype)",
     ".write_bytes = bytes_of(to.shape.rows, to.shape.cols, DType::fp16)"),
    ("the causal mask is off by one key", "model/visibility.hpp", "clip(position + 1 +", "clip(position +"),
    ("zigzag loads the tile that it holds", "sim/algorithms/zigzag.cpp",
     "const Count kept_tiles = kept(a).length();", "const Count kept_tiles = 0 * kept(a).length();"),
    ("parts without keys say +inf", "sim/algorithms/split_kv.cpp",
     "block.log_sum_exp(tiles.m, tiles.l, -std::numeric_limits<double>::infinity());",
     "block.log_sum_exp(tiles.m, tiles.l, std::numeric_limits<double>::infinity());"),
    ("pages are read in order, past the table", "sim/algorithms/paged_keys.hpp",
     "if constexpr (P::has_numbers) place = static_cast<Count>(entries.numbers()(0, page - first_page));", ""),
    ("a block is dealt to the same SM every time", "sim/ledger.cpp", "(block_.first % sms + (k *", "(0 * (k *"),
    ("the last SM's share of the copies is lost", "sim/ledger.cpp", "ceil_div(block_.copies - k, period)",
     "(block_.copies - k) / period"),
    ("dead key tiles load K and V", "sim/algorithms/flash2_backward.cpp",
     "if (!queries_of(slot.index).empty()) keys.load", "keys.load"),
    ("the softmax gradient forgets its second term", "sim/numerics.cpp", "(dp.row(r).array() - sums(r, 0))",
     "dp.row(r).array()"),
    ("one buffer of dQ is left out of the sum", "sim/algorithms/flash2_backward.cpp",
     "block.load(Phase::load_state, part,", "if (buffer.index == 0) block.load(Phase::load_state, part,"),
    ("dropout has no gradient", "sim/numerics.cpp", "dp.array() *= z.array() / static_cast<Scalar>(keep_probability);",
     ""),
]


def run(*command):
    return subprocess.run(command, capture_output=True, text=True)


def build_and_test(build):
    """What the law tests say of the sources as they are: 'passed', 'failed', or 'not built'."""
    built = run("cmake", "--build", str(build), "--target", "sim_test")
    if built.returncode != 0:
        return "not built", built.stdout[-2000:]
    tested = run(str(build / "tests/sim/sim_test"))
    return ("passed" if tested.returncode == 0 else "failed"), tested.stdout


def law_of(output):
    """The first failing test case in Catch's output."""
    lines = output.splitlines()
    rules = [i for i, line in enumerate(lines) if line.startswith("----")]
    return lines[rules[0] + 1] if rules and rules[0] + 1 < len(lines) else "(stopped)"


def copy_sources(copy):
    shutil.rmtree(copy, ignore_errors=True)
    copy.mkdir(parents=True)
    for folder in FOLDERS:
        shutil.copytree(ROOT / folder, copy / folder)
    shutil.copy(ROOT / "CMakeLists.txt", copy)


def main():
    arguments = argparse.ArgumentParser(description="Shows that the laws bite.")
    arguments.add_argument("build", type=pathlib.Path)
    arguments.add_argument("--only", help="a part of the names of the mutants to try")
    options = arguments.parse_args()
    copy, build = options.build / "sources", options.build / "objects"
    copy_sources(copy)
    configured = run("cmake", "-S", str(copy), "-B", str(build), "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug",
                     "-DCMAKE_CXX_FLAGS_DEBUG=-O0", "-DTILEMETER_CUDA=OFF")
    if configured.returncode != 0:
        sys.exit(f"mutations: configure failed\n{configured.stderr}")
    verdict, output = build_and_test(build)
    if verdict != "passed":
        sys.exit(f"mutations: the unbroken sources {verdict}\n{output}")
    survivors = 0
    mutants = [m for m in MUTANTS if not options.only or options.only in m[0]]
    for name, file, text, replacement in mutants:
        path = copy / file
        original = path.read_text()
        if original.count(text) != 1:
            sys.exit(f"mutations: '{name}' expects its text once in {file}, found {original.count(text)}")
        path.write_text(original.replace(text, replacement))
        verdict, output = build_and_test(build)
        path.write_text(original)
        caught = verdict == "failed"
        survivors += not caught
        print(f"{'caught' if caught else 'SURVIVED (' + verdict + ')'}: {name}" + (f" -- by: {law_of(output)}" if caught else ""),
              flush=True)
    print(f"{len(mutants) - survivors} passed, {survivors} failed")
    sys.exit(1 if survivors else 0)


if __name__ == "__main__":
    main()
