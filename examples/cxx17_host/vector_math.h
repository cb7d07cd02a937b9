// SPDX-License-Identifier: Apache-2.0
// Older than C++20, as much code beside CUDA is: <cmath> of C++20 has a lerp of its own, and a
// source that sees both does not compile.
#pragma once

#include <cmath>

using namespace std;

#if defined(__CUDACC__)
#  define VECTOR_MATH __host__ __device__ inline
#else
#  define VECTOR_MATH inline
#endif

VECTOR_MATH float lerp(float a, float b, float t) { return a + t * (b - a); }
