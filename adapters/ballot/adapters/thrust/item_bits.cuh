// SPDX-License-Identifier: Apache-2.0
// A bit for each item, by which an algorithm in place selects. The bits are complete before an item
// is overwritten.
#pragma once

#include <ballot/adapters/cub/item_bits.cuh>
#include <ballot/adapters/thrust/policy.cuh>
#include <ballot/core/scratch.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace ballot::adapters::detail {

// If the calls allocate, this is allocated in stream order. Otherwise it is at the begin of the
// scratch, and the call gets the rest.
class item_bits {
 public:
  item_bits(const exec& where, std::uint64_t n, const char* function) : rest_(where), items_(n), function_(function) {
    const auto bytes = static_cast<std::size_t>(ballot::detail::ceil_div(n, 32)) * sizeof(std::uint32_t);
    if (where.allocates()) {
      if (n != 0) own_.emplace(bytes, where.stream());
      bits_ = n == 0 ? nullptr : reinterpret_cast<std::uint32_t*>(own_->data());
      return;
    }
    const auto scratch = where.scratch();
    const std::size_t skipped = (room - reinterpret_cast<std::uintptr_t>(scratch.data()) % room) % room;
    ballot::detail::require(scratch.size() >= skipped + bytes, function,
                            "the scratch has no room for a bit of each item");
    bits_ = reinterpret_cast<std::uint32_t*>(scratch.data() + skipped);
    rest_ = exec(where.stream(), scratch.subspan(skipped + bytes));
  }
  const exec& where() const { return rest_; }
  bit_flags flags(bool inverted = false) const {
    bit_flags all = flags_of_bits(bits_, items_);
    all.invert = inverted;
    return all;
  }

  // Set where an item differs from the one before it.
  template <class In, class Same>
  void set_heads(const In& in, const Same& same) const {
    if (items_ != 0) set_head_bits(rest_.stream(), in, same, bits_, function_);
  }
  // Set where `select` selects.
  template <class In, class Select>
  void set_selected(const In& in, const Select& select) const {
    if (items_ != 0) set_selected_bits(rest_.stream(), in, select, bits_, function_);
  }

 private:
  static constexpr std::size_t room = 256;
  exec rest_;
  std::uint64_t items_;
  const char* function_;
  std::optional<device_buffer> own_;
  std::uint32_t* bits_ = nullptr;
};

}  // namespace ballot::adapters::detail
