// The type of the values of keys that have none.
#pragma once

#include <ballot/core/namespace.hpp>

namespace ballot::detail {

struct no_value {};

}  // namespace ballot::detail
