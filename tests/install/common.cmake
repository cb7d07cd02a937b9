# SPDX-License-Identifier: Apache-2.0
# Shared by the scripts here.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code)
  if(NOT code EQUAL 0)
    list(JOIN ARGN " " words)
    message(FATAL_ERROR "failed (${code}): ${words}")
  endif()
endfunction()

# Configures the project in SOURCE in the folder BUILD, with this build's compilers, and builds the target `build_target`, or
# all of it.
function(build_project source build)
  set(compilers -DCMAKE_CXX_COMPILER=${CXX})
  if(CUDACXX)
    list(APPEND compilers -DCMAKE_CUDA_COMPILER=${CUDACXX} -DCMAKE_CUDA_HOST_COMPILER=${CXX})
    set(ENV{CUDAARCHS} "${ARCHITECTURES}") # a list, which arguments would take apart
  endif()
  run(${CMAKE_COMMAND} -S ${source} -B ${build} -G ${GENERATOR} ${compilers} ${ARGN})
  if(build_target)
    list(APPEND what --target ${build_target})
  endif()
  run(${CMAKE_COMMAND} --build ${build} ${what})
endfunction()

set(cuda OFF)
if(CUDACXX)
  set(cuda ON)
endif()
file(REMOVE_RECURSE ${SCRATCH})
