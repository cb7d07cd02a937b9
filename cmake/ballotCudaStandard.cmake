# C++20 for CUDA sources that link TARGET: for the build tree, and installed for those who find the package.
function(ballot_cuda_standard target)
  if("cuda_std_20" IN_LIST CMAKE_CUDA_COMPILE_FEATURES)
    set_property(TARGET ${target} APPEND PROPERTY INTERFACE_COMPILE_FEATURES $<BUILD_INTERFACE:cuda_std_20>)
  else()
    # CMake up to 3.25.1, Debian 12's, does not know yet that nvcc speaks C++20.
    set_property(TARGET ${target} APPEND PROPERTY
      INTERFACE_COMPILE_OPTIONS $<BUILD_INTERFACE:$<$<COMPILE_LANGUAGE:CUDA>:-std=c++20>>)
  endif()
endfunction()
