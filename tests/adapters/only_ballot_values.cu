// SPDX-License-Identifier: Apache-2.0
// A call that its values, not its types, make CUB's: without CUB it returns cudaErrorInvalidValue
// before any work, so it needs no GPU (only_ballot_test.py). The others take the same way
// (two_phases_of_either) and more time to compile. Exits with the number of mistakes.
#define BALLOT_ADAPTERS_ONLY_BALLOT
#include <ballot/adapters/cub.cuh>

#include <cstddef>
#include <cstdint>
#include <cstdio>

namespace program {
namespace cub = ballot::adapters::cub;

// Numbers that bind to no reference: to a static member without a definition the linker finds none.
struct packed {
  static const std::int64_t none = 0;
  int items : 20;
  char few;
};

int mistakes() {
  int found = 0;
  int items[1] = {}, value[1] = {}, index[1] = {};
  std::byte memory[4096];
  std::size_t bytes = 0;
  const auto least_of_none = [&](void* temporary) {
    return cub::DeviceReduce::ArgMin(temporary, bytes, items, value, index, std::int64_t{0});
  };
  if (const cudaError_t sized = least_of_none(nullptr); sized != cudaSuccess || bytes == 0 || bytes > sizeof(memory)) {
    std::printf("the size of ArgMin of no items: error %d, %zu bytes\n", static_cast<int>(sized), bytes);
    ++found;
  }
  if (const cudaError_t refused = least_of_none(memory); refused != cudaErrorInvalidValue) {
    std::printf("ArgMin of no items: error %d, not %d\n", static_cast<int>(refused), cudaErrorInvalidValue);
    ++found;
  }
  packed no{};
  std::size_t same[3] = {};
  const cudaError_t sized[] = {
      cub::DeviceReduce::ArgMin(nullptr, same[0], items, value, index, packed::none),
      cub::DeviceReduce::ArgMin(nullptr, same[1], items, value, index, no.items),
      cub::DeviceReduce::ArgMin(nullptr, same[2], items, value, index, no.few),
  };
  for (int i = 0; i < 3; ++i)
    if (sized[i] != cudaSuccess || same[i] != bytes) {
      std::printf("number %d: error %d, %zu bytes, not %zu\n", i, static_cast<int>(sized[i]), same[i], bytes);
      ++found;
    }
  return found;
}

}  // namespace program

int main() { return program::mistakes(); }
