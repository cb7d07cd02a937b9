# SPDX-License-Identifier: Apache-2.0
"""How arrays of others are handed over: their streams, devices and memory. With the fake library, and frameworks that compute nothing."""
import gc
import sys
import types
import unittest
import weakref

import ballot
import fake_torch
from ballot import _frameworks as frameworks


class Owner:
    """An array in GPU memory."""

    def __init__(self, shape=(10,), device=0):
        self.shape, self.device = shape, device


class ByDlpack(Owner):
    def __dlpack__(self, stream=None, **options):
        self.stream = stream

    def __dlpack_device__(self):
        return (2, self.device)


class ByInterface(Owner):
    further = {}
    is_read_only = False

    @property
    def __cuda_array_interface__(self):
        return {"shape": self.shape, "typestr": "<i4", "data": (4096, self.is_read_only), "version": 3, **self.further}


class ByBoth(ByInterface):
    kind = 2
    says = None

    def __dlpack__(self, stream=None, **options):
        if self.says:
            raise self.says
        self.stream = stream

    def __dlpack_device__(self):
        return (self.kind, self.device)


class HandedOverTest(unittest.TestCase):
    def setUp(self):
        frameworks.by_type.clear(), frameworks._made.clear(), frameworks._made_by_name.clear(), frameworks._in_use.clear()
        self.torch = sys.modules["torch"] = fake_torch.fake()
        self.addCleanup(sys.modules.pop, "torch")
        self.device_of = frameworks._device_of
        frameworks._device_of = lambda pointer: 0
        self.addCleanup(setattr, frameworks, "_device_of", self.device_of)

    def gone_after(self, x, call):
        """Whether the array is gone when the call has returned and the caller has dropped it."""
        alive = weakref.ref(x[0])
        call(x[0])
        x.clear()
        gc.collect()
        return alive() is None

    def test_memory_stays_until_the_device_has_read_it(self):
        for kind in (ByDlpack, ByInterface):
            with self.subTest(kind=kind.__name__):
                self.torch.log.clear(), self.torch.events.clear()
                x = kind()
                alive = weakref.ref(x)
                ballot.sort(x)
                del x
                gc.collect()
                self.assertIsNotNone(alive(), "the stream reads memory that its owner has taken back")
                self.assertEqual(self.torch.log, [("record", 7, 0)])
                ballot.sort(kind())
                self.assertIsNotNone(alive())
                self.torch.events[0].has_passed = True
                ballot.sort(kind())
                self.assertIsNone(alive(), "it stays after it was read")
                self.assertEqual(len(frameworks._in_use), 2)
                frameworks._in_use.clear()

    def test_memory_stays_after_an_error(self):
        # The contiguous copy reads it.
        x, y = ByDlpack(), ByDlpack(9)
        x.contiguous = False
        y.shape = (9,)
        alive = weakref.ref(x)
        with self.assertRaisesRegex(ValueError, "values has 9 items, keys has 10"):
            ballot.sort_by_key(x, y)
        y.shape, y.device = (10,), 1
        with self.assertRaisesRegex(ValueError, "values is on device 1, keys on 0"):
            ballot.sort_by_key(x, y)
        del x
        gc.collect()
        self.assertEqual(len(frameworks._in_use), 2)
        self.assertIsNotNone(alive())

    def test_a_graph_is_captured(self):
        self.torch.is_capturing = True
        ballot.sort(ByDlpack())
        self.assertEqual((self.torch.events, len(frameworks._in_use)), ([], 0))

    def test_dlpack_orders_streams(self):
        x = ByBoth()
        ballot.sort(x)
        self.assertEqual(x.stream, 7)
        x.says = BufferError("no such type")
        x.further = {"stream": 55}
        self.torch.log.clear()
        ballot.sort(x)
        self.assertEqual(self.torch.log[0], ("wait", 7, 55, 0))
        x.says, x.kind = RuntimeError("managed memory is not taken"), 13
        ballot.sort(x)

    def test_the_stream_of_the_interface(self):
        for stream, waits in ((None, []), (1, [("wait", 7, 0, 0)]), (2, [("wait", 7, 2, 0)]), (4711, [("wait", 7, 4711, 0)]), (7, [])):
            with self.subTest(stream=stream):
                self.torch.log.clear()
                x = ByInterface()
                x.further = {"stream": stream}
                ballot.sort(x)
                self.assertEqual([entry for entry in self.torch.log if entry[0] == "wait"], waits)
        x.further = {"stream": 0}
        with self.assertRaisesRegex(ValueError, "names stream 0"):
            ballot.sort(x)

    def test_the_device_of_the_interface(self):
        frameworks._device_of = lambda pointer: {4096: 1}[pointer]
        x = ByInterface()
        x.further = {"stream": 4711}
        self.assertEqual(ballot.sort(x).device.index, 1)
        self.assertEqual(self.torch.log, [("wait", 7, 4711, 1), ("record", 7, 1)])
        self.assertEqual(self.torch.current, 0)

    def test_memory_that_is_read_only(self):
        x = ByInterface()
        x.is_read_only = True
        ballot.sort(x)

    def test_sums_that_jax_would_cut(self):
        jax = types.ModuleType("jax")

        class Array(ByDlpack):
            __module__ = "jaxlib"

        jax.config = types.SimpleNamespace(jax_enable_x64=False)
        jax.core = types.SimpleNamespace(Tracer=type(None))
        jax.dlpack = types.SimpleNamespace(from_dlpack=lambda x: x)
        sys.modules["jax"] = jax
        self.addCleanup(sys.modules.pop, "jax")
        x = Array()
        for wrong in (lambda: ballot.cumsum(x), lambda: ballot.reduce(x), lambda: ballot.reduce_by_key(x, x)):
            with self.assertRaisesRegex(TypeError, "sums of type int64 would be cut to 32 bits by JAX"):
                wrong()
        self.assertEqual(ballot.cumsum(x, dtype="int32").dtype.name, "int32")
        self.assertEqual(ballot.cumsum(x, op="maximum").dtype.name, "int32")
        jax.config.jax_enable_x64 = True
        self.assertEqual(ballot.cumsum(x).dtype.name, "int64")

    def test_who_carries(self):
        cupy = types.ModuleType("cupy")
        cupy.cuda = types.SimpleNamespace(runtime=types.SimpleNamespace(getDeviceCount=lambda: 1))
        sys.modules["cupy"] = cupy
        self.addCleanup(sys.modules.pop, "cupy")
        self.assertEqual(frameworks._carrier(""), "torch")
        self.torch.cuda.is_available = lambda: False  # torch for the CPU alone
        self.assertEqual(frameworks._carrier(""), "cupy")
        cupy.cuda.runtime.getDeviceCount = lambda: 0
        self.assertEqual(frameworks._carrier(""), "torch")  # which says what is wrong
        del sys.modules["torch"]
        self.assertEqual(frameworks._carrier(""), "cupy")
        sys.modules["torch"] = self.torch

    def test_numpy_arrays_of_any_strides(self):
        try:
            import numpy
        except ImportError:
            self.skipTest("NumPy is not here")

        def from_numpy(x):
            if not x.flags.writeable or any(stride < 0 or stride % x.itemsize for stride in x.strides):
                raise ValueError("torch takes no such array")
            made = fake_torch.Tensor(x.shape, self.torch.int32)
            made.cuda = lambda: made
            return made

        self.torch.from_numpy = from_numpy
        fake_torch.Tensor.cpu = lambda tensor: types.SimpleNamespace(numpy=lambda: tensor)
        self.addCleanup(delattr, fake_torch.Tensor, "cpu")
        whole = numpy.zeros((8, 8), dtype="int32")
        records = numpy.zeros(4, dtype=[("a", "int32"), ("b", "int8")])
        for x in (whole, whole[::-1], whole[:1][::-1], records["a"][:1]):
            self.assertEqual(ballot.sort(x).shape, x.shape)
        self.assertEqual(len(frameworks._in_use), 0)  # copies are of torch's own memory


if __name__ == "__main__":
    unittest.main()
