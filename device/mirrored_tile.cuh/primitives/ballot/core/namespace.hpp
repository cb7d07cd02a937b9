// Every header that opens `namespace ballot` includes this one first.
//
// The CUDA toolkit declares a function `ballot` in the global namespace (sm_20_intrinsics.h) before the first line of a
// source, and a namespace of that name cannot be declared beside it. Inside an inline namespace it can; from then on
// `namespace ballot` extends this one (CWG 2061), and `ballot::sort` finds it, because a name before :: is never a
// function. Only `::ballot::sort`, with leading colons, remains ambiguous to some compilers.
#pragma once

inline namespace ballot_library {
namespace ballot {}
}  // namespace ballot_library
