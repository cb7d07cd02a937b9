// What public functions take: contiguous ranges on the device, with their length on the host or on the device.
#pragma once

#include <ballot/core/config.hpp>
#include <ballot/core/error.hpp>
#include <ballot/core/namespace.hpp>

#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

namespace ballot {

// A length on the device for an input: the first min(*count, items.size()) items are there, known only when the kernel
// runs. Launches are sized for items.size(). `count` is a device address, read in stream order.
template <class T>
struct counted {
  std::span<const T> items;
  const std::uint64_t* count;

  template <class R>
  counted(const R& range, const std::uint64_t* device_count) : items(range), count(device_count) {}
  // A device_value<std::uint64_t>, or whatever else has such an address.
  template <class R, class Value>
    requires requires(const Value& v) {
      { v.address() } -> std::convertible_to<const std::uint64_t*>;
    }
  counted(const R& range, const Value& value) : counted(range, value.address()) {}
};
template <class R, class C>
counted(const R&, const C&) -> counted<typename decltype(std::span(std::declval<const R&>()))::value_type>;

// Where a call leaves a value of its own on the device, a total or a count: a device address of one T, which may be that of
// a device_value<T>. Null where a function says that the result is optional: it is not wanted.
template <class T>
class device_result {
 public:
  device_result(T* address = nullptr) : address_(address) {}
  template <class Value>
    requires requires(const Value& v) {
      { v.address() } -> std::convertible_to<T*>;
    }
  device_result(const Value& value) : address_(value.address()) {}
  T* address() const { return address_; }

 private:
  T* address_;
};

template <class Value>
  requires requires(const Value& v) { v.address(); }
device_result(const Value&) -> device_result<std::remove_pointer_t<decltype(std::declval<const Value&>().address())>>;

// Where a call leaves how many there are.
using device_count = device_result<std::uint64_t>;

namespace detail {

// A length as a kernel takes it.
struct length {
  std::uint64_t capacity;
  const std::uint64_t* count;  // null: the length is the capacity

  BALLOT_HOST_DEVICE std::uint64_t get() const {
    if (count == nullptr) return capacity;
    const std::uint64_t n = *count;
    return n < capacity ? n : capacity;
  }
};

template <class T>
struct input {
  using value_type = T;
  const T* data;
  ballot::detail::length length;
  std::uint64_t capacity() const { return length.capacity; }
};

template <class T>
struct output {
  using value_type = T;
  T* data;
  std::uint64_t size;
};

// A contiguous range that knows its size: what a span can be made of. (<ranges> takes a compiler several times longer
// to read than <span>.)
template <class R>
concept device_range = requires(R&& range) { std::span(range); };

template <device_range R>
auto as_input(const R& range) {
  const std::span items(range);
  using T = typename decltype(items)::value_type;
  static_assert(std::is_trivially_copyable_v<T>, "ballot moves items byte by byte: they must be trivially copyable");
  return input<T>{items.data(), {items.size(), nullptr}};
}
template <class T>
input<T> as_input(const counted<T>& range) {
  static_assert(std::is_trivially_copyable_v<T>, "ballot moves items byte by byte: they must be trivially copyable");
  return {range.items.data(), {range.items.size(), range.count}};
}

template <device_range R>
auto as_output(R&& range) {
  const std::span items(range);
  using T = typename decltype(items)::element_type;
  static_assert(!std::is_const_v<T>, "an output range must be writable");
  return output<T>{items.data(), items.size()};
}

template <class R>
concept input_range = requires(const R& r) { as_input(r); };
template <class R>
concept output_range = requires(R&& r) { as_output(r); };
template <class R>
using item_t = typename decltype(as_input(std::declval<const R&>()))::value_type;

// The type of what is left at a device_result, or at what makes one: T* and device_value<T>.
template <class Result>
using result_t = std::remove_pointer_t<decltype(device_result(std::declval<const Result&>()).address())>;

// Apart from require, which is inlined wherever something is checked.
[[noreturn]] inline void fail(const char* function, std::string_view what) {
  throw invalid_argument(joined({"ballot::", function, ": ", what}));
}
inline void require(bool ok, const char* function, const char* what) {
  if (!ok) fail(function, what);
}

template <class T>
void require_readable(const input<T>& in, const char* function) {
  require(in.data != nullptr || in.capacity() == 0, function, "the input is null but not empty");
}
template <class T>
void require_writable(const output<T>& out, const char* function) {
  require(out.data != nullptr || out.size == 0, function, "an output is null but not empty");
}
inline bool overlap(const void* a, std::uint64_t a_bytes, const void* b, std::uint64_t b_bytes) {
  const auto x = reinterpret_cast<std::uintptr_t>(a), y = reinterpret_cast<std::uintptr_t>(b);
  return a_bytes != 0 && b_bytes != 0 && x < y + b_bytes && y < x + a_bytes;
}
template <class A, class B>
void require_apart(const A* a, std::uint64_t a_items, const B* b, std::uint64_t b_items, const char* function) {
  require(!overlap(a, a_items * sizeof(A), b, b_items * sizeof(B)), function, "ranges overlap");
}
// Blocks read a length on the device while others write.
template <class T>
void require_apart(const length& n, const output<T>& out, const char* function) {
  require(n.count == nullptr || !overlap(n.count, sizeof(*n.count), out.data, out.size * sizeof(T)), function,
          "a length on the device lies in what is written");
}

}  // namespace detail
}  // namespace ballot
