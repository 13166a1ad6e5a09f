#include "graze/sim/elastic/crossing_faces.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <limits>

#include "graze/core/float_environment.h"
#include "graze/exact/triangle_meet.h"

namespace graze {
namespace {

using Triangle = std::array<Vec3, 3>;

// Does a direction separate the triangles, whatever the rounding? Any direction n will do that has
// n.x at all corners of one above n.x at all corners of the other. Computed, n.x is off by less
// than 4u |n|_1 m, u = 2^-53 and m the largest coordinate: three products and two sums.
bool separates(const Vec3& n, const Triangle& a, const Triangle& b) {
  double a_lo = n.dot(a[0]), a_hi = a_lo, b_lo = n.dot(b[0]), b_hi = b_lo, largest = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const double at_a = n.dot(a[i]), at_b = n.dot(b[i]);
    a_lo = std::min(a_lo, at_a);
    a_hi = std::max(a_hi, at_a);
    b_lo = std::min(b_lo, at_b);
    b_hi = std::max(b_hi, at_b);
    largest = std::max({largest, a[i].lpNorm<Eigen::Infinity>(), b[i].lpNorm<Eigen::Infinity>()});
  }
  // Twice over, with room for the rounding of the bound itself and for underflow.
  const double err = 0x1p-49 * n.lpNorm<1>() * largest + 0x1p-1000;
  return a_lo - b_hi > err || b_lo - a_hi > err;
}

exact::IntegerTriangle to_integers(const Triangle& triangle, int exponent) {
  exact::IntegerTriangle result;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < 3; ++k) {
      const auto [mantissa, power] = exact::decompose(triangle[i][static_cast<int>(k)]);
      result[i][k] =
          exact::shifted(mantissa, mantissa == 0 ? 0 : static_cast<unsigned>(power - exponent));
    }
  return result;
}

bool meet(const Triangle& a, const Triangle& b) {
  for (const Triangle* t : {&a, &b})
    if (separates(((*t)[1] - (*t)[0]).cross((*t)[2] - (*t)[0]), a, b)) return false;
  int exponent = std::numeric_limits<int>::max();
  for (const Triangle* t : {&a, &b})
    for (const Vec3& corner : *t)
      for (const double x : corner)
        if (x != 0) exponent = std::min(exponent, exact::decompose(x).exponent);
  return exact::triangles_meet(to_integers(a, exponent), to_integers(b, exponent));
}

bool share_vertex(const Face& a, const Face& b) {
  return std::any_of(a.begin(), a.end(), [&](std::uint32_t vertex) {
    return std::find(b.begin(), b.end(), vertex) != b.end();
  });
}

}  // namespace

std::vector<std::array<std::uint32_t, 2>> crossing_faces(const Mesh& mesh,
                                                         std::span<const Vec3> positions,
                                                         std::span<const std::uint8_t> fixed) {
  const FloatEnvironment environment;
  struct Placed {
    Eigen::AlignedBox3d box;
    std::uint32_t face;
    bool is_fixed;
  };
  std::vector<Placed> placed;
  placed.reserve(mesh.faces.size());
  for (std::uint32_t f = 0; f < mesh.faces.size(); ++f) {
    Placed entry{{}, f, !fixed.empty()};
    for (const std::uint32_t vertex : mesh.faces[f]) {
      entry.box.extend(positions[vertex]);
      if (entry.is_fixed) entry.is_fixed = fixed[vertex] != 0;
    }
    placed.push_back(entry);
  }
  std::sort(placed.begin(), placed.end(), [](const Placed& a, const Placed& b) {
    return a.box.min().x() != b.box.min().x() ? a.box.min().x() < b.box.min().x() : a.face < b.face;
  });
  const auto triangle = [&](const Face& face) {
    return Triangle{positions[face[0]], positions[face[1]], positions[face[2]]};
  };
  std::vector<std::array<std::uint32_t, 2>> crossing;
  for (std::size_t i = 0; i < placed.size(); ++i)
    for (std::size_t j = i + 1; j < placed.size(); ++j) {
      const Placed &a = placed[i], &b = placed[j];
      if (b.box.min().x() > a.box.max().x()) break;
      if ((a.is_fixed && b.is_fixed) || !a.box.intersects(b.box)) continue;
      const Face &face_a = mesh.faces[a.face], &face_b = mesh.faces[b.face];
      if (!share_vertex(face_a, face_b) && meet(triangle(face_a), triangle(face_b)))
        crossing.push_back({std::min(a.face, b.face), std::max(a.face, b.face)});
    }
  std::sort(crossing.begin(), crossing.end());
  return crossing;
}

}  // namespace graze
