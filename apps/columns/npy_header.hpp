// SPDX-License-Identifier: Apache-2.0
// The header of an .npy file: a Python dictionary with three entries.
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#pragma once

#include <ballot/core/namespace.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ballot::app {

// Texts are UTF-8, whatever they are in the file.
struct npy_header {
  std::string descr;  // "<f8"; for a structured type the text of the list
  bool structured = false;
  bool fortran_order = false;
  std::vector<std::uint64_t> shape;
};

// The dictionary in UTF-8: versions 1 and 2 of the format have it in Latin-1. Throws failure as
// parse_npy_dictionary does.
std::string npy_dictionary_of(std::string_view bytes, int version);

// Throws failure, without the name of the file in front.
npy_header parse_npy_dictionary(std::string_view text);

// A field of a structured type. Sub-arrays and nested structures are one field each.
struct npy_field {
  std::string name;
  std::string descr;  // empty: nested, or a sub-array
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

// The fields of the item type; one field without a name if it is not structured. Throws failure,
// without the file's name, also for items that are not plain bytes (Python objects).
std::vector<npy_field> npy_fields(const npy_header& header);

// Magic, length and dictionary of an array in C order. The oldest version that has all characters,
// as NumPy writes it.
std::string npy_preamble(std::string_view descr, const std::vector<std::uint64_t>& shape);
std::string npy_preamble(const npy_header& header);

}  // namespace ballot::app
