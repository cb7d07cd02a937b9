# SPDX-License-Identifier: Apache-2.0
"""Arrays in the memory that the emulator knows as the device's, as three frameworks see them: one in Python, torch on the CPU, and a CuPy of NumPy arrays.

So the package's own code for torch and CuPy runs without a GPU.
"""
import ctypes
import os
import sys
import types
import weakref

import numpy

from ballot import _frameworks as frameworks
from ballot import _core as core

_library = ctypes.CDLL(os.environ["BALLOT_LIBRARY"])
_allocate, _free = _library.ballot_test_allocate, _library.ballot_test_free
_allocate.argtypes, _allocate.restype = [ctypes.c_size_t], ctypes.c_void_p
_free.argtypes, _free.restype = [ctypes.c_void_p], None


def new(shape, dtype, kind=numpy.ndarray):
    """An array with arbitrary contents."""
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    items = int(numpy.prod(shape, dtype="int64"))
    size = items * numpy.dtype(dtype).itemsize
    memory = _allocate(max(size, 1))
    buffer = (ctypes.c_uint8 * size).from_address(memory)
    weakref.finalize(buffer, _free, memory)
    ctypes.memset(memory, 119, size)  # nothing may take it for zeros
    return numpy.frombuffer(buffer, dtype=dtype, count=items).reshape(shape).view(kind)


def copied(x, kind=numpy.ndarray):
    to = new(x.shape, x.dtype, kind)
    to[...] = x
    return to


class Host:
    """What _core asks of a framework that it does not know itself."""

    def describe(self, x, what):
        if not x.flags.c_contiguous:
            x = copied(x)
        return self.address(x), x.shape, x.dtype.name, 0, x

    def address(self, x):
        return x.ctypes.data if x.size else None

    def stream(self, x):
        return None

    def empty(self, shape, name, device, beside):
        return new(shape, name)

    def converted(self, x, name):
        return copied(x.astype(name))

    def other_device(self, device):
        return None


# ---- CuPy: its names, over NumPy ----

class _Memory:
    device_id = 0

    def __init__(self, array):
        self.array, self.ptr = array, array.ctypes.data


class _CupyArray(numpy.ndarray):
    """Has `data.ptr` and `data.device_id`, as CuPy's arrays."""

    def __new__(cls, shape, dtype):
        return new(shape, dtype, cls)

    @property
    def data(self):
        return _Memory(self)

    def astype(self, dtype):
        return copied(numpy.asarray(self).astype(dtype), _CupyArray)


_CupyArray.__module__ = "cupy"


def cupy():
    """A module with the names that the package takes from CuPy."""
    module = types.ModuleType("cupy")
    module.ndarray = _CupyArray
    module.ascontiguousarray = lambda x: copied(x, _CupyArray)
    module.cuda = types.SimpleNamespace(
        alloc=lambda size: _Memory(new(size, "uint8")), Device=None, get_current_stream=lambda: types.SimpleNamespace(ptr=0),
        runtime=types.SimpleNamespace(getDevice=lambda: 0))
    return module


def use_cupy():
    """Afterwards sys.modules has the CuPy of this module."""
    sys.modules["cupy"] = cupy()
    return lambda x: copied(x, _CupyArray)


# ---- torch on the CPU ----

def use_torch():
    """Afterwards the package takes tensors on the CPU for tensors on the GPU. They are carried to the emulator's memory and back, since torch's own calls make them."""
    import torch

    def empty(size, dtype, device):
        items = int(numpy.prod(tuple(size), dtype="int64"))
        return torch.from_numpy(new(items * dtype.itemsize, "uint8")).view(dtype).reshape(tuple(size))

    def carry(x):
        to = empty(x.shape, x.dtype, None)
        to.copy_(x.detach())
        return to

    parts = frameworks.torch_parts()

    def empty_strided(size, strides, dtype, device):
        assert tuple(strides) == torch.empty(tuple(size), device="meta").stride(), (size, strides)
        return empty(size, dtype, device)

    parts.empty_strided = empty_strided
    parts.contiguous, parts.to = carry, lambda x, dtype: carry(x.to(dtype))
    parts.device, parts.on_device = lambda index: None, "is_cpu"
    parts.stream, parts.current_device = lambda index: 0, lambda: -1
    scratch = {}

    def allocate(size, stream):
        memory = new(size, "uint8")
        scratch[memory.ctypes.data] = memory
        return memory.ctypes.data

    parts.allocate, parts.release = allocate, lambda address: scratch.pop(address) is None
    frameworks.by_type[torch.Tensor] = core.Framework("torch", parts, lambda x: carry(x) if x.is_contiguous() else x, lambda x: x.clone())
    frameworks.by_type[torch.nn.Parameter] = frameworks.by_type[torch.Tensor]
    return scratch
