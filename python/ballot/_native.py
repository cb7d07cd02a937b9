# SPDX-License-Identifier: Apache-2.0
"""libballot by ctypes: its types, its calls, its errors. ballot.h is the authority."""
import ctypes
import os
import pathlib

VERSION = (0, 1)  # of the header that this file follows; until 1.0 major and minor have to fit

NONE, I8, U8, I16, U16, I32, U32, I64, U64, I128, U128, F16, BF16, F32, F64, POSITIONS_U32, POSITIONS_U64 = range(17)
SIZES = {I8: 1, U8: 1, I16: 2, U16: 2, I32: 4, U32: 4, I64: 8, U64: 8, I128: 16, U128: 16, F16: 2, BF16: 2, F32: 4, F64: 8}
PLUS, MINIMUM, MAXIMUM, BIT_AND, BIT_OR, BIT_XOR = range(6)
BY_BYTES, BY_BITS, BY_COMPARISON = range(3)
HEAD_BYTES, HEAD_BITS, SEGMENT_OFFSETS = range(3)

_OK, _INVALID, _CUDA, _NO_DEVICE, _WRONG_VERSION = range(5)


def words(size):
    """The type of items of so many bytes, that are only moved."""
    return 0x1000000 + size


class Array(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("length", ctypes.c_uint64), ("count", ctypes.c_void_p), ("type", ctypes.c_int32), ("count_type", ctypes.c_int32)]


class Exec(ctypes.Structure):
    _fields_ = [("stream", ctypes.c_void_p), ("scratch", ctypes.c_void_p), ("scratch_bytes", ctypes.c_size_t)]


class Segments(ctypes.Structure):
    _fields_ = [("array", Array), ("kind", ctypes.c_int32), ("reserved", ctypes.c_int32)]


class Batch(ctypes.Structure):
    _fields_ = [("rows", ctypes.c_uint64), ("length", ctypes.c_uint64), ("pitch", ctypes.c_uint64), ("out_pitch", ctypes.c_uint64)]


class Selector(ctypes.Structure):
    _fields_ = [("array", Array), ("value", ctypes.c_void_p), ("value_on_device", ctypes.c_int32), ("compare", ctypes.c_int32), ("kind", ctypes.c_int32),
                ("invert", ctypes.c_int32), ("value_type", ctypes.c_int32)]


class ScanOptions(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("total", ctypes.c_void_p), ("order", ctypes.c_int32), ("reproducible", ctypes.c_int32)]


class SortOptions(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("direction", ctypes.c_int32), ("nans", ctypes.c_int32), ("low_bit", ctypes.c_int32), ("high_bit", ctypes.c_int32)]


class BallotError(RuntimeError):
    """CUDA refused a call, there is no GPU, or libballot is missing or of another version."""


_SCAN, _SORT = ctypes.POINTER(ScanOptions), ctypes.POINTER(SortOptions)
_ARRAYS, _SIZE, _INT, _U64 = ctypes.POINTER(Array), ctypes.POINTER(ctypes.c_size_t), ctypes.c_int32, ctypes.c_uint64
_TYPES = ctypes.POINTER(ctypes.c_int32)
_CALLS = {
    "inclusive_scan": [Exec, Array, _INT, Array, _SCAN],
    "exclusive_scan": [Exec, Array, ctypes.c_void_p, _INT, Array, _SCAN],
    "segmented_inclusive_scan": [Exec, Array, Segments, _INT, Array, _INT],
    "segmented_exclusive_scan": [Exec, Array, Segments, ctypes.c_void_p, _INT, Array, _INT],
    "batched_scan": [Exec, Array, Array, Batch, _INT, _INT],
    "reduce": [Exec, Array, ctypes.c_void_p, _INT, Array],
    "compact": [Exec, _INT, _ARRAYS, Selector, _ARRAYS, Array],
    "split": [Exec, _INT, _ARRAYS, Selector, _ARRAYS, Array],
    "compact_indices": [Exec, Array, Selector, Array, Array],
    "count_if": [Exec, Array, Selector, Array],
    "unique": [Exec, Array, Array, Array],
    "run_length_encode": [Exec, Array, Array, Array, Array],
    "sort": [Exec, Array, Array, _SORT],
    "sort_pairs": [Exec, Array, Array, Array, Array, _SORT],
    "argsort": [Exec, Array, Array, Array, _SORT],
    "segmented_sort": [Exec, Array, Array, Array, _SORT],
    "segmented_sort_pairs": [Exec, Array, Array, Array, Array, Array, _SORT],
    "segmented_argsort": [Exec, Array, Array, Array, Array, _SORT],
    "scan_scratch_bytes": [_INT, _U64, _SIZE],
    "segmented_scan_scratch_bytes": [_INT, _INT, _U64, _SIZE],
    "batched_scan_scratch_bytes": [_INT, _INT, _U64, _U64, _SIZE],
    "reduce_scratch_bytes": [_INT, _U64, _SIZE],
    "compact_scratch_bytes": [_INT, _TYPES, _U64, _SIZE],
    "split_scratch_bytes": [_INT, _TYPES, _U64, _SIZE],
    "compact_indices_scratch_bytes": [_INT, _U64, _SIZE],
    "runs_scratch_bytes": [_INT, _INT, _U64, _SIZE],
    "sort_scratch_bytes": [_INT, _U64, _SIZE],
    "sort_pairs_scratch_bytes": [_INT, _INT, _U64, _SIZE],
    "argsort_scratch_bytes": [_INT, _INT, _U64, _SIZE],
    "segmented_sort_scratch_bytes": [_INT, _INT, _U64, _SIZE],
    "check_header_version": [_INT],
}


class Library:
    """The calls of libballot as methods. They return nothing and raise what the status means."""

    def __init__(self, path):
        try:
            self._library = ctypes.CDLL(str(path))
        except OSError as problem:
            raise BallotError(f"libballot cannot be loaded: {problem}") from None
        self._library.ballot_last_error.restype = ctypes.c_char_p
        self.path = path
        self._sizes = {}
        for name, arguments in _CALLS.items():
            call = getattr(self._library, "ballot_" + name, None)
            if call is None:
                raise BallotError(f"{path} is no libballot of version {VERSION[0]}.{VERSION[1]}: it has no ballot_{name}")
            call.argtypes, call.restype = arguments, ctypes.c_int32
            setattr(self, "_" + name, call)
        self.check(self._check_header_version(VERSION[0] * 10000 + VERSION[1] * 100))

    def check(self, status):
        if status == _OK:
            return
        message = self._library.ballot_last_error().decode(errors="replace") or f"status {status}"
        if status == _INVALID:
            raise ValueError(message)
        raise BallotError(message)

    def call(self, name, *arguments):
        status = getattr(self, "_" + name)(*arguments)
        if status:
            self.check(status)

    def scratch_bytes(self, name, *arguments):
        """Pure, so each answer is remembered: the types of columns, where there are any, as a tuple."""
        key = (name, arguments)
        found = self._sizes.get(key)
        if found is None:
            size = ctypes.c_size_t()
            words_ = [(ctypes.c_int32 * len(a))(*a) if isinstance(a, tuple) else a for a in arguments]
            self.call(name + "_scratch_bytes", *words_, ctypes.byref(size))
            if len(self._sizes) > 4096:
                self._sizes.clear()
            found = self._sizes[key] = size.value
        return found


_library = None


def library():
    """libballot: what BALLOT_LIBRARY names, else the one in this package, else the system's. Loaded by the first call."""
    global _library
    if _library is None:
        named = os.environ.get("BALLOT_LIBRARY")
        here = sorted(pathlib.Path(__file__).parent.glob("libballot.so*"))
        _library = Library(named or (here[0] if here else f"libballot.so.{VERSION[0]}.{VERSION[1]}"))
    return _library
