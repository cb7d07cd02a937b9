// SPDX-License-Identifier: Apache-2.0
// Arrays of CuPy. Results and scratch come from its memory pool, which belongs to its current
// stream and device.
#include "arrays.hpp"

namespace ballot_python {
namespace {

class cupy_arrays final : public framework {
 public:
  // parts: the functions that the package's _frameworks.py finds in CuPy.
  explicit cupy_arrays(PyObject* parts)
      : empty_(attribute(parts, "empty")),
        stream_(attribute(parts, "stream")),
        current_device_(attribute(parts, "current_device")),
        device_context_(attribute(parts, "device_context")),
        contiguous_(attribute(parts, "contiguous")),
        allocate_(attribute(parts, "allocate")),
        is_capturing_(attribute(parts, "is_capturing")),
        keeping_(attribute(parts, "keeping")),
        types_(attribute(parts, "types")),
        dtypes_(attribute(parts, "dtypes")),
        bool_(attribute(parts, "bool")) {}

  array read(const ref& given, const char* what) override {
    ref x = given;
    array a;
    const ref dtype = attribute(x.get(), name_dtype.get());
    PyObject* code = PyDict_GetItemWithError(types_.get(), dtype.get());
    if (code == nullptr) {
      if (PyErr_Occurred() != nullptr) throw raised{};
      type_named(attribute(dtype.get(), "name").get(), what);
      const bool is_native = is_true(attribute(dtype.get(), "isnative"));
      raise_type(std::string(what) + ": items of type " + str(dtype.get()) +
                 (is_native ? " are not supported in arrays of CuPy" : " are not of this machine's byte order"));
    }
    const std::int64_t type = integer(code);
    a.is_bool = type == 0;
    a.c.type = a.is_bool ? BALLOT_U8 : static_cast<ballot_type>(type);
    if (!is_true(attribute(attribute(x.get(), name_flags.get()).get(), name_c_contiguous.get())))
      x = call(contiguous_.get(), x.get());
    set_shape(a, attribute(x.get(), name_shape.get()));
    const ref data = attribute(x.get(), name_data.get());
    a.c.data = address(attribute(data.get(), name_ptr.get()).get());
    a.device = device_before(x.get());
    a.object = std::move(x);
    return a;
  }

  int device_before(PyObject* object) override {
    return static_cast<int>(integer(attribute(attribute(object, name_data.get()).get(), name_device_id.get()).get()));
  }

  ref empty(PyObject* shape, ballot_type type, bool is_bool, int, PyObject*) override {
    return call(empty_.get(), shape, dtype_of(type, is_bool));
  }
  void* address_of(PyObject* object) override {
    return address(attribute(attribute(object, name_data.get()).get(), name_ptr.get()).get());
  }
  scratch allocate(std::size_t bytes, int, void*, PyObject*) override {
    ref memory = call(allocate_.get(), integer_object(static_cast<std::int64_t>(bytes)).get());
    void* at = address(attribute(memory.get(), name_ptr.get()).get());
    return {at, std::move(memory)};
  }
  void* stream(int, PyObject*) override { return address(call(stream_.get()).get()); }
  ref other_device(int device) override {
    if (integer(call(current_device_.get()).get()) == device) return {};
    return call(device_context_.get(), integer_object(device).get());
  }
  ref converted(PyObject* object, ballot_type type) override {
    return call_method(object, name_astype.get(), dtype_of(type, false));
  }
  // CuPy's pool gives memory to others as soon as it is free, also that of a graph. The default
  // stream has no graphs.
  bool lends_memory_of_graph(void* stream) override {
    if (stream == nullptr) return false;
    return is_true(call(is_capturing_.get(), ref::owned(PyLong_FromVoidPtr(stream)).get()));
  }
  ref keeping(const ref& object, PyObject* memory) override { return call(keeping_.get(), object.get(), memory); }

 private:
  PyObject* dtype_of(ballot_type type, bool is_bool) {
    if (is_bool) return bool_.get();
    PyObject* found = PyDict_GetItemWithError(dtypes_.get(), integer_object(type).get());
    if (found == nullptr) {
      if (PyErr_Occurred() == nullptr)
        PyErr_SetString(PyExc_TypeError, (std::string("CuPy has no type ") + name_of(type)).c_str());
      throw raised{};
    }
    return found;
  }

  ref empty_, stream_, current_device_, device_context_, contiguous_, allocate_, is_capturing_, keeping_, types_,
      dtypes_, bool_;
  const ref name_dtype = text("dtype"), name_flags = text("flags"), name_c_contiguous = text("c_contiguous"),
            name_shape = text("shape"), name_data = text("data"), name_ptr = text("ptr"),
            name_device_id = text("device_id"), name_astype = text("astype");
};

}  // namespace

std::unique_ptr<framework> make_cupy(PyObject* parts) { return std::make_unique<cupy_arrays>(parts); }

}  // namespace ballot_python
