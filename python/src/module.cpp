// SPDX-License-Identifier: Apache-2.0
// ballot._core: the calls of the package, from arrays of Python to libballot.
#include "work.hpp"

namespace {

// The table of libballot's calls, for libballot_jax.so, which has no Python: an address that stays.
PyObject* library_address(PyObject*, PyObject*) {
  using namespace ballot_python;
  return guarded(
      []() -> PyObject* { return ref::owned(PyLong_FromVoidPtr(const_cast<library*>(&libballot()))).release(); });
}
PyMethodDef further_functions[] = {{"library_address", library_address, METH_NOARGS, nullptr},
                                   {nullptr, nullptr, 0, nullptr}};

PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                          "ballot._core",
                          "The calls of the package: see the functions of ballot that have their names.",
                          -1,
                          nullptr,
                          nullptr,
                          nullptr,
                          nullptr,
                          nullptr};

}  // namespace

PyMODINIT_FUNC PyInit__core() {
  using namespace ballot_python;
  return guarded([]() -> PyObject* {
    ref module = ref::owned(PyModule_Create(&definition));
    add_framework_type(module.get());
    if (PyModule_AddObject(module.get(), "TYPES", type_codes().release()) < 0) throw raised{};
    for (PyMethodDef* functions : {sort_functions, scan_functions, selection_functions, reduction_functions,
                                   search_functions, histogram_functions, further_functions})
      if (PyModule_AddFunctions(module.get(), functions) < 0) throw raised{};
    return module.release();
  });
}
