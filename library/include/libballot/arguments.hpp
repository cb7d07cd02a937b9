// SPDX-License-Identifier: Apache-2.0
// The arguments of a call: arrays with their types, where it runs, and the error that it throws.
// Part of ballot.hpp.
#pragma once

#include <ballot.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <type_traits>

// Calls that throw and calls that do not have different names. A program may have sources of both
// kinds, and the linker keeps only one function of each name.
#if defined(BALLOT_NO_EXCEPTIONS)
#  define BALLOT_CALLS calls_that_return
#elif defined(__GNUC__) && !defined(__EXCEPTIONS)
#  error \
      "ballot.hpp throws errors. With -fno-exceptions define BALLOT_NO_EXCEPTIONS, and look at the status of each call"
#else
#  define BALLOT_CALLS calls_that_throw
#endif

struct __half;
struct __nv_bfloat16;

namespace libballot {

/// The error of a call: the message of ballot_last_error, and the status.
class error : public std::runtime_error {
 public:
  explicit error(ballot_status status) : std::runtime_error(ballot_last_error()), status_(status) {}
  ballot_status status() const noexcept { return status_; }

 private:
  ballot_status status_;
};

inline namespace BALLOT_CALLS {
inline ballot_status checked(ballot_status status) {
#if !defined(BALLOT_NO_EXCEPTIONS)
  if (status != BALLOT_OK) throw error(status);
#endif
  return status;
}
/// Checks that the library fits this header's version. Call it once, before any other call.
inline ballot_status check_version() { return checked(ballot_check_version()); }
}  // namespace BALLOT_CALLS

/// The code of a type. A type that is not a number has the code of its size in bytes.
template <class T, class = void>
struct type_code {
  static_assert(std::is_trivially_copyable<T>::value, "items are moved byte by byte");
  static constexpr ballot_type value = BALLOT_BYTES(static_cast<ballot_type>(sizeof(T)));
};
template <class T>
struct type_code<T, std::enable_if_t<std::is_integral<T>::value && !std::is_same<T, bool>::value>> {
  static constexpr ballot_type value = sizeof(T) == 1   ? (std::is_signed<T>::value ? BALLOT_I8 : BALLOT_U8)
                                       : sizeof(T) == 2 ? (std::is_signed<T>::value ? BALLOT_I16 : BALLOT_U16)
                                       : sizeof(T) == 4 ? (std::is_signed<T>::value ? BALLOT_I32 : BALLOT_U32)
                                                        : (std::is_signed<T>::value ? BALLOT_I64 : BALLOT_U64);
};
#if defined(__SIZEOF_INT128__)
// To std::is_integral these are integers with -std=gnu++17, and not with -std=c++17.
__extension__ template <>
struct type_code<__int128> {
  static constexpr ballot_type value = BALLOT_I128;
};
__extension__ template <>
struct type_code<unsigned __int128> {
  static constexpr ballot_type value = BALLOT_U128;
};
#endif
template <>
struct type_code<bool> {
  static constexpr ballot_type value = BALLOT_U8;
};
template <>
struct type_code<float> {
  static constexpr ballot_type value = BALLOT_F32;
};
template <>
struct type_code<double> {
  static constexpr ballot_type value = BALLOT_F64;
};
template <>
struct type_code<::__half> {
  static constexpr ballot_type value = BALLOT_F16;
};
template <>
struct type_code<::__nv_bfloat16> {
  static constexpr ballot_type value = BALLOT_BF16;
};
template <class T>
constexpr ballot_type code() {
  return type_code<std::remove_cv_t<T>>::value;
}

/// n items at a device address.
template <class T>
ballot_array items(T* data, std::uint64_t n) {
  return ballot_input(data, n, code<T>());
}
inline ballot_array as_array(const ballot_array& array) { return array; }
template <class R>
auto as_array(const R& range) -> decltype(libballot::items(range.data(), range.size())) {
  return libballot::items(range.data(), range.size());
}
/// The first *count items of an array. The count is on the device: an integer of 4 or 8 bytes.
template <class R, class Count>
ballot_array counted(const R& range, const Count* count) {
  const ballot_array a = libballot::as_array(range);
  return ballot_counted(a.data, a.length, a.type, count, code<Count>());
}
/// One value on the device, such as a count or a result.
template <class T>
ballot_array value(T* address) {
  return ballot_value(address, code<T>());
}
/// The positions 0 to n - 1 as an input, for an output of std::uint32_t.
inline ballot_array positions(std::uint64_t n) { return ballot_input(nullptr, n, BALLOT_POSITIONS_U32); }
inline ballot_array nothing() { return ballot_nothing(); }

struct exec : ballot_exec {
  exec(struct CUstream_st* on, void* scratch_memory, std::size_t bytes)
      : ballot_exec(ballot_on(on, scratch_memory, bytes)) {}
  exec(const ballot_exec& where) : ballot_exec(where) {}
};

}  // namespace libballot
