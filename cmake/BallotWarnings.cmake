# The developers' warnings: a private dependency of this project's own binaries, never pushed on to consumers.
add_library(ballot_warnings INTERFACE)
target_compile_options(ballot_warnings INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wshadow=compatible-local -Wno-unknown-pragmas>
  $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra -Xcudafe=--display_error_number>)
if(BALLOT_WERROR)
  target_compile_options(ballot_warnings INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Werror> $<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings>)
endif()
