# SPDX-License-Identifier: Apache-2.0
"""Arrays of torch, CuPy, Numba, JAX and NumPy, and what else has DLPack or __cuda_array_interface__.

_core reads arrays and makes results. This module tells it once what a framework calls the things that it needs. Nothing is imported that the program has not
imported: an array's framework is there already.
"""
from __future__ import annotations

import collections
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
        stream=getattr(private, "_cuda_getCurrentRawStream", lambda index: torch.cuda.current_stream(index).cuda_stream), keep=_keep_of_torch)


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
        stream=lambda: cupy.cuda.get_current_stream().ptr, current_device=cupy.cuda.runtime.getDevice, device_context=cupy.cuda.Device, keep=_keep_of_cupy)


# ---- arrays that are handed over: kept until the device has read them ----

# Their owner takes the memory back with the last reference, and knows nothing of the stream that reads it. (torch's record_stream does nothing for memory that is
# not of torch's allocator.) So they stay here until an event behind the launch has passed. Each call that hands arrays over looks for those of earlier ones.
_in_use: collections.deque[tuple[Callable[[], bool], tuple[Any, ...]]] = collections.deque()


def _keep_until(has_passed: Callable[[], bool], arrays: tuple[Any, ...]) -> None:
    _in_use.append((has_passed, arrays))
    for _ in range(len(_in_use)):  # one by one: another thread may do the same
        try:
            kept = _in_use.popleft()
        except IndexError:
            break
        try:
            is_read = kept[0]()
        except Exception:  # CUDA refuses while another thread captures a graph, and after errors: the device may still read it
            is_read = False
        if not is_read:
            _in_use.append(kept)


# While a graph is captured there are no events to ask for. It reads its inputs at every launch: they are the caller's to keep, as the framework's own arrays are.

def _keep_of_torch(arrays: tuple[Any, ...], device: int) -> None:
    torch = sys.modules["torch"]
    if torch.cuda.is_current_stream_capturing():
        return
    event = torch.cuda.Event()
    event.record(torch.cuda.current_stream(device))
    _keep_until(event.query, arrays)


def _keep_of_cupy(arrays: tuple[Any, ...], device: int) -> None:
    cupy = sys.modules["cupy"]
    stream = cupy.cuda.get_current_stream()
    if stream.ptr and getattr(cupy.cuda.runtime, "streamIsCapturing", lambda stream: False)(stream.ptr):
        return
    event = cupy.cuda.Event(disable_timing=True)
    event.record(stream)
    _keep_until(lambda: bool(event.done), arrays)


class Numba:
    """What _core asks of a framework that it does not know itself."""

    def __init__(self) -> None:
        from numba import cuda
        from numba.cuda.cudadrv.devicearray import DeviceNDArray
        self.cuda, self.array = cuda, DeviceNDArray

    def describe(self, x: Any, what: str) -> tuple[Any, ...]:
        if not x.flags["C_CONTIGUOUS"]:  # managed and mapped arrays have it, too
            raise ValueError(f"{what} is not contiguous")
        return self.address(x), tuple(x.shape), x.dtype.name, self.cuda.current_context().device.id, x

    def address(self, x: Any) -> int | None:
        return x.__cuda_array_interface__["data"][0] or None

    def stream(self, x: Any) -> int:
        return int(x.stream)

    def empty(self, shape: tuple[int, ...], name: str, device: int, beside: Any) -> Any:
        return self.cuda.device_array(shape, dtype=name, stream=beside.stream)  # a later copy of it is on that stream, too

    def wait(self, first: Any, other: Any) -> None:
        if int(first.stream) != int(other.stream):
            event = self.cuda.event(timing=False)
            event.record(other.stream)
            event.wait(first.stream)

    def first(self, x: Any) -> Any:
        """x[0] would wait, and be a number of the host."""
        return self.array(shape=(), strides=(), dtype=x.dtype, stream=x.stream, gpu_data=x.gpu_data)

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
    """The framework that makes arrays of its own from others': one that sees a GPU, and one that the program has imported rather than another one."""
    imported = [name for name in ("torch", "cupy") if sys.modules.get(name) is not None]
    for name in imported:
        if _sees_a_gpu(name):
            return name
    for name in ("cupy", "torch"):
        if name not in imported:
            try:
                __import__(name)
            except ImportError:
                continue
            imported.append(name)
            if _sees_a_gpu(name):
                return name
    if not imported:
        raise TypeError(f"{whose} by torch or CuPy, and neither is installed")
    return imported[0]  # which says what is wrong


def _sees_a_gpu(name: str) -> bool:
    try:
        return bool(sys.modules["torch"].cuda.is_available() if name == "torch" else sys.modules["cupy"].cuda.runtime.getDeviceCount() > 0)
    except Exception:  # CuPy's own, without a driver
        return False


def _through(name: str, carry: Callable[[Any], Any], give: Callable[[Any], Any] | None, keeps: bool = True,
             check_sums: Callable[[str], None] | None = None) -> Framework:
    """keeps: whether arrays that are carried are of their owner's memory, not copies."""
    kind, make = _PARTS[name]
    parts = make()
    return Framework(kind, parts, carry, give, parts.keep if keeps else None, check_sums)


def _jax() -> Framework:
    name = _carrier("arrays of JAX are handed over")
    jax: Any = sys.modules["jax"]

    def check_sums(type_name: str) -> None:
        if type_name.endswith("64") and not jax.config.jax_enable_x64:
            raise TypeError(f"sums of type {type_name} would be cut to 32 bits by JAX: jax_enable_x64 allows 64, dtype= names shorter sums where there are some")

    return _through(name, lambda x: sys.modules[name].from_dlpack(x), lambda x: jax.dlpack.from_dlpack(x), check_sums=check_sums)


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
            # torch takes no strides below 0 or between items, other byte orders or arrays that are read-only. An axis of one item may have any stride.
            if not x.flags.c_contiguous or not x.flags.writeable or not x.dtype.isnative or any(stride < 0 or stride % x.itemsize for stride in x.strides):
                x = x.astype(x.dtype.newbyteorder("="), order="C", copy=True)
            return torch.from_numpy(x).cuda()

        return _through(name, carry, lambda x: x.cpu().numpy(), keeps=False)
    cupy = sys.modules["cupy"]
    return _through(name, cupy.asarray, cupy.asnumpy, keeps=False)


def _dlpack() -> Framework:
    name = _carrier("arrays with DLPack are handed over")
    by_dlpack, by_interface = sys.modules[name].from_dlpack, _by_interface(name)

    def carry(x: Any) -> Any:
        if not hasattr(x, "__cuda_array_interface__"):
            return by_dlpack(x)
        if x.__dlpack_device__()[0] != 2:  # kDLCUDA: managed memory and that of the host are other kinds, which not all take
            return by_interface(x)
        try:
            return by_dlpack(x)
        except BufferError:  # a type that DLPack does not have, or memory that is read-only
            return by_interface(x)

    return _through(name, carry, None)


def _cuda_array_interface() -> Framework:
    name = _carrier("arrays with __cuda_array_interface__ are handed over")
    return _through(name, _by_interface(name), None)


def _by_interface(name: str) -> Callable[[Any], Any]:
    return tensor_by_interface if name == "torch" else sys.modules["cupy"].asarray


class _Writable:
    """What torch takes: no array that says that it is read-only. It keeps this object, and so the owner, while the tensor lives."""

    def __init__(self, owner: Any, interface: dict[str, Any]) -> None:
        self.owner, self.__cuda_array_interface__ = owner, interface


def tensor_by_interface(x: Any) -> Any:
    """A tensor of the same memory. torch would read neither the stream nor the device, neither a mask nor the byte order."""
    torch = sys.modules["torch"]
    interface = dict(x.__cuda_array_interface__)
    if interface.get("mask") is not None:
        raise ValueError("__cuda_array_interface__ has a mask, which would be lost")
    if interface.get("typestr", "").startswith(">"):
        raise TypeError(f"__cuda_array_interface__: items of type {interface['typestr']} are not of this machine's byte order")
    pointer = interface["data"][0]
    interface["data"] = (pointer, False)
    device = _device_of(pointer) if pointer and torch.cuda.device_count() > 1 else torch.cuda.current_device() if not pointer else 0
    handle = interface.pop("stream", None)
    if handle is not None:
        if handle == 0:
            raise ValueError("__cuda_array_interface__ names stream 0, which it may not: 1 is the default stream, 2 that of the thread")
        # The writer's work comes first. Stream 1 is the legacy default stream, which torch has under its own number.
        writer = torch.cuda.default_stream(device) if handle == 1 else torch.cuda.ExternalStream(handle, device=device)
        reader = torch.cuda.current_stream(device)
        if writer.cuda_stream != reader.cuda_stream:
            reader.wait_stream(writer)
    return torch.as_tensor(_Writable(x, interface), device=torch.device("cuda", device))


def _device_of(pointer: int) -> int:
    import ctypes
    number, ordinal = ctypes.c_int(-1), 9  # CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL
    status = ctypes.CDLL("libcuda.so.1").cuPointerGetAttribute(ctypes.byref(number), ordinal, ctypes.c_void_p(pointer))
    if status != 0:
        raise ValueError(f"__cuda_array_interface__ has the address {pointer:#x}, which is not in GPU memory (error {status} of the driver)")
    return number.value


_MAKERS: dict[str, Callable[[], Framework]] = {"torch": lambda: _known("torch"), "cupy": lambda: _known("cupy"), "numba": lambda: _known("numba"), "jax": _jax,
                                               "jaxlib": _jax, "numpy": _numpy, "__cuda_array_interface__": _cuda_array_interface, "__dlpack__": _dlpack}
_made_by_name: dict[str, Framework] = {}


def _kind(x: Any, what: str) -> str:
    for parent in type(x).__mro__:
        if parent.__module__ in ("numpy.ma", "numpy.ma.core"):
            raise TypeError(f"{what} is a masked array: its mask would be lost")
        name = parent.__module__.partition(".")[0]
        if name in _MAKERS:
            return name
    # DLPack first: it orders the streams of both.
    for name in ("__dlpack__", "__cuda_array_interface__"):
        if hasattr(x, name):
            return name
    raise TypeError(f"{what} is a {type(x).__module__}.{type(x).__qualname__}, not an array: torch, CuPy, Numba, JAX, NumPy, DLPack and "
                    "__cuda_array_interface__ are known")


def framework_of(x: Any, what: str) -> None:
    """Remembers the framework of an array in by_type, by the module of its type. Several threads may come here at once: the first one's stays."""
    name = _kind(x, what)
    if name == "jax" and isinstance(x, sys.modules["jax"].core.Tracer):
        raise TypeError("an array of JAX has no memory while it is traced: ballot.jax has the calls for jax.jit, jax.grad and jax.vmap")
    if name not in _made_by_name:
        _made_by_name.setdefault(name, _MAKERS[name]())
    by_type.setdefault(type(x), _made_by_name[name])
