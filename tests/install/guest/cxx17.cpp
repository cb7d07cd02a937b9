// SPDX-License-Identifier: Apache-2.0
// A source of a target that links ballot's. Its standard is the compiler's own, which is C++17 with
// GCC 11 to 15.
#include <ballot/version.hpp>

#if __cplusplus != 201703L && defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 16
#  error "linking ballot::algorithms has changed the standard of this source"
#endif
#if BALLOT_VERSION < BALLOT_MAKE_VERSION(0, 1, 0)
#  error "no version"
#endif
