"""Exact memory traffic and predicted time of tiled GPU algorithms.

Keywords are the options of the program ``tilemeter``, with ``_`` for ``-``: ``seq_q=4096`` is ``--seq-q 4096``. A flag is
True, several values are a list or the program's text for a range (``seq="1024:65536:*2"``), ``window`` a pair, ``set`` a
dictionary. Data types may be NumPy's or PyTorch's. `options` lists the keywords of a command.

Results are the program's JSON as dictionaries: integers are exact, bytes and elements are told apart by their keys, times
are seconds. `columns` makes columns of them.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from . import _core
from ._attention import Attention, attention
from ._columns import Columns, columns
from ._error import CheckWarning, Error
from ._options import ask, document_of, keywords_of, with_algorithm
from ._triton import PerfModel, triton_perf_model

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._keywords import Algorithms, CountKeywords, PredictKeywords, SweepKeywords, TuneKeywords

__version__: str = _core.version
__all__ = ["Attention", "CheckWarning", "Error", "PerfModel", "attention", "columns", "count", "options", "predict", "sweep",
           "sweep_columns", "triton_perf_model", "tune"]


def options(command: str) -> dict[str, str]:
    """Keyword -> what it is, for ``count``, ``sweep``, ``predict`` or ``tune``.

    >>> options("count")["causal"]
    'causal mask, bottom-right aligned'
    """
    return {keyword: help_text for keyword, _, _, help_text, _ in _core.options(command)}


def count(algorithm: Algorithms | None = None, /, **options: Unpack[CountKeywords]) -> dict[str, Any]:
    """Exact traffic, operations and use of SRAM of one point, counted and by closed form.

    Several algorithms give ``points`` in a list. With a device also the time in closed form; ``mode="numeric"`` computes
    with real numbers and checks them.

    >>> point = count("flash1", seq=4096, head_dim=64, sram="50000el", blocks="paper")
    >>> point["traffic"]["elements"]["total"], point["closed_form"]["equal"]
    (17383424, True)

    Raises Error for wrong input and for a tiling that does not fit; warns with CheckWarning when a check fails.
    """
    return ask("count", with_algorithm(algorithm, options))


def predict(algorithm: Algorithms | None = None, /, **options: Unpack[PredictKeywords]) -> dict[str, Any]:
    """Time on a device in seconds: bounds of every resource, roofline, closed form, simulation, and what binds.

    Needs ``device``; ``kernel`` takes tiles and execution from a kernel's description and implies the algorithm.

    >>> point = predict("flash2", seq=2048, heads=16, head_dim=128, dtype="bf16", device="h200")
    >>> point["time"]["low"] <= point["time"]["seconds"] <= point["time"]["high"]
    True

    Raises Error for wrong input and for a tiling that does not fit.
    """
    return ask("predict", with_algorithm(algorithm, options))


def tune(algorithm: Algorithms | None = None, /, **options: Unpack[TuneKeywords]) -> dict[str, Any]:
    """The tilings of least traffic or time that truly fit a budget or a device, and why others do not.

    Each of ``results`` has ``best``, ``front`` (traffic against memory) and ``candidates``, the sizes that kernels use.

    >>> best = tune("flash2", seq=4096, head_dim=64, sram="50000el")["results"][0]["best"][0]
    >>> best["block_q"], best["block_k"], best["traffic"]["elements"]
    (380, 1, 6295552)

    Raises Error for wrong input, and when nothing fits.
    """
    return ask("tune", with_algorithm(algorithm, options))


def sweep(algorithm: Algorithms | None = None, /, **options: Unpack[SweepKeywords]) -> dict[str, Any]:
    """`count` over ranges, by several threads (``jobs``, default all processors): ``points``, the last keyword fastest.

    A point whose tiling does not fit has ``feasible`` False and the ``reason``. Ctrl-C ends it.

    >>> points = sweep("standard,flash2", seq="1024:4096:*2", head_dim=64, sram="100KiB")["points"]
    >>> [point["traffic"]["bytes"]["total"] for point in points if point["algorithm"] == "flash2"]
    [2363392, 8921088, 34619392]

    Raises Error for wrong input; warns with CheckWarning when a check fails.
    """
    points: list[Any] = []
    reply = _core.sweep(keywords_of(with_algorithm(algorithm, options)), "points",
                        lambda batch: points.extend(json.loads(batch)))
    return {**document_of(reply), "points": points}


def sweep_columns(algorithm: Algorithms | None = None, /, **options: Unpack[SweepKeywords]) -> dict[str, list[Any]]:
    """``columns(sweep(...))`` without the points in between: for sweeps of many points.

    >>> table = sweep_columns("flash2", seq="1024:4096:*2", head_dim=64, sram="100KiB")
    >>> table["traffic_bytes_total"]
    [2363392, 8921088, 34619392]

    Raises and warns as `sweep`.
    """
    grown = Columns(_core.column_names())
    reply = _core.sweep(keywords_of(with_algorithm(algorithm, options)), "rows",
                        lambda batch: grown.add(json.loads(batch)))
    document_of(reply)
    return grown.named()
