// SPDX-License-Identifier: Apache-2.0
#include <ballot/c/calls.hpp>
#include <ballot/c/pointers.hpp>
#include <ballot/core/error.hpp>
#include <ballot/version.hpp>

#include <algorithm>
#include <cstring>
#include <exception>
#include <new>

static_assert(BALLOT_API_MAJOR == BALLOT_VERSION_MAJOR && BALLOT_API_MINOR == BALLOT_VERSION_MINOR &&
                  BALLOT_API_PATCH == BALLOT_VERSION_PATCH,
              "ballot.h and ballot/version.hpp state different versions");

namespace ballot_c {
namespace {

// Of plain bytes: there is nothing to construct or to destroy where a thread begins or ends, or the
// library is unloaded.
constexpr std::size_t longest_message = 1024;
thread_local char last_message[longest_message];
thread_local std::int32_t last_cuda_error = 0;

// cudaError_t's that mean that there is nothing to run on.
bool is_no_device(int code) {
  constexpr int insufficient_driver = 35, no_device = 100, system_not_ready = 802, stub_library = 34,
                devices_unavailable = 46;
  return code == insufficient_driver || code == no_device || code == stub_library || code == system_not_ready ||
         code == devices_unavailable;
}

const char* accepted(accepts what) {
  switch (what) {
    case accepts::numbers:
      return "numbers are wanted";
    case accepts::integers:
      return "integers are wanted";
    case accepts::short_numbers:
      return "numbers of up to 8 bytes are wanted";
    case accepts::counts:
      return "BALLOT_I32, BALLOT_U32, BALLOT_I64 or BALLOT_U64 is wanted";
    case accepts::anything_to_move:
      break;
  }
  return "it is no type of items";
}

bool is_accepted(const type_info& type, accepts what) {
  switch (what) {
    case accepts::numbers:
      return type.is_number();
    case accepts::integers:
      return type.is_integer;
    case accepts::short_numbers:
      return type.is_number() && type.bytes <= 8;
    case accepts::counts:
      return type.is_integer && (type.bytes == 4 || type.bytes == 8);
    case accepts::anything_to_move:
      break;
  }
  return type.bytes != 0;
}

ballot::detail::count_type count_type_of(const char* function, const char* name, ballot_type type) {
  const type_info of = require_type(function, name, type, accepts::counts);
  return {of.bytes == 8, of.is_signed};
}

}  // namespace

ballot_status keep_error(ballot_status status, std::string_view message) noexcept {
  const std::size_t bytes = std::min(message.size(), longest_message - 1);
  if (bytes != 0) std::memcpy(last_message, message.data(), bytes);
  last_message[bytes] = 0;
  return status;
}

ballot_status status_of_exception() noexcept try {
  try {
    throw;
  } catch (const ballot::invalid_argument& error) {
    // "ballot::compact: ..." to C++ is "ballot_compact: ..." to C.
    std::string_view text = error.what();
    constexpr std::string_view cpp = "ballot::", c = "ballot_";
    if (!text.starts_with(cpp)) return keep_error(BALLOT_INVALID_ARGUMENT, text);
    text.remove_prefix(cpp.size());
    return keep_error(BALLOT_INVALID_ARGUMENT, joined({c, text}));
  } catch (const ballot::cuda_error& error) {
    last_cuda_error = error.code();
    return keep_error(is_no_device(error.code()) ? BALLOT_NO_DEVICE : BALLOT_CUDA_ERROR, error.what());
  } catch (const std::bad_alloc&) {
    return keep_error(BALLOT_INTERNAL_ERROR, "ballot: the host has no memory left");
  } catch (const std::exception& error) {
    return keep_error(BALLOT_INTERNAL_ERROR, error.what());
  } catch (...) {
    return keep_error(BALLOT_INTERNAL_ERROR, "ballot: an unknown exception");
  }
} catch (...) {  // there was no memory for the message
  return keep_error(BALLOT_INTERNAL_ERROR, "ballot: the host has no memory left");
}

type_info require_type(const char* function, const char* name, ballot_type type, accepts what) {
  const type_info found = info_of(type);
  if (!is_accepted(found, what))
    fail(function, joined({"`", name, "` has type ", found.name, " (", std::to_string(type), "): ", accepted(what)}));
  return found;
}

type_info require_array(const char* function, const char* name, const ballot_array& array, accepts what,
                        bool may_be_counted) {
  const type_info type = require_type(function, name, array.type, what);
  if (array.length > ~u64{0} / type.bytes)
    fail(function, joined({"`", name, "` has ", decimal(array.length), " items of ", decimal(type.bytes),
                           " bytes, more than the address space"}));
  const auto address = reinterpret_cast<std::uintptr_t>(array.data);
  if (!type.is_bytes && !type.is_positions && address % type.bytes != 0)
    fail(function, joined({"`", name, "` begins at 0x", ballot::detail::hexadecimal(address),
                           ", which is not aligned to its items of ", decimal(type.bytes), " bytes"}));
  if (array.count != nullptr) {
    if (!may_be_counted) fail(function, joined({"`", name, "` is counted, and may not be"}));
    const auto count = count_type_of(function, name, array.count_type);
    if (reinterpret_cast<std::uintptr_t>(array.count) % count.bytes() != 0)
      fail(function, joined({"the count of `", name, "` is not aligned to its ", decimal(count.bytes()), " bytes"}));
    require_device_pointer(function, name, array.count);
  }
  if (array.length != 0 && !type.is_positions) require_device_pointer(function, name, array.data);
  return type;
}

void require_same_type(const char* function, const char* name, ballot_type type, const char* other_name,
                       ballot_type other_type) {
  if (type != other_type)
    fail(function, joined({"`", name, "` has type ", info_of(type).name, " (", std::to_string(type), "), `", other_name,
                           "` has type ", info_of(other_type).name, " (", std::to_string(other_type), ")"}));
}

ballot::exec exec_of(const char* function, const ballot_exec& where) {
  require_stream(function, where.stream);
  if (where.scratch_bytes != 0) require_device_pointer(function, "scratch", where.scratch);
  return {where.stream, where.scratch, where.scratch_bytes};
}

void require_device_address(const char* function, const char* name, const void* address) {
  require_device_pointer(function, name, address);
}

ballot::device_count count_of(const char* function, const char* name, const ballot_array& array) {
  const auto type = count_type_of(function, name, array.type);
  if (array.length < 1) fail(function, joined({"`", name, "` has no room for a count: its length is 0"}));
  if (reinterpret_cast<std::uintptr_t>(array.data) % type.bytes() != 0)
    fail(function, joined({"`", name, "` is not aligned to its ", decimal(type.bytes()), " bytes"}));
  require_device_pointer(function, name, array.data);
  if (type.is_wide) {
    if (type.is_signed) return static_cast<std::int64_t*>(array.data);
    return static_cast<u64*>(array.data);
  }
  if (type.is_signed) return static_cast<std::int32_t*>(array.data);
  return static_cast<u32*>(array.data);
}

length length_of(const ballot_array& array) {
  if (array.count == nullptr) return {array.length};
  return {array.length, array.count, count_type_of("array", "count", array.count_type)};
}

void copy_options(const char* function, const void* options, std::size_t first_size, void* known,
                  std::size_t known_size) {
  std::size_t size = 0;
  std::memcpy(&size, options, sizeof(size));
  constexpr std::size_t most = 4096;
  if (size < first_size || size > most)
    fail(function, joined({"`options.size` is ", decimal(size), ", the struct has ", decimal(known_size), " bytes"}));
  std::memcpy(known, options, std::min(size, known_size));
  const auto* const bytes = static_cast<const unsigned char*>(options);
  for (std::size_t i = known_size; i < size; ++i)
    if (bytes[i] != 0)
      fail(function, joined({"`options` has ", decimal(size), " bytes, and one behind the ", decimal(known_size),
                             " that this library knows is not zero"}));
}

void require_choice(const char* function, const char* name, std::int64_t value, std::int64_t choices) {
  if (value < 0 || value >= choices)
    fail(function,
         joined({"`", name, "` is ", std::to_string(value), ", not one of 0 to ", std::to_string(choices - 1)}));
}

}  // namespace ballot_c

extern "C" {

const char* ballot_last_error(void) { return ballot_c::last_message; }
std::int32_t ballot_last_cuda_error(void) { return ballot_c::last_cuda_error; }

const char* ballot_status_name(ballot_status status) {
  switch (status) {
    case BALLOT_OK:
      return "BALLOT_OK";
    case BALLOT_INVALID_ARGUMENT:
      return "BALLOT_INVALID_ARGUMENT";
    case BALLOT_CUDA_ERROR:
      return "BALLOT_CUDA_ERROR";
    case BALLOT_NO_DEVICE:
      return "BALLOT_NO_DEVICE";
    case BALLOT_WRONG_VERSION:
      return "BALLOT_WRONG_VERSION";
    case BALLOT_INTERNAL_ERROR:
      return "BALLOT_INTERNAL_ERROR";
    default:
      return "an unknown status";
  }
}

std::int32_t ballot_version(void) { return BALLOT_API_VERSION; }

ballot_status ballot_check_header_version(std::int32_t header_version) {
  // The same major version, a minor one not newer than the library's; before 1.0 the same minor
  // version.
  const std::int32_t header = header_version / 100, own = BALLOT_API_VERSION / 100;
  const bool fits = BALLOT_API_MAJOR == 0 ? header == own : header / 100 == own / 100 && header <= own;
  if (header_version > 0 && fits) return BALLOT_OK;
  try {
    const std::string text = ballot_c::joined(
        {"ballot: the program was compiled with ballot.h of version ", std::to_string(header_version),
         ", the library has version ", std::to_string(BALLOT_API_VERSION), " (major * 10000 + minor * 100 + patch)"});
    return ballot_c::keep_error(BALLOT_WRONG_VERSION, text);
  } catch (...) {
    return BALLOT_WRONG_VERSION;
  }
}

}  // extern "C"
