# SPDX-License-Identifier: Apache-2.0
# ballot::cxx20: C++20 for all C++ and CUDA sources of the target that links it, in the languages enabled by now. A project that
# enables CUDA later finds the package once more. The library's own targets leave the standard alone. Only the sources that
# include its headers need C++20. Sources of other targets, or those compiled as C++17 beside them, keep their own. In the build
# tree, and in the installed package.
if(NOT TARGET ballot::cxx20)
  add_library(ballot::cxx20 INTERFACE IMPORTED GLOBAL)
endif()
if("cxx_std_20" IN_LIST CMAKE_CXX_COMPILE_FEATURES)
  target_compile_features(ballot::cxx20 INTERFACE cxx_std_20)
endif()
if("cuda_std_20" IN_LIST CMAKE_CUDA_COMPILE_FEATURES)
  target_compile_features(ballot::cxx20 INTERFACE cuda_std_20)
elseif(CMAKE_CUDA_COMPILER)
  # CMake up to 3.25.1, Debian 12's, does not know yet that nvcc compiles C++20. It writes a CUDA_STANDARD that is required
  # behind this option, where it counts: the definition lets core/requirements.hpp say so.
  target_compile_options(ballot::cxx20 INTERFACE $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20>)
  target_compile_definitions(ballot::cxx20 INTERFACE $<$<COMPILE_LANGUAGE:CUDA>:BALLOT_CXX20_BY_OPTION>)
endif()
