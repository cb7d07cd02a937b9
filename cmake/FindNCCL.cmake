# SPDX-License-Identifier: Apache-2.0
# NCCL::NCCL, if nccl.h and libnccl are found. They may be beside the CUDA toolkit, in the system, under NCCL_ROOT or
# CMAKE_PREFIX_PATH, or in the Python package nvidia-nccl-cu*. NCCL_ROOT may name its folder. Header and library of one
# prefix where it has both.
find_path(NCCL_INCLUDE_DIR nccl.h HINTS ENV NCCL_ROOT PATHS ${CUDAToolkit_INCLUDE_DIRS} /usr/local/cuda PATH_SUFFIXES include)
find_library(NCCL_LIBRARY NAMES nccl libnccl.so.2 HINTS ENV NCCL_ROOT PATHS ${CUDAToolkit_LIBRARY_DIR} /usr/local/cuda
  PATH_SUFFIXES lib lib64)
mark_as_advanced(NCCL_INCLUDE_DIR NCCL_LIBRARY)
if(NCCL_INCLUDE_DIR)
  file(STRINGS ${NCCL_INCLUDE_DIR}/nccl.h lines REGEX "^#define NCCL_(MAJOR|MINOR|PATCH) +[0-9]+")
  set(NCCL_VERSION "")
  foreach(line IN LISTS lines)
    string(REGEX MATCH "[0-9]+$" number "${line}")
    list(APPEND NCCL_VERSION ${number})
  endforeach()
  list(JOIN NCCL_VERSION "." NCCL_VERSION)
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(NCCL REQUIRED_VARS NCCL_LIBRARY NCCL_INCLUDE_DIR VERSION_VAR NCCL_VERSION)
if(NCCL_FOUND AND NOT TARGET NCCL::NCCL)
  add_library(NCCL::NCCL UNKNOWN IMPORTED)
  set_target_properties(NCCL::NCCL PROPERTIES
    IMPORTED_LOCATION ${NCCL_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${NCCL_INCLUDE_DIR})
endif()
