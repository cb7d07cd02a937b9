// SPDX-License-Identifier: Apache-2.0
// ballot._core: the calls of the package, from arrays of Python to libballot.
#include "work.hpp"

namespace {

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
    for (PyMethodDef* functions : {sort_functions, scan_functions, selection_functions, reduction_functions, search_functions,
                                   histogram_functions})
      if (PyModule_AddFunctions(module.get(), functions) < 0) throw raised{};
    return module.release();
  });
}
