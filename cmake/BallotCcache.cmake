# SPDX-License-Identifier: Apache-2.0
# ccache in front of the compilers where there is one, unless a launcher was chosen already. It is told that a precompiled header
# is what its sources make it; else it would keep nothing that is compiled with one.
if(NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(BALLOT_CCACHE ccache)
  mark_as_advanced(BALLOT_CCACHE)
  if(BALLOT_CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${BALLOT_CCACHE})
    set(CMAKE_CUDA_COMPILER_LAUNCHER ${BALLOT_CCACHE})
  endif()
endif()
