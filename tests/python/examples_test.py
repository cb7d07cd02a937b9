# SPDX-License-Identifier: Apache-2.0
"""examples/python: those whose framework is here run, on the GPU, or with BALLOT_TEST_EMULATED on the CPU, where the one of CUDA graphs does not.

  examples_test.py EXAMPLES NAME [HANDLERS OF JAX]
"""
import ctypes
import importlib
import os
import pathlib
import sys

EXAMPLES, NAME = pathlib.Path(sys.argv[1]), sys.argv[2]
EMULATED = bool(os.environ.get("BALLOT_TEST_EMULATED"))
FRAMEWORK = {"particles_torch": "torch", "autograd_torch": "torch", "cuda_graph": "torch", "group_by_cupy": "cupy", "cells_jax": "jax"}[NAME]


def skip(reason):
    print("not run:", reason)
    sys.exit(77)


if EMULATED and FRAMEWORK == "jax":
    os.environ["JAX_PLATFORMS"] = "cpu"
try:
    framework = importlib.import_module(FRAMEWORK)
except ImportError:
    skip(f"{FRAMEWORK} is not here")
if not EMULATED:
    try:
        has_gpu = {"torch": lambda: framework.cuda.is_available(), "cupy": lambda: framework.cuda.runtime.getDeviceCount() > 0,
                   "jax": lambda: any(device.platform == "gpu" for device in framework.devices())}[FRAMEWORK]()
    except Exception as problem:  # each framework's own
        skip(f"{FRAMEWORK} finds no GPU: {problem}")
    if not has_gpu:
        skip(f"{FRAMEWORK} has no GPU here")
elif NAME == "cuda_graph":
    skip("a graph needs a GPU")

sys.path.insert(0, str(EXAMPLES))
arguments = ()
if EMULATED and FRAMEWORK == "torch":
    import emulated
    emulated.use_torch()
    arguments = ("cpu", 600)
elif EMULATED and FRAMEWORK == "jax":
    from ballot import jax as calls
    handlers = calls.register(sys.argv[3], "cpu")
    library = ctypes.CDLL(os.environ["BALLOT_LIBRARY"])
    handlers.ballot_jax_use_memory.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
    handlers.ballot_jax_use_memory(*(ctypes.cast(getattr(library, name), ctypes.c_void_p) for name in ("ballot_test_allocate", "ballot_test_free")))
importlib.import_module(NAME).main(*arguments)
