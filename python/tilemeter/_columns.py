"""Results as columns."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from . import _core
from ._error import Error


def _shared(values: Iterable[Any], last: Any) -> Iterator[Any]:
    """The values, each the same object as the one before where it is equal: most columns of a sweep change rarely."""
    for value in values:
        if value != last or type(value) is not type(last):
            last = sys.intern(value) if type(value) is str else value
        yield last


class Columns:
    """Columns that grow by rows; those without any value take no room."""

    def __init__(self, names: list[str]) -> None:
        self.names = names
        self.values: list[list[Any] | None] = [None] * len(names)
        self.rows = 0

    def add(self, rows: list[list[Any]]) -> None:
        for at, column in enumerate(zip(*rows)):
            held = self.values[at]
            if held is None:
                if all(value is None for value in column):
                    continue
                held = self.values[at] = [None] * self.rows
            held.extend(_shared(column, held[-1] if held else None))
        self.rows += len(rows)

    def named(self) -> dict[str, list[Any]]:
        return {name: values for name, values in zip(self.names, self.values) if values is not None}


def columns(result: Mapping[str, Any]) -> dict[str, list[Any]]:
    """The rows of a result of `count`, `sweep`, `predict` or `tune` as columns, ready for ``pandas.DataFrame``.

    Names are those of the program's CSV: the keys on the way to a value, joined by ``_``. `tune` has a row a tiling, and
    ``list`` says in which list it stands: best, front or candidate; the others have a row a point. All columns are
    equally long; None stands where a row has no value, and columns without any value are left out. Units are in the
    names (``traffic_bytes_read``, ``time_seconds``).

    >>> import tilemeter
    >>> points = tilemeter.columns(tilemeter.sweep("flash2", seq=[1024, 2048], head_dim=64, sram="100KiB"))
    >>> points["problem_seq_q"], points["traffic_elements_total"]
    ([1024, 2048], [1180672, 4458496])

    Raises Error for another document.
    """
    table = json.loads(_core.table(json.dumps(result)))
    if "error" in table:
        raise Error(**table["error"])
    grown = Columns(table["columns"])
    grown.add(table["rows"])
    return grown.named()
