// SPDX-License-Identifier: Apache-2.0
// CPython's stable ABI of 3.10 with owned references and C++ exceptions: one compiled module serves
// every later Python.
#pragma once

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030A0000
#include <Python.h>

#include <cstdint>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>

namespace ballot_python {

// Thrown where a Python exception is set.
struct raised {};

// A reference that is owned, or null.
class ref {
 public:
  ref() = default;
  ref(const ref& other) : object_(other.object_) { Py_XINCREF(object_); }
  ref(ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  ref& operator=(ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~ref() { Py_XDECREF(object_); }

  // A new reference, as most calls of Python give it: null means that an exception is set.
  static ref owned(PyObject* object) {
    if (object == nullptr) throw raised{};
    ref r;
    r.object_ = object;
    return r;
  }
  static ref borrowed(PyObject* object) {
    Py_XINCREF(object);
    ref r;
    r.object_ = object;
    return r;
  }

  PyObject* get() const { return object_; }
  PyObject* release() { return std::exchange(object_, nullptr); }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  PyObject* object_ = nullptr;
};

[[noreturn]] inline void raise(PyObject* type, const std::string& message) {
  PyErr_SetString(type, message.c_str());
  throw raised{};
}
[[noreturn]] inline void raise_value(const std::string& message) { raise(PyExc_ValueError, message); }
[[noreturn]] inline void raise_type(const std::string& message) { raise(PyExc_TypeError, message); }

inline ref attribute(PyObject* object, PyObject* name) { return ref::owned(PyObject_GetAttr(object, name)); }
inline ref attribute(PyObject* object, const char* name) { return ref::owned(PyObject_GetAttrString(object, name)); }

template <class... Objects>
ref call(PyObject* function, Objects... arguments) {
  return ref::owned(PyObject_CallFunctionObjArgs(function, arguments..., nullptr));
}
template <class... Objects>
ref call_method(PyObject* object, PyObject* name, Objects... arguments) {
  return ref::owned(PyObject_CallMethodObjArgs(object, name, arguments..., nullptr));
}

inline bool is_true(PyObject* object) {
  const int truth = PyObject_IsTrue(object);
  if (truth < 0) throw raised{};
  return truth != 0;
}
inline bool is_true(const ref& object) { return is_true(object.get()); }

inline std::int64_t integer(PyObject* object) {
  const long long value = PyLong_AsLongLong(object);
  if (value == -1 && PyErr_Occurred() != nullptr) throw raised{};
  return value;
}
inline ref integer_object(std::int64_t value) { return ref::owned(PyLong_FromLongLong(value)); }
// An address; None is null.
inline void* address(PyObject* object) {
  if (object == Py_None) return nullptr;
  void* pointer = PyLong_AsVoidPtr(object);
  if (pointer == nullptr && PyErr_Occurred() != nullptr) throw raised{};
  return pointer;
}
inline ref text(const char* utf8) { return ref::owned(PyUnicode_InternFromString(utf8)); }
inline std::string utf8(PyObject* object) {
  Py_ssize_t size = 0;
  const char* characters = PyUnicode_AsUTF8AndSize(object, &size);
  if (characters == nullptr) throw raised{};
  return {characters, static_cast<std::size_t>(size)};
}
inline std::string repr(PyObject* object) { return utf8(ref::owned(PyObject_Repr(object)).get()); }
inline std::string str(PyObject* object) { return utf8(ref::owned(PyObject_Str(object)).get()); }

// The frame of every function of the module: no C++ exception leaves it.
template <class F>
PyObject* guarded(const F& work) noexcept {
  try {
    return work();
  } catch (const raised&) {
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& problem) {
    PyErr_SetString(PyExc_RuntimeError, problem.what());
  }
  return nullptr;
}

}  // namespace ballot_python
