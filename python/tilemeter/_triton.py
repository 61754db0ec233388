"""Predicted times for Triton's autotuner."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Union

from ._error import Error
from ._options import ask, keywords_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._keywords import ModelKeywords

Source = Union[str, Callable[[Mapping[str, Any]], Any]]

_BLOCKS = {"block_q": "BLOCK_M", "block_k": "BLOCK_N"}
_EXECUTION = {"stages": "num_stages", "warps": "num_warps"}


class PerfModel:
    """Seconds of one configuration; made by `triton_perf_model`."""

    def __init__(self, options: Mapping[str, Any], names: Mapping[str, Source]) -> None:
        self.options = dict(options)
        self.names = dict(names)
        self._known: dict[tuple[tuple[str, str | None], ...], float] = {}

    def options_of(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The options of `predict` that a call with these arguments asks for."""
        options = dict(self.options)
        for keyword, source in self.names.items():
            if callable(source):
                options[keyword] = source(arguments)
            elif source in arguments:
                options[keyword] = arguments[source]
            else:
                raise KeyError(f"{keyword} is to come from {source}, which is no argument of the kernel: name another one "
                               f"in names={{\"{keyword}\": ...}}; there are {', '.join(arguments)}")
        return options

    def __call__(self, **arguments: Any) -> float:
        options = self.options_of(arguments)
        asked = tuple(keywords_of(options))
        if asked not in self._known:
            said = ask("estimate", options)
            self._known[asked] = said["seconds"] if said["feasible"] else math.inf
        return self._known[asked]


def triton_perf_model(algorithm: str = "flash2", *, names: Mapping[str, Source] | None = None,
                      **options: Unpack[ModelKeywords]) -> PerfModel:
    """A performance model for ``triton.autotune``, which runs only the configurations that it finds fastest.

    Triton calls it with a kernel's arguments and a configuration's, and it gives seconds: those of the closed form that
    `predict` states as ``estimate``. It gives infinity for tiles that do not fit the device, and for those whose
    accumulators leave a thread too few registers, as `tune` marks with ``spills``.

    ``names`` says where an option of `predict` comes from: the name of an argument, or a function of all arguments. Other
    options are fixed. Without more, ``block_q`` is BLOCK_M and ``block_k`` BLOCK_N (for algorithms with these tiles; not
    where ``names`` or options have sizes of tiles), ``stages`` num_stages, and ``warps`` num_warps. ``device`` is needed.

    >>> import tilemeter
    >>> model = tilemeter.triton_perf_model("flash2", device="h200", dtype="fp16", causal=True, head_dim=128, names={
    ...     "seq": "N_CTX", "heads": "H", "batch": lambda arguments: arguments["Q"].shape[0]})
    >>> class Tensor:
    ...     shape = (2, 16, 4096, 128)
    >>> call = {"Q": Tensor(), "N_CTX": 4096, "H": 16, "num_stages": 2, "BLOCK_N": 64}
    >>> model(**call, BLOCK_M=128, num_warps=8) < model(**call, BLOCK_M=16, num_warps=4)
    True
    >>> model(**call, BLOCK_M=512, num_warps=8)
    inf

    Used as ``@triton.autotune(configs, key=["N_CTX"], prune_configs_by={"perf_model": model, "top_k": 4})``.

    Raises Error when it is made without ``device``, and when it is called for wrong input; KeyError for an argument that
    the kernel does not have.
    """
    if "device" not in options and "device" not in (names or {}):
        raise Error("--device is missing: expected device=NAME or FILE.toml, or names={\"device\": ...}", option="--device")
    own = dict(names or {})
    given = {*own, *options}
    blocks = {} if any(keyword.startswith("block_") for keyword in given) else _BLOCKS
    defaults = {keyword: name for keyword, name in {**blocks, **_EXECUTION}.items() if keyword not in given}
    return PerfModel({"algorithm": algorithm, **options}, {**defaults, **own})
