# SPDX-License-Identifier: Apache-2.0
# Installs the header libraries, and a package for find_package(ballot). The installed package sets no flags, enables
# no language and looks for nothing but what a component asks for.
if(NOT BALLOT_INSTALL)
  return()
endif()

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(ballot_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/ballot)
install(TARGETS ballot_primitives ballot_algorithms ballot_adapters ballot_distributed_headers EXPORT ballotTargets
  FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT ballotTargets NAMESPACE ballot:: DESTINATION ${ballot_package_dir})

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/ballotConfig.cmake.in
  ${CMAKE_CURRENT_BINARY_DIR}/ballotConfig.cmake INSTALL_DESTINATION ${ballot_package_dir}
  NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
# Headers only: the same package serves every architecture. Before 1.0 a minor version may break.
set(arch ARCH_INDEPENDENT)
if(TARGET ballot_c)
  set(arch "")
endif()
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/ballotConfigVersion.cmake
  COMPATIBILITY SameMinorVersion ${arch})
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/ballotConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/ballotConfigVersion.cmake
  ${CMAKE_CURRENT_LIST_DIR}/ballotCxx20.cmake ${CMAKE_CURRENT_LIST_DIR}/ballotDistributed.cmake
  ${CMAKE_CURRENT_LIST_DIR}/FindNCCL.cmake DESTINATION ${ballot_package_dir})
# Not CMAKE_INSTALL_DOCDIR: within another project that is the folder of the other project, which has a LICENSE of its own.
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/ballot)
