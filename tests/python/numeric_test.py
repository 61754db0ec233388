"""`attention` against NumPy: the algorithms, masks, grouped heads, ragged sizes and types."""

import itertools
import unittest

import support
from support import numpy

import tilemeter

ALGORITHMS = ("standard", "standard_tiled", "flash1", "flash2", "flash3", "split_kv", "zigzag")
# Relative to the norm of O; two roundings of bf16, one each of operands that are rounded beforehand.
TOLERANCE = {"fp64": 1e-14, "fp32": 1e-6, "fp16": 2e-3, "bf16": 1.6e-2}


def arrays(seed, batch, heads, kv_heads, rows, keys, d, d_v, dtype="float64"):
    random = numpy.random.default_rng(seed)
    return [random.standard_normal(shape).astype(dtype) for shape in
            ((batch, heads, rows, d), (batch, kv_heads, keys, d), (batch, kv_heads, keys, d_v))]


def rounded_to_bf16(array):
    """To nearest, ties to even."""
    bits = array.astype(numpy.float32).view(numpy.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000).view(numpy.float32)


class AgainstNumpy(unittest.TestCase):
    def check(self, operands, algorithm, hidden=None, dtype="fp64", **options):
        result = tilemeter.attention(*operands, algorithm, dtype=dtype, **options)
        expected, lse = support.reference(*operands, hidden)
        error = numpy.linalg.norm(result.o - expected) / numpy.linalg.norm(expected)
        self.assertLessEqual(error, TOLERANCE[dtype], f"{algorithm} {dtype} {options}")
        if result.lse is not None:
            seen = numpy.isfinite(lse)
            numpy.testing.assert_allclose(result.lse[seen], lse[seen], rtol=0, atol=10 * TOLERANCE[dtype])
        return result

    def test_algorithms_and_masks(self):
        masks = [({}, None), ({"causal": True}, support.hidden_pairs(45, 45, right=0)),
                 ({"window": (9, 3)}, support.hidden_pairs(45, 45, 9, 3))]
        for seed, (algorithm, (options, hidden)) in enumerate(itertools.product(ALGORITHMS, masks)):
            self.check(arrays(seed, 1, 2, 2, 45, 45, 8, 8), algorithm, hidden, **options)

    def test_ragged_sizes(self):
        for seed, (algorithm, rows, keys, block_q, block_k) in enumerate(itertools.product(
                ("flash1", "flash2", "flash3"), (1, 37), (1, 50), (7, 64), (5, 16))):
            self.check(arrays(seed, 1, 1, 1, rows, keys, 4, 6), algorithm, block_q=block_q, block_k=block_k)

    def test_grouped_heads_packed_or_not(self):
        operands = arrays(1, 2, 6, 2, 21, 33, 8, 8)
        hidden = support.hidden_pairs(21, 33, right=0)
        plain = self.check(operands, "flash2", hidden, causal=True, block_q=16, block_k=8)
        packed = self.check(operands, "flash2", hidden, causal=True, block_q=16, block_k=8, packed=True)
        numpy.testing.assert_allclose(packed.o, plain.o, rtol=0, atol=1e-14)
        reads = [each.point["traffic"]["elements"]["read"] for each in (plain, packed)]
        self.assertLess(reads[1], reads[0])

    def test_types(self):
        for dtype, algorithm in itertools.product(TOLERANCE, ("flash1", "flash2", "standard_tiled")):
            operands = arrays(3, 1, 2, 1, 65, 65, 16, 16)
            self.check(operands, algorithm, dtype=dtype, block_q=32, block_k=16)

    def test_the_type_is_that_of_q(self):
        for array_type, dtype in (("float64", "fp64"), ("float32", "fp32"), ("float16", "fp16")):
            result = tilemeter.attention(*arrays(4, 1, 1, 1, 9, 9, 4, 4, array_type))
            self.assertEqual(result.point["problem"]["dtype"], dtype)
            self.assertEqual(result.o.dtype, array_type)

    def test_operands_are_rounded_to_their_type(self):
        operands = arrays(5, 1, 1, 1, 20, 20, 8, 8)
        rounded = [rounded_to_bf16(array) for array in operands]
        numpy.testing.assert_array_equal(tilemeter.attention(*operands, dtype="bf16").o,
                                         tilemeter.attention(*rounded, dtype="bf16").o)

    def test_rows_without_keys(self):
        operands = arrays(6, 1, 1, 1, 8, 3, 4, 4)
        result = self.check(operands, "flash2", support.hidden_pairs(8, 3, right=0), causal=True)
        self.assertTrue(numpy.all(result.o[..., :5, :] == 0))
        self.assertTrue(numpy.all(result.lse[..., :5] == numpy.inf))
        below = tilemeter.attention(*operands, causal=True, empty_lse="-inf")
        self.assertTrue(numpy.all(below.lse[..., :5] == -numpy.inf))

    def test_no_keys_at_all(self):
        q, none = numpy.ones((2, 3, 5, 4)), numpy.ones((2, 3, 0, 4))
        result = tilemeter.attention(q, none, none)
        self.assertTrue((result.o == numpy.zeros((2, 3, 5, 4))).all())
        self.assertEqual(result.lse.shape, (2, 3, 5))
        with self.assertRaisesRegex(tilemeter.Error, "--seq-q 0"):
            tilemeter.attention(none, q, q)

    def test_leading_axes_may_be_left_out(self):
        operands = arrays(7, 1, 1, 1, 9, 9, 4, 5)
        whole = tilemeter.attention(*operands)
        flat = tilemeter.attention(*(array[0, 0] for array in operands))
        self.assertEqual((flat.o.shape, flat.lse.shape), ((9, 5), (9,)))
        numpy.testing.assert_array_equal(flat.o, whole.o[0, 0])

    def test_traffic_is_that_of_count(self):
        options = {"causal": True, "block_q": 16, "block_k": 8}
        result = tilemeter.attention(*arrays(8, 2, 4, 2, 40, 40, 8, 8), "flash2", **options)
        counted = tilemeter.count("flash2", batch=2, heads=4, kv_heads=2, seq=40, head_dim=8, dtype="fp64", **options)
        self.assertEqual(result.point["traffic"], counted["traffic"])
        self.assertEqual(result.point["sram"], counted["sram"])

    def test_a_mistake_on_purpose_shows(self):
        operands = arrays(9, 1, 1, 1, 40, 40, 8, 8)
        right = tilemeter.attention(*operands, block_q=8, block_k=8)
        wrong = tilemeter.attention(*operands, block_q=8, block_k=8, unsafe="no-rescale")
        self.assertGreater(numpy.abs(wrong.o - right.o).max(), 1e-3)


class Refusals(unittest.TestCase):
    def test_shapes_that_do_not_go_together(self):
        good = {"q": (2, 4, 8, 4), "k": (2, 2, 9, 4), "v": (2, 2, 9, 6)}
        for name, shape in (("q", (1, 4, 8, 4)), ("q", (2, 4, 8, 5)), ("k", (2, 2, 8, 4)), ("v", (2, 1, 9, 6)), ("q", (8,))):
            operands = {each: numpy.zeros(size) for each, size in {**good, name: shape}.items()}
            with self.assertRaises(ValueError, msg=f"{name} {shape}"):
                tilemeter.attention(**operands)

    def test_what_attention_does_not_take(self):
        operand = numpy.zeros((8, 4))
        cases = [({"algorithm": "gemm"}, "--algorithm"), ({"algorithm": "flash2_backward"}, "--algorithm"),
                 ({"algorithm": "standard_unfused"}, "--unfused"), ({"dtype": "fp8"}, "--dtype"),
                 ({"algorithm": "flash1,flash2"}, "--algorithm"), ({"sram": "16B"}, "--sram")]
        for options, option in cases:
            with self.assertRaises(tilemeter.Error, msg=str(options)) as caught:
                tilemeter.attention(operand, operand, operand, **options)
            self.assertIn(option, str(caught.exception))
        with self.assertRaises(TypeError):
            tilemeter.attention(operand, operand, operand, seq=8)

    def test_heads_that_are_no_multiple(self):
        with self.assertRaises(tilemeter.Error):
            tilemeter.attention(numpy.zeros((3, 8, 4)), numpy.zeros((2, 8, 4)), numpy.zeros((2, 8, 4)))


if __name__ == "__main__":
    support.main()
