// SPDX-License-Identifier: Apache-2.0
#include "library.hpp"

#include "python.hpp"

#include <dlfcn.h>

namespace ballot_python {
namespace {

// ballot._native: BallotError, and where the library is.
ref of_native(const char* name) { return attribute(ref::owned(PyImport_ImportModule("ballot._native")).get(), name); }

[[noreturn]] void raise_error(const std::string& message) { raise(of_native("BallotError").get(), message); }

template <class F>
F symbol(void* opened, const char* name, const std::string& path) {
  void* found = dlsym(opened, name);
  if (found == nullptr)
    raise_error(path + " is no libballot of version " + std::to_string(BALLOT_API_MAJOR) + "." +
                std::to_string(BALLOT_API_MINOR) + ": it has no " + name);
  return reinterpret_cast<F>(found);
}

library opened(const std::string& path) {
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) raise_error(std::string("libballot cannot be loaded: ") + dlerror());
  try {
    // The version first: a library of another one may lack calls.
    const auto check = symbol<decltype(&ballot_check_header_version)>(handle, "ballot_check_header_version", path);
    if (check(BALLOT_API_VERSION) != BALLOT_OK)
      raise_error(path + ": " + symbol<decltype(&ballot_last_error)>(handle, "ballot_last_error", path)());
    library calls{};
#define BALLOT_PYTHON_CALL(name) calls.name = symbol<decltype(&ballot_##name)>(handle, "ballot_" #name, path);
    BALLOT_PYTHON_CALLS(BALLOT_PYTHON_CALL)
#undef BALLOT_PYTHON_CALL
    return calls;
  } catch (...) {
    dlclose(handle);
    throw;
  }
}

}  // namespace

const library& libballot() {
  // Python's lock is held here. Two threads may both look for the path, but the table is written
  // once: launches read it without the lock.
  static library calls;
  static bool is_loaded = false;
  if (!is_loaded) {
    const library made = opened(utf8(call(of_native("path").get()).get()));
    if (!is_loaded) calls = made;
    is_loaded = true;
  }
  return calls;
}

void require_ok(ballot_status status) {
  if (status == BALLOT_OK) return;
  std::string message = libballot().last_error();
  if (message.empty()) message = "status " + std::to_string(status);
  if (status == BALLOT_INVALID_ARGUMENT) raise_value(message);
  raise_error(message);
}

}  // namespace ballot_python
