#include "graze/intersections.h"

#include <Eigen/Geometry>
#include <algorithm>

#include "graze/core/numeric/common_scale.h"
#include "graze/core/numeric/float_environment.h"
#include "graze/exact/triangle_meet.h"

namespace graze {
namespace {

using Triangle = std::array<Vec3, 3>;

// Returns true only if the direction n separates the triangles: n.x at all corners of one is above
// n.x at all corners of the other. Any n may be passed.
// The computed n.x, three products and two sums, is off by less than 4 u |n|_1 m, with u = 2^-53
// and m the largest absolute coordinate; the difference of two is off by less than 8 u |n|_1 m plus
// its rounding. The bound 2^-49 |n|_1 m = 16 u |n|_1 m also covers the rounding of the bound
// itself, and 2^-1000 covers underflow.
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
  const double err = 0x1p-49 * n.lpNorm<1>() * largest + 0x1p-1000;
  return a_lo - b_hi > err || b_lo - a_hi > err;
}

exact::IntegerTriangle to_integers(const Triangle& triangle, const numeric::CommonScale& scale) {
  exact::IntegerTriangle result;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < 3; ++k)
      result[i][k] = exact::to_integer(scale.scaled(triangle[i][static_cast<int>(k)]));
  return result;
}

bool meet(const Triangle& a, const Triangle& b) {
  for (const Triangle* t : {&a, &b})
    if (separates(((*t)[1] - (*t)[0]).cross((*t)[2] - (*t)[0]), a, b)) return false;
  numeric::CommonScale scale;
  for (const Triangle* t : {&a, &b})
    for (const Vec3& corner : *t) scale.include(corner);
  return exact::triangles_meet(to_integers(a, scale), to_integers(b, scale));
}

bool share_vertex(const Face& a, const Face& b) {
  return std::any_of(a.begin(), a.end(), [&](std::uint32_t vertex) {
    return std::find(b.begin(), b.end(), vertex) != b.end();
  });
}

}  // namespace

Intersections intersecting_faces(const Mesh& mesh, std::span<const Vec3> positions,
                                 std::span<const std::uint8_t> is_static) {
  const FloatEnvironment environment;
  Intersections result;
  if (positions.size() != mesh.vertex_count ||
      (!is_static.empty() && is_static.size() != mesh.vertex_count) ||
      !std::all_of(positions.begin(), positions.end(),
                   [](const Vec3& x) { return x.allFinite(); })) {
    result.verdict = Verdict::invalid;
    return result;
  }
  struct Placed {
    Eigen::AlignedBox3d box;
    std::uint32_t face;
    bool is_static;
  };
  std::vector<Placed> placed;
  placed.reserve(mesh.faces.size());
  for (std::uint32_t f = 0; f < mesh.faces.size(); ++f) {
    Placed entry{{}, f, !is_static.empty()};
    for (const std::uint32_t vertex : mesh.faces[f]) {
      entry.box.extend(positions[vertex]);
      if (entry.is_static) entry.is_static = is_static[vertex] != 0;
    }
    placed.push_back(entry);
  }
  std::sort(placed.begin(), placed.end(), [](const Placed& a, const Placed& b) {
    return a.box.min().x() != b.box.min().x() ? a.box.min().x() < b.box.min().x() : a.face < b.face;
  });
  const auto triangle = [&](const Face& face) {
    return Triangle{positions[face[0]], positions[face[1]], positions[face[2]]};
  };
  for (std::size_t i = 0; i < placed.size(); ++i)
    for (std::size_t j = i + 1; j < placed.size(); ++j) {
      const Placed &a = placed[i], &b = placed[j];
      if (b.box.min().x() > a.box.max().x()) break;
      if ((a.is_static && b.is_static) || !a.box.intersects(b.box)) continue;
      const Face &face_a = mesh.faces[a.face], &face_b = mesh.faces[b.face];
      if (!share_vertex(face_a, face_b) && meet(triangle(face_a), triangle(face_b)))
        result.faces.push_back({std::min(a.face, b.face), std::max(a.face, b.face)});
    }
  std::sort(result.faces.begin(), result.faces.end());
  if (!result.faces.empty()) result.verdict = Verdict::contact;
  return result;
}

}  // namespace graze
