# SPDX-License-Identifier: Apache-2.0
"""The kinds of arrays that the tests run with: how to make one of a NumPy array, and how to read it.

With BALLOT_TEST_EMULATED the library is built for the emulator, and emulated.py makes the arrays. Otherwise every framework that is installed and sees a GPU.
"""
import os

import numpy

import ballot
from ballot import _core as core
from ballot import _frameworks as frameworks


class Kind:
    def __init__(self, name, make, read, types=None):
        self.name, self.make, self.read = name, make, read
        self.types = set(types or ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64", "bool"))


def kinds():
    if os.environ.get("BALLOT_TEST_EMULATED"):
        import emulated
        frameworks.by_type[numpy.ndarray] = core.Framework("other", emulated.Host())
        found = [Kind("host", emulated.copied, numpy.array), Kind("cupy of NumPy", emulated.use_cupy(), lambda x: numpy.array(x).view(numpy.ndarray))]
        try:
            import torch
        except ImportError:
            return found
        emulated.use_torch()
        found.append(Kind("torch on the CPU", torch.from_numpy, lambda x: x.numpy()))
        return found
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
