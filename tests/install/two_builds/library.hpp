// SPDX-License-Identifier: Apache-2.0
// The functions that each library offers.
#pragma once

#define TWO_BUILDS_DECLARE(library)                                                \
  namespace library {                                                              \
  void refuse();      /* throws ballot::invalid_argument */                        \
  bool sums_on_gpu(); /* whether a scan and a reduction on the device are right */ \
  }
TWO_BUILDS_DECLARE(first)
TWO_BUILDS_DECLARE(other_version)
TWO_BUILDS_DECLARE(other_architectures)
