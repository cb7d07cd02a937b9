// TRANSITIONAL: removed when every family uses core/arguments.hpp.
#pragma once

#include <ballot/core/arguments.hpp>
#include <ballot/core/range.hpp>

namespace ballot::detail {

inline void require(bool ok, const char* function, const char* what);  // where arguments.hpp is included first

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
  require(n.count == nullptr || !overlap(n.count, n.type.bytes(), out.data, out.size * sizeof(T)), function,
          "a length on the device lies in what is written");
}

}  // namespace ballot::detail
