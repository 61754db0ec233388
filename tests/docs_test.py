"""The documents are true: commands in their fenced blocks are run and print what stands there, options exist, links lead
somewhere, quoted rows stand where they are said to. docs/README.md has the conventions.

usage: docs_test.py PROGRAM [unittest options]
"""

import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else None

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
MARK = re.compile(r"#.*\[(GPU|long|yours)\]")  # needs a GPU; takes longer than a test may; needs the reader's own files
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
SPAN = re.compile(r"`(tilemeter [^`]+)`")
QUOTED = re.compile(r"^<!-- rows of (\S+) -->\n\n?((?:\|.*\n)+)", re.MULTILINE)
ELLIPSIS = "..."


def documents():
    """The texts of the project; build folders and what begins with a dot are none."""
    for path in sorted(ROOT.rglob("*.md")):
        parts = path.relative_to(ROOT).parts
        if "build" not in parts and not any(part.startswith(".") for part in parts):
            yield path


def name_of(path):
    return str(path.relative_to(ROOT))


def commands_of(text):
    """(command, lines that it prints or None) of the blocks of `text` that are meant to be run."""
    for language, block in FENCE.findall(text):
        if language == "sh":
            for line in block.replace("\\\n", "").splitlines():
                if line.strip() and not line.startswith("#"):
                    yield line, None
        elif language == "console":
            for chunk in re.split(r"^\$ ", block.replace("\\\n", ""), flags=re.MULTILINE)[1:]:
                command, *lines = chunk.splitlines()
                yield command, lines


def prints(expected, printed):
    """Whether `printed` is `expected`, in which a line "..." stands for any number of lines."""
    if not expected:
        return not printed
    if expected[0].strip() == ELLIPSIS:
        return any(prints(expected[1:], printed[i:]) for i in range(len(printed) + 1))
    return bool(printed) and expected[0].rstrip() == printed[0].rstrip() and prints(expected[1:], printed[1:])


def workplace(folder):
    """Fills `folder` with links to what stands in the root, and gives the environment in which `tilemeter` is the program."""
    for entry in ROOT.iterdir():
        if entry.name != "build" and not entry.name.startswith("."):
            os.symlink(entry, os.path.join(folder, entry.name))
    programs = os.path.join(folder, ".programs")
    os.mkdir(programs)
    os.symlink(PROGRAM, os.path.join(programs, "tilemeter"))
    return {**os.environ, "PATH": programs + os.pathsep + os.environ["PATH"], "LC_ALL": "C.UTF-8"}


def words_of(command):
    """The words of the first `tilemeter` command of a line, without what it is piped into."""
    lexer = shlex.shlex(command, posix=True, punctuation_chars="|;&<>()")
    lexer.whitespace_split = True
    words = []
    for word in lexer:
        if set(word) <= set("|;&<>()"):
            break
        words.append(word)
    return words if words[:1] == ["tilemeter"] else []


class Docs(unittest.TestCase):
    helps = {}

    def help_of(self, subcommand):
        if subcommand not in self.helps:
            done = subprocess.run([PROGRAM, subcommand, "--help"], capture_output=True, text=True, timeout=60)
            self.helps[subcommand] = done.stdout if done.returncode == 0 else ""
        return self.helps[subcommand]

    def check_options(self, where, command):
        """Every option of a command that is not run is one of the subcommand's."""
        words = words_of(command)
        if len(words) < 2 or words[1].startswith("-") or not re.fullmatch(r"[a-z]+", words[1]):
            return
        text = self.help_of(words[1])
        self.assertTrue(text, f"{where}: no subcommand {words[1]}: {command}")
        for word in words[2:]:
            if re.match(r"--?[a-z]", word) and word != "--help":
                self.assertRegex(text, rf"(?<![\w-]){re.escape(word.split('=')[0])}(?![\w-])", f"{where}: {command}")

    def test_commands_print_what_stands_there(self):
        ran = 0
        for path in documents():
            with tempfile.TemporaryDirectory() as folder:
                environment = workplace(folder)
                for command, expected in commands_of(path.read_text(encoding="utf-8")):
                    with self.subTest(document=name_of(path), command=command):
                        if MARK.search(command):
                            self.check_options(name_of(path), command)
                            continue
                        ran += 1
                        done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, timeout=120,
                                              capture_output=True, text=True)
                        self.assertEqual(done.returncode, 0, done.stderr)
                        if expected is not None:
                            printed = done.stdout.splitlines()
                            self.assertTrue(prints(expected, printed), "it prints\n" + "\n".join(printed))
        self.assertGreater(ran, 30)

    def test_commands_in_sentences_have_their_options(self):
        for path in documents():
            for command in SPAN.findall(path.read_text(encoding="utf-8")):
                with self.subTest(document=name_of(path), command=command):
                    self.check_options(name_of(path), command)

    def test_links_lead_somewhere(self):
        for path in documents():
            for target in LINK.findall(FENCE.sub("", path.read_text(encoding="utf-8"))):
                if not re.match(r"[a-z]+:", target):
                    self.assertTrue((path.parent / target).exists(), f"{name_of(path)}: {target}")

    def test_quoted_rows_stand_where_they_are_said_to(self):
        quoted = 0
        for path in documents():
            for source, rows in QUOTED.findall(path.read_text(encoding="utf-8")):
                lines = (ROOT / source).read_text(encoding="utf-8").splitlines()
                for row in rows.splitlines():
                    quoted += 1
                    self.assertIn(row, lines, f"{name_of(path)} quotes a row that {source} has not")
        self.assertGreater(quoted, 3)

    def test_every_folder_with_sources_tells_its_decisions_once(self):
        folders = {ROOT / "tools" / "report", ROOT / "tools" / "tables"}
        folders |= {path for path in ROOT.iterdir() if path.is_dir() and (path / "CMakeLists.txt").exists()}
        folders |= {ROOT / "docs", ROOT / "examples"}
        self.assertGreater(len(folders), 7)
        for folder in sorted(folders):
            text = (folder / "README.md").read_text(encoding="utf-8")
            self.assertEqual(len(re.findall(r"^## Decisions$", text, re.MULTILINE)), 1, folder.name)

    def test_one_version_everywhere(self):
        version = re.search(r"project\(tilemeter VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))[1]
        self.assertIn(f"\nversion: {version}\n", (ROOT / "CITATION.cff").read_text(encoding="utf-8"))
        self.assertRegex((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), rf"(?m)^## {re.escape(version)}\b")
        done = subprocess.run([PROGRAM, "--version"], capture_output=True, text=True, timeout=60)
        self.assertIn(version, done.stdout)


class Chart(unittest.TestCase):
    """docs/traffic_chart.py on what it was not made for; what it was made for is compared by a command of the README."""

    def test_other_input_is_refused_and_draws_nothing(self):
        for text in ["", "a,b\n1,2\n", "algorithm,feasible,sram_capacity_elements\nflash1,true,\n"]:
            done = subprocess.run([sys.executable, "-B", ROOT / "docs" / "traffic_chart.py"], input=text, capture_output=True,
                                  text=True, timeout=60)
            self.assertEqual((done.returncode, done.stdout), (1, ""), text)
            self.assertIn("--sram", done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), 1)


class Comparison(unittest.TestCase):
    """The test's own reading of blocks and outputs."""

    def test_an_ellipsis_stands_for_any_lines_and_nothing_else_does(self):
        for expected, printed, same in [("a b", "a b", True), ("a b", "a", False), ("a", "a b", False), ("", "a", False),
                                        ("... b", "a b", True), ("a ...", "a", True), ("a ... b", "a c d b", True),
                                        ("a ... b", "a c d", False)]:
            self.assertEqual(prints(expected.split(), printed.split()), same, (expected, printed))

    def test_blocks_give_their_commands(self):
        text = "```sh\n# a remark\none \\\n  two  # three\n```\n```console\n$ a\n1\n2\n$ b\n```\n```toml\nx = 1\n```\n"
        self.assertEqual(list(commands_of(text)), [("one   two  # three", None), ("a", ["1", "2"]), ("b", [])])

    def test_words_end_at_a_pipe_and_at_a_remark(self):
        self.assertEqual(words_of("tilemeter count --seq 4 | head -n 3"), ["tilemeter", "count", "--seq", "4"])
        self.assertEqual(words_of("tilemeter count --seq 4  # --not-this"), ["tilemeter", "count", "--seq", "4"])
        self.assertEqual(words_of("ncu --csv tilemeter"), [])


if __name__ == "__main__":
    unittest.main()
