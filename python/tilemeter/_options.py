"""Keywords as the options of the command line."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable, Mapping
from typing import Any

from . import _core
from ._error import CheckWarning, Error

Keywords = list[tuple[str, "str | None"]]

_TYPE_NAMES = {"float64": "fp64", "float32": "fp32", "float16": "fp16", "bfloat16": "bf16", "float8_e4m3fn": "fp8"}


def type_text(value: Any) -> str:
    """A data type of NumPy, PyTorch or the program as the program calls it."""
    name = getattr(value, "__name__", str(value)).rpartition(".")[2]
    return _TYPE_NAMES.get(name, str(value))


def _text(keyword: str, value: Any) -> str:
    if keyword == "dtype" or keyword.endswith("_dtype"):
        if isinstance(value, (list, tuple)):
            return ",".join(map(type_text, value))
        return type_text(value)
    if isinstance(value, Iterable) and not isinstance(value, str) and not hasattr(value, "__fspath__"):
        return ",".join(str(item) for item in value)
    return str(value)


def keywords_of(options: Mapping[str, Any]) -> Keywords:
    """Options in the order given: None and False left out, True without a value, several values joined by commas; of
    ``set`` an item each."""
    keywords: Keywords = []
    for keyword, value in options.items():
        if hasattr(value, "item") and getattr(value, "shape", None) == ():
            value = value.item()
        if value is None or value is False:
            continue
        if value is True:
            keywords.append((keyword, None))
        elif keyword == "set":
            changes = [f"{key}={change}" for key, change in value.items()] if isinstance(value, Mapping) else value
            keywords += [(keyword, change) for change in ([changes] if isinstance(changes, str) else changes)]
        else:
            keywords.append((keyword, _text(keyword, value)))
    return keywords


def with_algorithm(algorithm: Any, options: Mapping[str, Any]) -> Mapping[str, Any]:
    """The options with a positional algorithm in front."""
    if algorithm is None:
        return options
    if "algorithm" in options:
        raise TypeError("algorithm is given twice")
    return {"algorithm": algorithm, **options}


def document_of(reply: str) -> dict[str, Any]:
    """The document of a reply. Raises Error, and warns of checks that failed."""
    said = json.loads(reply)
    if "error" in said:
        raise Error(**said["error"])
    for failure in said["failures"]:
        warnings.warn(failure, CheckWarning, stacklevel=4)
    document: dict[str, Any] = said["document"]
    return document


def ask(command: str, options: Mapping[str, Any]) -> dict[str, Any]:
    return document_of(_core.ask(command, keywords_of(options)))
