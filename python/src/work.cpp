// SPDX-License-Identifier: Apache-2.0
#include "work.hpp"

#include <string>

namespace ballot_python {
namespace {

std::string kind_of(PyObject* object) {
  PyObject* type = reinterpret_cast<PyObject*>(Py_TYPE(object));
  return str(attribute(type, "__module__").get());
}

PyObject* counted_type() {
  // Never freed: at the program's end Python is gone before static objects are. A plain pointer, as
  // in origin.cpp.
  static PyObject* type = nullptr;
  if (type == nullptr) {
    ref found = attribute(ref::owned(PyImport_ImportModule("ballot._counted")).get(), "Counted");
    if (type == nullptr) type = found.release();
  }
  return type;
}

}  // namespace

work::work(std::initializer_list<input> inputs) { read(inputs.begin(), inputs.size()); }

void work::read(const input* inputs, std::size_t n) try {
  from_ = origin_of(inputs[0].object, inputs[0].name);
  of_ = from_.of;
  inputs_.reserve(n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto& [name, object] = inputs[i];
    if (i > 0 && Py_TYPE(object) != Py_TYPE(inputs[0].object)) {
      const origin its = origin_of(object, name);
      if (its.of != from_.of || its.carry != from_.carry)
        raise_type(std::string(name) + " is of another kind than " + inputs[0].name + ": " + kind_of(object) + " and " +
                   kind_of(inputs[0].object));
    }
    const ref own = from_.carry == nullptr ? ref::borrowed(object) : call(from_.carry, object);
    if (from_.carry != nullptr) carried_.push_back(own);
    const auto require_device = [&](int on) {
      if (i > 0 && on != device())
        raise_value(std::string(name) + " is on device " + std::to_string(on) + ", " + inputs[0].name + " on " +
                    std::to_string(device()));
    };
    // A copy of items that are not contiguous is made on the current device.
    const int before = of_->device_before(own.get());
    if (before >= 0) {
      require_device(before);
      if (i == 0) enter(before);
    }
    inputs_.push_back(of_->read(own, name));
    require_device(inputs_[i].device);
    if (i == 0 && before < 0) enter(device());
    if (i > 0) of_->wait(inputs_[0].object.get(), inputs_[i].object.get());
  }
} catch (...) {
  leave();  // copies may be under way
  throw;
}

void work::enter(int device) {
  ref context = of_->other_device(device);
  if (!context) return;
  call_method(context.get(), text("__enter__").get());
  other_device_ = std::move(context);
}

work::~work() { leave(); }

// What was carried goes to `keep` on every way out: the stream may still read it.
void work::leave() noexcept {
  if (carried_.empty() && !other_device_) return;
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);  // an exception that is set stays
  if (from_.keep != nullptr && !carried_.empty() && !inputs_.empty()) {
    PyObject* arrays = PyTuple_New(static_cast<Py_ssize_t>(carried_.size()));
    for (std::size_t i = 0; arrays != nullptr && i < carried_.size(); ++i)
      PyTuple_SetItem(arrays, static_cast<Py_ssize_t>(i), ref(carried_[i]).release());
    PyObject* on = PyLong_FromLong(device());
    PyObject* result =
        arrays == nullptr || on == nullptr ? nullptr : PyObject_CallFunctionObjArgs(from_.keep, arrays, on, nullptr);
    if (result == nullptr) PyErr_WriteUnraisable(from_.keep);
    Py_XDECREF(result);
    Py_XDECREF(arrays);
    Py_XDECREF(on);
  }
  if (other_device_) {
    PyObject* result = PyObject_CallMethod(other_device_.get(), "__exit__", "OOO", Py_None, Py_None, Py_None);
    if (result == nullptr) PyErr_WriteUnraisable(other_device_.get());
    Py_XDECREF(result);
  }
  PyErr_Restore(type, value, trace);
}

array work::of_shape(ref shape, ballot_type type, bool is_bool) {
  array a;
  a.object = of_->empty(shape.get(), type, is_bool, device(), inputs_[0].object.get());
  a.c.type = type;
  a.is_bool = is_bool;
  a.device = device();
  set_shape(a, std::move(shape));
  a.c.data = of_->address_of(a.object.get());
  made_.push_back(a.object);
  return a;
}
array work::like(const array& shape, ballot_type type, bool is_bool) { return of_shape(shape.shape, type, is_bool); }
array work::of_length(std::uint64_t length, ballot_type type, bool is_bool) {
  const ref extent = ref::owned(PyLong_FromUnsignedLongLong(length));
  return of_shape(ref::owned(PyTuple_Pack(1, extent.get())), type, is_bool);
}
array work::converted(const array& a, ballot_type type) {
  if (!converts())
    raise_type("arrays of " + kind_of(inputs_[0].object.get()) + " are not converted: " + name_of(type) + " is needed");
  array made = of_->read(of_->converted(a.object.get(), type), "items");
  made_.push_back(made.object);
  return made;
}

named_type work::sums(const array& items, const char* name, ballot_operator op, PyObject* dtype) {
  const named_type type = sum_type(items, name, op, dtype);
  if (from_.check_sums != nullptr) call(from_.check_sums, text(name_of(type.type)).get());
  return type;
}

void work::keep(const scratch& memory) {
  if (memory.keeper() != nullptr) kept_.push_back(ref::borrowed(memory.keeper()));
  for (const array& a : inputs_) kept_.push_back(a.object);  // copies, some of them
  kept_.insert(kept_.end(), made_.begin(), made_.end());
}

ref work::given(const array& a) const {
  ref object = a.object;
  if (!kept_.empty()) {
    const ref memory = ref::owned(PyTuple_New(static_cast<Py_ssize_t>(kept_.size())));
    for (std::size_t i = 0; i < kept_.size(); ++i)
      if (PyTuple_SetItem(memory.get(), static_cast<Py_ssize_t>(i), ref(kept_[i]).release()) < 0) throw raised{};
    object = of_->keeping(object, memory.get());
  }
  return from_.give == nullptr ? object : call(from_.give, object.get());
}

PyObject* work::give(const array& a) { return given(a).release(); }
PyObject* work::give(const array& a, const array& b) {
  const ref first = given(a), second = given(b);
  return ref::owned(PyTuple_Pack(2, first.get(), second.get())).release();
}
ref work::given(const std::vector<array>& all) const {
  ref tuple = ref::owned(PyTuple_New(static_cast<Py_ssize_t>(all.size())));
  for (std::size_t i = 0; i < all.size(); ++i)
    if (PyTuple_SetItem(tuple.get(), static_cast<Py_ssize_t>(i), given(all[i]).release()) < 0) throw raised{};
  return tuple;
}
PyObject* work::give_all(const std::vector<array>& all, const array& b) {
  const ref first = given(all), second = given(b);
  return ref::owned(PyTuple_Pack(2, first.get(), second.get())).release();
}

PyObject* work::counted(const array& count, const ref& data) {
  const ref how_many = given(count);
  return call(counted_type(), data.get(), how_many.get()).release();
}
PyObject* work::counted(const array& count, const array& data) { return counted(count, given(data)); }
PyObject* work::counted(const array& count, const std::vector<array>& data) { return counted(count, given(data)); }

}  // namespace ballot_python
