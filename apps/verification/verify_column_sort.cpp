// SPDX-License-Identifier: Apache-2.0
// Checks of sorted columns and of places (argsort).
#include "verification/verify_column.hpp"
#include "verification/verifying_sink.hpp"

#include <ballot/core/key_order.hpp>

#include <fmt/format.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

namespace ballot::app {
namespace {

// The bits by which a key is compared.
template <class K>
class compared_bits {
 public:
  explicit compared_bits(const sort_request& request) : order_(request.order), low_(request.bits.low) {
    const int width = request.bits.high - request.bits.low;
    mask_ = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
  }
  std::uint64_t operator()(K key) const {
    return (static_cast<std::uint64_t>(ordered_bits(key, order_)) >> low_) & mask_;
  }

 private:
  direction order_;
  int low_;
  std::uint64_t mask_;
};

// All bits compared: equal keys are the same bits, so order and multiset say everything.
template <class K>
class sorted_check final : public verifying_sink {
 public:
  sorted_check(const sort_request& request, const recording_source& in, sink& next, phase_clock& clock)
      : verifying_sink(next, clock), order_(request.order), in_(in) {}

 private:
  void check_count(std::uint64_t) override {}
  void check_items(std::span<const std::byte> items) override {
    const std::span keys(reinterpret_cast<const K*>(items.data()), items.size() / sizeof(K));
    if (keys.empty()) return;
    const std::size_t wrong = first_wrong(keys.size(), [&](std::size_t begin, std::size_t end) {
      if (begin == 0) {
        if (seen_ != 0 && bits_of(keys[0]) < bits_of(last_)) return begin;
        begin = 1;
      }
      return first_descent(keys, begin, end);
    });
    if (wrong != keys.size())
      fail(fmt::format("item {} ({}) belongs before its predecessor", seen_ + wrong, keys[wrong]));
    checksum_.add(checksum_of(items, sizeof(K)));
    last_ = keys.back();
    seen_ += keys.size();
  }
  void check_end() override {
    if (checksum_ != in_.checksum()) fail("the output does not consist of the input's items");
  }

  auto bits_of(K key) const { return ordered_bits(key, order_); }

  // The first key of [begin, end) that is less than the one in front of it; `end` where none is.
  // begin > 0.
  std::size_t first_descent(std::span<const K> keys, std::size_t begin, std::size_t end) const {
    constexpr std::size_t block = 1024;  // looked at without a branch, so that the compiler makes vectors of it
    for (; begin < end; begin += block) {
      const std::size_t block_end = std::min(begin + block, end);
      bool descends = false;
      for (std::size_t i = begin; i < block_end; ++i) descends |= bits_of(keys[i]) < bits_of(keys[i - 1]);
      if (!descends) continue;
      while (bits_of(keys[begin]) >= bits_of(keys[begin - 1])) ++begin;
      return begin;
    }
    return end;
  }

  direction order_;
  const recording_source& in_;
  multiset_checksum checksum_;
  K last_{};
};

// Sorts halves side by side, and merges them.
template <class Iterator, class Less>
void stable_sort_on_all_cores(Iterator begin, Iterator end, const Less& less) {
  constexpr std::ptrdiff_t grain = 1 << 16;
  if (end - begin <= grain) return std::stable_sort(begin, end, less);
  const Iterator middle = begin + (end - begin) / 2;
  tbb::parallel_invoke([&] { stable_sort_on_all_cores(begin, middle, less); },
                       [&] { stable_sort_on_all_cores(middle, end, less); });
  std::inplace_merge(begin, middle, end, less);
}

// For sorts by some of the bits. Items that agree in these must keep their order. Items alone do
// not show that, so the input is sorted once more, by other means.
template <class K>
class stably_sorted_check final : public verifying_sink {
 public:
  stably_sorted_check(const sort_request& request, const recording_source& in, sink& next, phase_clock& clock)
      : verifying_sink(next, clock), bits_of_(request), in_(in) {}

 private:
  void check_count(std::uint64_t count) override {
    const auto items = in_.items().as<K>();
    if (count != items.size()) fail(fmt::format("{} items became {}", items.size(), count));
    expected_.append(in_.items().bytes());
    const auto keys = expected_.as<K>();
    stable_sort_on_all_cores(keys.begin(), keys.end(), [&](K a, K b) { return bits_of_(a) < bits_of_(b); });
  }
  void check_items(std::span<const std::byte> items) override {
    const std::size_t count = items.size() / sizeof(K);
    const auto expected = std::as_const(expected_).bytes();
    const std::size_t at = seen_ * sizeof(K);
    if (items.size() > expected.size() - at || !are_same(expected.subspan(at, items.size()), items))
      fail(fmt::format("items {} to {} differ from those of a stable sort", seen_, seen_ + count));
    seen_ += count;
  }

  static bool are_same(std::span<const std::byte> a, std::span<const std::byte> b) {
    return first_wrong(a.size(), [&](std::size_t begin, std::size_t end) {
             return std::memcmp(a.data() + begin, b.data() + begin, end - begin) == 0 ? end : begin;
           }) == a.size();
  }

  compared_bits<K> bits_of_;
  const recording_source& in_;
  host_buffer expected_;
};

// Places that ascend, by key and then by index, are all different: the bits that remember which
// were there before are for the message alone.
template <class K>
class argsort_check final : public verifying_sink {
 public:
  argsort_check(const sort_request& request, const recording_source& in, sink& next, phase_clock& clock)
      : verifying_sink(next, clock), bits_of_(request), in_(in) {}

 private:
  using place = std::pair<std::uint64_t, std::uint64_t>;  // what is compared, index

  void check_count(std::uint64_t count) override {
    if (count != keys().size()) fail(fmt::format("{} items became {} indices", keys().size(), count));
    is_taken_.assign(keys().size() / 64 + 1, 0);
  }
  void check_items(std::span<const std::byte> items) override {
    const std::span indices(reinterpret_cast<const std::uint64_t*>(items.data()), items.size() / 8);
    if (indices.empty()) return;
    const std::size_t wrong = first_wrong(
        indices.size(), [&](std::size_t begin, std::size_t end) { return first_misplaced(indices, begin, end); });
    tbb::parallel_for(std::size_t{0}, wrong, [&](std::size_t i) {
      std::atomic_ref(is_taken_[indices[i] / 64])
          .fetch_or(std::uint64_t{1} << indices[i] % 64, std::memory_order_relaxed);
    });
    if (wrong != indices.size()) {
      const std::uint64_t index = indices[wrong], at = seen_ + wrong;
      if (index >= keys().size()) fail(fmt::format("index {} at position {} is out of range", index, at));
      if (is_taken_[index / 64] >> index % 64 & 1)
        fail(fmt::format("index {} at position {} appears twice", index, at));
      fail(fmt::format("index {} at position {} belongs before its predecessor", index, at));
    }
    previous_ = place_of(indices.back());
    seen_ += indices.size();
  }

  place place_of(std::uint64_t index) const { return {bits_of_(keys()[index]), index}; }

  // The first of [begin, end) that is out of range or not behind the one in front of it; `end`
  // where none is.
  std::size_t first_misplaced(std::span<const std::uint64_t> indices, std::size_t begin, std::size_t end) const {
    const std::uint64_t count = keys().size();
    bool has_previous = begin != 0 || seen_ != 0;
    place previous = previous_;
    if (begin != 0) {
      // One that is out of range is found by whoever looks at it, and comes first.
      if (indices[begin - 1] >= count) return begin;
      previous = place_of(indices[begin - 1]);
    }
    for (std::size_t i = begin; i < end; ++i) {
      if (indices[i] >= count) return i;
      const place here = place_of(indices[i]);
      if (has_previous && here <= previous) return i;
      previous = here;
      has_previous = true;
    }
    return end;
  }

  std::span<const K> keys() const { return in_.items().template as<K>(); }

  compared_bits<K> bits_of_;
  const recording_source& in_;
  std::vector<std::uint64_t> is_taken_;
  place previous_;
};

}  // namespace

bool check_needs_items(const sort_request& request) {
  return request.argsort || request.bits.low != 0 || request.bits.high != static_cast<int>(8 * size_of(request.type));
}

std::unique_ptr<sink> check_sort(const sort_request& request, const recording_source& in, sink& next,
                                 phase_clock& clock) {
  return visit_dtype(request.type, [&]<class K>(std::type_identity<K>) -> std::unique_ptr<sink> {
    if (request.argsort) return std::make_unique<argsort_check<K>>(request, in, next, clock);
    if (check_needs_items(request)) return std::make_unique<stably_sorted_check<K>>(request, in, next, clock);
    return std::make_unique<sorted_check<K>>(request, in, next, clock);
  });
}

}  // namespace ballot::app
