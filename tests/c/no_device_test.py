#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Without a GPU each call of ballot.h that launches work says BALLOT_NO_DEVICE, with a text, and each size of scratch is there.

  no_device_test.py LIBRARY HEADER

A GPU is hidden. Calls and parameters are read from the header. Arguments follow from a parameter's type and name, so that the
call is right as far as can be known without a GPU: a mistake would be BALLOT_INVALID_ARGUMENT.
"""
import ctypes
import itertools
import os
import pathlib
import re
import sys

from library_test import Array, Exec

ITEMS, ROWS, ROW = 1000, 10, 100
OK, NO_DEVICE = 0, 3
NONE, U8, U32, RECORD = 0, 2, 6, 0x1000000 + 16  # BALLOT_BYTES(16)
SEGMENT_OFFSETS, BY_COMPARISON, LESS = 2, 2, 2

addresses = itertools.count(1 << 40, 1 << 30)  # aligned, apart, and no memory
host_values = (ctypes.c_uint64 * 2)(3, 9)  # initial values, what is compared with, the ends of bins


class Segments(ctypes.Structure):
    _fields_ = [("array", Array), ("kind", ctypes.c_int32), ("reserved", ctypes.c_int32)]


class Batch(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in ("rows", "length", "pitch", "out_pitch")]


class Selector(ctypes.Structure):
    _fields_ = [("array", Array), ("value", ctypes.c_void_p)] + [
        (name, ctypes.c_int32) for name in ("value_on_device", "compare", "kind", "invert", "value_type")]


class Rows(ctypes.Structure):
    _fields_ = [("offsets", Array), ("lengths", Array)] + [(name, ctypes.c_uint64) for name in ("rows", "width", "pitch")]


class Bins(ctypes.Structure):
    _fields_ = [("lower", ctypes.c_void_p), ("upper", ctypes.c_void_p), ("levels", Array)] + [
        (name, ctypes.c_int32) for name in ("kind", "low_bit", "bits", "reserved")]


def array(length=ITEMS, kind=U32):
    return Array(next(addresses), length, None, kind, NONE)


def nothing():
    return Array(None, 0, None, NONE, NONE)


# Arrays of other lengths and types than the rest: which calls, which parameters; the first that fits.
ARRAYS = [(r"segmented_(reduce|arg)", r"count", nothing),
          (r"", r"count|result|outside", lambda: array(1)),
          (r"", r"offsets", lambda: array(ITEMS + 1)),
          (r"scan_flags", r"flags", lambda: array(kind=U8)),
          (r"segmented_arg", r"out", lambda: array(kind=RECORD)),
          (r"batched_top_k", r"counts", lambda: array(ROWS)),
          (r"merge", r"(keys_|values_)?out", lambda: array(2 * ITEMS)),
          (r"", r".*", array)]


def array_of(call, name):
    return next(make() for calls, names, make in ARRAYS if re.search(calls, call) and re.fullmatch(names, name))


# Of a parameter's type: its type here, and its value in a call, by its name.
PARAMETERS = {
    "ballot_exec": (Exec, lambda call, name: Exec(None, next(addresses), 1 << 29)),
    "ballot_array": (Array, array_of),
    "const ballot_array*": (ctypes.POINTER(Array), lambda call, name: (Array * 1)(array_of(call, name))),
    "ballot_segments": (Segments, lambda call, name: Segments(array(ITEMS + 1), SEGMENT_OFFSETS, 0)),
    "ballot_selector": (Selector, lambda call, name: Selector(nothing(), ctypes.addressof(host_values), 0, LESS, BY_COMPARISON)),
    "ballot_batch": (Batch, lambda call, name: Batch(ROWS, ROW)),
    "ballot_rows": (Rows, lambda call, name: Rows(nothing(), nothing(), ROWS, ROW)),
    "ballot_bins": (Bins, lambda call, name: Bins(ctypes.addressof(host_values), ctypes.addressof(host_values) + 8, nothing())),
    "ballot_operator": (ctypes.c_int32, lambda call, name: 0),
    "ballot_type": (ctypes.c_int32, lambda call, name: U32),
    "ballot_segments_kind": (ctypes.c_int32, lambda call, name: SEGMENT_OFFSETS),
    "const ballot_type*": (ctypes.POINTER(ctypes.c_int32), lambda call, name: (ctypes.c_int32 * 1)(U32)),
    "int32_t": (ctypes.c_int32, lambda call, name: {"columns": 1}.get(name, 0)),
    "int32_t*": (ctypes.POINTER(ctypes.c_int32), lambda call, name: (ctypes.c_int32 * 1)()),
    "uint32_t": (ctypes.c_uint32, lambda call, name: {"buckets": 8}[name]),
    "uint64_t": (ctypes.c_uint64, lambda call, name: {"n": ITEMS, "rows": ROWS, "row": ROW, "length": ROW, "k": 10}[name]),
    "size_t*": (ctypes.POINTER(ctypes.c_size_t), lambda call, name: (ctypes.c_size_t * 1)(NOT_WRITTEN)),
    "void*": (ctypes.c_void_p, lambda call, name: next(addresses)),
    "const void*": (ctypes.c_void_p, lambda call, name: ctypes.addressof(host_values)),
    "const options*": (ctypes.c_void_p, lambda call, name: None),
}
NOT_WRITTEN = 12345678901


def calls_of(header):
    """Name, and the types and names of the parameters, of each call that works on a stream and of each size of scratch."""
    code = re.sub(r"/\*.*?\*/", "", header, flags=re.S)
    for name, parameters in re.findall(r"BALLOT_API [^;]*?\b(ballot_\w+)\(([^;]*)\);", code):
        pairs = [re.fullmatch(r"\s*(.*?)\s*(\w+)\s*", parameter, flags=re.S).groups() for parameter in parameters.split(",")]
        pairs = [(re.sub(r"ballot_\w+_options", "options", kind), of) for kind, of in pairs]
        if "ballot_exec" in parameters or name.endswith("_scratch_bytes"):
            yield name, pairs


def main():
    library, header = sys.argv[1:]
    os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
    ballot = ctypes.CDLL(library)
    ballot.ballot_last_error.restype = ctypes.c_char_p
    wrong, calls = [], list(calls_of(pathlib.Path(header).read_text(encoding="utf-8")))
    for name, parameters in calls:
        unknown = [kind for kind, _ in parameters if kind not in PARAMETERS]
        if unknown:
            wrong.append(f"{name}: this test has no values of {unknown}")
            continue
        print(name, flush=True)  # which one, if it crashes
        call = getattr(ballot, name)
        call.argtypes = [PARAMETERS[kind][0] for kind, _ in parameters]
        arguments = [PARAMETERS[kind][1](name, of) for kind, of in parameters]
        ballot.ballot_check_header_version(-1)  # leaves an error, which is not this call's
        before = ballot.ballot_last_error()
        status, error = call(*arguments), ballot.ballot_last_error()
        if name.endswith("_scratch_bytes"):
            if status != OK or arguments[-1][0] == NOT_WRITTEN:
                wrong.append(f"{name}: status {status}, {error.decode()}")
        elif status != NO_DEVICE or error == before or not error or ballot.ballot_last_cuda_error() == 0:
            wrong.append(f"{name}: status {status}, {error.decode()}")
    for line in wrong:
        print("wrong:", line)
    print(f"{len(calls)} calls, {len(wrong)} wrong")
    return 1 if wrong or len(calls) < 85 else 0


if __name__ == "__main__":
    sys.exit(main())
