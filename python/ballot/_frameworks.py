# SPDX-License-Identifier: Apache-2.0
"""Arrays of torch, CuPy, Numba, JAX and NumPy, and what else has DLPack or __cuda_array_interface__.

_core reads arrays and makes results. This module tells it once what a framework calls the things that it needs. Nothing is imported that the program has not
imported: an array's framework is there already.
"""
from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any, Callable

from ._core import TYPES, Framework
from ._native import BallotError

by_type: dict[type, Framework] = {}  # _core looks here first


def torch_parts() -> SimpleNamespace:
    torch = sys.modules["torch"]
    dtypes = {code: getattr(torch, name) for name, code in TYPES.items() if hasattr(torch, name)}
    types = {dtype: code for code, dtype in dtypes.items()}
    types[torch.bool] = 0
    # The same as current_stream(...).cuda_stream, current_device() and caching_allocator_alloc(...), without objects on the way, where torch has them.
    private = torch._C
    allocate = getattr(private, "_cuda_cudaCachingAllocator_raw_alloc", None)
    release = getattr(private, "_cuda_cudaCachingAllocator_raw_delete", None)
    if allocate is None or release is None:
        allocate = release = None
    return SimpleNamespace(
        empty_strided=torch.empty_strided, types=types, dtypes=dtypes, bool=torch.bool,
        contiguous=torch.Tensor.contiguous, to=torch.Tensor.to, on_device="is_cuda", device=lambda index: torch.device("cuda", index),
        device_context=torch.cuda.device, current_device=getattr(private, "_cuda_getDevice", torch.cuda.current_device), allocate=allocate, release=release,
        stream=getattr(private, "_cuda_getCurrentRawStream", lambda index: torch.cuda.current_stream(index).cuda_stream))


def cupy_parts() -> SimpleNamespace:
    import numpy  # CuPy's types are its types
    cupy = sys.modules["cupy"]
    dtypes = {code: numpy.dtype(name) for name, code in TYPES.items() if name != "bfloat16"}
    types = {dtype: code for code, dtype in dtypes.items()}
    types[numpy.dtype("bool")] = 0

    def keeping(array: Any, memory: Any) -> Any:
        """The array, as one that keeps `memory`."""
        if array.nbytes == 0:
            return array
        own = cupy.cuda.UnownedMemory(array.data.ptr, array.nbytes, (array, memory), array.data.device_id)
        return cupy.ndarray(array.shape, array.dtype, cupy.cuda.MemoryPointer(own, 0))

    return SimpleNamespace(
        is_capturing=getattr(cupy.cuda.runtime, "streamIsCapturing", lambda stream: False), keeping=keeping,
        empty=cupy.ndarray, types=types, dtypes=dtypes, bool=numpy.dtype("bool"), contiguous=cupy.ascontiguousarray, allocate=cupy.cuda.alloc,
        stream=lambda: cupy.cuda.get_current_stream().ptr, current_device=cupy.cuda.runtime.getDevice, device_context=cupy.cuda.Device)


class Numba:
    """What _core asks of a framework that it does not know itself."""

    def __init__(self) -> None:
        from numba import cuda
        self.cuda = cuda

    def describe(self, x: Any, what: str) -> tuple[Any, ...]:
        if not x.is_c_contiguous():
            raise ValueError(f"{what} is not contiguous")
        return self.address(x), tuple(x.shape), x.dtype.name, self.cuda.current_context().device.id, x

    def address(self, x: Any) -> int | None:
        return x.__cuda_array_interface__["data"][0] or None

    def stream(self, x: Any) -> int:
        handle = getattr(getattr(x, "stream", None), "handle", None)  # none of the default stream
        return int(handle.value or 0) if handle is not None else 0

    def empty(self, shape: tuple[int, ...], name: str, device: int) -> Any:
        return self.cuda.device_array(shape, dtype=name)

    # Without `converted`: arrays of Numba stay as they are.

    def other_device(self, device: int) -> None:
        return None  # arrays of Numba belong to the current context


_PARTS: dict[str, tuple[str, Callable[[], Any]]] = {"torch": ("torch", torch_parts), "cupy": ("cupy", cupy_parts), "numba": ("other", Numba)}
_made: dict[str, Framework] = {}


def _known(name: str) -> Framework:
    if name not in _made:
        kind, parts = _PARTS[name]
        _made.setdefault(name, Framework(kind, parts()))
    return _made[name]


def _carrier(whose: str) -> str:
    """The framework that makes arrays of its own from others'."""
    for name in ("torch", "cupy"):
        if name in sys.modules:
            return name
    for name in ("cupy", "torch"):
        try:
            __import__(name)
        except ImportError:
            continue
        return name
    raise TypeError(f"{whose} by torch or CuPy, and neither is installed")


def _through(name: str, carry: Callable[[Any], Any], give: Callable[[Any], Any] | None) -> Framework:
    kind, parts = _PARTS[name]
    return Framework(kind, parts(), carry, give)


def _jax() -> Framework:
    name = _carrier("arrays of JAX are handed over")
    jax: Any = sys.modules["jax"]

    def carry(x: Any) -> Any:
        if isinstance(x, jax.core.Tracer):
            raise TypeError("an array of JAX has no memory while it is traced: ballot.jax has the calls for jax.jit, jax.grad and jax.vmap")
        return sys.modules[name].from_dlpack(x)

    return _through(name, carry, lambda x: jax.dlpack.from_dlpack(x))


def _numpy() -> Framework:
    name = _carrier("NumPy arrays are copied to the GPU and back")
    try:
        if name == "torch":
            torch = sys.modules["torch"]
            has_gpu = torch.cuda.is_available()
        else:
            has_gpu = sys.modules["cupy"].cuda.runtime.getDeviceCount() > 0
    except Exception as problem:  # CuPy's own, without a driver
        raise BallotError(f"there is no usable GPU for NumPy arrays: {problem}") from None
    if not has_gpu:
        raise BallotError("there is no usable GPU: NumPy arrays are sorted and scanned there, and copied back")
    if name == "torch":

        def carry(x: Any) -> Any:
            # torch takes no strides below 0, other byte orders or arrays that are read-only.
            if not x.flags.c_contiguous or not x.flags.writeable or not x.dtype.isnative:
                x = x.astype(x.dtype.newbyteorder("="), order="C", copy=True)
            return torch.from_numpy(x).cuda()

        return _through(name, carry, lambda x: x.cpu().numpy())
    cupy = sys.modules["cupy"]
    return _through(name, cupy.asarray, cupy.asnumpy)


def _dlpack() -> Framework:
    name = _carrier("arrays with DLPack are handed over")
    return _through(name, sys.modules[name].from_dlpack, None)


def _cuda_array_interface() -> Framework:
    name = _carrier("arrays with __cuda_array_interface__ are handed over")
    module = sys.modules[name]
    return _through(name, (lambda x: module.as_tensor(x, device="cuda")) if name == "torch" else module.asarray, None)


_MAKERS: dict[str, Callable[[], Framework]] = {"torch": lambda: _known("torch"), "cupy": lambda: _known("cupy"), "numba": lambda: _known("numba"), "jax": _jax,
                                               "jaxlib": _jax, "numpy": _numpy, "__cuda_array_interface__": _cuda_array_interface, "__dlpack__": _dlpack}
_made_by_name: dict[str, Framework] = {}


def _kind(x: Any, what: str) -> str:
    for parent in type(x).__mro__:
        name = parent.__module__.partition(".")[0]
        if name in _MAKERS:
            return name
    for name in ("__cuda_array_interface__", "__dlpack__"):
        if hasattr(x, name):
            return name
    raise TypeError(f"{what} is a {type(x).__module__}.{type(x).__qualname__}, not an array: torch, CuPy, Numba, JAX, NumPy, DLPack and "
                    "__cuda_array_interface__ are known")


def framework_of(x: Any, what: str) -> None:
    """Remembers the framework of an array in by_type, by the module of its type. Several threads may come here at once: the first one's stays."""
    name = _kind(x, what)
    if name not in _made_by_name:
        _made_by_name.setdefault(name, _MAKERS[name]())
    by_type.setdefault(type(x), _made_by_name[name])
