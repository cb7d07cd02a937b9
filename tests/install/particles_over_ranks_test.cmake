# SPDX-License-Identifier: Apache-2.0
# The program of examples/particles_over_ranks, with the installed package and NCCL.
cmake_minimum_required(VERSION 3.24)
include(${CMAKE_CURRENT_LIST_DIR}/common.cmake)

file(COPY ${BALLOT_SOURCE}/examples/particles_over_ranks DESTINATION ${SCRATCH}/source)
build_project(${SCRATCH}/source/particles_over_ranks ${SCRATCH}/build -DCMAKE_PREFIX_PATH=${PREFIX} -DNCCL_ROOT=${NCCL_ROOT})
