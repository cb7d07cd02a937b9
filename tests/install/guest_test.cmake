# SPDX-License-Identifier: Apache-2.0
# This source tree within another project, by add_subdirectory: it leaves the other project as it was.
cmake_minimum_required(VERSION 3.24)
include(${CMAKE_CURRENT_LIST_DIR}/common.cmake)

run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/guest -B ${SCRATCH}/no_language -G ${GENERATOR}
    -DBALLOT_SOURCE=${BALLOT_SOURCE} -DLANGUAGES=NONE)
set(CUDACXX "")
build_project(${CMAKE_CURRENT_LIST_DIR}/guest ${SCRATCH}/cxx -DBALLOT_SOURCE=${BALLOT_SOURCE} -DLANGUAGES=CXX)
run(${SCRATCH}/cxx/host_only)
