# SPDX-License-Identifier: Apache-2.0
"""Where libballot is, and its errors. _core loads it at the first call."""
import os
import pathlib


class BallotError(RuntimeError):
    """CUDA refused a call, there is no GPU, or libballot is missing or of another version."""


def path() -> str:
    """What BALLOT_LIBRARY names, else the library in this package, else the system's."""
    named = os.environ.get("BALLOT_LIBRARY")
    here = pathlib.Path(__file__).parent / "libballot.so"
    return named or (str(here) if here.exists() else "libballot.so.0.1")
