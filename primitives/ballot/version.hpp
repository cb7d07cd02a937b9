// SPDX-License-Identifier: Apache-2.0
// The version of the library. CMake reads it from here, and so does a preprocessor:
//     #if BALLOT_VERSION >= BALLOT_MAKE_VERSION(0, 2, 0)
// A minor version before 1.0 may break callers; CHANGELOG.md says how.
#pragma once

/// Major version.
#define BALLOT_VERSION_MAJOR 0
/// Minor version.
#define BALLOT_VERSION_MINOR 1
/// Patch version.
#define BALLOT_VERSION_PATCH 0

/// A version as one number, to compare with.
#define BALLOT_MAKE_VERSION(major, minor, patch) ((major)*10000 + (minor)*100 + (patch))
/// The version of these headers as one number.
#define BALLOT_VERSION BALLOT_MAKE_VERSION(BALLOT_VERSION_MAJOR, BALLOT_VERSION_MINOR, BALLOT_VERSION_PATCH)
