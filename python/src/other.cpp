// SPDX-License-Identifier: Apache-2.0
// Arrays of a framework that an object of Python describes (_frameworks.py: Numba's). Slower than
// torch.cpp and cupy.cpp by a few calls of Python.
#include "arrays.hpp"

namespace ballot_python {
namespace {

class other_arrays final : public framework {
 public:
  // parts has the methods that are called here.
  explicit other_arrays(PyObject* parts)
      : parts_(ref::borrowed(parts)), waits_(has("wait")), has_first_(has("first")), converts_(has("converted")) {}

  // describe(x, what) -> (address, shape, name of the type, device, array)
  array read(const ref& x, const char* what) override {
    const ref name = text(what);
    const ref told = call_method(parts_.get(), name_describe.get(), x.get(), name.get());
    if (PyTuple_Size(told.get()) != 5) raise_type("describe() returns five things");
    const auto part = [&](Py_ssize_t i) { return PyTuple_GetItem(told.get(), i); };
    array a;
    const named_type type = type_named(part(2), what);
    a.c.type = type.type;
    a.is_bool = type.is_bool;
    set_shape(a, ref::borrowed(part(1)));
    a.c.data = address(part(0));
    a.device = static_cast<int>(integer(part(3)));
    a.object = ref::borrowed(part(4));
    return a;
  }
  ref empty(PyObject* shape, ballot_type type, bool is_bool, int device, PyObject* beside) override {
    return call_method(parts_.get(), name_empty.get(), shape, text(is_bool ? "bool" : name_of(type)).get(),
                       integer_object(device).get(), beside);
  }
  void* address_of(PyObject* object) override {
    return address(call_method(parts_.get(), name_address.get(), object).get());
  }
  scratch allocate(std::size_t bytes, int device, void*, PyObject* beside) override {
    const ref shape = ref::owned(PyTuple_Pack(1, integer_object(static_cast<std::int64_t>(bytes)).get()));
    ref memory = empty(shape.get(), BALLOT_U8, false, device, beside);
    void* at = address_of(memory.get());
    return {at, std::move(memory)};
  }
  void* stream(int, PyObject* object) override {
    return address(call_method(parts_.get(), name_stream.get(), object).get());
  }
  ref other_device(int device) override {
    ref context = call_method(parts_.get(), name_other_device.get(), integer_object(device).get());
    return context.get() == Py_None ? ref{} : context;
  }
  ref converted(PyObject* object, ballot_type type) override {
    return call_method(parts_.get(), name_converted.get(), object, text(name_of(type)).get());
  }
  bool converts() const override { return converts_; }
  void wait(PyObject* first, PyObject* other) override {
    if (waits_) call_method(parts_.get(), name_wait.get(), first, other);
  }
  ref first(PyObject* object) override {
    return has_first_ ? call_method(parts_.get(), name_first.get(), object) : framework::first(object);
  }

 private:
  bool has(const char* method) const { return PyObject_HasAttrString(parts_.get(), method) != 0; }

  ref parts_;
  bool waits_, has_first_, converts_;
  const ref name_describe = text("describe"), name_empty = text("empty"), name_address = text("address"),
            name_stream = text("stream"), name_other_device = text("other_device"), name_converted = text("converted"),
            name_wait = text("wait"), name_first = text("first");
};

}  // namespace

std::unique_ptr<framework> make_other(PyObject* parts) { return std::make_unique<other_arrays>(parts); }

}  // namespace ballot_python
