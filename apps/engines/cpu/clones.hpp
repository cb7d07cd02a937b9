// SPDX-License-Identifier: Apache-2.0
// BALLOT_APP_CLONES before a function: compiled for several generations of processors, and chosen
// when the program starts. For plain loops, which the compiler makes vectors of.
#pragma once

// A resolver runs before the address sanitizer does. Clang 16 does not take these names of
// architectures.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#  define BALLOT_APP_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#  define BALLOT_APP_CLONES
#endif
