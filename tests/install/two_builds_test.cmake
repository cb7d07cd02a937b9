# SPDX-License-Identifier: Apache-2.0
# One program of three libraries, each with ballot inside: of another version, and for other architectures. None calls what
# another one compiled.
cmake_minimum_required(VERSION 3.24)
include(${CMAKE_CURRENT_LIST_DIR}/common.cmake)

# Another version: a copy of the installed headers with the next patch number.
file(COPY ${PREFIX}/include DESTINATION ${SCRATCH}/other)
set(header ${SCRATCH}/other/include/ballot/version.hpp)
file(READ ${header} text)
string(REGEX REPLACE "(BALLOT_VERSION_PATCH )[0-9]+" "\\1987" text "${text}")
file(WRITE ${header} "${text}")

build_project(${CMAKE_CURRENT_LIST_DIR}/two_builds ${SCRATCH}/build
  -DCMAKE_PREFIX_PATH=${PREFIX} -DOTHER_VERSION=${SCRATCH}/other/include -DWITH_CUDA=${cuda})
run(${SCRATCH}/build/two_builds)

# The symbols of ballot's that LIBRARY defines and others can see.
function(symbols library result)
  execute_process(COMMAND ${NM} --defined-only --extern-only ${SCRATCH}/build/lib${library}.a
    OUTPUT_VARIABLE words COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "_Z[A-Za-z0-9_$.]*ballot_[0-9]+_[0-9]+_[0-9]+[A-Za-z0-9_$.]*" names "${words}")
  if(NOT names)
    message(FATAL_ERROR "lib${library}.a has no symbol of ballot's")
  endif()
  list(REMOVE_DUPLICATES names)
  set(${result} "${names}" PARENT_SCOPE)
endfunction()
symbols(first first)
symbols(other_version other_version)
symbols(other_architectures other_architectures)
function(expect_apart a b)
  set(shared ${${a}})
  list(FILTER shared INCLUDE REGEX "${ARGN}")
  set(rest ${shared})
  list(REMOVE_ITEM rest ${${b}})
  if(NOT rest STREQUAL shared)
    list(REMOVE_ITEM shared ${rest})
    message(FATAL_ERROR "symbols of both ${a} and ${b}: ${shared}")
  endif()
endfunction()
expect_apart(first other_version ".")
if(cuda)
  # Errors, and what else is the same in host sources, are shared by libraries of one version: their names lack architectures.
  expect_apart(first other_architectures "ballot_[0-9_]+sm[0-9]")
  list(LENGTH first count)
  list(FILTER first INCLUDE REGEX "ballot_[0-9_]+sm[0-9]")
  list(LENGTH first tagged)
  message(STATUS "first: ${count} symbols of ballot's, ${tagged} with architectures in their names")
endif()
