#!/usr/bin/env python3
"""Law 6: no file includes against the arrows of the architecture, packages enter in one place each, and a source starts with
its own header, which shows by it that it compiles alone."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# folder -> the folders whose headers it may include
MAY_INCLUDE = {
    "model": {"model"},
    "traces": {"model", "traces"},
    "sim": {"model", "traces", "sim"},
    "kernels": {"model", "traces", "kernels"},
    "tools": {"model", "traces", "sim", "kernels", "tools"},
    "python": {"model", "traces", "sim", "tools"},
    "tests": {"model", "traces", "sim", "kernels", "tools", "tests"},
}

# package header -> the folders that may use it
PACKAGES = {
    "toml++/": {"model"},
    "Eigen/": {"model", "sim", "tests"},
    "CLI/": {"tools"},
    "spdlog/": {"tools"},
    "nlohmann/": {"tools", "traces", "tests"},
    "boost/": {"model"},
    "cuda": {"kernels", "tests"},
    "mpi.h": {"tools"},
    "catch2/": {"tests"},
    "benchmark/": {"tests"},
    "pybind11/": {"python"},
}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)


def own_header(path):
    """The header of the same name beside a source, as includes name it; None where there is none."""
    header = path.with_suffix(".hpp")
    return str(header.relative_to(ROOT)) if path.suffix == ".cpp" and header.exists() else None


def offences(path):
    folder = path.relative_to(ROOT).parts[0]
    includes = INCLUDE.findall(path.read_text(encoding="utf-8"))
    own = own_header(path)
    if own and includes[:1] != [('"', own)]:
        yield f"{path.relative_to(ROOT)} does not start with its own header: include {own} first"
    for quote, header in includes:
        target = header.split("/")[0]
        if quote == '"' and target in MAY_INCLUDE and target not in MAY_INCLUDE[folder]:
            yield f"{path.relative_to(ROOT)} includes {header}: {folder} may not depend on {target}"
        if quote == '"' and target not in MAY_INCLUDE:
            yield f'{path.relative_to(ROOT)} includes "{header}": own headers are named from the root'
        for package, users in PACKAGES.items():
            if quote == "<" and header.startswith(package) and folder not in users:
                yield f"{path.relative_to(ROOT)} includes <{header}>: {package} belongs to {', '.join(sorted(users))}"


def main():
    files = [p for folder in MAY_INCLUDE for p in sorted((ROOT / folder).rglob("*")) if p.suffix in
             (".hpp", ".cpp", ".inl", ".cu", ".cuh")]
    if len(files) < 50:
        sys.exit(f"layers: only {len(files)} files found under {ROOT}")
    found = [offence for path in files for offence in offences(path)]
    print("\n".join(found))
    print(f"{len(files)} files read, {len(found)} includes against the arrows")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
