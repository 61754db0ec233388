"""The algorithms on arrays of the user."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy

from . import _core
from ._options import type_text, document_of, keywords_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._keywords import AttentionKeywords

SIZES = ("batch", "heads", "kv_heads", "seq", "seq_q", "seq_k", "head_dim", "head_dim_v")
_ARRAY_TYPES = {"fp64": "float64", "fp32": "float32", "fp16": "float16", "bf16": "float32"}


class Attention(NamedTuple):
    """What `attention` gives."""

    o: numpy.ndarray
    """The output, of the shape of q with the last axis of v."""
    lse: numpy.ndarray | None
    """log of the sum of exp of the scaled scores, of the shape of q without its last axis; None where the algorithm keeps
    no statistics."""
    point: dict[str, Any]
    """Traffic, operations and use of SRAM of this run, as `count` has them."""


def _four_axes(name: str, array: Any) -> Any:
    """Batch, heads, rows, columns; leading ones added."""
    array = numpy.asarray(array)
    if not 2 <= array.ndim <= 4:
        raise ValueError(f"{name} has {array.ndim} axes: expected (batch, heads, rows, columns), (heads, rows, columns) or "
                         "(rows, columns)")
    return array.reshape((1,) * (4 - array.ndim) + array.shape)


def _sizes_of(q: Any, k: Any, v: Any) -> dict[str, int]:
    batch, heads, seq_q, head_dim = q.shape
    kv_batch, kv_heads, seq_k, key_dim = k.shape
    if k.shape[:3] != v.shape[:3]:
        raise ValueError(f"k {k.shape} and v {v.shape} differ in batch, heads or rows")
    if kv_batch != batch or key_dim != head_dim:
        raise ValueError(f"q {q.shape} and k {k.shape} differ in batch or head dimension")
    return {"batch": batch, "heads": heads, "kv_heads": kv_heads, "seq_q": seq_q, "seq_k": seq_k, "head_dim": head_dim,
            "head_dim_v": v.shape[3]}


def attention(q: Any, k: Any, v: Any, algorithm: str = "flash2", **options: Unpack[AttentionKeywords]) -> Attention:
    """Attention of arrays, computed by a tiled algorithm tile by tile as the simulator runs it.

    q is (batch, heads, rows, d), k (batch, kv_heads, keys, d), v (batch, kv_heads, keys, d_v); leading axes may be left
    out. ``heads`` must be a multiple of ``kv_heads``. Scores are scaled by 1 / sqrt(d). Options are those of `count`
    (``causal``, ``window``, ``block_q``, ``block_k``, ``sram``, ``device``, ``packed``, ...) without sizes, which are those
    of the arrays. ``dtype`` is that of q where it is not given: operands are rounded to it, and so are the tiles that the
    algorithm stores in it. O comes in it too (bf16 in float32), LSE in float32, both in float64 for fp64.

    >>> import numpy, tilemeter
    >>> ones = numpy.ones((8, 4))
    >>> o, lse, point = tilemeter.attention(ones, ones, ones, causal=True, block_q=4, block_k=2)
    >>> bool(numpy.allclose(o, 1)), point["traffic"]["elements"]["read"]
    (True, 128)

    Raises Error as `count` does: a tiling that does not fit, an algorithm that does not compute attention, fp8; and
    ValueError for arrays whose shapes do not go together.
    """
    given = dict(options)
    for size in SIZES:
        if size in given:
            raise TypeError(f"{size} is that of the arrays: leave it out")
    dtype = type_text(given.pop("dtype", None) or getattr(q, "dtype", "fp64"))
    shape = numpy.shape(q)
    arrays = [_four_axes(name, array) for name, array in (("q", q), ("k", k), ("v", v))]
    sizes = _sizes_of(*arrays)
    heads = [array.astype(numpy.float64).reshape(array.shape[0] * array.shape[1], *array.shape[2:]) for array in arrays]
    keywords = keywords_of({"algorithm": algorithm, **sizes, "dtype": dtype, **given})
    reply, o, lse = _core.attention(keywords, *heads)
    point = document_of(reply)
    stored = _ARRAY_TYPES[dtype]
    statistics = "float64" if dtype == "fp64" else "float32"
    return Attention(o.astype(stored).reshape(*shape[:-1], sizes["head_dim_v"]),
                     lse.astype(statistics).reshape(shape[:-1]) if lse.size else None, point)
