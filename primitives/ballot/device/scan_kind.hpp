// Whether a scan's sum of an item has the item in it.
#pragma once

#include <ballot/core/namespace.hpp>

namespace ballot::device {

enum class scan_kind { inclusive, exclusive };

}  // namespace ballot::device
