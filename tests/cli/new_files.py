# SPDX-License-Identifier: Apache-2.0
"""The file that a run writes before it takes the place of its output: without a name, where the file system has such files."""

import ctypes
import errno
import os
import platform
import struct
import subprocess
import sys

TMPFILE_BIT = 0o20000000  # of O_TMPFILE, which has others in common with O_DIRECTORY
OPENAT = {"x86_64": 257, "aarch64": 56}


def are_without_names(folder):
    """Whether the file system of the folder has files without names."""
    try:
        os.close(os.open(folder, os.O_TMPFILE | os.O_RDWR, 0o600))
    except OSError:
        return False
    return True


def new_file_of(pid, folder):
    """The new file in the folder that the process has open, as the kernel shows it; None where there is none."""
    folder = os.path.realpath(folder)
    try:
        for descriptor in os.listdir(f"/proc/{pid}/fd"):
            path = os.readlink(f"/proc/{pid}/fd/{descriptor}")
            if path.startswith((f"{folder}/#", f"{folder}/.ballot-")):
                return path
    except OSError:  # closed meanwhile
        pass
    return None


def _refuse_files_without_names():
    """For preexec_fn: the kernel then says of every file system that it has none (a seccomp filter)."""
    def step(code, yes, no, value):
        return struct.pack("HBBI", code, yes, no, value)

    load, is_equal, has_bit, answer = 0x20, 0x15, 0x45, 0x06
    program = b"".join((step(load, 0, 0, 0),                                      # which call
                        step(is_equal, 0, 3, OPENAT[platform.machine()]),
                        step(load, 0, 0, 32),                                     # its third argument, the flags
                        step(has_bit, 0, 1, TMPFILE_BIT),
                        step(answer, 0, 0, 0x00050000 | errno.EOPNOTSUPP),
                        step(answer, 0, 0, 0x7fff0000)))                          # any other call is made
    steps = ctypes.create_string_buffer(program, len(program))
    filters = struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(steps))
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    no_new_privileges, set_filter, mode_filter = 38, 22, 2
    if prctl(no_new_privileges, 1, 0, 0, 0) != 0 or prctl(set_filter, mode_filter, ctypes.create_string_buffer(filters, len(filters))) != 0:
        raise OSError(ctypes.get_errno(), "prctl")


def names_for_all(test):
    """A preexec_fn: the program that is started has to give its new files names. Skips the test where that cannot be had."""
    probe = f"import os, sys; sys.path.insert(0, {os.path.dirname(__file__)!r}); import new_files; sys.exit(new_files.are_without_names({str(test.folder)!r}))"
    try:
        refused = subprocess.run([sys.executable, "-c", probe], preexec_fn=_refuse_files_without_names, check=False).returncode == 0
    except (subprocess.SubprocessError, KeyError):
        refused = False
    if not refused:
        test.skipTest("no right to filter system calls")
    return _refuse_files_without_names
