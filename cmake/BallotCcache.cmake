# ccache in front of the compilers where there is one, unless a launcher was chosen already. Only for this project's own
# builds: what a project that includes this one does is its affair.
if(PROJECT_IS_TOP_LEVEL AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(BALLOT_CCACHE ccache)
  mark_as_advanced(BALLOT_CCACHE)
  if(BALLOT_CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${BALLOT_CCACHE})
    set(CMAKE_CUDA_COMPILER_LAUNCHER ${BALLOT_CCACHE})
  endif()
endif()
