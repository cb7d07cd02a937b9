# SPDX-License-Identifier: Apache-2.0
# This source tree within another project, by add_subdirectory: it leaves the other project as it was.
cmake_minimum_required(VERSION 3.24)
include(${CMAKE_CURRENT_LIST_DIR}/common.cmake)

run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/guest -B ${SCRATCH}/no_language -G ${GENERATOR}
    -DBALLOT_SOURCE=${BALLOT_SOURCE} -DLANGUAGES=NONE)

# Installed with the other project, which may export what links ballot, it leaves that one's files alone.
file(WRITE ${SCRATCH}/installing/LICENSE "of the other project\n")
file(WRITE ${SCRATCH}/installing/CMakeLists.txt "cmake_minimum_required(VERSION 3.24)
project(host_project VERSION 1.0 LANGUAGES CXX)
include(GNUInstallDirs)
install(FILES LICENSE DESTINATION \${CMAKE_INSTALL_DOCDIR})
set(BALLOT_INSTALL ON)
add_subdirectory(${BALLOT_SOURCE} ballot)
add_library(exported INTERFACE)
target_link_libraries(exported INTERFACE ballot::algorithms ballot::cxx20)
install(TARGETS exported EXPORT exported)
install(EXPORT exported DESTINATION lib/cmake/exported)
")
run(${CMAKE_COMMAND} -S ${SCRATCH}/installing -B ${SCRATCH}/installing/build -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${CXX})
run(${CMAKE_COMMAND} --install ${SCRATCH}/installing/build --prefix ${SCRATCH}/installing/prefix)
file(STRINGS ${SCRATCH}/installing/prefix/share/doc/host_project/LICENSE licence)
if(NOT licence STREQUAL "of the other project" OR NOT EXISTS ${SCRATCH}/installing/prefix/share/doc/ballot/LICENSE)
  message(FATAL_ERROR "the other project's LICENSE is now: ${licence}")
endif()

set(CUDACXX "")
build_project(${CMAKE_CURRENT_LIST_DIR}/guest ${SCRATCH}/cxx -DBALLOT_SOURCE=${BALLOT_SOURCE} -DLANGUAGES=CXX)
run(${SCRATCH}/cxx/host_only)
