// SPDX-License-Identifier: Apache-2.0
// Tensors of torch. torch.empty_strided makes the results, and not DLPack: only a tensor that the
// caching allocator knows can be recorded on further streams. Scratch comes from the same allocator
// by address. It is given back after the launch.
#include "arrays.hpp"

#include <map>
#include <tuple>

namespace ballot_python {
namespace {

class torch_tensors final : public framework {
 public:
  // parts: the functions that the package's _frameworks.py finds in torch.
  explicit torch_tensors(PyObject* parts)
      : empty_strided_(attribute(parts, "empty_strided")),
        one_(ref::owned(PyTuple_Pack(1, integer_object(1).get()))),
        stream_(attribute(parts, "stream")),
        current_device_(attribute(parts, "current_device")),
        device_context_(attribute(parts, "device_context")),
        device_(attribute(parts, "device")),
        on_device_(attribute(parts, "on_device")),
        contiguous_(attribute(parts, "contiguous")),
        to_(attribute(parts, "to")),
        types_(attribute(parts, "types")),
        dtypes_(attribute(parts, "dtypes")),
        bool_(attribute(parts, "bool")),
        allocate_(attribute_or_none(parts, "allocate")),
        release_(attribute_or_none(parts, "release")) {}

  array read(const ref& given, const char* what) override {
    ref x = given;
    array a;
    const ref dtype = attribute(x.get(), name_dtype.get());
    PyObject* code = PyDict_GetItemWithError(types_.get(), dtype.get());
    if (code == nullptr) {
      if (PyErr_Occurred() != nullptr) throw raised{};
      type_named(text_of_dtype(dtype.get()).get(), what);
    }
    const std::int64_t type = integer(code);
    a.is_bool = type == 0;
    a.c.type = a.is_bool ? BALLOT_U8 : static_cast<ballot_type>(type);
    if (!is_true(attribute(x.get(), on_device_.get()))) raise_for_place(x.get(), what);
    const bool is_contiguous = is_true(call_method(x.get(), name_is_contiguous.get()));
    if (!is_contiguous) x = call(contiguous_.get(), x.get());
    set_shape(a, attribute(x.get(), name_shape.get()));
    // torch keeps the sign of imaginary parts of conjugates apart. They are not contiguous unless
    // there is one item.
    if (!is_contiguous || a.c.length <= 1) x = call_method(x.get(), name_resolve_neg.get());
    a.c.data = address_of(x.get());
    a.device = static_cast<int>(integer(call_method(x.get(), name_get_device.get()).get()));
    a.object = std::move(x);
    return a;
  }

  ref empty(PyObject* shape, ballot_type type, bool is_bool, int device, PyObject*) override {
    const ref how = options(type, is_bool, device);
    // empty_strided takes a third of the time of empty, which looks into the tuple of its sizes
    // again and again.
    const ref strides = strides_of(shape);
    const ref arguments = ref::owned(PyTuple_Pack(2, shape, strides.get()));
    return ref::owned(PyObject_Call(empty_strided_.get(), arguments.get(), how.get()));
  }
  void* address_of(PyObject* object) override { return address(call_method(object, name_data_ptr.get()).get()); }

  scratch allocate(std::size_t bytes, int device, void* stream, PyObject* beside) override {
    const ref size = integer_object(static_cast<std::int64_t>(bytes));
    if (!allocate_) {
      const ref shape = ref::owned(PyTuple_Pack(1, size.get()));
      ref memory = empty(shape.get(), BALLOT_U8, false, device, beside);
      void* at = address_of(memory.get());
      return {at, std::move(memory)};
    }
    const ref on = ref::owned(PyLong_FromVoidPtr(stream));
    ref memory = call(allocate_.get(), size.get(), on.get());
    void* at = address(memory.get());
    return {at, std::move(memory), release_.get()};
  }

  void* stream(int device, PyObject*) override {
    return address(call(stream_.get(), integer_object(device).get()).get());
  }
  ref other_device(int device) override {
    if (integer(call(current_device_.get()).get()) == device) return {};
    return call(device_context_.get(), integer_object(device).get());
  }
  ref converted(PyObject* object, ballot_type type) override { return call(to_.get(), object, dtype_of(type, false)); }

 private:
  // Of a contiguous tensor, as torch.empty has them: those behind an empty dimension are as if it
  // had one item.
  ref strides_of(PyObject* shape) {
    const Py_ssize_t dimensions = PyTuple_Size(shape);
    if (dimensions == 1) return one_;
    const ref strides = ref::owned(PyTuple_New(dimensions));
    std::int64_t stride = 1;
    for (Py_ssize_t d = dimensions; d-- > 0;) {
      PyTuple_SetItem(strides.get(), d, integer_object(stride).release());
      const std::int64_t size = integer(PyTuple_GetItem(shape, d));
      stride *= size > 1 ? size : 1;
    }
    return strides;
  }
  static ref attribute_or_none(PyObject* parts, const char* name) {
    ref found = attribute(parts, name);
    return found.get() == Py_None ? ref{} : found;
  }
  static ref text_of_dtype(PyObject* dtype) {  // "torch.complex64"
    const std::string whole = str(dtype);
    return text(whole.substr(whole.rfind('.') + 1).c_str());
  }
  [[noreturn]] static void raise_for_place(PyObject* x, const char* what) {
    const std::string place = str(attribute(x, "device").get());
    if (place == "cpu") raise_for_host(what, "a tensor");
    raise_value(std::string(what) + " is a tensor on " + place + ", an array in GPU memory is needed");
  }
  PyObject* dtype_of(ballot_type type, bool is_bool) {
    if (is_bool) return bool_.get();
    PyObject* found = PyDict_GetItemWithError(dtypes_.get(), integer_object(type).get());
    if (found == nullptr) {
      if (PyErr_Occurred() == nullptr)
        PyErr_SetString(PyExc_TypeError, (std::string("this torch has no type ") + name_of(type)).c_str());
      throw raised{};
    }
    return found;
  }
  // {"dtype": ..., "device": ...}, made once. Another thread may make it, too, while Python runs
  // here: the first one stays.
  ref options(ballot_type type, bool is_bool, int device) {
    ref& kept = options_[{type, is_bool, device}];
    if (!kept) {
      ref made = ref::owned(PyDict_New());
      const ref place = call(device_.get(), integer_object(device).get());
      if (PyDict_SetItemString(made.get(), "dtype", dtype_of(type, is_bool)) < 0 ||
          PyDict_SetItemString(made.get(), "device", place.get()) < 0)
        throw raised{};
      if (!kept) kept = std::move(made);
    }
    return kept;
  }

  ref empty_strided_, one_, stream_, current_device_, device_context_, device_, on_device_, contiguous_, to_, types_,
      dtypes_, bool_, allocate_, release_;
  std::map<std::tuple<ballot_type, bool, int>, ref> options_;
  const ref name_dtype = text("dtype"), name_shape = text("shape"), name_is_contiguous = text("is_contiguous"),
            name_resolve_neg = text("resolve_neg"), name_get_device = text("get_device"),
            name_data_ptr = text("data_ptr");
};

}  // namespace

std::unique_ptr<framework> make_torch(PyObject* parts) { return std::make_unique<torch_tensors>(parts); }

}  // namespace ballot_python
