# SPDX-License-Identifier: Apache-2.0
# Makes ballot::distributed where NCCL and a CUDA runtime are. In the build tree, and in the installed package.
if(CMAKE_CUDA_COMPILER AND NOT TARGET ballot::distributed)
  find_package(CUDAToolkit QUIET)
  find_package(NCCL 2.18 QUIET MODULE)
  if(NCCL_FOUND AND TARGET CUDA::cudart)
    add_library(ballot::distributed INTERFACE IMPORTED GLOBAL)
    target_link_libraries(ballot::distributed INTERFACE ballot::distributed_headers NCCL::NCCL)
  endif()
endif()
