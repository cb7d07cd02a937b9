# SPDX-License-Identifier: Apache-2.0
"""What is refused, before anything is launched; what happens without a library, with one of another version, and where CUDA refuses. With the fake library."""
import ctypes
import os
import re
import subprocess
import sys
import unittest

import ballot
from ballot import _core as core
from ballot import _frameworks as frameworks


class Array:
    """An array of a framework that is known by a description alone: any place, any type."""

    def __init__(self, shape=(10,), dtype="int32", device=0, contiguous=True):
        self.shape, self.dtype, self.device, self.contiguous = (shape,) if isinstance(shape, int) else tuple(shape), dtype, device, contiguous

    def reshape(self, shape):
        return Array(shape, self.dtype, self.device)

    def view(self, dtype):
        return Array(self.shape, dtype, self.device)

    def __sub__(self, other):
        return Array(self.shape, "int64", self.device)

    def __isub__(self, other):
        return self


class Described:
    current = 0

    def __init__(self):
        self.entered = []
        self.scratch = 0

    def describe(self, x, what):
        if x.device is None:
            raise ValueError(f"{what} is an array in the host's memory, an array in GPU memory is needed")
        if not x.contiguous:
            raise ValueError(f"{what} is not contiguous")
        return 4096, x.shape, x.dtype, x.device, x

    def empty(self, shape, name, device, beside):
        if name == "uint8":
            self.scratch += 1
        return Array(shape, name, device)

    def address(self, x):
        return 8192

    def stream(self, x):
        return 77

    def converted(self, x, name):
        return Array(x.shape, name, x.device)

    def other_device(self, device):
        return None if device == self.current else Entered(self.entered, device)


class Entered:
    def __init__(self, log, device):
        self.log, self.device = log, device

    def __enter__(self):
        self.log.append(("enter", self.device))

    def __exit__(self, *problem):
        self.log.append(("exit", self.device))


class Other:
    """An array of another framework."""


def launches():
    return ctypes.CDLL(os.environ["BALLOT_LIBRARY"]).ballot_fake_calls()


class ErrorsTest(unittest.TestCase):
    def setUp(self):
        self.parts = Described()
        frameworks.by_type[Array] = core.Framework("other", self.parts)
        frameworks.by_type[Other] = core.Framework("other", Described())

    def refused(self, kind, says, call, *arguments, **options):
        before = launches()
        with self.assertRaisesRegex(kind, says):
            call(*arguments, **options)
        self.assertEqual(launches(), before, "something was launched")

    def test_types(self):
        self.refused(TypeError, "keys: items of type complex64 are not supported: int8, uint8, .*float64, bool", ballot.sort, Array(dtype="complex64"))
        self.refused(TypeError, "mask has items of 4 bytes: bool or uint8", ballot.nonzero, Array())
        self.refused(TypeError, "offsets has items of type float32: int32, uint32, int64 or uint64", ballot.segmented_sort, Array(), Array(dtype="float32"))
        self.refused(TypeError, "keys is a builtins.list, not an array", ballot.sort, [1, 2])
        self.refused(TypeError, "values is a builtins.list, not an array", ballot.sort_by_key, Array(), [1, 2])
        self.refused(TypeError, "values is of another kind than keys: __main__ and __main__", ballot.sort_by_key, Array(), Other())
        self.refused(TypeError, "dtype: items of type complex64 are not supported", ballot.cumsum, Array(), dtype="complex64")
        self.refused(TypeError, "values has items of type float32, sorted of type int32", ballot.searchsorted, Array(), Array(dtype="float32"))
        self.refused(TypeError, "bins has items of type int64, items of type float32", ballot.histogram, Array(dtype="float32"), Array(dtype="int64"))

    def test_types_of_sums(self):
        rows = Array((2, 5), "float32")
        for items in (Array(dtype="float32"), rows):
            self.refused(TypeError, "dtype is int32: items has items of type float32, by plus it may be float32, float64", ballot.cumsum, items, dtype="int32")
        self.refused(TypeError, "dtype is int64: items has items of type int32, by maximum it may be int32", ballot.reduce, Array(), op="maximum", dtype="int64")
        self.refused(TypeError, "dtype is int8: values has items of type int32, by plus it may be int32, int64, uint64", ballot.reduce_by_key, Array(), Array(), dtype="int8")
        self.refused(TypeError, "dtype is bool: items has items of type bool, by plus it may be uint8, int32, uint32, int64, uint64", ballot.cumsum, Array(dtype="bool"), dtype=bool)
        self.refused(TypeError, "dtype is bool: items has items of type int32, by minimum it may be int32", ballot.cumsum, Array(), op="minimum", dtype="bool")
        self.assertEqual(ballot.cumsum(Array(dtype="bool"), op="minimum", dtype="bool").dtype, "bool")
        self.assertEqual(ballot.cumsum(Array(dtype="bool"), op="minimum", dtype=type("bool_", (), {})).dtype, "bool")  # NumPy 1's numpy.bool_
        self.assertEqual(ballot.cumsum(Array(dtype="bool"), dtype="uint8").dtype, "uint8")
        self.assertEqual(ballot.cumsum(rows, dtype="float64").dtype, "float64")
        offsets = Array(dtype="int64")
        for op, given, sums in (("plus", "bool", "int64"), ("maximum", "bool", "bool"), ("plus", "uint8", "uint8"), ("plus", "float16", "float16")):
            self.assertEqual(ballot.segmented_cumsum(Array(dtype=given), offsets=offsets, op=op).dtype, sums)

    def test_places(self):
        self.refused(ValueError, "keys is an array in the host's memory", ballot.sort, Array(device=None))
        self.refused(ValueError, "keys is not contiguous", ballot.sort, Array(contiguous=False))
        self.refused(ValueError, "values is on device 1, keys on 0", ballot.sort_by_key, Array(), Array(device=1))

    def test_shapes(self):
        self.refused(ValueError, "values has 9 items, keys has 10", ballot.sort_by_key, Array(10), Array(9))
        self.refused(ValueError, "mask has 9 items, items has 10", ballot.compact, Array(10), Array(9, "bool"))
        self.refused(ValueError, r"mask has 10 items, items\[1\] has 9", ballot.compact, (Array(10), Array(9)), Array(10, "bool"))
        self.refused(ValueError, "items is a tuple of 17 arrays: 1 to 16", ballot.compact, (Array(),) * 17, Array(10, "bool"))
        self.refused(ValueError, "keys has 2 dimensions, one is needed", ballot.sort_by_key, Array((2, 5)), Array(10))
        self.refused(ValueError, "mask has 2 dimensions, one is needed", ballot.split, Array(10), Array((2, 5), "bool"))
        self.refused(ValueError, "heads has 9 items, items has 10", ballot.segmented_cumsum, Array(10), heads=Array(9, "bool"))

    def test_options(self):
        self.refused(ValueError, "nans is 'never': last, first, by_bits", ballot.sort, Array(), nans="never")
        self.refused(ValueError, "nans is 3", ballot.sort, Array(), nans=3)
        self.refused(ValueError, r"bits \(3, 3\) are none", ballot.sort, Array(), bits=(3, 3))
        self.refused(ValueError, r"bits \(8, 3\) are no range", ballot.sort, Array(), bits=(8, 3))
        self.refused(ValueError, r"bits is \(1, 2, 3\)", ballot.sort, Array(), bits=(1, 2, 3))
        self.refused(ValueError, "index is 'int16': int64, int32, uint32, uint64", ballot.argsort, Array(), index="int16")
        self.refused(ValueError, "op is 'times': plus", ballot.cumsum, Array(), op="times")
        self.refused(ValueError, "by one of them", ballot.segmented_cumsum, Array())
        self.refused(ValueError, "buckets is 257: 1 to 256", ballot.multisplit, Array(), 257, Array())
        self.refused(ValueError, "buckets is -1, less than 0", ballot.multisplit, Array(), -1, Array())
        self.refused(TypeError, "integer", ballot.multisplit, Array(), 2.5, Array())
        self.refused(ValueError, "along rows", ballot.cumsum, Array((2, 5)), exclusive=True)

    def test_numbers_of_histograms(self):
        for dtype, wrong in (("bfloat16", 1e39), ("bfloat16", -3.4e38), ("bfloat16", "a"), ("float16", 1e6), ("int8", 128), ("float32", 1e39)):
            with self.subTest(dtype=dtype, wrong=wrong):
                self.refused(ValueError, re.escape(f"{wrong!r} is no {dtype}"),
                             ballot.histogram, Array(dtype=dtype), 3, range=(wrong, 1))
        packed = ballot._native.packed
        for number, bits in ((1.0, 0x3F80), (-2.5, 0xC020), (float("inf"), 0x7F80), (-float("inf"), 0xFF80), (0.0, 0), (1.00390625, 0x3F80), (1.01171875, 0x3F82)):
            self.assertEqual(int.from_bytes(packed("bfloat16", number), "little"), bits, number)
        self.assertEqual(int.from_bytes(packed("bfloat16", float("nan")), "little") & 0x7FC0, 0x7FC0)

    def test_results(self):
        out = ballot.sort(Array((3, 5), "float16", 0))
        self.assertEqual((out.shape, out.dtype), ((3, 5), "float16"))
        self.assertEqual(self.parts.scratch, 1)
        keys, order = ballot.argsort(Array((3, 5), "bool"), return_keys=True, index="uint32")
        self.assertEqual((keys.dtype, order.dtype, order.shape), ("bool", "uint32", (3, 5)))
        found = ballot.compact((Array(10, "bool"), Array(10, "float64")), Array(10, "uint8"))
        self.assertEqual([x.dtype for x in found.data], ["bool", "float64"])
        self.assertEqual((found.count.shape, found.count.dtype), ((1,), "int64"))
        for given, sums in (("bool", "int64"), ("int8", "int64"), ("uint16", "uint64"), ("float16", "float16"), ("float32", "float32")):
            self.assertEqual(ballot.cumsum(Array(dtype=given)).dtype, sums)
            self.assertEqual(ballot.cumsum(Array(dtype=given), op="maximum").dtype, given)
        self.assertEqual(ballot.cumsum(Array(dtype="float32"), dtype="float64").dtype, "float64")

    def test_the_device_is_entered_and_left(self):
        ballot.sort(Array(device=2))
        self.assertEqual(self.parts.entered, [("enter", 2), ("exit", 2)])
        with self.assertRaises(ValueError):
            ballot.cumsum(Array((2, 5), device=3), op="maximum")
        self.assertEqual(self.parts.entered[2:], [("enter", 3), ("exit", 3)])

    def test_no_reference_is_lost(self):
        x, offsets, mask = Array(), Array(dtype="int64"), Array(dtype="bool")
        calls = (lambda: ballot.sort(x), lambda: ballot.argsort(x, return_keys=True), lambda: ballot.segmented_sort(x, offsets), lambda: ballot.compact((x, x), mask),
                 lambda: ballot.nonzero(mask), lambda: ballot.cumsum(x), lambda: ballot.unique(x))
        for call in calls:
            call()
        before = [sys.getrefcount(thing) for thing in (x, offsets, mask, None, x.shape, Array, True)]
        for _ in range(1000):
            for call in calls:
                call()
            with self.assertRaises(ValueError):
                ballot.sort_by_key(x, Array(9))
        after = [sys.getrefcount(thing) for thing in (x, offsets, mask, None, x.shape, Array, True)]
        self.assertLess(max(b - a for a, b in zip(before, after)), 100)


class ProcessTest(unittest.TestCase):
    """What a whole program sees."""

    def says(self, code, **environment):
        done = subprocess.run([sys.executable, "-c", "import errors_test\nerrors_test.ErrorsTest('test_types').setUp()\nimport ballot\n" + code],
                              cwd=os.path.dirname(os.path.abspath(__file__)), env={**os.environ, **environment}, capture_output=True, text=True)
        return done.stderr.strip().splitlines()[-1] if done.stderr.strip() else done.stdout.strip()

    def test_another_version(self):
        call = "ballot.sort(errors_test.Array())"
        self.assertRegex(self.says(call, BALLOT_FAKE_VERSION="10000"), "BallotError: .*: the fake library was told")
        self.assertRegex(self.says(call, BALLOT_FAKE_VERSION="200"), "BallotError")
        self.assertEqual(self.says(call + "\nprint('fine')", BALLOT_FAKE_VERSION="105"), "fine")

    def test_no_library(self):
        self.assertRegex(self.says("ballot.sort(errors_test.Array())", BALLOT_LIBRARY="/nowhere/libballot.so"), "BallotError: libballot cannot be loaded: /nowhere/libballot.so")
        self.assertRegex(self.says("ballot.sort(errors_test.Array())", BALLOT_LIBRARY="libc.so.6"), "BallotError: libc.so.6 is no libballot of version 0.1: it has no ballot_")

    def test_arrays_of_the_host(self):
        says = self.says("import numpy\nballot.sort(numpy.zeros(3))")
        if "No module named 'numpy'" in says or not says:
            self.skipTest("NumPy is not here, or there is a GPU")
        self.assertRegex(says, "TypeError: NumPy arrays are copied to the GPU and back by torch or CuPy, and neither is installed|BallotError: there is no usable GPU")
        says = self.says("import torch\nballot.sort(torch.zeros(3))")
        if "No module named 'torch'" not in says:
            self.assertRegex(says, "ValueError: keys is a tensor in the host's memory, an array in GPU memory is needed")
            says = self.says("import torch\nclass Handed:\n  def __dlpack__(self, **options): return torch.zeros(3).__dlpack__()\n"
                             "  def __dlpack_device__(self): return torch.zeros(3).__dlpack_device__()\nballot.sort(Handed())")
            self.assertRegex(says, "ValueError: keys is a tensor in the host's memory")
            self.assertRegex(self.says("import torch\nballot.sort(torch.zeros(3, device='meta'))"), "ValueError: keys is a tensor on meta, an array in GPU memory is needed")
            self.assertRegex(self.says("import torch\nballot.sort(torch.zeros(3, dtype=torch.complex64))"), "TypeError: keys: items of type complex64 are not supported")

    def test_status(self):
        for status, kind in ((1, "ValueError"), (2, "BallotError"), (3, "BallotError"), (5, "BallotError")):
            self.assertRegex(self.says("ballot.sort(errors_test.Array())", BALLOT_FAKE_STATUS=str(status)), f"{kind}: the fake library was told to fail")

    def test_import_is_quick_and_takes_nothing_along(self):
        code = "import sys\nprint([name for name in ('torch', 'cupy', 'numba', 'jax', 'numpy', 'ctypes.util') if name in sys.modules])"
        done = subprocess.run([sys.executable, "-X", "importtime", "-c", "import ballot\n" + code], env=os.environ, capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout.strip(), "[]")
        microseconds = int([line for line in done.stderr.splitlines() if line.endswith(" ballot")][-1].split("|")[1])
        print(f"import ballot: {microseconds / 1e6:.3f} s")
        self.assertLess(microseconds, 300_000)


if __name__ == "__main__":
    unittest.main()
