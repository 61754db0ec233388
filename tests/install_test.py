"""What `cmake --install` puts under a prefix: a package that a project of its own finds and builds on, headers that name only
each other, and a program that needs nothing beside it. Arguments: the build folder, the generator, the C++ compiler."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD, GENERATOR, COMPILER = sys.argv[1:4]
del sys.argv[1:4]


def run(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, timeout=300, **options)


def must(*command, **options):
    done = run(*command, **options)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.work = pathlib.Path(cls.folder.name)
        cls.prefix = cls.work / "a prefix"
        must("cmake", "--install", BUILD, "--prefix", cls.prefix)
        cls.program = cls.prefix / "bin" / "tilemeter"

    def configure(self, source, build):
        return run("cmake", "-S", source, "-B", build, "-G", GENERATOR, f"-DCMAKE_CXX_COMPILER={COMPILER}",
                   f"-DCMAKE_PREFIX_PATH={self.prefix}")

    def refused_package(self, words):
        """What CMake says of a project that asks for find_package(tilemeter `words`)."""
        source = self.work / "refused"
        source.mkdir(exist_ok=True)
        (source / "CMakeLists.txt").write_text(
            f"cmake_minimum_required(VERSION 3.25)\nproject(refused LANGUAGES CXX)\nfind_package(tilemeter {words} REQUIRED)\n",
            encoding="utf-8")
        done = self.configure(source, self.work / "refused-build")
        self.assertNotEqual(done.returncode, 0, words)
        return " ".join(done.stderr.split())

    def test_example_counts_and_times_as_the_program_does(self):
        build = self.work / "example"
        done = self.configure(ROOT / "examples" / "traffic", build)
        self.assertEqual(done.returncode, 0, done.stderr)
        must("cmake", "--build", build)
        lines = must(build / "traffic", "a100-80gb", "1024").splitlines()
        self.assertIn("2Nd + Tc(3Nd + 4N)", lines[0])
        self.assertEqual(len(lines), 6)
        for line in lines[2:]:
            block_k, on_chip, _, traffic, _, time, _ = line.split()
            point = json.loads(must(
                self.program, "predict", "--algorithm", "flash1", "--seq", "1024", "--head-dim", "64", "--heads", "16",
                "--block-q", "64", "--block-k", block_k, "--device", "a100-80gb", "--no-capacity", "--format", "json"))
            self.assertEqual(traffic, f"{point['traffic']['bytes']['total'] / 2**20:.1f}")
            self.assertEqual(on_chip, f"{point['sram']['peak_bytes'] / 2**10:.1f}")
            self.assertEqual(time, f"{point['time']['seconds'] * 1e6:.1f}")
        self.assertEqual(run(build / "traffic", "no-such-device").returncode, 2)

    def test_lines_of_the_library_page_compile(self):
        page = (ROOT / "docs" / "library.md").read_text(encoding="utf-8")
        head, lines = re.search(r"^```cpp\n(.*?\n)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL).groups()
        self.assertIn("#include", head)
        source = self.work / "page.cpp"
        source.write_text(f"{head}int main() {{\n{lines}return counted.work == bill && run.time > 0 ? 0 : 1;\n}}\n", encoding="utf-8")
        include = self.prefix / "include"
        must(COMPILER, "-std=c++20", "-fsyntax-only", "-I", include, "-I", include / "tilemeter", source)

    def test_versions_and_components_that_are_not_there_are_refused(self):
        self.assertIn("version", self.refused_package("7.0"))
        self.assertIn("kernels", self.refused_package("COMPONENTS kernels"))

    def test_headers_name_only_each_other(self):
        headers = self.prefix / "include" / "tilemeter"
        files = [path for path in headers.rglob("*") if path.is_file()]
        self.assertGreater(len(files), 150)
        for path in files:
            for name in re.findall(r'^#include "([^"]+)"', path.read_text(encoding="utf-8"), re.MULTILINE):
                self.assertTrue((headers / name).is_file(), f"{path.name} includes {name}, which is not installed")

    def test_package_names_no_folder_of_the_build(self):
        for path in self.prefix.rglob("*.cmake"):
            text = path.read_text(encoding="utf-8")
            self.assertNotIn(str(ROOT), text, path)
            self.assertNotIn(os.path.abspath(BUILD), text, path)

    def test_program_needs_nothing_beside_it(self):
        alone = self.work / "alone"
        must("cmake", "--install", BUILD, "--prefix", alone, "--component", "program")
        self.assertFalse((alone / "include").exists())
        text = must(alone / "bin" / "tilemeter", "devices", "show", "h200", cwd=self.work, env={})
        self.assertIn("4.8 TB/s", text)
        for words, file in {"completions bash": "bash-completion/completions/tilemeter", "man": "man/man1/tilemeter.1",
                            "completions zsh": "zsh/site-functions/_tilemeter",
                            "completions fish": "fish/vendor_completions.d/tilemeter.fish"}.items():
            written = (alone / "share" / file).read_text(encoding="utf-8")
            self.assertEqual(written, must(alone / "bin" / "tilemeter", *words.split()), file)


if __name__ == "__main__":
    unittest.main()
