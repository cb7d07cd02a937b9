# Run by ctest: install, configure a project outside of this tree, build it, run it.
cmake_minimum_required(VERSION 3.24)

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code)
  if(NOT code EQUAL 0)
    list(JOIN ARGN " " words)
    message(FATAL_ERROR "failed (${code}): ${words}")
  endif()
endfunction()

set(prefix ${SCRATCH}/prefix)
set(source ${SCRATCH}/source) # a copy: nothing of this tree is above it
set(build ${SCRATCH}/build)
file(REMOVE_RECURSE ${SCRATCH})
file(COPY ${CONSUMER_DIR}/ DESTINATION ${source})

run(${CMAKE_COMMAND} --install ${BALLOT_BINARY_DIR} --prefix ${prefix})

# The build tree may not leak into what others include.
file(GLOB_RECURSE packaged ${prefix}/*.cmake)
foreach(file IN LISTS packaged)
  file(STRINGS ${file} leaks REGEX "${BALLOT_BINARY_DIR}")
  if(leaks)
    message(FATAL_ERROR "${file} names the build tree: ${leaks}")
  endif()
endforeach()

# Every program of the consumer, by language: host only always; CUDA where this build has it.
set(cuda OFF)
if(CUDACXX)
  set(cuda ON)
  list(APPEND with_cuda -DCMAKE_CUDA_COMPILER=${CUDACXX} "-DCMAKE_CUDA_ARCHITECTURES=${ARCHITECTURES}"
       -DCMAKE_CUDA_HOST_COMPILER=${CXX})
endif()
run(${CMAKE_COMMAND} -S ${source} -B ${build} -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_PREFIX_PATH=${prefix}
    -DCONSUMER_CUDA=${cuda} ${with_cuda})
run(${CMAKE_COMMAND} --build ${build})
run(${build}/host_only)
if(NOT cuda)
  message(STATUS "sort_on_gpu was not built: this build has no CUDA")
endif()
