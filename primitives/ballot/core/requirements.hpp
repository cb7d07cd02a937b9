// SPDX-License-Identifier: Apache-2.0
// One error that says what is missing, and nothing after it. Host compilers go on after #error, but
// they stop at an #include of a file that does not exist. The limits are the oldest versions tried.
// BALLOT_UNTESTED_COMPILER accepts older ones.
#pragma once

#if !defined(BALLOT_UNTESTED_COMPILER)
#  if defined(__CUDACC_VER_MAJOR__) && __CUDACC_VER_MAJOR__ * 100 + __CUDACC_VER_MINOR__ < 1204
#    error "ballot needs nvcc 12.4 or newer"
#    include <see_the_error_above>
// With clang, the CUDA toolkit's function `ballot` hides the namespace (namespace.hpp).
#  elif defined(__CUDACC_VER_MAJOR__) && defined(__clang__)
#    error "ballot needs GCC 11 or newer as nvcc's host compiler (-ccbin); clang does not compile it"
#    include <see_the_error_above>
#  elif defined(__clang__) && __clang_major__ < 16
#    error "ballot needs clang 16 or newer, or GCC 11 or newer"
#    include <see_the_error_above>
#  elif defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 11
#    error "ballot needs GCC 11 or newer"
#    include <see_the_error_above>
#  endif
#endif
// Acquire loads, matches within a warp, and lanes that progress by themselves begin with sm_70.
// nvcc 12 compiles for sm_52 if it is not told.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 700  // layers-allow: kernel-dialect, an error before any kernel
#  error "ballot needs GPUs of sm_75 or newer: name yours by CMAKE_CUDA_ARCHITECTURES or nvcc's -arch"
#  include <see_the_error_above>
#endif
#if __cplusplus < 202002L && defined(BALLOT_CXX20_BY_OPTION)
// What ballot::cxx20 asks for stands before what the target itself asks for (ballotCxx20.cmake).
#  error "ballot needs C++20 in this source, but the target's CUDA_STANDARD is required: set CUDA_STANDARD_REQUIRED OFF"
#  include <see_the_error_above>
#elif __cplusplus < 202002L
#  error "ballot needs C++20 in this source: -std=c++20 (CMake: link its target to ballot::cxx20)"
#  include <see_the_error_above>
#endif
