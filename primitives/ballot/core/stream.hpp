// SPDX-License-Identifier: Apache-2.0
// The type of a stream, without CUDA's headers: cudaStream_t is a pointer to this struct. The
// emulator uses the same name; its streams have no state, and each of them may be null.
#pragma once

#include <ballot/core/namespace.hpp>

struct CUstream_st;

namespace BALLOT_VERSION_NAMESPACE {
/// A stream: cudaStream_t, without CUDA's headers.
using stream_t = CUstream_st*;
}  // namespace BALLOT_VERSION_NAMESPACE
namespace ballot {
using BALLOT_VERSION_NAMESPACE::stream_t;
}  // namespace ballot
