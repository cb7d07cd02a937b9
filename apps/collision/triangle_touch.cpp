// SPDX-License-Identifier: Apache-2.0
#include "collision/triangle_touch.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace ballot::app::collision {
namespace {

// A sum of doubles without rounding: its terms do not overlap, the largest is the last. No product
// of three floats below largest_coordinate overflows a double, and none of the smallest is lost.
class exact_sum {
 public:
  void add(double term) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < count_; ++i) {
      const double sum = term + terms_[i], part = sum - term;
      const double error = (term - (sum - part)) + (terms_[i] - part);
      if (error != 0) terms_[kept++] = error;
      term = sum;
    }
    if (term != 0) terms_[kept++] = term;
    count_ = kept;
  }
  void add_product(double exact, double factor) {
    const double product = exact * factor;
    add(std::fma(exact, factor, -product));
    add(product);
  }
  int sign() const { return count_ == 0 ? 0 : terms_[count_ - 1] > 0 ? 1 : -1; }

 private:
  std::array<double, 48> terms_{};  // two for each of 24 products
  std::size_t count_ = 0;
};

int sign_of(double x) { return (x > 0) - (x < 0); }

// On which side of the line from a to b the point c lies, in the plane of two axes.
int side(const corner& a, const corner& b, const corner& c, std::size_t x, std::size_t y) {
  const double left = (double{a[x]} - c[x]) * (double{b[y]} - c[y]),
               right = (double{a[y]} - c[y]) * (double{b[x]} - c[x]);
  const double bound = 1e-15 * (std::abs(left) + std::abs(right));
  if (std::abs(left - right) > bound) return sign_of(left - right);
  exact_sum sum;  // of products of two floats, which are exact
  const auto cross = [&](const corner& p, const corner& q) {
    sum.add(double{p[x]} * q[y]);
    sum.add(-(double{p[y]} * q[x]));
  };
  cross(a, b);
  cross(b, c);
  cross(c, a);
  return sum.sign();
}

// On which side of the plane of a, b and c the point d lies; 0 also where they have no plane.
int side(const corner& a, const corner& b, const corner& c, const corner& d) {
  double edge[3][3];
  const corner* const corners[3] = {&a, &b, &c};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t axis = 0; axis < 3; ++axis) edge[i][axis] = double{(*corners[i])[axis]} - d[axis];
  double sum = 0, magnitude = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const double *const p = edge[i], *const q = edge[(i + 1) % 3], *const r = edge[(i + 2) % 3];
    const double forward = q[1] * r[2], backward = q[2] * r[1];
    sum += p[0] * (forward - backward);
    magnitude += std::abs(p[0]) * (std::abs(forward) + std::abs(backward));
  }
  if (std::abs(sum) > 1e-14 * magnitude) return sign_of(sum);
  // The determinant of the rows (x, y, z, 1), expanded by the last column: 24 products of three.
  exact_sum exact;
  const auto add = [&](const corner& p, const corner& q, const corner& r, double factor) {
    for (std::size_t x = 0; x < 3; ++x) {
      const std::size_t y = (x + 1) % 3, z = (x + 2) % 3;
      exact.add_product(double{p[x]} * q[y], factor * r[z]);
      exact.add_product(double{p[x]} * q[z], -factor * r[y]);
    }
  };
  add(a, b, c, 1);
  add(b, c, d, -1);
  add(c, d, a, 1);
  add(d, a, b, -1);
  return exact.sign();
}

using axes = std::array<std::size_t, 2>;
constexpr std::array<axes, 3> planes = {axes{0, 1}, axes{1, 2}, axes{2, 0}};

// Whether two intervals of one axis share a point.
bool overlap(float a, float b, float c, float d) {
  return std::max(a, b) >= std::min(c, d) && std::max(c, d) >= std::min(a, b);
}

bool boxes_overlap(const corner& a, const corner& b, const corner& c, const corner& d) {
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (!overlap(a[axis], b[axis], c[axis], d[axis])) return false;
  return true;
}

// Whether segments ab and cd meet. They may be points.
bool segments_meet(const corner& a, const corner& b, const corner& c, const corner& d) {
  if (!boxes_overlap(a, b, c, d) || side(a, b, c, d) != 0) return false;
  // In a plane of axes in which not all four lie on a line they meet if and only if they do in
  // space.
  for (const auto& [x, y] : planes) {
    const int c_side = side(a, b, c, x, y), d_side = side(a, b, d, x, y);
    const int a_side = side(c, d, a, x, y), b_side = side(c, d, b, x, y);
    if (c_side == 0 && d_side == 0 && a_side == 0 && b_side == 0) continue;
    return c_side * d_side <= 0 && a_side * b_side <= 0;
  }
  return true;  // on one line: where the boxes overlap, they do
}

// Whether the segment pq meets the triangle, the inside of it included.
bool segment_meets(const corner& p, const corner& q, const triangle& of) {
  const auto& [a, b, c] = of;
  const auto meets_an_edge = [&] {
    return segments_meet(p, q, a, b) || segments_meet(p, q, b, c) || segments_meet(p, q, c, a);
  };
  std::size_t plane = 0;  // in which the triangle has an area
  while (plane < planes.size() && side(a, b, c, planes[plane][0], planes[plane][1]) == 0) ++plane;
  if (plane == planes.size()) return meets_an_edge();  // it is its edges
  const int p_side = side(a, b, c, p), q_side = side(a, b, c, q);
  if (p_side * q_side > 0) return false;
  if (p_side == 0 && q_side == 0) {
    if (meets_an_edge()) return true;
    const auto [x, y] = planes[plane];  // all within, or all without
    const int ab = side(a, b, p, x, y), bc = side(b, c, p, x, y), ca = side(c, a, p, x, y);
    return ab == bc && bc == ca;
  }
  // The line through p and q meets the plane in one point, which the segment has. It is within
  // where it passes all edges on the same side.
  const int ab = side(p, q, a, b), bc = side(p, q, b, c), ca = side(p, q, c, a);
  return (ab >= 0 && bc >= 0 && ca >= 0) || (ab <= 0 && bc <= 0 && ca <= 0);
}

bool an_edge_meets(const triangle& of, const triangle& other) {
  return segment_meets(of[0], of[1], other) || segment_meets(of[1], of[2], other) || segment_meets(of[2], of[0], other);
}

bool boxes_overlap(const triangle& a, const triangle& b) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto [a_low, a_high] = std::minmax({a[0][axis], a[1][axis], a[2][axis]});
    const auto [b_low, b_high] = std::minmax({b[0][axis], b[1][axis], b[2][axis]});
    if (a_high < b_low || b_high < a_low) return false;
  }
  return true;
}

}  // namespace

bool touch(const triangle& a, const triangle& b) {
  return boxes_overlap(a, b) && (an_edge_meets(a, b) || an_edge_meets(b, a));
}

std::vector<object_pair> touching(std::span<const object_pair> pairs, std::span<const triangle> triangles) {
  std::vector<std::uint8_t> kept(pairs.size());
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, pairs.size(), 1024), [&](const auto& range) {
    for (std::size_t i = range.begin(); i != range.end(); ++i)
      kept[i] = touch(triangles[pairs[i].a], triangles[pairs[i].b]);
  });
  std::vector<object_pair> found;
  for (std::size_t i = 0; i < pairs.size(); ++i)
    if (kept[i] != 0) found.push_back(pairs[i]);
  return found;
}

}  // namespace ballot::app::collision
