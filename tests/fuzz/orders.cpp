// SPDX-License-Identifier: Apache-2.0
// Two texts of any bytes: their keys in each order, which are no longer than promised; equal texts
// have equal keys.
#include <ballot/core/namespace.hpp>

#include "base/text_order.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ballot::app;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t end = std::min(text.find('\n'), size);
  const std::string_view a = text.substr(0, end), b = text.substr(std::min(end + 1, size));
  for (const char* const word : {"natural", "version", "nocase", "locale(C)", "locale(C.UTF-8)"})
    for (const bool nocase : {false, true}) {
      text_order order;
      order.take(word);
      if (nocase && std::string_view(word) != "nocase") order.take("nocase");
      std::string of_a, of_b, again;
      order.append_key(a, of_a);
      order.append_key(b, of_b);
      order.append_key(a, again);
      if (of_a != again || of_a.size() > a.size() * order.key_bytes_a_byte() + 16) std::abort();
      if (a == b && of_a != of_b) std::abort();
    }
  return 0;
}
