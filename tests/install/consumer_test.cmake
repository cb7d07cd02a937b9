# SPDX-License-Identifier: Apache-2.0
# A project outside of this tree finds the installed package: configured, built, run; and what find_package refuses.
cmake_minimum_required(VERSION 3.24)
include(${CMAKE_CURRENT_LIST_DIR}/common.cmake)

# A copy: nothing of this tree is above it.
file(COPY ${CMAKE_CURRENT_LIST_DIR}/consumer/ DESTINATION ${SCRATCH}/source)
build_project(${SCRATCH}/source ${SCRATCH}/build -DCMAKE_PREFIX_PATH=${PREFIX} -DCONSUMER_CUDA=${cuda})
run(${SCRATCH}/build/host_only)
if(NOT cuda)
  message(STATUS "sort_on_gpu was not built: this build has no CUDA")
endif()

file(STRINGS ${BALLOT_SOURCE}/primitives/ballot/version.hpp numbers REGEX "^#define BALLOT_VERSION_[MP][A-Z]+ ")
list(TRANSFORM numbers REPLACE "[^0-9]+" "")
list(GET numbers 0 major)
list(GET numbers 1 minor)
list(GET numbers 2 patch)
run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/versions -B ${SCRATCH}/versions -G ${GENERATOR} -DCMAKE_PREFIX_PATH=${PREFIX}
    -DMAJOR=${major} -DMINOR=${minor} -DPATCH=${patch})
