// SPDX-License-Identifier: Apache-2.0
// Arrow's C data interface: columns in memory, the same for every library and every version of it.
// It is copied from its specification, which asks for that:
// https://arrow.apache.org/docs/format/CDataInterface.html
#pragma once

#include <cstdint>

extern "C" {

#ifndef ARROW_C_DATA_INTERFACE
#  define ARROW_C_DATA_INTERFACE

struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  std::int64_t flags;
  std::int64_t n_children;
  struct ArrowSchema** children;
  struct ArrowSchema* dictionary;
  void (*release)(struct ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  std::int64_t length;
  std::int64_t null_count;
  std::int64_t offset;
  std::int64_t n_buffers;
  std::int64_t n_children;
  const void** buffers;
  struct ArrowArray** children;
  struct ArrowArray* dictionary;
  void (*release)(struct ArrowArray*);
  void* private_data;
};

#endif
}

namespace ballot::app {

inline constexpr std::int64_t arrow_flag_dictionary_ordered = 1, arrow_flag_nullable = 2;

// An array or a schema that is released when it goes.
template <class T>
class arrow_owned {
 public:
  arrow_owned() = default;
  arrow_owned(const arrow_owned&) = delete;
  arrow_owned& operator=(const arrow_owned&) = delete;
  ~arrow_owned() { release(); }

  T* get() { return &value_; }
  const T& operator*() const { return value_; }
  const T* operator->() const { return &value_; }
  void release() {
    if (value_.release != nullptr) value_.release(&value_);
    value_ = T{};
  }

 private:
  T value_{};
};

}  // namespace ballot::app
