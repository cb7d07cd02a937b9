// The header of an .npy file: a Python dictionary with three entries.
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#pragma once

#include <ballot/core/namespace.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ballot::app {

struct npy_header {
  std::string descr;  // "<f8"; for a structured type the text of the list
  bool structured = false;
  bool fortran_order = false;
  std::vector<std::uint64_t> shape;
};

// Throws failure, without the name of the file in front.
npy_header parse_npy_dictionary(std::string_view text);

// Magic, length and dictionary of an array in C order.
std::string npy_preamble(std::string_view descr, const std::vector<std::uint64_t>& shape);

}  // namespace ballot::app
