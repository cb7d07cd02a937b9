# SPDX-License-Identifier: Apache-2.0
# ccache in front of the compilers where there is one, unless a launcher was chosen already.
if(NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(BALLOT_CCACHE ccache)
  mark_as_advanced(BALLOT_CCACHE)
  if(BALLOT_CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${BALLOT_CCACHE})
    set(CMAKE_CUDA_COMPILER_LAUNCHER ${BALLOT_CCACHE})
  endif()
endif()
