"""Stubs, docstrings, signatures and texts say what the module does.

usage: stubs_test.py [--renew]: --renew writes python/tilemeter/_keywords.pyi of the options of the program.
"""

import ast
import doctest
import inspect
import pathlib
import re
import sys
import unittest

import support

import tilemeter
from tilemeter import _core
from tilemeter._attention import SIZES

PACKAGE = pathlib.Path(tilemeter.__file__).resolve().parent
ROOT = pathlib.Path(__file__).resolve().parents[2]
STUB = PACKAGE / "_keywords.pyi"
COMMANDS = ("count", "sweep", "predict", "tune")
# name of a dictionary: the command whose keywords it has, and those that its function has as arguments or does not take
DERIVED = {"Attention": ("count", {"algorithm", "m", "n", "k", "mode", "seed", "segments", "per_sm", "sms", *SIZES}),
           "Model": ("predict", {"algorithm"})}
HEAD = '''"""Keywords of the commands. Written by tests/python/stubs_test.py --renew of the program's options."""

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict, Union

One = Union[str, int, float]
Values = Union[One, Sequence[One]]
Algorithms = Union[str, Sequence[str]]
'''


def type_of(keyword, value, often):
    if keyword == "algorithm":
        return "Algorithms"
    if often:
        return "Union[str, Sequence[str], Mapping[str, One]]"
    if keyword == "dtype" or keyword.endswith("_dtype"):
        return "Any"
    if not value:
        return "bool"
    return "Union[bool, Values]" if keyword == "unsafe" else "Values"


def class_text(name, bases, lines):
    return f"\n\nclass {name}({bases}, total=False):\n" + "".join(f"    {line}\n" for line in lines or ["pass"])


def stub_text():
    """A class for each set of functions that share keywords, and one a function, of these."""
    takers, types = {}, {}
    functions = {**{command.capitalize(): (command, set()) for command in COMMANDS}, **DERIVED}
    for function, (command, others) in functions.items():
        for keyword, _, value, _, often in _core.options(command):
            if keyword not in others:
                takers.setdefault(keyword, []).append(function)
                types[keyword] = type_of(keyword, value, often)
    shared = {}
    for keyword, names in takers.items():
        shared.setdefault(tuple(names), []).append(f"{keyword}: {types[keyword]}")
    parts = {names: "_" + "".join(names) for names in shared}
    text = HEAD + "".join(class_text(parts[names], "TypedDict", lines) for names, lines in shared.items())
    for function in functions:
        bases = ", ".join(part for names, part in parts.items() if function in names)
        text += class_text(f"{function}Keywords", bases, [])
    return text


class Stubs(unittest.TestCase):
    def test_keywords_are_the_options(self):
        self.assertEqual(STUB.read_text(encoding="utf-8"), stub_text(), "python3 tests/python/stubs_test.py --renew")

    def test_the_compiled_module_has_what_its_stub_has(self):
        stub = ast.parse((PACKAGE / "_core.pyi").read_text(encoding="utf-8"))
        functions = {node.name: [argument.arg for argument in node.args.posonlyargs] for node in stub.body
                     if isinstance(node, ast.FunctionDef)}
        compiled = {name: getattr(_core, name) for name in dir(_core) if not name.startswith("_")}
        self.assertEqual({name for name, value in compiled.items() if callable(value)}, set(functions))
        for name, arguments in functions.items():
            signature = compiled[name].__doc__.splitlines()[0]
            self.assertEqual(len(re.findall(r"\barg\d+:", signature)), len(arguments), signature)

    def test_the_package_is_marked_as_typed(self):
        self.assertTrue((PACKAGE / "py.typed").is_file())

    def test_everything_public_is_described_and_annotated(self):
        for name in tilemeter.__all__:
            thing = getattr(tilemeter, name)
            self.assertTrue(inspect.getdoc(thing), name)
            if inspect.isfunction(thing):
                signature = inspect.signature(thing)
                self.assertIsNot(signature.return_annotation, inspect.Signature.empty, name)
                for parameter in signature.parameters.values():
                    self.assertIsNot(parameter.annotation, inspect.Parameter.empty, f"{name}({parameter})")

    def test_options_are_listed(self):
        for command in COMMANDS:
            listed = tilemeter.options(command)
            self.assertIn("algorithm", listed)
            self.assertTrue(all(listed.values()), command)
        self.assertNotIn("format", tilemeter.options("sweep"))

    def test_the_version_is_the_programs(self):
        self.assertEqual(support.program("--version")[1], f"tilemeter {tilemeter.__version__}\n")


def load_tests(_loader, tests, _pattern):
    for name in ("tilemeter", *(f"tilemeter.{part}" for part in ("_attention", "_columns", "_error", "_triton"))):
        tests.addTests(doctest.DocTestSuite(name))
    for text in ("README.md", "python/README.md"):
        tests.addTests(doctest.DocFileSuite(str(ROOT / text), module_relative=False))
    return tests


if __name__ == "__main__":
    if "--renew" in sys.argv:
        STUB.write_text(stub_text(), encoding="utf-8")
    else:
        support.main()
