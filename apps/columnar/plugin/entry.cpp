// SPDX-License-Identifier: Apache-2.0
#include "columnar/plugin/functions.hpp"

#include <arrow/util/config.h>

extern "C" __attribute__((visibility("default"))) const ballot_arrow_functions* ballot_arrow_plugin() {
  using namespace ballot_arrow;
  static const ballot_arrow_functions functions{BALLOT_ARROW_PLUGIN_VERSION,
                                                "Apache Arrow " ARROW_VERSION_STRING,
                                                open,
                                                schema,
                                                choose,
                                                next,
                                                close,
                                                create,
                                                write,
                                                finish,
                                                abandon};
  return &functions;
}
