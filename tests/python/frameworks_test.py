# SPDX-License-Identifier: Apache-2.0
"""How arrays of others are handed over: their streams, devices and memory. With the fake library, and frameworks that compute nothing."""
import gc
import sys
import types
import unittest
import unittest.mock
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

    def test_what_torch_would_not_see_in_the_interface(self):
        x = ByInterface()
        x.further = {"mask": ByInterface()}
        with self.assertRaisesRegex(ValueError, "has a mask"):
            ballot.sort(x)
        x.further = {"typestr": ">i4"}
        with self.assertRaisesRegex(TypeError, "items of type >i4 are not of this machine's byte order"):
            ballot.sort(x)
        x.further = {"mask": None, "typestr": "|i1"}
        ballot.sort(x)

    def test_memory_stays_when_an_event_cannot_be_asked(self):
        # As while another thread captures a graph.
        x = ByDlpack()
        alive = weakref.ref(x)
        ballot.sort(x)
        del x
        self.torch.events[0].has_passed = RuntimeError("operation not permitted when stream is capturing")
        with unittest.mock.patch.object(sys, "unraisablehook") as said:
            ballot.sort(ByDlpack())
        gc.collect()
        self.assertIsNotNone(alive(), "the stream reads memory that its owner has taken back")
        said.assert_not_called()
        self.torch.events[0].has_passed = True
        ballot.sort(ByDlpack())
        self.assertIsNone(alive())

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

    def test_what_jax_traces_is_named_without_torch_and_cupy(self):
        jax = types.ModuleType("jax")

        class Tracer:
            __module__ = "jax._src.core"

        jax.core = types.SimpleNamespace(Tracer=Tracer)
        with unittest.mock.patch.dict(sys.modules, {"jax": jax, "torch": None, "cupy": None}):
            with self.assertRaisesRegex(TypeError, "ballot.jax has the calls for jax.jit"):
                ballot.sort(Tracer())
            with self.assertRaisesRegex(TypeError, "neither is installed"):
                ballot.sort(type("Array", (), {"__module__": "jaxlib"})())

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
        sys.modules["torch"] = None  # not installed
        self.assertEqual(frameworks._carrier(""), "cupy")

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
        with self.assertRaisesRegex(TypeError, "keys is a masked array"):
            ballot.sort(numpy.ma.array(whole, mask=whole == 0))
        self.assertEqual(len(frameworks._in_use), 0)  # copies are of torch's own memory


class NumbaTest(unittest.TestCase):
    def setUp(self):
        frameworks.by_type.clear(), frameworks._made.clear(), frameworks._made_by_name.clear()
        self.log = log = []

        class Stream:
            def __init__(self, handle):
                self.handle = handle  # of NVIDIA's binding: it has no `value`

            def __int__(self):
                return self.handle

        class DeviceNDArrayBase:
            def __init__(self, shape, strides, dtype, stream=0, gpu_data=None):
                self.shape, self.strides, self.dtype, self.stream, self.gpu_data = shape, strides, dtype if hasattr(dtype, "name") else Named(dtype), stream, gpu_data or object()

            @property
            def __cuda_array_interface__(self):
                return {"data": (4096, False)}

        class DeviceNDArray(DeviceNDArrayBase):
            flags = {"C_CONTIGUOUS": True}

            def is_c_contiguous(self):
                return True

            def __getitem__(self, index):
                raise AssertionError("this waits, and makes a number of the host")

        class ManagedNDArray(DeviceNDArrayBase):
            flags = {"C_CONTIGUOUS": True}

        for kind in (DeviceNDArrayBase, DeviceNDArray, ManagedNDArray):
            kind.__module__ = "numba.cuda.cudadrv.devicearray"

        class Event:
            def record(self, stream):
                log.append(("record", int(stream)))

            def wait(self, stream):
                log.append(("wait", int(stream)))

        numba, cuda, devicearray = types.ModuleType("numba"), types.ModuleType("numba.cuda"), types.ModuleType("numba.cuda.cudadrv.devicearray")
        numba.cuda, devicearray.DeviceNDArray = cuda, DeviceNDArray
        cuda.device_array = lambda shape, dtype, stream=0: DeviceNDArray(shape, None, dtype, stream)
        cuda.event = lambda timing: Event()
        cuda.current_context = lambda: types.SimpleNamespace(device=types.SimpleNamespace(id=0))
        names = {"numba": numba, "numba.cuda": cuda, "numba.cuda.cudadrv": types.ModuleType("numba.cuda.cudadrv"), "numba.cuda.cudadrv.devicearray": devicearray}
        sys.modules.update(names)
        self.addCleanup(lambda: [sys.modules.pop(name) for name in names])
        self.stream = Stream
        self.array = lambda stream=0, dtype="int32", kind=DeviceNDArray: kind((10,), (4,), dtype, stream)
        self.managed = lambda: self.array(kind=ManagedNDArray)

    def test_results_are_on_the_stream_of_the_first_input(self):
        stream = self.stream(77)
        keys, values = ballot.sort_by_key(self.array(stream), self.array(stream))
        self.assertEqual((keys.stream, values.stream, self.log), (stream, stream, []))
        self.assertEqual(ballot.sort(self.array()).stream, 0)

    def test_the_other_streams_come_first(self):
        keys, values = ballot.sort_by_key(self.array(self.stream(77)), self.array(self.stream(88)))
        self.assertEqual((int(keys.stream), int(values.stream), self.log), (77, 77, [("record", 88), ("wait", 77)]))
        self.log.clear()
        ballot.sort_by_key(self.array(), self.array(self.stream(88)))
        self.assertEqual(self.log, [("record", 88), ("wait", 0)])

    def test_positions_stay_on_the_device(self):
        stream = self.stream(77)
        for call in (ballot.argmin, ballot.argmax):
            found = call(self.array(stream))
            self.assertEqual((found.shape, found.dtype.name, found.stream), ((), "int64", stream))

    def test_managed_arrays(self):
        self.assertEqual(ballot.sort(self.managed()).shape, (10,))

    def test_what_would_be_converted(self):
        with self.assertRaisesRegex(TypeError, "arrays of numba.cuda.cudadrv.devicearray are not converted: int64 is needed"):
            ballot.segmented_cumsum(self.array(dtype="bool"), offsets=self.array(dtype="int64"))


class CupyTest(unittest.TestCase):
    def setUp(self):
        try:
            import numpy
        except ImportError:
            self.skipTest("NumPy is not here")
        frameworks.by_type.clear(), frameworks._made.clear(), frameworks._made_by_name.clear()
        self.log, self.numpy = [], numpy
        test = self

        class ndarray:
            def __init__(self, shape, dtype, device=None, is_contiguous=True):
                self.shape, self.dtype = shape, dtype
                self.flags = types.SimpleNamespace(c_contiguous=is_contiguous)
                self.data = types.SimpleNamespace(ptr=4096, device_id=test.current if device is None else device)
                self.nbytes = 40

        ndarray.__module__ = "cupy"

        class Device:
            def __init__(self, index):
                self.index = index

            def __enter__(self):
                self.before, test.current = test.current, self.index

            def __exit__(self, *problem):
                test.current = self.before

        def ascontiguousarray(x):
            test.log.append(("copy on", test.current))
            return ndarray(x.shape, x.dtype)

        self.current, self.array = 0, ndarray
        cupy = types.ModuleType("cupy")
        cupy.ndarray, cupy.ascontiguousarray = ndarray, ascontiguousarray
        cupy.cuda = types.SimpleNamespace(alloc=lambda size: types.SimpleNamespace(ptr=8192), Device=Device, get_current_stream=lambda: types.SimpleNamespace(ptr=0),
                                          runtime=types.SimpleNamespace(getDevice=lambda: test.current))
        sys.modules["cupy"] = cupy
        self.addCleanup(sys.modules.pop, "cupy")

    def test_a_copy_is_made_on_the_device_of_the_array(self):
        dtype = self.numpy.dtype("int32")
        found = ballot.sort(self.array((10,), dtype, 1, False))
        self.assertEqual((found.data.device_id, self.log, self.current), (1, [("copy on", 1)], 0))
        with self.assertRaisesRegex(ValueError, "values is on device 0, keys on 1"):
            ballot.sort_by_key(self.array((10,), dtype, 1), self.array((10,), dtype, 0, False))
        self.assertEqual((self.log, self.current), ([("copy on", 1)], 0))

    def test_types(self):
        bfloat16 = Named("bfloat16")
        with self.assertRaisesRegex(TypeError, "keys: items of type .*bfloat16.* are not supported in arrays of CuPy"):
            ballot.sort(self.array((10,), bfloat16))
        with self.assertRaisesRegex(TypeError, "keys: items of type >i4 are not of this machine's byte order"):
            ballot.sort(self.array((10,), self.numpy.dtype(">i4")))


class Named:
    """A type of items: ml_dtypes has such ones."""

    isnative = True

    def __init__(self, name):
        self.name = name

    def __str__(self):
        return self.name


if __name__ == "__main__":
    unittest.main()
