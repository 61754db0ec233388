"""Keywords of the commands. Written by tests/python/stubs_test.py --renew of the program's options."""

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict, Union

One = Union[str, int, float]
Values = Union[One, Sequence[One]]
Algorithms = Union[str, Sequence[str]]


class _CountSweepPredictTune(TypedDict, total=False):
    algorithm: Algorithms


class _CountSweepPredictTuneModel(TypedDict, total=False):
    seq: Values
    seq_q: Values
    seq_k: Values
    head_dim: Values
    head_dim_v: Values
    batch: Values
    heads: Values
    kv_heads: Values
    m: Values
    n: Values
    k: Values


class _CountSweepPredictTuneAttentionModel(TypedDict, total=False):
    packed: bool
    mask: Values
    causal: bool
    causal_top_left: bool
    window: Values
    dtype: Any
    stat_dtype: Any
    sram: Values
    device: Values
    set: Union[str, Sequence[str], Mapping[str, One]]
    placement: Values
    variant: Values
    unfused: Values
    mask_shape: Values
    init: bool
    elide_first: bool
    row_splits: Values
    o_dtype: Any
    score_dtype: Any
    deterministic: bool
    stages: Values
    block_d: Values
    chunk_q: Values
    chunk_k: Values
    chunk: Values
    empty_lse: Values
    splits: Values
    page_size: Values
    unsafe: Union[bool, Values]
    block_m: Values
    block_n: Values
    order: Values
    tokens: Values
    d_in: Values
    d_out: Values
    weight_dtype: Any
    group_size: Values
    rows: Values
    cols: Values
    length: Values
    ops: Values
    side_inputs: Values


class _CountSweepPredictModel(TypedDict, total=False):
    segments: Values


class _CountSweepPredictAttentionModel(TypedDict, total=False):
    blocks: Values
    block_q: Values
    block_k: Values
    no_capacity: bool


class _CountSweep(TypedDict, total=False):
    mode: Values
    seed: Values


class _Count(TypedDict, total=False):
    per_sm: bool
    sms: Values


class _Sweep(TypedDict, total=False):
    jobs: Values


class _PredictModel(TypedDict, total=False):
    kernel: Values
    clock: Values
    matrix: Values
    overlap: Values
    scheduling: Values
    row_order: Values
    fastest: Values
    tails: Values
    blocks_per_sm: Values


class _PredictTuneModel(TypedDict, total=False):
    warps: Values


class _Tune(TypedDict, total=False):
    by: Values
    simulate: Values
    top: Values


class CountKeywords(_CountSweepPredictTune, _CountSweepPredictTuneModel, _CountSweepPredictTuneAttentionModel, _CountSweepPredictModel, _CountSweepPredictAttentionModel, _CountSweep, _Count, total=False):
    pass


class SweepKeywords(_CountSweepPredictTune, _CountSweepPredictTuneModel, _CountSweepPredictTuneAttentionModel, _CountSweepPredictModel, _CountSweepPredictAttentionModel, _CountSweep, _Sweep, total=False):
    pass


class PredictKeywords(_CountSweepPredictTune, _CountSweepPredictTuneModel, _CountSweepPredictTuneAttentionModel, _CountSweepPredictModel, _CountSweepPredictAttentionModel, _PredictModel, _PredictTuneModel, total=False):
    pass


class TuneKeywords(_CountSweepPredictTune, _CountSweepPredictTuneModel, _CountSweepPredictTuneAttentionModel, _PredictTuneModel, _Tune, total=False):
    pass


class AttentionKeywords(_CountSweepPredictTuneAttentionModel, _CountSweepPredictAttentionModel, total=False):
    pass


class ModelKeywords(_CountSweepPredictTuneModel, _CountSweepPredictTuneAttentionModel, _CountSweepPredictModel, _CountSweepPredictAttentionModel, _PredictModel, _PredictTuneModel, total=False):
    pass
