// SPDX-License-Identifier: Apache-2.0
// How each contender is called.
//
//   ballot  scratch made beforehand, counts left on the device
//   cub     likewise; 32-bit lengths
//   thrust  par_nosync on the stream, temporary memory kept from call to call. Calls that return a
//           position wait for it
//   copy    cudaMemcpyAsync, device to device, of as many bytes as the operation has to move at
//           least (harness.cpp)
#pragma once

#include <ballot/core/namespace.hpp>

#include "cuda.hpp"
#include "kept_memory.hpp"
#include "operation.hpp"
#include "peer.hpp"

#include <ballot/core/exec.hpp>

#include <thrust/system/cuda/execution_policy.h>

#include <cstddef>
#include <span>
#include <utility>

namespace ballot::bench {
inline namespace BALLOT_BENCH_PEER {

template <class T>
std::span<const T> in(const arrays& a) {
  return {a.in<T>(), a.n};
}
template <class T>
std::span<const T> second_in(const arrays& a) {
  return {a.second_in<T>(), a.n};
}
template <class T>
std::span<T> out(const arrays& a) {
  return {a.out<T>(), a.n};
}
template <class T>
std::span<T> second_out(const arrays& a) {
  return {a.second_out<T>(), a.n};
}

// bytes(n): scratch; call(exec, arrays), generic in its first argument: in a source that is
// compiled for its peers alone, the functions that it calls are not instantiated. Then the
// contender has no name.
template <class Bytes, class Call>
contender by_ballot([[maybe_unused]] Bytes bytes, [[maybe_unused]] Call call) {
  contender ours;
#if BALLOT_BENCH_IS_TOOLKIT
  ours.name = "ballot";
  ours.scratch_bytes = [=](const arrays& a) { return bytes(a.n); };
  ours.run = [=](const arrays& a) {
    call(exec{a.stream, a.scratch}, a);
    return count_on_host{};
  };
#endif
  return ours;
}

// call(temporary, bytes, arrays) -> cudaError_t: without temporary memory it only gives its size.
template <class Call>
contender by_cub(Call call) {
  contender cub;
  cub.name = "cub";
  cub.scratch_bytes = [=](const arrays& a) {
    std::size_t bytes = 0;
    check(call(nullptr, bytes, a), "cub, the size of its temporary memory");
    return bytes;
  };
  cub.run = [=](const arrays& a) {
    std::size_t bytes = a.scratch.size();
    check(call(a.scratch.data(), bytes, a), "cub");
    return count_on_host{};
  };
  return cub;
}

// The same under another name: ours in a second way ("ballot_..."), or a peer in one.
inline contender named(const char* name, contender who) {
  who.name = name;
  return who;
}
inline std::size_t no_scratch(const arrays&) { return 0; }

// call(policy, arrays) -> count_on_host.
template <class Call>
contender by_thrust(Call call) {
  contender thrust_;
  thrust_.name = "thrust";
  thrust_.scratch_bytes = no_scratch;
  thrust_.run = [=](const arrays& a) -> count_on_host {
    return call(thrust::cuda::par_nosync(kept_memory::of_the_run()).on(a.stream), a);
  };
  return thrust_;
}

}  // namespace BALLOT_BENCH_PEER
}  // namespace ballot::bench
