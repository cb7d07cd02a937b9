// SPDX-License-Identifier: Apache-2.0
// What this file sees of the macros that decide what the adapters do. only_ballot_test.py compiles
// it with each of them, as CHOICE, and links the results into one program: each must keep its own.
// Needs no GPU.
#include <ballot/adapters/cub/radix_sort.cuh>

#include <cstddef>
#include <cstdio>

namespace adapters_choices {

// Not in an unnamed namespace: then the linker would have nothing to confuse.
struct of_ballot {
  std::size_t operator()() const { return 1; }
  void operator()(const ballot::exec&) const {}
};
struct of_cub {
  cudaError_t operator()(void*, std::size_t&) const { return cudaSuccess; }
};

// Zeros are equal: 1. CUB's own calls are used: 2.
int CHOICE() {
  namespace detail = ballot::adapters::detail;
  std::byte memory[1];
  std::size_t bytes = sizeof(memory);
  const bool equal_zeros = detail::orders_as_cub<float>(ballot::direction::ascending, 0, 8);
  const cudaError_t called =
      detail::two_phases_of_either(memory, bytes, of_ballot{}, false, nullptr, of_cub{}, of_ballot{});
  return (equal_zeros ? 1 : 0) + (called == cudaSuccess ? 2 : 0);
}

}  // namespace adapters_choices

#if defined(WITH_MAIN)
namespace adapters_choices {
int ordered();
int only();
int both();
}  // namespace adapters_choices

int main() {
  using namespace adapters_choices;
  std::printf("%d %d %d %d\n", CHOICE(), ordered(), only(), both());
  return 0;
}
#endif
