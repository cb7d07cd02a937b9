# SPDX-License-Identifier: Apache-2.0
"""Every call of the package beside NumPy, for each kind of arrays."""
import sys
import unittest

try:
    import numpy
except ImportError:
    print("not run: NumPy is not here")
    sys.exit(77)

import ballot
import kinds

KINDS = []
SIZES = (0, 1, 33, 1000, 5001)
RANDOM = numpy.random.default_rng(5)


def numbers(dtype, n, shape=None):
    shape = shape or (n,)
    if dtype == "bool":
        return RANDOM.integers(0, 2, shape).astype(bool)
    if dtype.startswith("float"):
        return RANDOM.normal(0, 100, shape).astype(dtype)
    info = numpy.iinfo(dtype)
    return RANDOM.integers(max(info.min, -200), min(info.max, 200), shape).astype(dtype)


class CallsTest(unittest.TestCase):
    where = ""

    def each(self, types=None):
        for kind in KINDS:
            for dtype in sorted(kind.types if types is None else kind.types & set(types)):
                for n in SIZES if kind is KINDS[0] else SIZES[::2]:
                    if kind.name == "jax" and n == 0:
                        continue  # has no memory to hand over
                    self.where = f"{kind.name} {dtype} {n}"
                    yield kind, dtype, n

    def same(self, kind, ours, expected):
        got = kind.read(ours)
        self.assertEqual(got.dtype, expected.dtype, self.where)
        numpy.testing.assert_array_equal(got, expected, err_msg=self.where)

    def test_sort(self):
        for kind, dtype, n in self.each():
            x = numbers(dtype, n)
            self.same(kind, ballot.sort(kind.make(x)), numpy.sort(x))
            self.same(kind, ballot.sort(kind.make(x), descending=True), numpy.sort(x)[::-1])

    def test_sort_does_not_change_its_input(self):
        for kind, dtype, n in self.each(["int32"]):
            x = numbers(dtype, n)
            given = kind.make(x.copy())
            ballot.sort(given)
            self.same(kind, given, x)

    def test_nans_and_bits(self):
        for kind in KINDS:
            x = numpy.array([3, numpy.nan, -numpy.inf, 1, -2], dtype="float32")
            self.same(kind, ballot.sort(kind.make(x)), numpy.sort(x))
            self.same(kind, ballot.sort(kind.make(x), nans="first", descending=True), numpy.array([numpy.nan, 3, 1, -2, -numpy.inf], dtype="float32"))
            y = numpy.array([0x102, 0x201, 0x101], dtype="int32")
            self.same(kind, ballot.sort(kind.make(y), bits=(0, 8)), numpy.array([0x201, 0x101, 0x102], dtype="int32"))

    def test_zeros(self):
        for kind in KINDS:
            for dtype in sorted(kind.types & {"float16", "float32", "float64"}):
                for shape in ((3001,), (7, 300), (2, 5000)):
                    with self.subTest(kind=kind.name, dtype=dtype, shape=shape):
                        x = RANDOM.choice(numpy.array([0.0, -0.0, 1.0, -2.0], dtype=dtype), shape)
                        order = numpy.argsort(x, axis=-1, kind="stable")
                        keys, found = ballot.argsort(kind.make(x), zeros="equal", return_keys=True, index="int32")
                        self.same(kind, found, order.astype("int32"))
                        expected = numpy.take_along_axis(x, order, axis=-1)
                        for got in (keys, ballot.sort(kind.make(x), zeros="equal")):
                            self.same(kind, got, expected)
                            numpy.testing.assert_array_equal(numpy.signbit(kind.read(got)), numpy.signbit(expected))
                        apart = numpy.signbit(kind.read(ballot.sort(kind.make(x))))
                        self.assertTrue((apart[..., :-1] >= apart[..., 1:]).all())
            x = numbers("int32", 1000)
            self.same(kind, ballot.sort(kind.make(x), zeros="equal"), numpy.sort(x))
            with self.assertRaisesRegex(ValueError, "zeros is 'same': apart, equal"):
                ballot.sort(kind.make(x), zeros="same")
            offsets, y = numpy.array([0, 10], dtype="int32"), RANDOM.choice(numpy.array([0.0, -0.0], dtype="float32"), 20)
            self.same(kind, ballot.segmented_argsort(kind.make(y), kind.make(offsets), zeros="equal", index="int32")[1], numpy.arange(20, dtype="int32"))
            for values in (ballot.sort_by_key(kind.make(y), kind.make(numpy.arange(20, dtype="int32")), zeros="equal")[1],
                           ballot.segmented_sort_by_key(kind.make(y), kind.make(numpy.arange(20, dtype="int32")), kind.make(offsets), zeros="equal")[1]):
                self.same(kind, values, numpy.arange(20, dtype="int32"))
            numpy.testing.assert_array_equal(numpy.signbit(kind.read(ballot.segmented_sort(kind.make(y), kind.make(offsets), zeros="equal"))), numpy.signbit(y))

    def test_argsort(self):
        for kind, dtype, n in self.each():
            x = numbers(dtype, n)
            order = ballot.argsort(kind.make(x), index="int32")
            self.same(kind, order, numpy.argsort(x, kind="stable").astype("int32"))
            keys, order = ballot.argsort(kind.make(x), return_keys=True, index="int32")
            self.same(kind, keys, numpy.sort(x))
            self.same(kind, order, numpy.argsort(x, kind="stable").astype("int32"))

    def test_along_the_last_axis(self):
        for kind in KINDS:
            for shape in ((3, 40), (2, 3, 7), (5, 1), (1, 1000), (2, 6000)):
                with self.subTest(kind=kind.name, shape=shape):
                    x = numbers("float32", 0, shape)
                    self.same(kind, ballot.sort(kind.make(x)), numpy.sort(x, axis=-1))
                    self.same(kind, ballot.argsort(kind.make(x), index="int32"), numpy.argsort(x, axis=-1, kind="stable").astype("int32"))
                    y = numbers("int32", 0, shape)
                    if kind.name != "jax":
                        for index in ("int64", "uint64", "uint32", "int32"):
                            keys, order = ballot.argsort(kind.make(y), index=index, return_keys=True, descending=True)
                            self.same(kind, keys, numpy.sort(y, axis=-1)[..., ::-1])
                            self.same(kind, order, (shape[-1] - 1 - numpy.argsort(y[..., ::-1], axis=-1, kind="stable")[..., ::-1]).astype(index))
                    if kind.name not in ("jax", "numba"):  # Numba converts nothing outside of kernels
                        self.same(kind, ballot.cumsum(kind.make(y)), numpy.cumsum(y, axis=-1, dtype="int64"))
                        self.same(kind, ballot.cumsum(kind.make(y), reverse=True), numpy.cumsum(y[..., ::-1], axis=-1, dtype="int64")[..., ::-1])

    def test_sort_by_key(self):
        for kind, dtype, n in self.each(["int16", "uint32", "float32"]):
            keys, values = numbers(dtype, n), numbers("float32", n)
            order = numpy.argsort(keys, kind="stable")
            a, b = ballot.sort_by_key(kind.make(keys), kind.make(values))
            self.same(kind, a, keys[order])
            self.same(kind, b, values[order])

    def test_segments(self):
        for kind, dtype, n in self.each(["int32", "float32"]):
            x = numbers(dtype, n)
            offsets = numpy.unique(numpy.concatenate([[0], RANDOM.integers(0, n + 1, 9)])).astype("int32")
            parts = numpy.split(x, offsets[1:])
            self.same(kind, ballot.segmented_sort(kind.make(x), kind.make(offsets)), numpy.concatenate([numpy.sort(part) for part in parts]))
            keys, order = ballot.segmented_argsort(kind.make(x), kind.make(offsets), index="int32")
            self.same(kind, keys, numpy.concatenate([numpy.sort(part) for part in parts]))
            numpy.testing.assert_array_equal(x[kind.read(order)], kind.read(keys))
            if dtype == "int32":
                self.same(kind, ballot.segmented_cumsum(kind.make(x), offsets=kind.make(offsets)), numpy.concatenate([numpy.cumsum(part, dtype="int32") for part in parts]))
                heads = numpy.zeros(n, dtype="uint8")
                heads[offsets[offsets < n]] = 1
                self.same(kind, ballot.segmented_cumsum(kind.make(x), heads=kind.make(heads), op="maximum"), numpy.concatenate([numpy.maximum.accumulate(part) for part in parts]))

    def test_sums_of_bool_are_numbers_and_bool_stays_bool(self):
        for kind in KINDS:
            if kind.name in ("jax", "numba"):
                continue
            for n in SIZES[1:]:
                self.where = f"{kind.name} {n}"
                x = numbers("bool", n)
                offsets = numpy.unique(numpy.concatenate([[0], RANDOM.integers(0, n, 5)]))
                given, begins = kind.make(x), kind.make(offsets)
                parts = numpy.split(x, offsets[1:])
                self.same(kind, ballot.segmented_cumsum(given, offsets=begins), numpy.concatenate([numpy.cumsum(part, dtype="int64") for part in parts]))
                for op, ufunc, first in (("minimum", numpy.logical_and, True), ("bit_and", numpy.logical_and, True), ("maximum", numpy.logical_or, False), ("bit_xor", numpy.logical_xor, False)):
                    before = numpy.concatenate([[first], ufunc.accumulate(x)[:-1]])
                    # Each byte is 0 or 1: the operator's identity of bytes is 255.
                    self.bytes_of_bool(kind, ballot.cumsum(given, op=op, exclusive=True), before)
                    self.bytes_of_bool(kind, ballot.cumsum(given, op=op), ufunc.accumulate(x))
                    within = numpy.concatenate([numpy.concatenate([[first], ufunc.accumulate(part)[:-1]]) for part in parts])
                    self.bytes_of_bool(kind, ballot.segmented_cumsum(given, offsets=begins, op=op, exclusive=True), within)
                    self.bytes_of_bool(kind, ballot.reduce(kind.make(x[:0]), op=op), numpy.array(first))
                    self.bytes_of_bool(kind, ballot.reduce(given, op=op), ufunc.reduce(x))
                    self.bytes_of_bool(kind, ballot.segmented_reduce(given, offsets=kind.make(numpy.array([0, 0, n])), op=op), numpy.array([first, ufunc.reduce(x)]))

    def bytes_of_bool(self, kind, ours, expected):
        got = kind.read(ours)
        self.assertEqual(got.dtype, numpy.bool_, self.where)
        numpy.testing.assert_array_equal(got.view("uint8"), numpy.asarray(expected).view("uint8"), err_msg=self.where)

    def test_cumsum(self):
        for kind, dtype, n in self.each(["int8", "uint8", "int32", "uint32", "int64", "bool"]):
            if kind.name == "jax":
                continue  # has no 64 bits unless it is told to
            x = numbers(dtype, n)
            wide = "uint64" if dtype.startswith("u") else "int64"
            sums = numpy.cumsum(x, dtype=wide)
            self.same(kind, ballot.cumsum(kind.make(x)), sums)
            self.same(kind, ballot.cumsum(kind.make(x), exclusive=True), sums - x)
            self.same(kind, ballot.cumsum(kind.make(x), reverse=True), numpy.cumsum(x[::-1], dtype=wide)[::-1])
            if dtype != "bool":
                self.same(kind, ballot.cumsum(kind.make(x), op="maximum"), numpy.maximum.accumulate(x) if n else x)

    def test_selections(self):
        for kind, dtype, n in self.each():
            if kind.name in ("jax", "numba"):
                continue
            x, mask = numbers(dtype, n), numbers("bool", n)
            self.same(kind, ballot.compact(kind.make(x), kind.make(mask)).trim(), x[mask])
            found = ballot.nonzero(kind.make(mask))
            self.assertEqual(int(kind.read(found.count)[0]), mask.sum())
            self.same(kind, found.trim(), numpy.flatnonzero(mask))
            y = numbers("float64", n)
            a, b = ballot.compact((kind.make(x), kind.make(y)), kind.make(mask)).trim()
            self.same(kind, a, x[mask])
            self.same(kind, b, y[mask])
            items, count = ballot.split(kind.make(x), kind.make(mask))
            self.same(kind, items, numpy.concatenate([x[mask], x[~mask]]))
            self.assertEqual(int(kind.read(count)[0]), mask.sum())

    def test_runs(self):
        for kind, dtype, n in self.each():
            if kind.name in ("jax", "numba"):
                continue
            x = numpy.sort(numbers(dtype, n))
            values, lengths = numpy.unique(x, return_counts=True)
            self.same(kind, ballot.unique(kind.make(x)).trim(), values)
            a, b = ballot.run_length_encode(kind.make(x)).trim()
            self.same(kind, a, values)
            self.same(kind, b, lengths)

    def test_what_is_wrong_is_said(self):
        for kind in KINDS:
            x, y = kind.make(numbers("int32", 10)), kind.make(numbers("int32", 9))
            for wrong, says in ((lambda: ballot.sort_by_key(x, y), "values has 9 items, keys has 10"), (lambda: ballot.compact(x, kind.make(numbers("bool", 9))), "mask has 9 items"),
                                (lambda: ballot.sort(x, bits=(0, 40)), "40"), (lambda: ballot.sort(x, nans="never"), "nans is 'never'"),
                                (lambda: ballot.argsort(x, index="int16"), "index is 'int16'"), (lambda: ballot.segmented_cumsum(x), "by one of them"),
                                (lambda: ballot.cumsum(x, op="times"), "op is 'times'")):
                with self.assertRaisesRegex(ValueError, says):
                    wrong()
            with self.assertRaisesRegex(TypeError, "mask has items of 4 bytes"):
                ballot.nonzero(x)
        with self.assertRaisesRegex(TypeError, "not an array"):
            ballot.sort([1, 2, 3])
        with self.assertRaisesRegex(TypeError, "not supported|not an array"):
            ballot.sort(KINDS[0].make(numpy.zeros(3, dtype="complex64")))


if __name__ == "__main__":
    KINDS = kinds.kinds()
    reason = kinds.no_library(KINDS[0]) if KINDS else "there is no framework with a GPU"
    if reason:
        print("not run:", reason)
        sys.exit(77)
    print("kinds:", ", ".join(kind.name for kind in KINDS))
    unittest.main()
