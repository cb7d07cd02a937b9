// SPDX-License-Identifier: Apache-2.0
// Checks of selections.
#include "verification/verify_column.hpp"
#include "verification/verifying_sink.hpp"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <span>
#include <type_traits>
#include <vector>

namespace ballot::app {
namespace {

// Ascending numbers as bits, which can be looked up by their rank.
class selected_items {
 public:
  // Those below `size` for which is_kept(i) says yes. All cores ask.
  template <class IsKept>
  void find(std::size_t size, const IsKept& is_selected) {
    words_.assign((size + 63) / 64, 0);
    before_.assign(words_.size() / words_a_block + 2, 0);
    tbb::parallel_for(std::size_t{0}, before_.size() - 1, [&](std::size_t block) {
      const std::size_t end = std::min((block + 1) * words_a_block, words_.size());
      for (std::size_t w = block * words_a_block; w < end; ++w) {
        for (std::size_t i = 64 * w; i < std::min(64 * w + 64, size); ++i)
          words_[w] |= static_cast<std::uint64_t>(is_selected(i)) << i % 64;
        before_[block + 1] += static_cast<std::size_t>(std::popcount(words_[w]));
      }
    });
    std::partial_sum(before_.begin(), before_.end(), before_.begin());
  }

  std::size_t count() const { return before_.back(); }

  // Goes from one to the next.
  class iterator {
   public:
    // The one that `rank` come before; rank < count().
    iterator(const selected_items& kept, std::size_t rank) : selected_(&kept) {
      const auto block = std::upper_bound(kept.before_.begin(), kept.before_.end(), rank) - 1;
      word_ = static_cast<std::size_t>(block - kept.before_.begin()) * words_a_block;
      rest_ = kept.words_[word_];
      for (std::size_t left = rank - *block; left != 0; --left) next();
      skip_empty_words();
    }
    std::size_t operator*() const { return 64 * word_ + static_cast<std::size_t>(std::countr_zero(rest_)); }
    // Only where there is another.
    void next() {
      skip_empty_words();
      rest_ &= rest_ - 1;
    }
    void skip_empty_words() {
      while (rest_ == 0 && word_ + 1 < selected_->words_.size()) rest_ = selected_->words_[++word_];
    }

   private:
    const selected_items* selected_;
    std::size_t word_ = 0;
    std::uint64_t rest_ = 0;  // of the word
  };

 private:
  static constexpr std::size_t words_a_block = 16;

  std::vector<std::uint64_t> words_;
  std::vector<std::size_t> before_ = {0};  // how many are in front of a block, and of the end
};

template <class T>
class compact_check final : public verifying_sink {
 public:
  compact_check(const compact_request& request, const recording_source& in, const recording_source* flags, sink& next,
                phase_clock& clock)
      : verifying_sink(next, clock), request_(request), in_(in), flags_(flags) {}

 private:
  void check_count(std::uint64_t) override {
    selected_.find(input().size(), [&](std::size_t i) { return is_selected(i); });
  }
  void check_items(std::span<const std::byte> items) override {
    const std::size_t count = items.size() / sizeof(T);
    const std::size_t wrong =
        first_wrong(count, [&](std::size_t begin, std::size_t end) { return first_different(items, begin, end); });
    seen_ += wrong;
    if (wrong == count) return;
    if (seen_ == selected_.count()) fail(fmt::format("more items than the {} selected ones", seen_));
    fail(fmt::format("item {} of the output is not item {} of the input", seen_,
                     *selected_items::iterator(selected_, seen_)));
  }
  void check_end() override {
    if (seen_ != selected_.count())
      fail(fmt::format("item {} of the input is missing from the output", *selected_items::iterator(selected_, seen_)));
  }

  // The first of the items [begin, end) that differs from the item expected there, or comes after
  // the last expected one. `end` if all are as expected.
  std::size_t first_different(std::span<const std::byte> items, std::size_t begin, std::size_t end) const {
    const std::size_t known_end = std::min<std::size_t>(end, std::max(begin, selected_.count() - seen_));
    if (begin == known_end) return begin;
    selected_items::iterator expected(selected_, seen_ + begin);
    for (std::size_t i = begin; i < known_end; ++i) {
      if (std::memcmp(&items[i * sizeof(T)], &input()[*expected], sizeof(T)) != 0) return i;
      expected.next();
      expected.skip_empty_words();
    }
    return known_end;
  }

  bool is_selected(std::size_t i) const {
    const bool is_selected = flags_ != nullptr ? flags_->items().as<std::uint8_t>()[i] != 0
                                               : evaluate(*request_.where, as_literal(input()[i]));
    return is_selected != request_.invert;
  }
  static literal as_literal(T value) {
    if constexpr (std::is_floating_point_v<T>) return static_cast<double>(value);
    else return static_cast<__int128>(value);
  }
  std::span<const T> input() const { return in_.items().template as<T>(); }

  compact_request request_;
  const recording_source& in_;
  const recording_source* flags_;
  selected_items selected_;
};

}  // namespace

std::unique_ptr<sink> check_compact(const compact_request& request, const recording_source& in,
                                    const recording_source* flags, sink& next, phase_clock& clock) {
  return visit_dtype(request.type, [&]<class T>(std::type_identity<T>) -> std::unique_ptr<sink> {
    return std::make_unique<compact_check<T>>(request, in, flags, next, clock);
  });
}

}  // namespace ballot::app
