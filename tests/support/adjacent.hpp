// SPDX-License-Identifier: Apache-2.0
// Ranges of one call side by side in memory: where two of them touch, it takes them; where they
// overlap by a byte, it refuses them.
#pragma once

#include <ballot/core/namespace.hpp>

#include "support/refused.hpp"

#include <initializer_list>
#include <span>
#include <string>
#include <vector>

namespace ballot::test {

// The place of a range of a call.
class placed {
 public:
  placed(std::byte* begin, std::size_t bytes) : begin_(begin), bytes_(bytes) {}
  template <class T>
  std::span<T> of() const {
    return {reinterpret_cast<T*>(begin_), bytes_ / sizeof(T)};
  }
  std::uint64_t* word() const { return of<std::uint64_t>().data(); }

 private:
  std::byte* begin_;
  std::size_t bytes_;
};

// `call(exec, places)` takes ranges of so many bytes, multiples of 8; the first `only_read` of them
// are not written. Each two ranges of which one is written stand side by side, in both orders. They
// touch, or the first byte of the second one is the last byte of the first. The other ranges lie
// behind them.
inline void touching_and_overlapping(const std::string& name, std::size_t only_read,
                                     std::initializer_list<std::size_t> sizes,
                                     function_ref<void(const exec&, const std::vector<placed>&)> call) {
  CAPTURE(name);
  const std::vector<std::size_t> bytes(sizes);
  std::size_t all = 0;
  for (const std::size_t size : bytes) all += size + 16;
  const guarded<unsigned char> memory(all);
  for (std::size_t first = 0; first < bytes.size(); ++first)
    for (std::size_t second = 0; second < bytes.size(); ++second) {
      if (first == second || (first < only_read && second < only_read)) continue;
      CAPTURE(first);
      CAPTURE(second);
      const auto place = [&](std::size_t overlap) {
        auto* next = reinterpret_cast<std::byte*>(memory.data());
        std::vector<placed> at(bytes.size(), placed(next, bytes[first]));
        next += bytes[first];
        at[second] = placed(next - overlap, bytes[second]);
        next += bytes[second];
        for (std::size_t i = 0; i < bytes.size(); ++i) {
          if (i == first || i == second) continue;
          at[i] = placed(next += 16, bytes[i]);
          next += bytes[i];
        }
        return at;
      };
      simt::fill_bytes(test_stream(), memory.data(), 0, all);
      const auto side_by_side = place(0), overlapping = place(1);
      CHECK_NOTHROW(call(allocating(test_stream()), side_by_side));
      simt::synchronize(test_stream());
      refused(name, "overlap", [&](const exec& gpu) { call(gpu, overlapping); });
    }
}

}  // namespace ballot::test
