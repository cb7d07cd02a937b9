# SPDX-License-Identifier: Apache-2.0
"""The kinds of arrays that the tests run with: how to make one of a NumPy array, and how to read it.

With BALLOT_TEST_EMULATED the library is built for the emulator: NumPy arrays are the device's memory. Otherwise every framework that is installed and sees a GPU.
"""
import ctypes
import os
import weakref

import numpy

import ballot
from ballot import _core as core
from ballot import _frameworks as frameworks


class Host:
    """NumPy arrays in memory that the emulator knows as the device's."""

    def __init__(self):
        library = ctypes.CDLL(os.environ["BALLOT_LIBRARY"])
        self.allocate, self.free = library.ballot_test_allocate, library.ballot_test_free
        self.allocate.argtypes, self.allocate.restype = [ctypes.c_size_t], ctypes.c_void_p
        self.free.argtypes, self.free.restype = [ctypes.c_void_p], None

    def device_array(self, shape, dtype):
        items = int(numpy.prod(shape, dtype="int64"))
        size = items * numpy.dtype(dtype).itemsize
        memory = self.allocate(max(size, 1))
        buffer = (ctypes.c_uint8 * size).from_address(memory)
        weakref.finalize(buffer, self.free, memory)
        ctypes.memset(memory, 119, size)  # nothing may take it for zeros
        return numpy.frombuffer(buffer, dtype=dtype, count=items).reshape(shape)

    def make(self, x):
        to = self.device_array(x.shape, x.dtype)
        to[...] = x
        return to

    def describe(self, x, what):
        if not x.flags.c_contiguous:
            x = self.make(x)
        return self.address(x), x.shape, x.dtype.name, 0, x

    def address(self, x):
        return x.ctypes.data if x.size else None

    def stream(self, x):
        return None

    def empty(self, shape, name, device):
        return self.device_array(shape, name)

    def arange(self, end, step):
        return self.make(numpy.arange(0, end, step, dtype="int64"))

    def converted(self, x, name):
        return self.make(x.astype(name))

    def other_device(self, device):
        return None


class Kind:
    def __init__(self, name, make, read, types=None):
        self.name, self.make, self.read = name, make, read
        self.types = set(types or ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64", "bool"))


def kinds():
    if os.environ.get("BALLOT_TEST_EMULATED"):
        host = Host()
        frameworks.by_type[numpy.ndarray] = core.Framework("other", host)
        return [Kind("host", host.make, numpy.array)]
    found = []
    try:
        import torch
        if torch.cuda.is_available():
            found.append(Kind("torch", lambda x: torch.from_numpy(x).cuda(), lambda x: x.cpu().numpy()))
    except ImportError:
        pass
    try:
        import cupy
        if cupy.cuda.runtime.getDeviceCount():
            found.append(Kind("cupy", cupy.asarray, cupy.asnumpy))
    except Exception:  # without a driver
        pass
    try:
        import jax
        if any(device.platform == "gpu" for device in jax.devices()):
            found.append(Kind("jax", jax.numpy.asarray, numpy.asarray, ("int32", "uint32", "float32", "int8", "uint8", "int16", "uint16")))
    except Exception:
        pass
    try:
        from numba import cuda
        if cuda.is_available():
            found.append(Kind("numba", cuda.to_device, lambda x: x.copy_to_host()))
    except Exception:
        pass
    if found:
        found.append(Kind("numpy", lambda x: x, lambda x: x))
    return found


def no_library(kind):
    """Why nothing can run, or None."""
    try:
        ballot.sort(kind.make(numpy.zeros(1, dtype="int32")))
    except ballot.BallotError as problem:
        return str(problem)
    return None
