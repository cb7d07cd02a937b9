// How each contender is called.
//
//   ballot  scratch made beforehand, counts left on the device
//   cub     likewise; 32-bit lengths
//   thrust  par_nosync on the stream, temporary memory kept from call to call. Calls that return a position wait for it
//   copy    cudaMemcpyAsync, device to device, of as many bytes as the operation has to move at least (harness.cpp)
#pragma once

#include <ballot/core/namespace.hpp>

#include "cuda.hpp"
#include "operation.hpp"

#include <ballot/core/exec.hpp>

#include <thrust/system/cuda/execution_policy.h>

#include <cstddef>
#include <map>
#include <span>
#include <utility>

namespace ballot::bench {

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

// bytes(n): scratch; call(exec, arrays).
template <class Bytes, class Call>
contender by_ballot(Bytes bytes, Call call) {
  contender ours;
  ours.name = "ballot";
  ours.scratch_bytes = [=](const arrays& a) { return bytes(a.n); };
  ours.run = [=](const arrays& a) {
    call(exec{a.stream, a.scratch}, a);
    return count_on_host{};
  };
  return ours;
}

// call(temporary, bytes, arrays) -> cudaError_t: without temporary memory it only tells its size.
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

// Temporary memory for Thrust: what it asks for when it is checked is what it asks for when it is timed.
class kept_memory {
 public:
  using value_type = char;
  char* allocate(std::ptrdiff_t bytes) {
    if (const auto kept = free_.find(bytes); kept != free_.end()) {
      char* block = kept->second;
      free_.erase(kept);
      used_[block] = bytes;
      return block;
    }
    void* block = nullptr;
    check(cudaMalloc(&block, static_cast<std::size_t>(bytes)), "cudaMalloc");
    used_[static_cast<char*>(block)] = bytes;
    return static_cast<char*>(block);
  }
  void deallocate(char* block, std::size_t) {
    const auto used = used_.find(block);
    free_.emplace(used->second, block);
    used_.erase(used);
  }

 private:
  std::multimap<std::ptrdiff_t, char*> free_;
  std::map<char*, std::ptrdiff_t> used_;
};

// call(policy, arrays) -> count_on_host.
template <class Call>
contender by_thrust(Call call) {
  contender thrust_;
  thrust_.name = "thrust";
  thrust_.scratch_bytes = [](const arrays&) { return std::size_t{0}; };
  thrust_.run = [=](const arrays& a) -> count_on_host {
    static kept_memory memory;  // never given back: the process ends with the run
    return call(thrust::cuda::par_nosync(memory).on(a.stream), a);
  };
  return thrust_;
}

}  // namespace ballot::bench
