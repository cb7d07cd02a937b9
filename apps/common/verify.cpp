#include "common/verify.hpp"
#include <ballot/core/namespace.hpp>

#include "common/failure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace ballot::app {
namespace {

// splitmix64's finaliser: every bit of the input reaches every bit of the output.
std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

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

// What the checks have in common: the time they take is counted apart from the writing that they interrupt.
class checking_sink : public sink {
 public:
  checking_sink(sink& next, phase_clock& clock) : next_(next), clock_(clock) {}

  void begin(std::uint64_t count) final {
    {
      scoped_phase checking(clock_, phase::verify);
      check_count(count);
    }
    promised_ = count;
    next_.begin(count);
  }
  void write(std::span<const std::byte> items) final {
    {
      scoped_phase checking(clock_, phase::verify);
      check_items(items);
    }
    next_.write(items);
  }
  void finish() final {
    {
      scoped_phase checking(clock_, phase::verify);
      if (seen_ != promised_) fail(fmt::format("{} items were announced and {} came", promised_, seen_));
      check_end();
    }
    next_.finish();
  }

 protected:
  virtual void check_count(std::uint64_t count) = 0;
  virtual void check_items(std::span<const std::byte> items) = 0;
  virtual void check_end() {}

  [[noreturn]] static void fail(const std::string& what) { throw verification_failure("verification failed: " + what); }

  std::uint64_t seen_ = 0;

 private:
  sink& next_;
  phase_clock& clock_;
  std::uint64_t promised_ = 0;
};

// All bits compared: equal keys are the same bits, so order and multiset say everything.
template <class K>
class sorted_check final : public checking_sink {
 public:
  sorted_check(const sort_request& request, const remembering_source& in, sink& next, phase_clock& clock)
      : checking_sink(next, clock), bits_of_(request), in_(in) {}

 private:
  void check_count(std::uint64_t) override {}
  void check_items(std::span<const std::byte> items) override {
    for (const K key : std::span(reinterpret_cast<const K*>(items.data()), items.size() / sizeof(K))) {
      const std::uint64_t bits = bits_of_(key);
      if (seen_ != 0 && bits < previous_)
        fail(fmt::format("item {} ({}) belongs before the one in front of it", seen_, key));
      previous_ = bits;
      ++seen_;
    }
    checksum_.add(items, sizeof(K));
  }
  void check_end() override {
    if (checksum_ != in_.checksum()) fail("the output is not made of the input's items");
  }

  compared_bits<K> bits_of_;
  const remembering_source& in_;
  multiset_checksum checksum_;
  std::uint64_t previous_ = 0;
};

// Some bits compared: the keys that they do not tell apart must have kept their order, so the answer is made once more.
template <class K>
class stably_sorted_check final : public checking_sink {
 public:
  stably_sorted_check(const sort_request& request, const remembering_source& in, sink& next, phase_clock& clock)
      : checking_sink(next, clock), bits_of_(request), in_(in) {}

 private:
  void check_count(std::uint64_t count) override {
    const auto items = in_.items().as<K>();
    if (count != items.size()) fail(fmt::format("{} items became {}", items.size(), count));
    expected_.assign(items.begin(), items.end());
    std::stable_sort(expected_.begin(), expected_.end(), [&](K a, K b) { return bits_of_(a) < bits_of_(b); });
  }
  void check_items(std::span<const std::byte> items) override {
    const std::size_t count = items.size() / sizeof(K);
    if (seen_ + count > expected_.size() || std::memcmp(expected_.data() + seen_, items.data(), items.size()) != 0)
      fail(fmt::format("items {} to {} are not those of a stable sort", seen_, seen_ + count));
    seen_ += count;
  }

  compared_bits<K> bits_of_;
  const remembering_source& in_;
  std::vector<K> expected_;
};

template <class K>
class argsort_check final : public checking_sink {
 public:
  argsort_check(const sort_request& request, const remembering_source& in, sink& next, phase_clock& clock)
      : checking_sink(next, clock), bits_of_(request), in_(in) {}

 private:
  void check_count(std::uint64_t count) override {
    if (count != keys().size()) fail(fmt::format("{} items became {} indices", keys().size(), count));
    is_taken_.assign(keys().size(), false);
  }
  void check_items(std::span<const std::byte> items) override {
    for (const std::uint64_t index :
         std::span(reinterpret_cast<const std::uint64_t*>(items.data()), items.size() / 8)) {
      if (index >= is_taken_.size()) fail(fmt::format("index {} at place {} is out of range", index, seen_));
      if (is_taken_[index]) fail(fmt::format("index {} at place {} was there before", index, seen_));
      is_taken_[index] = true;
      const std::pair<std::uint64_t, std::uint64_t> place{bits_of_(keys()[index]), index};
      if (seen_ != 0 && place < previous_)
        fail(fmt::format("index {} at place {} belongs before the one in front of it", index, seen_));
      previous_ = place;
      ++seen_;
    }
  }

  std::span<const K> keys() const { return in_.items().template as<K>(); }

  compared_bits<K> bits_of_;
  const remembering_source& in_;
  std::vector<bool> is_taken_;
  std::pair<std::uint64_t, std::uint64_t> previous_;
};

template <class T>
class compact_check final : public checking_sink {
 public:
  compact_check(const compact_request& request, const remembering_source& in, const remembering_source* flags,
                sink& next, phase_clock& clock)
      : checking_sink(next, clock), request_(request), in_(in), flags_(flags) {}

 private:
  void check_count(std::uint64_t) override {}
  void check_items(std::span<const std::byte> items) override {
    for (const std::byte* item = items.data(); item != items.data() + items.size(); item += sizeof(T), ++seen_) {
      skip_dropped();
      if (next_ == input().size()) fail(fmt::format("more items than the {} that are kept", seen_));
      if (std::memcmp(item, &input()[next_], sizeof(T)) != 0)
        fail(fmt::format("item {} of the output is not item {} of the input", seen_, next_));
      ++next_;
    }
  }
  void check_end() override {
    skip_dropped();
    if (next_ != input().size()) fail(fmt::format("item {} of the input is missing from the output", next_));
  }

  void skip_dropped() {
    while (next_ < input().size() && !is_kept(next_)) ++next_;
  }
  bool is_kept(std::size_t i) const {
    const bool says_yes = flags_ != nullptr ? flags_->items().as<std::uint8_t>()[i] != 0
                                            : evaluate(*request_.where, as_literal(input()[i]));
    return says_yes != request_.invert;
  }
  static literal as_literal(T value) {
    if constexpr (std::is_floating_point_v<T>) return static_cast<double>(value);
    else return static_cast<__int128>(value);
  }
  std::span<const T> input() const { return in_.items().template as<T>(); }

  compact_request request_;
  const remembering_source& in_;
  const remembering_source* flags_;
  std::size_t next_ = 0;
};

}  // namespace

void multiset_checksum::add(std::span<const std::byte> items, std::size_t item_bytes) {
  for (std::size_t at = 0; at < items.size(); at += item_bytes) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, items.data() + at, item_bytes);
    sums_[0] += mixed(bits + 0x9e3779b97f4a7c15u);
    sums_[1] += mixed(~bits * 0xd1342543de82ef95u + 1);
  }
  count_ += items.size() / item_bytes;
}

std::size_t remembering_source::read(std::span<std::byte> into) {
  const std::size_t got = inner_.read(into);
  scoped_phase checking(clock_, phase::verify);
  checksum_.add(into.first(got), size_of(type()));
  if (keeps_) items_.append(into.first(got));
  return got;
}

bool check_needs_items(const sort_request& request) {
  return request.argsort || request.bits.low != 0 || request.bits.high != static_cast<int>(8 * size_of(request.type));
}

std::unique_ptr<sink> check_sort(const sort_request& request, const remembering_source& in, sink& next,
                                 phase_clock& clock) {
  return visit_dtype(request.type, [&]<class K>(std::type_identity<K>) -> std::unique_ptr<sink> {
    if (request.argsort) return std::make_unique<argsort_check<K>>(request, in, next, clock);
    if (check_needs_items(request)) return std::make_unique<stably_sorted_check<K>>(request, in, next, clock);
    return std::make_unique<sorted_check<K>>(request, in, next, clock);
  });
}

std::unique_ptr<sink> check_compact(const compact_request& request, const remembering_source& in,
                                    const remembering_source* flags, sink& next, phase_clock& clock) {
  return visit_dtype(request.type, [&]<class T>(std::type_identity<T>) -> std::unique_ptr<sink> {
    return std::make_unique<compact_check<T>>(request, in, flags, next, clock);
  });
}

}  // namespace ballot::app
