// Whether a scan's sum of an item has the item in it, and what comes before the first one.
#pragma once

#include <ballot/core/config.hpp>
#include <ballot/core/namespace.hpp>

namespace ballot::device {

// inclusive begins with the first item, exclusive with an item of the host's; the others begin with an item on the device.
enum class scan_kind { inclusive, exclusive, inclusive_after, exclusive_after };

BALLOT_HOST_DEVICE constexpr bool is_exclusive(scan_kind kind) {
  return kind == scan_kind::exclusive || kind == scan_kind::exclusive_after;
}
BALLOT_HOST_DEVICE constexpr bool begins_on_device(scan_kind kind) {
  return kind == scan_kind::inclusive_after || kind == scan_kind::exclusive_after;
}

}  // namespace ballot::device
