# SPDX-License-Identifier: Apache-2.0
# The developers' warnings: a private dependency of this project's own binaries, never pushed on to consumers.
add_library(ballot_warnings INTERFACE)
target_compile_options(ballot_warnings INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wshadow=compatible-local -Wno-unknown-pragmas>
  $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra -Xcudafe=--display_error_number>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
  # These depend on what the optimiser inlines. g++ 13 (Ubuntu 24.04's) finds them in fmt and its own library. It takes
  # an array that is passed on unread for an uninitialised one. The emulator checks initialisation byte by byte.
  target_compile_options(ballot_warnings INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-Wno-array-bounds -Wno-stringop-overflow -Wno-maybe-uninitialized>)
endif()
if(BALLOT_WERROR)
  target_compile_options(ballot_warnings INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Werror> $<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings>)
endif()
