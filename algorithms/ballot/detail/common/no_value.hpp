// The type of values where keys have none.
#pragma once

#include <ballot/core/namespace.hpp>

namespace ballot::detail {

struct no_value {};

}  // namespace ballot::detail
