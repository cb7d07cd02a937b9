# SPDX-License-Identifier: Apache-2.0
"""Reductions, topk, sorted arrays, histograms and take beside NumPy, for each kind of arrays."""
import sys
import unittest

try:
    import numpy
except ImportError:
    print("not run: NumPy is not here")
    sys.exit(77)

import ballot
import kinds
from calls_test import RANDOM, numbers

KINDS = []
SIZES = (0, 1, 33, 1000, 5001)
INTEGERS = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")


def wide(dtype):
    return dtype if dtype.startswith("float") else "uint64" if dtype.startswith("u") else "int64"


class SearchesTest(unittest.TestCase):
    where = ""

    def each(self, types=None):
        for kind in KINDS:
            if kind.name in ("jax", "numba", "numpy"):
                continue
            for dtype in sorted(kind.types if types is None else kind.types & set(types)):
                for n in SIZES if kind is KINDS[0] else SIZES[::2]:
                    self.where = f"{kind.name} {dtype} {n}"
                    yield kind, dtype, n

    def same(self, kind, ours, expected, dtype=None):
        got = kind.read(ours)
        if dtype is not None:
            self.assertEqual(got.dtype, dtype, self.where)
        self.assertEqual(got.shape, numpy.shape(expected), self.where)
        numpy.testing.assert_array_equal(got, expected, err_msg=self.where)

    def test_reduce(self):
        for kind, dtype, n in self.each(INTEGERS + ("bool", "float32")):
            x = numbers(dtype, n)
            if dtype != "float32":
                self.same(kind, ballot.reduce(kind.make(x)), numpy.sum(x, dtype=wide(dtype) if dtype != "bool" else "int64"), wide(dtype))
                self.same(kind, ballot.reduce(kind.make(x), op="bit_xor"), numpy.bitwise_xor.reduce(x) if n else numpy.zeros((), dtype), dtype)
            if n:
                self.same(kind, ballot.reduce(kind.make(x), op="maximum"), x.max(), dtype)

    def test_reduce_along_rows(self):
        for kind, dtype, _ in self.each(["int32", "uint8", "float32"]):
            for shape in ((3, 40), (2, 3, 7), (5, 1), (1, 1000), (0, 5)):
                x = numbers(dtype, 0, shape)
                self.same(kind, ballot.reduce(kind.make(x), op="minimum", axis=-1), x.min(axis=-1), dtype)
                if dtype != "float32":
                    self.same(kind, ballot.reduce(kind.make(x), axis=-1), x.sum(axis=-1, dtype=wide(dtype)), wide(dtype))

    def test_arg(self):
        for kind, dtype, n in self.each():
            if n:
                x = numbers(dtype, n)
                self.same(kind, ballot.argmin(kind.make(x)), numpy.argmin(x), "int64")
                self.same(kind, ballot.argmax(kind.make(x)), numpy.argmax(x), "int64")

    def test_segmented_reduce(self):
        for kind, dtype, n in self.each(["int32", "uint8", "float32"]):
            x = numbers(dtype, n)
            offsets = numpy.sort(numpy.concatenate([[0, n], RANDOM.integers(0, n + 1, 9)])).astype("int32")
            expected = [x[a:b].max(initial=numpy.iinfo(dtype).min if dtype != "float32" else -numpy.inf) for a, b in zip(offsets, offsets[1:])]
            got = kind.read(ballot.segmented_reduce(kind.make(x), offsets=kind.make(offsets), op="maximum"))
            numpy.testing.assert_array_equal(numpy.where(numpy.diff(offsets) > 0, got, 0), numpy.where(numpy.diff(offsets) > 0, expected, 0), err_msg=self.where)
            if dtype != "float32":
                self.same(kind, ballot.segmented_reduce(kind.make(x), offsets=kind.make(offsets)), numpy.array([x[a:b].sum(dtype=wide(dtype)) for a, b in zip(offsets, offsets[1:])]), wide(dtype))
            if n and dtype != "float32":
                heads = numpy.zeros(n, dtype="bool")
                heads[offsets[offsets < n]] = True
                self.same(kind, ballot.segmented_reduce(kind.make(x), heads=kind.make(heads)).trim(), numpy.add.reduceat(x.astype(wide(dtype)), numpy.flatnonzero(heads)))

    def test_reduce_by_key(self):
        for kind, dtype, n in self.each(["int16", "uint32", "float32", "int64"]):
            keys, values = numpy.sort(numbers(dtype, n)), numbers("int32", n)
            expected, begins = numpy.unique(keys, return_index=True)
            a, b = ballot.reduce_by_key(kind.make(keys), kind.make(values)).trim()
            self.same(kind, a, expected, dtype)
            self.same(kind, b, numpy.add.reduceat(values.astype("int64"), begins) if n else numpy.zeros(0), "int64")

    def test_topk(self):
        for kind, dtype, n in self.each():
            x = numbers(dtype, n)
            for k in {0, min(n, 1), min(n, 7), n}:
                for largest in (True, False):
                    order = numpy.argsort(x, kind="stable") if not largest else n - 1 - numpy.argsort(x[::-1], kind="stable")[::-1]
                    keys, positions = ballot.topk(kind.make(x), k, largest=largest)
                    self.same(kind, keys, x[order[:k]], dtype)
                    self.same(kind, positions, order[:k], "int64")
                keys, positions = ballot.topk(kind.make(x), k, sorted=False, index="int32")
                order = n - 1 - numpy.argsort(x[::-1], kind="stable")[::-1]
                self.same(kind, positions, numpy.sort(order[:k]), "int32")

    def test_topk_of_rows(self):
        for kind, dtype, _ in self.each(["int32", "float32", "uint8"]):
            x = numbers(dtype, 0, (3, 2, 40))
            keys, positions = ballot.topk(kind.make(x), 5, largest=False)
            order = numpy.argsort(x, axis=-1, kind="stable")[..., :5]
            self.same(kind, positions, order, "int64")
            self.same(kind, keys, numpy.take_along_axis(x, order, -1), dtype)

    def test_sorted_arrays(self):
        for kind, dtype, n in self.each():
            x, y = numpy.sort(numbers(dtype, n)), numpy.sort(numbers(dtype, n // 2))
            values = numbers(dtype, 0, (3, 20))
            for side in ("left", "right"):
                self.same(kind, ballot.searchsorted(kind.make(x), kind.make(values), side=side), numpy.searchsorted(x, values, side=side), "int64")
            both = numpy.concatenate([x, y])
            self.same(kind, ballot.merge(kind.make(x), kind.make(y)), numpy.sort(both), dtype)
            a, b = numbers("float64", n), numbers("float64", n // 2)
            keys, moved = ballot.merge_by_key(kind.make(x), kind.make(a), kind.make(y), kind.make(b))
            order = numpy.argsort(both, kind="stable")
            self.same(kind, keys, both[order], dtype)
            self.same(kind, moved, numpy.concatenate([a, b])[order], "float64")
            self.same(kind, ballot.is_sorted(kind.make(x)), 1, "int64")
            if n > 1:
                z = x.copy()
                z[[0, -1]] = z[[-1, 0]]
                self.same(kind, ballot.is_sorted(kind.make(z)), int(x[0] == x[-1]))

    def test_histograms(self):
        for kind, dtype, n in self.each(INTEGERS + ("bool",)):
            x = numbers(dtype, n)
            bins = 2 if dtype == "bool" else 100
            inside = x[(x >= 0) & (x < bins)] if dtype != "bool" else x
            self.same(kind, ballot.bincount(kind.make(x), bins), numpy.bincount(inside.astype("int64"), minlength=bins), "int64")
            if dtype in ("uint8", "uint16"):
                self.same(kind, ballot.bincount(kind.make(x), 1 << 8 * x.itemsize), numpy.bincount(x, minlength=1 << 8 * x.itemsize))
        for kind, dtype, n in self.each(["float32", "float64", "int32", "float16"]):
            x = numbers(dtype, n)
            borders = numpy.array([-50, -10, 0, 3, 64]).astype(dtype)
            expected = [((x >= a) & (x < b)).sum() for a, b in zip(borders, borders[1:])]
            self.same(kind, ballot.histogram(kind.make(x), kind.make(borders)), expected, "int64")
            borders = numpy.arange(-64, 65, 16).astype(dtype)
            expected = [((x >= a) & (x < b)).sum() for a, b in zip(borders, borders[1:])]
            self.same(kind, ballot.histogram(kind.make(x), 8, range=(-64, 64)), expected, "int64")

    def test_take(self):
        for kind, dtype, n in self.each():
            if n:
                x, indices = numbers(dtype, n), RANDOM.integers(0, n, (4, 9))
                self.same(kind, ballot.take(kind.make(x), kind.make(indices)), x[indices], dtype)
                rows = numbers(dtype, 0, (n, 3, 2))
                self.same(kind, ballot.take(kind.make(rows), kind.make(indices.astype("int32"))), rows[indices], dtype)

    def test_what_is_wrong_is_said(self):
        for kind in KINDS:
            x, y = kind.make(numbers("int32", 10)), kind.make(numbers("float32", 10))
            for wrong, problem, says in ((lambda: ballot.topk(x, 11), ValueError, "k is 11, the last axis of keys has 10 items"), (lambda: ballot.topk(x, -1), ValueError, "k is -1"),
                                         (lambda: ballot.merge(x, y), TypeError, "second has items of type float32, first of type int32"),
                                         (lambda: ballot.searchsorted(x, x, side="up"), ValueError, "side is 'up'"),
                                         (lambda: ballot.bincount(y, 3), TypeError, "integers are needed"), (lambda: ballot.bincount(x, 0), ValueError, "bins is 0"),
                                         (lambda: ballot.bincount(x, 1 << 31), ValueError, "at most 2147483647 of int32"),
                                         (lambda: ballot.histogram(x, 5), ValueError, "range="), (lambda: ballot.histogram(x, 5, range=(0, 1 << 40)), ValueError, "is no int32"),
                                         (lambda: ballot.take(x, y), TypeError, "indices has items of type float32"), (lambda: ballot.reduce(x, axis=0), ValueError, "axis is 0"),
                                         (lambda: ballot.reduce_by_key(x, kind.make(numbers("int32", 9))), ValueError, "values has 9 items, keys has 10"),
                                         (lambda: ballot.segmented_reduce(x), ValueError, "by one of them")):
                with self.assertRaisesRegex(problem, says):
                    wrong()
            if kind.name != "jax":
                with self.assertRaisesRegex(ValueError, "no items"):
                    ballot.argmin(kind.make(numbers("int32", 0)))


if __name__ == "__main__":
    KINDS = kinds.kinds()
    reason = kinds.no_library(KINDS[0]) if KINDS else "there is no framework with a GPU"
    if reason:
        print("not run:", reason)
        sys.exit(77)
    print("kinds:", ", ".join(kind.name for kind in KINDS))
    unittest.main()
