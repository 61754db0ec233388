"""What the tests of the Python module share. They run on a build: PYTHONPATH names its package, TILEMETER_PROGRAM its program."""

import json
import os
import subprocess
import sys
import unittest

try:
    import numpy
except ImportError:
    print("the interpreter of the module has no NumPy")
    sys.exit(77)

PROGRAM = os.environ["TILEMETER_PROGRAM"]


def program(*arguments):
    """(exit status, standard output, standard error) of the program."""
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout, done.stderr


def document(*arguments):
    """The JSON that the program prints."""
    status, output, error = program(*arguments, "--format", "json")
    if status != 0:
        raise AssertionError(f"{arguments}: exit {status}: {error}")
    return json.loads(output)


def reference(q, k, v, hidden=None):
    """(O, LSE) of (batch, heads, rows, d) arrays in double precision; `hidden` (rows, keys) is True where a query sees no
    key. A row without keys is 0, with an LSE of +inf."""
    q, k, v = (numpy.asarray(array, dtype=numpy.float64) for array in (q, k, v))
    group = q.shape[1] // k.shape[1]
    k, v = numpy.repeat(k, group, axis=1), numpy.repeat(v, group, axis=1)
    scores = q @ k.swapaxes(-1, -2) / numpy.sqrt(q.shape[-1])
    if hidden is not None:
        scores = numpy.where(hidden, -numpy.inf, scores)
    top = scores.max(-1, keepdims=True)
    weights = numpy.exp(scores - numpy.where(numpy.isfinite(top), top, 0))
    total = weights.sum(-1, keepdims=True)
    o = weights / numpy.where(total > 0, total, 1) @ v
    lse = numpy.where(total > 0, numpy.log(numpy.where(total > 0, total, 1)) + top, numpy.inf)
    return o, lse[..., 0]


def hidden_pairs(rows, keys, left=None, right=None):
    """What a window hides, bottom-right aligned; causal is right = 0."""
    distance = numpy.arange(keys)[None, :] - (numpy.arange(rows)[:, None] + keys - rows)
    hidden = numpy.zeros((rows, keys), dtype=bool)
    if left is not None:
        hidden |= distance < -left
    if right is not None:
        hidden |= distance > right
    return hidden


def main():
    unittest.main(argv=[sys.argv[0], *sys.argv[1:]])
