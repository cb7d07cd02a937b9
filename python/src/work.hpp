// SPDX-License-Identifier: Apache-2.0
// One call: its inputs, the stream and the device of the first one, results beside it, and the
// launch.
#pragma once

#include "arrays.hpp"
#include "library.hpp"

#include <initializer_list>
#include <utility>
#include <vector>

namespace ballot_python {

struct input {
  const char* name;
  PyObject* object;
};

class work {
 public:
  // The first input decides the framework; the others have to be of it, too, and on one device.
  work(std::initializer_list<input> inputs);
  explicit work(const std::vector<input>& inputs) { read(inputs.data(), inputs.size()); }
  work(const work&) = delete;
  work& operator=(const work&) = delete;
  ~work();

  const array& operator[](std::size_t i) const { return inputs_[i]; }

  // The first item of an array that the call has made, as one of shape ().
  void keep_first(array& a) { a.object = of_->first(a.object.get()); }

  // New arrays on the device.
  array like(const array& shape, ballot_type type, bool is_bool = false);
  array like(const array& shape) { return like(shape, shape.c.type, shape.is_bool); }
  array of_length(std::uint64_t length, ballot_type type, bool is_bool = false);
  array of_shape(ref shape, ballot_type type, bool is_bool = false);
  array like(const array& shape, const named_type& type) { return like(shape, type.type, type.is_bool); }
  array count() { return of_length(1, BALLOT_I64); }
  array converted(const array& a, ballot_type type);
  bool converts() const { return of_->converts(); }
  // sum_type of items that `name` names.
  named_type sums(const array& items, const char* name, ballot_operator op, PyObject* dtype);

  // Calls the library with so much scratch.
  template <class F>
  void run(std::size_t scratch_bytes, const F& launch) {
    void* stream = of_->stream(device(), inputs_[0].object.get());
    const scratch memory =
        scratch_bytes == 0 ? scratch{} : of_->allocate(scratch_bytes, device(), stream, inputs_[0].object.get());
    ballot_exec where{static_cast<CUstream_st*>(stream), memory.get(), scratch_bytes};
    ballot_status status = BALLOT_OK;
    Py_BEGIN_ALLOW_THREADS;
    status = launch(where);
    Py_END_ALLOW_THREADS;
    require_ok(status);
    if (of_->lends_memory_of_graph(stream)) keep(memory);
  }

  // Results as the kind of the inputs.
  PyObject* give(const array& a);
  PyObject* give(const array& a, const array& b);
  // ((all), b)
  PyObject* give_all(const std::vector<array>& all, const array& b);
  // Counted(data, count).
  PyObject* counted(const array& count, const array& data);
  PyObject* counted(const array& count, const std::vector<array>& data);

 private:
  void read(const input* inputs, std::size_t n);
  void enter(int device);
  void leave() noexcept;
  ref given(const array& a) const;
  ref given(const std::vector<array>& all) const;
  PyObject* counted(const array& count, const ref& data);
  int device() const { return inputs_[0].device; }
  void keep(const scratch& memory);

  origin from_;
  framework* of_ = nullptr;  // from_'s
  std::vector<array> inputs_;
  std::vector<ref> carried_;  // the inputs as the framework's own, when they are of another one
  std::vector<ref> made_;     // the arrays that the call has made
  std::vector<ref> kept_;     // memory that a captured graph uses: results keep it
  ref other_device_;          // entered
};

void require_one_dimension(const array& a, const char* name);
void require_same_length(const array& a, const char* name, const array& other, const char* other_name);
void require_same_type(const array& a, const char* name, const array& other, const char* other_name);
// The name of the items' type.
const char* name_of_items(const array& a);
// Integers of 4 or 8 bytes; offsets are of one dimension.
void require_index(const array& a, const char* name);
void require_count(const array& a, const char* name);
ballot_selector by_mask(const array& mask, const char* name);
ballot_segments segments_of(const array& a, bool by_heads);

// ---- values that are not arrays ----

// One of the names, as its index: "op is 'times': plus, minimum, ...".
int choice(PyObject* given, const char* name, std::initializer_list<const char*> names);
ballot_type index_type(PyObject* given);
ballot_operator operator_of(PyObject* given);
// The type of sums: the caller's, else 64 bits of integers by plus, as NumPy has it, else the
// items'. Raises if the items have no such sums.
named_type sum_type(const array& items, const char* name, ballot_operator op, PyObject* dtype);
// The initial value of sums of that type; null: the operator's identity. That of bytes would be no
// bool.
const void* initial_of(const named_type& sums, ballot_operator op);
std::int32_t nans_of(PyObject* given);
ballot_order_options order_options(PyObject* descending, PyObject* nans);
ballot_sort_options sort_options(PyObject* descending, PyObject* nans, PyObject* bits, PyObject* zeros);
std::uint64_t natural(PyObject* given, const char* name);

// The functions of the module, by subject.
extern PyMethodDef sort_functions[];
extern PyMethodDef scan_functions[];
extern PyMethodDef selection_functions[];
extern PyMethodDef reduction_functions[];
extern PyMethodDef search_functions[];
extern PyMethodDef histogram_functions[];

// A function of the module with a fixed number of arguments, which Python's side has put in order.
template <std::size_t N, PyObject* (*F)(PyObject* const*)>
PyObject* entry(PyObject*, PyObject* const* arguments, Py_ssize_t n) {
  return guarded([&]() -> PyObject* {
    if (n != static_cast<Py_ssize_t>(N))
      raise_type("takes " + std::to_string(N) + " arguments, not " + std::to_string(n));
    return F(arguments);
  });
}
template <std::size_t N, PyObject* (*F)(PyObject* const*)>
PyMethodDef method(const char* name) {
  return {name, reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(&entry<N, F>)), METH_FASTCALL, nullptr};
}

}  // namespace ballot_python
