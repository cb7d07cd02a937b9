// SPDX-License-Identifier: Apache-2.0
// The checks of every call on the memory of its arguments, before any work. No argument is null.
// Nothing that is written overlaps another argument or the scratch.
//
//     require_arguments("compact", gpu, scratch_bytes, {outputs, count}, {inputs, length, flags});
#pragma once

#include <ballot/core/arguments.hpp>
#include <ballot/core/exec.hpp>
#include <ballot/core/namespace.hpp>

#include <array>
#include <cstddef>
#include <initializer_list>
#include <span>

namespace ballot::detail {

// One argument or the columns of one.
class argument_view {
 public:
  argument_view(const argument& one) : items_(&one, 1) {}
  template <std::size_t N>
  argument_view(const std::array<argument, N>& columns) : items_(columns) {}
  argument_view(std::span<const argument> some) : items_(some) {}
  const argument* begin() const { return items_.data(); }
  const argument* end() const { return items_.data() + items_.size(); }
  std::span<const argument> items() const { return items_; }

 private:
  std::span<const argument> items_;
};
using argument_views = std::initializer_list<argument_view>;

// No argument is null. What is written overlaps no other argument; nor does the scratch, if the
// call takes any.
[[gnu::noinline]] inline void require_arguments(const char* function, const exec& where, std::size_t scratch_bytes,
                                                argument_views written, argument_views read) {
  const bool has_scratch = scratch_bytes != 0 && !where.allocates();
  const argument scratch{"scratch", where.scratch().data(), has_scratch ? where.scratch().size() : 0};
  for (const argument_views views : {written, read})
    for (const argument_view& view : views) {
      require_not_null(function, view.items());
      require_apart(function, std::span(&scratch, 1), view.items());
    }
  for (auto view = written.begin(); view != written.end(); ++view) {
    require_apart(function, view->items(), {});
    for (auto before = written.begin(); before != view; ++before)
      for (const argument& output : *view)
        for (const argument& other : *before) require_apart(function, {other, output}, {});
    for (const argument_view& inputs : read) require_apart(function, view->items(), inputs.items());
  }
}

// The same, checked with all of the scratch, however much of it the call uses.
[[gnu::noinline, gnu::cold]] inline void require_arguments(const char* function, const exec& where,
                                                           argument_views written, argument_views read) {
  require_arguments(function, where, where.scratch().size(), written, read);
}

}  // namespace ballot::detail
