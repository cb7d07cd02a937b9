// SPDX-License-Identifier: Apache-2.0
// Arrays of any framework, as calls of libballot see them, and the part of a framework in a call.
// It says where an array is, makes results and scratch by its own allocator, and names its current
// stream.
#pragma once

#include "python.hpp"

#include <ballot.h>

#include <cstddef>
#include <memory>
#include <string>

namespace ballot_python {

// Contiguous items in the memory of a device.
struct array {
  ballot_array c{};      // address, length, type
  ref object;            // the framework's array, which keeps the memory
  ref shape;             // a tuple
  int dimensions = 0;    // 1: one axis
  std::uint64_t row{};   // the length of the last axis
  bool is_bool = false;  // its type is U8
  int device = 0;
};

// Scratch until the launch. Later work on the stream may use it again.
class scratch {
 public:
  scratch() = default;
  // The caller's array keeps it, or `release` gets its address.
  scratch(void* memory, ref keeper, PyObject* release = nullptr)
      : memory_(memory), keeper_(std::move(keeper)), release_(release) {}
  scratch(scratch&& other) noexcept
      : memory_(std::exchange(other.memory_, nullptr)), keeper_(std::move(other.keeper_)), release_(other.release_) {}
  scratch& operator=(scratch&&) = delete;
  ~scratch();
  void* get() const { return memory_; }
  PyObject* keeper() const { return keeper_.get(); }

 private:
  void* memory_ = nullptr;
  ref keeper_;  // of `release`: the address as an object of Python
  PyObject* release_ = nullptr;
};

class framework {
 public:
  framework() = default;
  framework(const framework&) = delete;
  framework& operator=(const framework&) = delete;
  virtual ~framework() = default;

  // The array as a call sees it, copied if it is not contiguous; `what` names it in errors.
  virtual array read(const ref& object, const char* what) = 0;
  // `beside`: the call's first input, whose stream the array is for.
  virtual ref empty(PyObject* shape, ballot_type type, bool is_bool, int device, PyObject* beside) = 0;
  virtual void* address_of(PyObject* object) = 0;
  virtual scratch allocate(std::size_t bytes, int device, void* stream, PyObject* beside) = 0;
  virtual void* stream(int device, PyObject* object) = 0;
  // The device of an array before it is read, if reading copies on the current device; -1: it does
  // not.
  virtual int device_before(PyObject* object) {
    static_cast<void>(object);
    return -1;
  }
  // The stream of `first` goes on after the work on the stream of `other`, where arrays have
  // streams of their own.
  virtual void wait(PyObject* first, PyObject* other) {
    static_cast<void>(first);
    static_cast<void>(other);
  }
  // The first item, as an array of shape () on the device.
  virtual ref first(PyObject* object) { return ref::owned(PyObject_GetItem(object, integer_object(0).get())); }
  // A context of Python that makes the device the current one; null if it is.
  virtual ref other_device(int device) = 0;
  // The items in another type; whether it can.
  virtual ref converted(PyObject* object, ballot_type type) = 0;
  virtual bool converts() const { return true; }
  // Whether a graph is being captured while others may get memory that a call gives back, although
  // the graph still uses it.
  virtual bool lends_memory_of_graph(void* stream) {
    static_cast<void>(stream);
    return false;
  }
  // The array as one that keeps this memory while it lives.
  virtual ref keeping(const ref& object, PyObject* memory) {
    static_cast<void>(memory);
    return object;
  }
};

// A type code of an integer or float that frameworks have, by its name in NumPy; raises TypeError
// otherwise.
struct named_type {
  ballot_type type;
  bool is_bool;
};
named_type type_named(PyObject* name, const char* what);
const char* name_of(ballot_type type);
// {"int8": BALLOT_I8, ...}, without bool.
ref type_codes();
unsigned bytes_of(ballot_type type);

// Dimensions, row and length of a shape.
void set_shape(array& a, ref shape);
[[noreturn]] void raise_for_host(const char* what, const std::string& kind);

std::unique_ptr<framework> make_torch(PyObject* parts);
std::unique_ptr<framework> make_cupy(PyObject* parts);
std::unique_ptr<framework> make_other(PyObject* parts);

// The framework behind the type of an array. For arrays of others it also says how they are carried
// there and back. The pointers live as long as `holder`: another thread may take the type out of
// the dict meanwhile.
struct origin {
  ref holder;
  framework* of = nullptr;
  PyObject* carry = nullptr;  // null: the arrays are the framework's own
  PyObject* give = nullptr;
  PyObject* keep = nullptr;
  PyObject* check_sums = nullptr;
};
origin origin_of(PyObject* object, const char* what);
// ballot._core.Framework, the object of Python that holds a framework.
PyObject* add_framework_type(PyObject* module);

}  // namespace ballot_python
