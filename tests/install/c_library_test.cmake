# SPDX-License-Identifier: Apache-2.0
# The programs of examples/c_library, with the installed package: by CMake, without nvcc; by pkg-config, against the shared
# library and against the archive.
cmake_minimum_required(VERSION 3.24)
include(${CMAKE_CURRENT_LIST_DIR}/common.cmake)

file(COPY ${BALLOT_SOURCE}/examples/c_library/ DESTINATION ${SCRATCH}/source)
cmake_path(GET CUDACXX PARENT_PATH toolkit)
run(${CMAKE_COMMAND} -S ${SCRATCH}/source -B ${SCRATCH}/build -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${CXX}
    -DCMAKE_PREFIX_PATH=${PREFIX} -DCUDAToolkit_ROOT=${toolkit}/..)
run(${CMAKE_COMMAND} --build ${SCRATCH}/build)

# The archive, in a project of C alone.
file(WRITE ${SCRATCH}/archive/CMakeLists.txt "cmake_minimum_required(VERSION 3.20)
project(archive LANGUAGES C)
find_package(ballot REQUIRED COMPONENTS c)
add_executable(sort_cells ${SCRATCH}/source/sort_cells.c)
target_link_libraries(sort_cells PRIVATE ballot::c_static)
")
run(${CMAKE_COMMAND} -S ${SCRATCH}/archive -B ${SCRATCH}/archive/build -G ${GENERATOR} -DCMAKE_PREFIX_PATH=${PREFIX}
    -DCUDAToolkit_ROOT=${toolkit}/..)
run(${CMAKE_COMMAND} --build ${SCRATCH}/archive/build)

# The tests are made before it is known whether there is a gfortran.
set(program ${SCRATCH}/build/count_particles)
file(WRITE ${SCRATCH}/run_count_particles "#!/bin/sh
[ -x ${program} ] || { echo 'not run: there was no Fortran compiler to build it'; exit 77; }
exec ${program}
")
file(CHMOD ${SCRATCH}/run_count_particles PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)

find_program(pkg_config NAMES pkg-config pkgconf)
if(NOT pkg_config)
  message(STATUS "no pkg-config: its file was not tried")
  return()
endif()
file(GLOB_RECURSE files ${PREFIX}/ballot.pc)
list(GET files 0 file)
cmake_path(GET file PARENT_PATH folder)
set(ENV{PKG_CONFIG_PATH} ${folder})
cmake_path(GET folder PARENT_PATH libraries)
execute_process(COMMAND ${pkg_config} --modversion ballot OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE)
file(STRINGS ${BALLOT_SOURCE}/primitives/ballot/version.hpp numbers REGEX "^#define BALLOT_VERSION_[MP][A-Z]+ ")
list(TRANSFORM numbers REPLACE "[^0-9]+" "")
list(JOIN numbers "." wanted)
if(NOT found STREQUAL wanted)
  message(FATAL_ERROR "pkg-config says version ${found}, not ${wanted}")
endif()
# By the C compiler: that of C++ adds libraries that the file has to name.
file(STRINGS ${SCRATCH}/build/CMakeCache.txt cc REGEX "^CMAKE_C_COMPILER:")
string(REGEX REPLACE "^[^=]*=" "" cc "${cc}")
foreach(way "" "--static")
  execute_process(COMMAND ${pkg_config} ${way} --cflags --libs ballot OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE
    COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(flags UNIX_COMMAND "${flags}")
  set(static "")
  if(way)
    list(REMOVE_ITEM flags -lballot)
    list(PREPEND flags ${libraries}/libballot.a)
  endif()
  run(${cc} -std=c99 -I${toolkit}/../include ${SCRATCH}/source/sort_cells.c ${flags}
      -L${toolkit}/../lib64 -lcudart_static -lpthread -ldl -lrt -Wl,-rpath,${libraries} -o ${SCRATCH}/sort_cells${way})
  execute_process(COMMAND ${SCRATCH}/sort_cells${way} RESULT_VARIABLE code)
  if(NOT code EQUAL 0 AND NOT code EQUAL 77)
    message(FATAL_ERROR "sort_cells${way} ended with ${code}")
  endif()
endforeach()
