# SPDX-License-Identifier: Apache-2.0
# Only for this project's own builds: options, compilers, C++20 and warnings for all of its binaries.
option(BALLOT_TESTS "build the tests (emulated, and for the GPU where there is nvcc)" ON)
option(BALLOT_APPS "build the ballot command" ON)
option(BALLOT_BENCH "build the benchmarks (need nvcc)" OFF)
option(BALLOT_C_LIBRARY "build libballot, the compiled library with a C interface (needs nvcc)" OFF)
option(BALLOT_INSTALL "make install rules" ON)
option(BALLOT_DISTRIBUTED "make ballot::distributed, where NCCL is found" ON)
option(BALLOT_WERROR "warnings are errors" OFF)
set(BALLOT_CUDA AUTO CACHE STRING "compile for CUDA: AUTO (where nvcc is found), ON, OFF")
set_property(CACHE BALLOT_CUDA PROPERTY STRINGS AUTO ON OFF)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "build type" FORCE)
endif()

include(BallotCcache)
enable_language(CXX)
include(BallotCuda)     # BALLOT_HAVE_CUDA: nvcc found, new enough, enabled
include(BallotWarnings) # target ballot_warnings: the developers' warnings, linked privately by the project's own binaries

# Not CMAKE_CUDA_STANDARD, which CMake up to 3.25.1 (Debian 12's) refuses: it does not know yet that nvcc compiles C++20.
add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-std=gnu++20> $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20>)
