# SPDX-License-Identifier: Apache-2.0
# A compiler that will not do is told so in one error, and stops there.
cmake_minimum_required(VERSION 3.24)
include(${CMAKE_CURRENT_LIST_DIR}/common.cmake)
set(include -I${BALLOT_SOURCE}/primitives -I${BALLOT_SOURCE}/algorithms)
file(WRITE ${SCRATCH}/host.cpp "#include <ballot/core/error.hpp>\n")
file(WRITE ${SCRATCH}/kernels.cpp "#include <ballot/sort.cuh>\n")
file(WRITE ${SCRATCH}/kernels.cu "#include <ballot/ballot.cuh>\n")

function(expect_error text)
  execute_process(COMMAND ${ARGN} ${include} -c -o ${SCRATCH}/object RESULT_VARIABLE code OUTPUT_VARIABLE words ERROR_VARIABLE words)
  string(REGEX MATCHALL "\n" lines "${words}")
  list(LENGTH lines lines)
  string(REGEX MATCHALL "error:" errors "${words}")
  list(LENGTH errors errors)
  if(code EQUAL 0 OR NOT words MATCHES "error:[^\n]*${text}" OR lines GREATER 12 OR errors GREATER 2)
    message(FATAL_ERROR "expected one error about \"${text}\" and an end, got ${code}, ${lines} lines:\n${words}")
  endif()
  message(STATUS "${text}: ${lines} lines")
endfunction()

expect_error("C\\+\\+20" ${CXX} -std=c++17 ${SCRATCH}/host.cpp)

# The oldest nvcc is written down twice: in CMakeLists.txt and in core/requirements.hpp.
file(STRINGS ${BALLOT_SOURCE}/CMakeLists.txt minimum REGEX "^set.BALLOT_CUDA_MINIMUM ")
string(REGEX MATCH "([0-9]+)\\.([1-9][0-9]*)" minimum "${minimum}")
set(oldest ${CXX} -std=c++20 -D__CUDACC_VER_MAJOR__=${CMAKE_MATCH_1} ${SCRATCH}/host.cpp)
math(EXPR older "${CMAKE_MATCH_2} - 1")
run(${oldest} -D__CUDACC_VER_MINOR__=${CMAKE_MATCH_2} ${include} -c -o ${SCRATCH}/object)
expect_error("nvcc ${minimum}" ${oldest} -D__CUDACC_VER_MINOR__=${older})

# As in nvcc's pass for an architecture. That of CUDA 12 compiles for sm_52 if it is not told.
expect_error("sm_75 or newer" ${CXX} -std=c++20 -D__CUDA_ARCH__=520 ${SCRATCH}/host.cpp)

# Where ballot::cxx20 is an option, which the target's own standard follows, the error is another one.
expect_error("CUDA_STANDARD_REQUIRED OFF" ${CXX} -std=c++17 -DBALLOT_CXX20_BY_OPTION ${SCRATCH}/host.cpp)

expect_error("need nvcc, or a host compiler" ${CXX} -std=c++20 ${SCRATCH}/kernels.cpp)
if(CUDACXX)
  expect_error("C\\+\\+20" ${CUDACXX} -ccbin ${CXX} -std=c++17 -arch=sm_90 ${SCRATCH}/kernels.cu)
endif()
