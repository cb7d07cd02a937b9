# SPDX-License-Identifier: Apache-2.0
# The file for pkg-config finds the installation from its own place: with a library folder of one part and of two, and with
# folders that are given whole.
cmake_minimum_required(VERSION 3.24)
include(${CMAKE_CURRENT_LIST_DIR}/common.cmake)
include(${BALLOT_SOURCE}/library/pkg_config.cmake)

find_program(pkg_config NAMES pkg-config pkgconf)
if(NOT pkg_config)
  message(STATUS "no pkg-config: its file was not tried")
  return()
endif()
set(PROJECT_VERSION 1.2.3)
set(PROJECT_DESCRIPTION "a description")
set(CUDAToolkit_LIBRARY_DIR /cuda/lib64)
set(CMAKE_INSTALL_PREFIX ${SCRATCH}/prefix)

function(expect libdir includedir wanted_libdir wanted_includedir)
  set(CMAKE_INSTALL_LIBDIR ${libdir})
  set(CMAKE_INSTALL_INCLUDEDIR ${includedir})
  cmake_path(ABSOLUTE_PATH libdir BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX} OUTPUT_VARIABLE folder)
  ballot_pkg_config(${BALLOT_SOURCE}/library/ballot.pc.in ${folder}/pkgconfig/ballot.pc)
  set(ENV{PKG_CONFIG_PATH} ${folder}/pkgconfig)
  foreach(name libdir includedir)
    execute_process(COMMAND ${pkg_config} --variable=${name} ballot OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE
      COMMAND_ERROR_IS_FATAL ANY)
    cmake_path(NORMAL_PATH found)
    if(NOT found STREQUAL wanted_${name})
      message(FATAL_ERROR "${name} of an installation in ${libdir} and ${includedir} is ${found}, not ${wanted_${name}}")
    endif()
  endforeach()
endfunction()

set(prefix ${SCRATCH}/prefix)
expect(lib include ${prefix}/lib ${prefix}/include)
expect(lib/x86_64-linux-gnu include/ballot-1 ${prefix}/lib/x86_64-linux-gnu ${prefix}/include/ballot-1)
expect(${SCRATCH}/elsewhere/lib ${SCRATCH}/other/include ${SCRATCH}/elsewhere/lib ${SCRATCH}/other/include)
