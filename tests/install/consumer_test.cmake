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

# A project that enables CUDA after it has found ballot, and finds it again.
if(CUDACXX)
  file(WRITE ${SCRATCH}/later/CMakeLists.txt "cmake_minimum_required(VERSION 3.24)
project(later LANGUAGES CXX)
find_package(ballot REQUIRED)
enable_language(CUDA)
find_package(ballot REQUIRED)
foreach(what COMPILE_FEATURES COMPILE_OPTIONS)
  get_target_property(value ballot::cxx20 INTERFACE_\${what})
  list(APPEND values \${value})
endforeach()
if(NOT values MATCHES \"cuda_std_20|-std=c[+][+]20\")
  message(FATAL_ERROR \"ballot::cxx20 does not know of CUDA: \${values}\")
endif()
")
  # Not CMAKE_CUDA_COMPILER, which would be there before the language is.
  run(${CMAKE_COMMAND} -E env CUDACXX=${CUDACXX} CUDAHOSTCXX=${CXX} "CUDAARCHS=${ARCHITECTURES}"
      ${CMAKE_COMMAND} -S ${SCRATCH}/later -B ${SCRATCH}/later/build -G ${GENERATOR} -DCMAKE_PREFIX_PATH=${PREFIX})
endif()
