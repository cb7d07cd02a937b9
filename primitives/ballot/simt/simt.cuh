// SPDX-License-Identifier: Apache-2.0
// The vocabulary of the machine, for kernels, with one of two backends.
//
//   nvcc                              -> cuda/: thin functions over intrinsics and PTX
//   host compiler, BALLOT_EMULATED=1  -> host/: the same names on the SIMT emulator
//
// docs/design.md has the table of names, docs/emulation.md what the emulator checks.
#pragma once

#if defined(__CUDACC__)
#  if defined(BALLOT_EMULATED) && BALLOT_EMULATED
#    error "BALLOT_EMULATED=1 under nvcc: kernels compiled for the GPU and for the emulator must not share a binary"
#  endif
#  undef BALLOT_EMULATED
#  define BALLOT_EMULATED 0
#  include <ballot/simt/cuda/atomics.cuh>
#  include <ballot/simt/cuda/barriers.cuh>
#  include <ballot/simt/cuda/bits.cuh>
#  include <ballot/simt/cuda/cluster.cuh>
#  include <ballot/simt/cuda/launch.cuh>
#  include <ballot/simt/cuda/memory.cuh>
#  include <ballot/simt/cuda/ordered.cuh>
#  include <ballot/simt/cuda/registers.cuh>
#  include <ballot/simt/cuda/warp.cuh>
#elif defined(BALLOT_EMULATED) && BALLOT_EMULATED
#  include <ballot/simt/host/atomics.hpp>
#  include <ballot/simt/host/barriers.hpp>
#  include <ballot/simt/host/bits.hpp>
#  include <ballot/simt/host/cluster.hpp>
#  include <ballot/simt/host/launch.hpp>
#  include <ballot/simt/host/memory.hpp>
#  include <ballot/simt/host/ordered.hpp>
#  include <ballot/simt/host/registers.hpp>
#  include <ballot/simt/host/warp.hpp>
#else
#  error \
      "ballot's kernels need nvcc, or a host compiler with BALLOT_EMULATED=1 (link the CMake target ballot::emulator, which sets it)"
#  include <see_the_error_above>  // the compiler stops here
#endif
