// SPDX-License-Identifier: Apache-2.0
// Every header that opens `namespace ballot` includes this one first.
//
// Why the namespace is inside an inline one. The CUDA toolkit declares a function `ballot` in the
// global namespace (sm_20_intrinsics.h) before the first line of a source. A namespace of that name
// cannot be declared beside it, but it can inside an inline namespace. From then on `namespace
// ballot` extends this one (CWG 2061), and `ballot::sort` finds it, because a name before :: is
// never a function. Only `::ballot::sort`, with leading colons, remains ambiguous to some
// compilers.
//
// Its name: the version, and the architectures that nvcc compiles for, as in ballot_0_1_0_sm800900.
// The reason is that templates are weak symbols. One program may have two libraries that were built
// with different versions of ballot. Without such a name they would call each other's functions. If
// they were built for different architectures, they would launch each other's kernels, which may
// have no code for the GPU at hand. (CUB's namespace is named for the same reason.)
//
// So a type of `namespace ballot` has one name in a CUDA source and another in a host source. Some
// must have the same name in both: errors, exec, stream_t, direction, nan_order and bit_range. They
// are defined in BALLOT_VERSION_NAMESPACE, whose name is the version alone. `namespace ballot` has
// using-declarations for them.
//
// BALLOT_NO_ARCHITECTURES_IN_NAMES leaves the architectures out. It is for a program that shares
// other types of ballot between host sources and CUDA sources, or extends its namespace. Such a
// program compiles all CUDA sources for the same architectures.
#pragma once

#include <ballot/core/requirements.hpp>
#include <ballot/version.hpp>

#define BALLOT_PASTE_(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, ...) \
  a##b##c##d##e##f##g##h##i##j##k##l##m##n##o##p##q##r##s##t##u##v##w##x
// One word of up to 24 words, each expanded first.
#define BALLOT_PASTE(...) BALLOT_PASTE_(__VA_ARGS__, , , , , , , , , , , , , , , , , , , , , , , , )

#define BALLOT_VERSION_NAMESPACE \
  BALLOT_PASTE(ballot_, BALLOT_VERSION_MAJOR, _, BALLOT_VERSION_MINOR, _, BALLOT_VERSION_PATCH)

// __CUDA_ARCH_LIST__ is 800,900 for sm_80 and sm_90, for the host's part of a source as for the
// device's.
#if defined(BALLOT_EMULATED) && BALLOT_EMULATED
#  define BALLOT_LIBRARY_NAMESPACE BALLOT_PASTE(BALLOT_VERSION_NAMESPACE, _emulated)
#elif defined(__CUDA_ARCH_LIST__) && !defined(BALLOT_NO_ARCHITECTURES_IN_NAMES)
#  define BALLOT_LIBRARY_NAMESPACE BALLOT_PASTE(BALLOT_VERSION_NAMESPACE, _sm, __CUDA_ARCH_LIST__)
#else
#  define BALLOT_LIBRARY_NAMESPACE BALLOT_PASTE(BALLOT_VERSION_NAMESPACE, _host)
#endif

inline namespace BALLOT_LIBRARY_NAMESPACE {
namespace ballot {}
}  // namespace BALLOT_LIBRARY_NAMESPACE
namespace BALLOT_VERSION_NAMESPACE {}
