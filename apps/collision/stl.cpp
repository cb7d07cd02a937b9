// SPDX-License-Identifier: Apache-2.0
// STL: facets, each a normal and three corners. As bytes: a header of 80, a count, and 50 bytes a
// facet, little-endian.
// As text: lines of words, of which "vertex" is followed by a corner.
#include "collision/mesh.hpp"

#include "base/failure.hpp"
#include "collision/sphere.hpp"

#include <fmt/format.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>

namespace ballot::app::collision {
namespace {

static_assert(std::endian::native == std::endian::little, "bytes of STL are read as they are");

constexpr std::size_t header_bytes = 80, facet_bytes = 50;

using corners = std::vector<std::array<float, 3>>;

std::uint32_t facets_of_bytes(std::string_view bytes) {
  std::uint32_t count = 0;
  std::memcpy(&count, bytes.data() + header_bytes, sizeof count);
  return count;
}

bool has_length_of_bytes(std::string_view bytes) {
  if (bytes.size() < header_bytes + 4) return false;
  return bytes.size() == header_bytes + 4 + facet_bytes * std::uint64_t{facets_of_bytes(bytes)};
}

corners from_bytes(const std::string& name, std::string_view bytes) {
  const std::uint32_t count = facets_of_bytes(bytes);
  corners all;
  all.reserve(3 * std::size_t{count});
  for (std::uint32_t facet = 0; facet < count; ++facet) {
    float numbers[12];  // the normal, the corners
    std::memcpy(numbers, bytes.data() + header_bytes + 4 + facet_bytes * std::size_t{facet}, sizeof numbers);
    for (std::size_t corner = 1; corner < 4; ++corner) {
      std::array<float, 3> at{};
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const float number = numbers[3 * corner + axis];
        const bool is_usable = number >= -largest_coordinate && number <= largest_coordinate;
        at[axis] = is_usable
                       ? number
                       : require_coordinate(static_cast<double>(number), fmt::format("{}: facet {}", name, facet));
      }
      all.push_back(at);
    }
  }
  return all;
}

corners from_text(const std::string& name, std::string_view text) {
  corners all;
  // A solid has facets, a facet has one loop, a loop has 3 vertices. Each is closed by its own word.
  enum class place { file, solid, facet, loop };
  place here = place::file;
  std::size_t in_facet = 0;  // vertices
  bool has_loop = false;
  std::uint64_t number = 1;
  for (; !text.empty(); ++number) {
    std::string_view line = next_line(text);
    const std::string_view keyword = next_word(line);
    const auto where = [&] { return fmt::format("{}:{}", name, number); };
    const auto require = [&](bool holds, const char* what) {
      if (!holds) throw failure(fmt::format("{}: {}", where(), what));
    };
    if (keyword == "solid") {
      require(here == place::file, "a solid within a solid");
      here = place::solid;
    } else if (keyword == "endsolid") {
      require(here != place::file, "endsolid, and no solid");
      require(here == place::solid, "endsolid within a facet");
      here = place::file;
    } else if (keyword == "facet") {
      require(here != place::file, "a facet outside of a solid");
      require(here == place::solid, "a facet within a facet");
      here = place::facet;
      in_facet = 0;
      has_loop = false;
    } else if (keyword == "outer") {
      require(next_word(line) == "loop", "'outer' without 'loop'");
      require(here != place::loop, "a loop within a loop");
      require(here == place::facet, "a loop outside of a facet");
      require(!has_loop, "a facet of more than one loop");
      here = place::loop;
      has_loop = true;
    } else if (keyword == "vertex") {
      require(here != place::file && here != place::solid, "a vertex outside of a facet");
      require(here == place::loop, "a vertex outside of a loop");
      require(in_facet < 3, "a facet of more than 3 vertices");
      ++in_facet;
      std::array<float, 3> at{};
      for (float& coordinate : at) coordinate = parse_coordinate(next_word(line), where());
      all.push_back(at);
    } else if (keyword == "endloop") {
      require(here == place::loop, "endloop, and no loop");
      here = place::facet;
    } else if (keyword == "endfacet") {
      require(here != place::loop, "endfacet within a loop");
      require(here == place::facet, "endfacet, and no facet");
      if (in_facet != 3) throw failure(fmt::format("{}: a facet of {} vertices", where(), in_facet));
      here = place::solid;
    } else if (!keyword.empty()) {
      throw failure(fmt::format("{}: '{}' in an STL file", where(), keyword.substr(0, 40)));
    }
  }
  if (here != place::file) throw failure(fmt::format("{}:{}: the file ends before endsolid", name, number - 1));
  return all;
}

// Equal corners as one vertex. -0 and 0 are equal.
mesh joined(corners all) {
  for (auto& at : all)
    for (float& coordinate : at) coordinate += 0.0f;  // -0 becomes 0
  std::vector<std::uint32_t> order(all.size()), first(all.size());
  std::iota(order.begin(), order.end(), 0u);
  tbb::parallel_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return all[a] != all[b] ? all[a] < all[b] : a < b; });
  for (std::size_t i = 0; i < order.size(); ++i)
    first[order[i]] = i > 0 && all[order[i]] == all[order[i - 1]] ? first[order[i - 1]] : order[i];
  mesh result;
  for (std::size_t i = 0; i < all.size(); ++i) {
    // The number of a vertex stands where it first comes.
    if (first[i] == i) {
      order[i] = static_cast<std::uint32_t>(result.vertices.size());
      result.vertices.push_back(all[i]);
    } else {
      order[i] = order[first[i]];
    }
  }
  for (std::size_t i = 0; i + 2 < all.size(); i += 3)
    result.triangles.push_back({order[i], order[i + 1], order[i + 2]});
  return result;
}

}  // namespace

mesh read_stl(const std::string& name, std::string_view bytes) {
  // A file of bytes may begin with "solid" as well. Its length shows that it has bytes.
  corners all;
  if (has_length_of_bytes(bytes)) {
    all = from_bytes(name, bytes);
  } else {
    std::string_view text = bytes;
    text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
    if (!text.starts_with("solid") || bytes.substr(0, 4096).find('\0') != bytes.npos) {
      if (bytes.size() < header_bytes + 4)
        throw failure(
            fmt::format("{}: not an STL file: it has {} bytes, and does not begin with solid", name, bytes.size()));
      const std::uint64_t facets = facets_of_bytes(bytes);
      throw failure(fmt::format("{}: an STL file of {} facets has {} bytes, and this one has {}", name, facets,
                                header_bytes + 4 + facet_bytes * facets, bytes.size()));
    }
    all = from_text(name, bytes);
  }
  constexpr std::size_t most_corners = 0xffffffffu;
  if (all.size() > most_corners) throw failure(fmt::format("{}: {} facets are too many", name, all.size() / 3));
  return joined(std::move(all));
}

}  // namespace ballot::app::collision
