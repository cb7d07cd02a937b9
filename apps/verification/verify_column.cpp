// SPDX-License-Identifier: Apache-2.0
#include "verification/verify_column.hpp"

namespace ballot::app {

std::size_t recording_source::read(std::span<std::byte> into) {
  const std::size_t got = inner_.read(into);
  scoped_phase checking(clock_, phase::verify);
  checksum_.add(checksum_of(into.first(got), size_of(type())));
  if (keeps_) items_.append(into.first(got));
  return got;
}

}  // namespace ballot::app
