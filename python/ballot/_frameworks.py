# SPDX-License-Identifier: Apache-2.0
"""Arrays of torch, CuPy, Numba, JAX and NumPy, and what else has DLPack or __cuda_array_interface__.

A framework says where an array lies and what it holds, on which stream its work is ordered, and makes results of the same kind by its own allocator. Nothing is
imported that the program has not imported: an array's framework is there already.
"""
import sys

from . import _native as native

BY_NAME = {"int8": native.I8, "uint8": native.U8, "int16": native.I16, "uint16": native.U16, "int32": native.I32, "uint32": native.U32, "int64": native.I64,
           "uint64": native.U64, "float16": native.F16, "bfloat16": native.BF16, "float32": native.F32, "float64": native.F64, "bool": native.U8}
NAMES = {code: name for name, code in BY_NAME.items() if name != "bool"}


class View:
    """An array as a call sees it: contiguous items in device memory. `array` keeps the memory."""

    __slots__ = ("address", "length", "type", "shape", "array", "is_bool")

    def __init__(self, address, length, code, shape, array, is_bool):
        self.address, self.length, self.type, self.shape, self.array, self.is_bool = address, length, code, shape, array, is_bool

    def argument(self):
        return native.Array(self.address, self.length, None, self.type, 0)


def type_of(name, what):
    if name not in BY_NAME:
        raise TypeError(f"{what}: items of type {name} are not supported: {', '.join(BY_NAME)}")
    return BY_NAME[name]


def fail_for_host(what, kind):
    raise ValueError(f"{what} is {kind} in the host's memory, an array in GPU memory is needed")


class Torch:
    def __init__(self):
        self.torch = sys.modules["torch"]
        self.types = {getattr(self.torch, name): code for name, code in BY_NAME.items() if hasattr(self.torch, name)}
        self.dtypes = {code: dtype for dtype, code in self.types.items() if dtype is not self.torch.bool}
        # The same as current_stream(...).cuda_stream and current_device(), without objects on the way, where torch has them.
        private = self.torch._C
        self.raw_stream = getattr(private, "_cuda_getCurrentRawStream", lambda index: self.torch.cuda.current_stream(index).cuda_stream)
        self.current_device = getattr(private, "_cuda_getDevice", self.torch.cuda.current_device)
        self.bool = self.torch.bool

    def view(self, x, what):
        code = self.types.get(x.dtype)
        if code is None:
            raise TypeError(f"{what}: items of type {x.dtype} are not supported: {', '.join(BY_NAME)}")
        if not x.is_cuda:
            fail_for_host(what, "a tensor")
        if not x.is_contiguous():
            x = x.contiguous()
        return View(x.data_ptr(), x.numel(), code, x.shape, x, x.dtype is self.bool)

    def address(self, x):
        return x.data_ptr()

    def device(self, x):
        return x.device

    def stream(self, x):
        return self.raw_stream(x.device.index)

    def empty(self, shape, code, like):
        return self.torch.empty(shape, dtype=self.dtypes[code], device=like.device)

    def arange(self, begin, end, step, like):
        return self.torch.arange(begin, end, step, dtype=self.torch.int64, device=like.device)

    def as_bool(self, x):
        return x.view(self.torch.bool)

    def other_device(self, x):
        """What makes the array's device the current one; None if it is."""
        return None if self.current_device() == x.device.index else self.torch.cuda.device(x.device)


class Cupy:
    def __init__(self):
        self.cupy = sys.modules["cupy"]

    def view(self, x, what):
        code = type_of(x.dtype.name, what)
        if not x.flags.c_contiguous:
            x = self.cupy.ascontiguousarray(x)
        return View(x.data.ptr, x.size, code, x.shape, x, x.dtype.name == "bool")

    def address(self, x):
        return x.data.ptr

    def device(self, x):
        return x.device.id

    def stream(self, x):
        return self.cupy.cuda.get_current_stream().ptr

    def empty(self, shape, code, like):
        return self.cupy.empty(shape, dtype=NAMES[code])

    def arange(self, begin, end, step, like):
        return self.cupy.arange(begin, end, step, dtype="int64")

    def as_bool(self, x):
        return x.view("bool")

    def other_device(self, x):
        return None if self.cupy.cuda.runtime.getDevice() == x.device.id else x.device


class Numba:
    def __init__(self):
        from numba import cuda
        self.cuda = cuda

    def view(self, x, what):
        code = type_of(x.dtype.name, what)
        if not x.is_c_contiguous():
            raise ValueError(f"{what} is not contiguous")
        return View(x.__cuda_array_interface__["data"][0] or 0, x.size, code, x.shape, x, x.dtype.name == "bool")

    def address(self, x):
        return x.__cuda_array_interface__["data"][0] or None

    def device(self, x):
        return self.cuda.current_context().device.id

    def stream(self, x):
        stream = getattr(x, "stream", 0)
        return int(getattr(stream, "handle", None).value or 0) if stream else 0

    def empty(self, shape, code, like):
        return self.cuda.device_array(shape, dtype=NAMES[code])

    def arange(self, begin, end, step, like):
        import numpy
        return self.cuda.to_device(numpy.arange(begin, end, step, dtype="int64"))

    def as_bool(self, x):
        return x.view("bool")

    def other_device(self, x):
        return None  # arrays of Numba belong to the current context


class Through:
    """Arrays that another framework imports, and whose results are handed back: `carry` makes its arrays, `give` the originals' kind."""

    def __init__(self, inner, carry, give):
        self.inner, self.carry, self.give = inner, carry, give


def _carrier():
    """A framework that makes arrays of its own from others'."""
    for name, kind in (("torch", Torch), ("cupy", Cupy)):
        if name in sys.modules:
            return name, framework_named(name, kind)
    for name, kind in (("cupy", Cupy), ("torch", Torch)):
        try:
            __import__(name)
        except ImportError:
            continue
        return name, framework_named(name, kind)
    return None, None


_made = {}


def framework_named(name, kind):
    if name not in _made:
        _made[name] = kind()
    return _made[name]


def _jax():
    name, inner = _carrier()
    if inner is None:
        raise TypeError("arrays of JAX are handed over through torch or CuPy, and neither is installed")
    from_dlpack = sys.modules[name].from_dlpack
    return Through(inner, from_dlpack, lambda x: sys.modules["jax"].dlpack.from_dlpack(x))


def _numpy():
    name, inner = _carrier()
    if inner is None:
        raise TypeError("NumPy arrays are copied to the GPU and back by torch or CuPy, and neither is installed")
    if name == "torch":
        torch = sys.modules["torch"]
        if not torch.cuda.is_available():
            raise native.BallotError("there is no usable GPU: NumPy arrays are sorted and scanned there, and copied back")
        return Through(inner, lambda x: torch.from_numpy(x).cuda(), lambda x: x.cpu().numpy())
    cupy = sys.modules["cupy"]
    if cupy.cuda.runtime.getDeviceCount() == 0:
        raise native.BallotError("there is no usable GPU: NumPy arrays are sorted and scanned there, and copied back")
    return Through(inner, cupy.asarray, cupy.asnumpy)


def _dlpack():
    name, inner = _carrier()
    if inner is None:
        raise TypeError("arrays with DLPack are handed over through torch or CuPy, and neither is installed")
    return Through(inner, sys.modules[name].from_dlpack, lambda x: x)


def _cuda_array_interface():
    name, inner = _carrier()
    if inner is None:
        raise TypeError("arrays with __cuda_array_interface__ are handed over through CuPy or torch, and neither is installed")
    if name == "torch":
        return Through(inner, lambda x: sys.modules["torch"].as_tensor(x, device="cuda"), lambda x: x)
    return Through(inner, sys.modules["cupy"].asarray, lambda x: x)


_MAKERS = {"torch": Torch, "cupy": Cupy, "numba": Numba, "jax": _jax, "jaxlib": _jax, "numpy": _numpy}
_of_type = {}


def framework_of(x, what):
    """The framework of an array, by the module of its type."""
    kind = type(x)
    found = _of_type.get(kind)
    if found is None:
        for parent in kind.__mro__:
            name = parent.__module__.partition(".")[0]
            if name in _MAKERS:
                found = framework_named(name, _MAKERS[name])
                break
        else:
            if hasattr(x, "__cuda_array_interface__"):
                found = framework_named("__cuda_array_interface__", _cuda_array_interface)
            elif hasattr(x, "__dlpack__"):
                found = framework_named("__dlpack__", _dlpack)
            else:
                raise TypeError(f"{what} is a {kind.__module__}.{kind.__qualname__}, not an array: torch, CuPy, Numba, JAX, NumPy, DLPack and "
                                "__cuda_array_interface__ are known")
        _of_type[kind] = found
    return found
