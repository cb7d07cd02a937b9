# SPDX-License-Identifier: Apache-2.0
# The program of examples/cxx17_host, with the installed package and with the sources.
cmake_minimum_required(VERSION 3.24)
include(${CMAKE_CURRENT_LIST_DIR}/common.cmake)

file(COPY ${BALLOT_SOURCE}/examples/cxx17_host DESTINATION ${SCRATCH}/source)
build_project(${SCRATCH}/source/cxx17_host ${SCRATCH}/installed -DCMAKE_PREFIX_PATH=${PREFIX})
set(build_target cells) # Thrust takes longest to compile, and is the same
build_project(${SCRATCH}/source/cxx17_host ${SCRATCH}/added -DBALLOT_SOURCE=${BALLOT_SOURCE})
