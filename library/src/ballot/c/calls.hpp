// SPDX-License-Identifier: Apache-2.0
// The work of every entry point around the library's own call. It turns exceptions into a status
// and a message, and arrays of ballot.h into the library's ranges. It checks what only a caller
// without types can get wrong.
#pragma once

#include <ballot.h>
#include <ballot/c/types.hpp>
#include <ballot/core/arguments.hpp>
#include <ballot/core/count.hpp>
#include <ballot/core/exec.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace ballot_c {

using ballot::detail::argument;
using ballot::detail::argument_of;
using ballot::detail::decimal;
using ballot::detail::fail;
using ballot::detail::input;
using ballot::detail::joined;
using ballot::detail::length;
using ballot::detail::output;

// Within a catch block: the status of what was thrown. It keeps the message for ballot_last_error.
ballot_status status_of_exception() noexcept;
ballot_status keep_error(ballot_status status, std::string_view message) noexcept;

// Runs the call.
template <class F>
ballot_status guarded(const F& call) noexcept {
  try {
    call();
    return BALLOT_OK;
  } catch (...) {
    return status_of_exception();
  }
}

// Where a call works. The stream is one of the current device.
ballot::exec exec_of(const char* function, const ballot_exec& where);

// The type of an argument, which has to be one of a kind: a test of type_info.
enum class accepts { numbers, integers, short_numbers, counts, anything_to_move };
type_info require_type(const char* function, const char* name, ballot_type type, accepts what);
// An array of such a type: it is aligned to its items, and not in memory of the host alone.
type_info require_array(const char* function, const char* name, const ballot_array& array, accepts what,
                        bool may_be_counted = false);
void require_same_type(const char* function, const char* name, ballot_type type, const char* other_name,
                       ballot_type other_type);
// Where one value goes: a count, a result, a total.
void require_device_address(const char* function, const char* name, const void* address);

// The count's address and type; the library checks that it is there.
ballot::device_count count_of(const char* function, const char* name, const ballot_array& array);

length length_of(const ballot_array& array);
template <class T>
input<T> input_of(const ballot_array& array) {
  return {static_cast<const T*>(array.data), length_of(array)};
}
template <class T>
output<T> output_of(const ballot_array& array) {
  return {static_cast<T*>(array.data), array.length};
}

// Options as the caller's header knows them: the first `size` bytes are copied over the defaults.
// It is an error if it is no size that the struct ever had, or if what a newer header added is not
// zero.
void copy_options(const char* function, const void* options, std::size_t first_size, void* known,
                  std::size_t known_size);
template <class Options>
Options options_of(const char* function, const Options* options, std::size_t first_size) {
  Options known{};
  if (options != nullptr) copy_options(function, options, first_size, &known, sizeof(Options));
  return known;
}
void require_choice(const char* function, const char* name, std::int64_t value, std::int64_t choices);

// Stores a size for the caller.
template <class F>
ballot_status store_bytes(const char* function, std::size_t* bytes, const F& size) noexcept {
  return guarded([&] {
    if (bytes == nullptr) fail(function, "`bytes` is null");
    *bytes = size();
  });
}

}  // namespace ballot_c
