// SPDX-License-Identifier: Apache-2.0
// From the type of an array to its framework. The answer is remembered for each type.
#include "arrays.hpp"

#include <cstring>

namespace ballot_python {
namespace {

// An object of Python that holds a framework. Made once for each kind of arrays; a call holds a
// reference to it.
struct held {
  PyObject_HEAD framework* of;
  PyObject *carry, *give, *keep, *check_sums;
};

PyTypeObject* held_type = nullptr;

// Framework(kind, parts, carry, give, keep, check_sums): kind 'torch', 'cupy' or 'other'. carry: an
// array of another framework to one of this one; give: a result back; keep(arrays, device): what
// was carried stays until the device has read it; check_sums(name of a type): raises if sums of
// that type cannot be given back.
PyObject* make(PyTypeObject* type, PyObject* arguments, PyObject*) {
  return guarded([&]() -> PyObject* {
    const char* kind = nullptr;
    PyObject *parts = nullptr, *carry = Py_None, *give = Py_None, *keep = Py_None, *check_sums = Py_None;
    if (PyArg_ParseTuple(arguments, "sO|OOOO", &kind, &parts, &carry, &give, &keep, &check_sums) == 0) throw raised{};
    std::unique_ptr<framework> of = std::strcmp(kind, "torch") == 0  ? make_torch(parts)
                                    : std::strcmp(kind, "cupy") == 0 ? make_cupy(parts)
                                                                     : make_other(parts);
    ref made = ref::owned(PyType_GenericAlloc(type, 0));
    auto* h = reinterpret_cast<held*>(made.get());
    h->of = of.release();
    const auto kept = [](PyObject* x) { return x == Py_None ? nullptr : ref::borrowed(x).release(); };
    h->carry = kept(carry);
    h->give = kept(give);
    h->keep = kept(keep);
    h->check_sums = kept(check_sums);
    return made.release();
  });
}

void free_held(PyObject* self) {
  auto* h = reinterpret_cast<held*>(self);
  PyTypeObject* type = Py_TYPE(self);
  delete h->of;
  Py_XDECREF(h->carry);
  Py_XDECREF(h->give);
  Py_XDECREF(h->keep);
  Py_XDECREF(h->check_sums);
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

PyType_Slot slots[] = {
    {Py_tp_new, reinterpret_cast<void*>(make)}, {Py_tp_dealloc, reinterpret_cast<void*>(free_held)}, {0, nullptr}};
PyType_Spec spec = {"ballot._core.Framework", sizeof(held), 0, Py_TPFLAGS_DEFAULT, slots};

// The dict {type: Framework} of ballot._frameworks, and the function that fills it.
struct lookup {
  ref by_type, find;
};
const lookup& frameworks() {
  // Never freed: at the program's end Python is gone before static objects are. A plain pointer
  // under Python's lock, and no static object that is made here: its guard would be waited for with
  // that lock held, while the import gives it away.
  static const lookup* found = nullptr;
  if (found == nullptr) {
    const ref module = ref::owned(PyImport_ImportModule("ballot._frameworks"));
    auto made =
        std::make_unique<lookup>(lookup{attribute(module.get(), "by_type"), attribute(module.get(), "framework_of")});
    if (found == nullptr) found = made.release();
  }
  return *found;
}

}  // namespace

origin origin_of(PyObject* object, const char* what) {
  const lookup& known = frameworks();
  PyObject* type = reinterpret_cast<PyObject*>(Py_TYPE(object));
  ref found = ref::borrowed(PyDict_GetItemWithError(known.by_type.get(), type));
  if (!found) {
    if (PyErr_Occurred() != nullptr) throw raised{};
    call(known.find.get(), object, text(what).get());
    found = ref::borrowed(PyDict_GetItemWithError(known.by_type.get(), type));
  }
  if (!found || Py_TYPE(found.get()) != held_type) raise_type(std::string(what) + " is not an array");
  auto* h = reinterpret_cast<held*>(found.get());
  return {std::move(found), h->of, h->carry, h->give, h->keep, h->check_sums};
}

PyObject* add_framework_type(PyObject* module) {
  ref type = ref::owned(PyType_FromSpec(&spec));
  held_type = reinterpret_cast<PyTypeObject*>(type.get());
  Py_INCREF(type.get());
  if (PyModule_AddObject(module, "Framework", type.get()) < 0) {
    Py_DECREF(type.get());
    throw raised{};
  }
  return type.release();
}

}  // namespace ballot_python
