# SPDX-License-Identifier: Apache-2.0
"""A torch that computes nothing: for what the package does around a call. Tensors have made-up addresses. Streams and events write down what is asked of them, and
events pass when the test says so."""
import types

DTYPES = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "bfloat16", "float32", "float64", "bool", "complex64")


class DType:
    def __init__(self, name):
        self.name = name
        self.is_floating_point = "float" in name

    def __repr__(self):
        return f"torch.{self.name}"


class Place:
    def __init__(self, kind, index=None):
        self.type, self.index = kind, index

    def __repr__(self):
        return self.type if self.index is None else f"{self.type}:{self.index}"


class Tensor:
    is_cuda = True

    def __init__(self, shape, dtype, device=0, owner=None, is_contiguous=True):
        self.shape, self.dtype, self.device, self.owner, self.contiguous_already = tuple(shape), dtype, Place("cuda", device), owner, is_contiguous

    def is_contiguous(self):
        return self.contiguous_already

    def contiguous(self):
        return Tensor(self.shape, self.dtype, self.device.index)

    def to(self, dtype):
        return Tensor(self.shape, dtype, self.device.index)

    def resolve_neg(self):
        return self

    def get_device(self):
        return self.device.index

    def data_ptr(self):
        return 1 << 20

    def dim(self):
        return len(self.shape)

    def scatter(self, axis, index, source):
        if self.dtype.name in ("uint16", "uint32", "uint64"):
            raise NotImplementedError(f"cuda_scatter_gather_base_kernel_func not implemented for {self.dtype.name}")
        return Tensor(self.shape, self.dtype, self.device.index)

    def __getitem__(self, index):
        if isinstance(index, Tensor):
            if self.dtype.name in ("uint16", "uint32", "uint64"):
                raise NotImplementedError(f"index_cuda is not implemented for {self.dtype.name}")
            return Tensor(index.shape + self.shape[1:], self.dtype, self.device.index)
        return Tensor(self.shape[1:], self.dtype, self.device.index)


class Stream:
    def __init__(self, log, handle, device):
        self.log, self.cuda_stream, self.device = log, handle, device

    def wait_stream(self, other):
        self.log.append(("wait", self.cuda_stream, other.cuda_stream, self.device))


def fake(current_stream=7):
    """The module. Its `log` is what was asked of streams, `events` are those that were made."""
    torch = types.ModuleType("torch")
    torch.log, torch.events, torch.is_capturing, torch.current = [], [], False, 0
    for name in DTYPES:
        setattr(torch, name, DType(name))
    Tensor.__module__ = "torch"
    torch.Tensor, torch._C = Tensor, types.SimpleNamespace()
    torch.device = Place
    torch.empty_strided = lambda size, strides, dtype, device: Tensor(size, dtype, device.index)

    class Event:
        def __init__(self):
            self.has_passed = False
            torch.events.append(self)

        def record(self, stream):
            torch.log.append(("record", stream.cuda_stream, stream.device))

        def query(self):
            if isinstance(self.has_passed, Exception):
                raise self.has_passed
            return self.has_passed

    class Entered:
        def __init__(self, index):
            self.index = index

        def __enter__(self):
            self.before, torch.current = torch.current, self.index

        def __exit__(self, *problem):
            torch.current = self.before

    torch.cuda = types.SimpleNamespace(
        device=Entered, current_device=lambda: torch.current, current_stream=lambda index=None: Stream(torch.log, current_stream, torch.current if index is None else index),
        default_stream=lambda index: Stream(torch.log, 0, index), ExternalStream=lambda handle, device: Stream(torch.log, handle, device), Event=Event,
        is_available=lambda: True, device_count=lambda: 2, is_current_stream_capturing=lambda: torch.is_capturing)

    def from_dlpack(x):
        x.__dlpack__(stream=current_stream)
        return Tensor(x.shape, torch.int32, x.__dlpack_device__()[1], owner=x, is_contiguous=getattr(x, "contiguous", True))

    def as_tensor(x, device):
        told = x.__cuda_array_interface__
        if told["data"][1]:
            raise TypeError("the read only flag is not supported, should always be False")
        index = device.index if isinstance(device, Place) else torch.current
        return Tensor(told["shape"], torch.int32, index, owner=x)

    torch.from_dlpack, torch.as_tensor = from_dlpack, as_tensor
    torch.contiguous_format = None
    torch.zeros_like = lambda x, memory_format: Tensor(x.shape, x.dtype, x.device.index)
    torch.empty = lambda shape, dtype, device: Tensor(shape, dtype, device.index)

    class Operator:
        def __init__(self, function):
            self.function = function

        def __call__(self, *arguments):
            return self.function(*arguments)

        def register_fake(self, function):
            self.fake = function
            return function

        def register_autograd(self, backward, setup_context):
            pass

    torch.library = types.SimpleNamespace(custom_op=lambda name, mutates_args: Operator)

    def check_value(holds, message):
        if not holds:
            raise ValueError(message())

    torch._check_value = check_value
    return torch
