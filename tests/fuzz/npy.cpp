// SPDX-License-Identifier: Apache-2.0
// Any bytes as the dictionary of an .npy header: either a failure, or a header that comes back from
// what is written of it.
#include <ballot/core/namespace.hpp>

#include "base/failure.hpp"
#include "columns/npy_header.hpp"
#include "columns/npy_type.hpp"

#include <cstdint>
#include <cstdlib>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ballot::app;
  try {
    const npy_header header = parse_npy_dictionary({reinterpret_cast<const char*>(data), size});
    const std::string preamble = npy_preamble(header);
    if (preamble.size() % 64 != 0) std::abort();
    const npy_header again = parse_npy_dictionary(
        npy_dictionary_of(std::string_view(preamble).substr(preamble[6] == 1 ? 10 : 12), preamble[6]));
    if (again.descr != header.descr || again.shape != header.shape || again.structured != header.structured)
      std::abort();
    const npy_type type = npy_type_of(header.descr);
    if (type.read_as && type.kind == npy_type::number && type.item_bytes != size_of(*type.read_as)) std::abort();
    constexpr std::uint64_t most = 4096;
    if (type.kind == npy_type::wide && type.item_bytes != 0 && type.item_bytes <= most) {
      std::vector<std::byte> item(static_cast<std::size_t>(type.item_bytes));
      for (std::size_t i = 0; i < item.size() && i < size; ++i) item[i] = std::byte{data[i]};
      (void)text_of_wide(type, item.data());
    }
    std::uint64_t behind = 0;
    for (const npy_field& field : npy_fields(header)) {
      if (field.offset != behind) std::abort();
      behind += field.bytes;
    }
  } catch (const failure&) {
  }
  return 0;
}
