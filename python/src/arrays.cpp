// SPDX-License-Identifier: Apache-2.0
#include "arrays.hpp"

#include <algorithm>
#include <array>
#include <iterator>

namespace ballot_python {
namespace {

struct named {
  const char* name;
  ballot_type type;
  unsigned bytes;
};
constexpr named types[] = {{"int8", BALLOT_I8, 1},       {"uint8", BALLOT_U8, 1},    {"int16", BALLOT_I16, 2},
                           {"uint16", BALLOT_U16, 2},    {"int32", BALLOT_I32, 4},   {"uint32", BALLOT_U32, 4},
                           {"int64", BALLOT_I64, 8},     {"uint64", BALLOT_U64, 8},  {"float16", BALLOT_F16, 2},
                           {"bfloat16", BALLOT_BF16, 2}, {"float32", BALLOT_F32, 4}, {"float64", BALLOT_F64, 8}};

const named& of_type(ballot_type type) {
  return *std::find_if(std::begin(types), std::end(types), [&](const named& t) { return t.type == type; });
}

}  // namespace

named_type type_named(PyObject* name, const char* what) {
  const std::string wanted = utf8(name);
  if (wanted == "bool") return {BALLOT_U8, true};
  for (const named& t : types)
    if (wanted == t.name) return {t.type, false};
  std::string known;
  for (const named& t : types) known += t.name + std::string(", ");
  raise_type(std::string(what) + ": items of type " + wanted + " are not supported: " + known + "bool");
}
const char* name_of(ballot_type type) { return of_type(type).name; }
unsigned bytes_of(ballot_type type) { return of_type(type).bytes; }

ref type_codes() {
  ref codes = ref::owned(PyDict_New());
  for (const named& t : types)
    if (PyDict_SetItemString(codes.get(), t.name, integer_object(t.type).get()) < 0) throw raised{};
  return codes;
}

void set_shape(array& a, ref shape) {
  const Py_ssize_t dimensions = PyTuple_Size(shape.get());
  if (dimensions < 0) throw raised{};
  a.dimensions = static_cast<int>(dimensions);
  a.c.length = 1;
  a.row = 1;
  for (Py_ssize_t i = 0; i < dimensions; ++i) {
    a.row = static_cast<std::uint64_t>(integer(PyTuple_GetItem(shape.get(), i)));
    a.c.length *= a.row;
  }
  a.shape = std::move(shape);
}

void raise_for_host(const char* what, const std::string& kind) {
  raise_value(std::string(what) + " is " + kind + " in the host's memory, an array in GPU memory is needed");
}

scratch::~scratch() {
  if (memory_ == nullptr || release_ == nullptr) return;
  // An exception that is set stays.
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  PyObject* result = PyObject_CallFunctionObjArgs(release_, keeper_.get(), nullptr);
  if (result == nullptr) PyErr_WriteUnraisable(release_);
  Py_XDECREF(result);
  PyErr_Restore(type, value, trace);
}

}  // namespace ballot_python
