#include "graze/rigid/model/decomposition.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>

#include "graze/core/numeric/float_environment.h"

namespace graze::rigid {
namespace {

constexpr std::uint32_t none = 0xffffffff;

struct Plane {
  Vec3 normal, point;

  bool has_behind(const Vec3& p, double tol) const { return normal.dot(p - point) <= tol; }
};

// Returns the neighbours of each face across its three sides: `none` unless exactly one other face
// has the side, in the opposite direction.
std::vector<std::array<std::uint32_t, 3>> neighbours(std::span<const Face> faces) {
  struct Side {
    std::uint32_t lo, hi, face, side;
    bool forward;
  };
  std::vector<Side> sides;
  sides.reserve(3 * faces.size());
  for (std::uint32_t f = 0; f < faces.size(); ++f)
    for (std::uint32_t k = 0; k < 3; ++k) {
      const auto [a, b] = std::pair(faces[f][k], faces[f][(k + 1) % 3]);
      sides.push_back({std::min(a, b), std::max(a, b), f, k, a < b});
    }
  std::sort(sides.begin(), sides.end(), [](const Side& a, const Side& b) {
    return std::tie(a.lo, a.hi, a.face, a.side) < std::tie(b.lo, b.hi, b.face, b.side);
  });
  std::vector<std::array<std::uint32_t, 3>> result(faces.size(), {none, none, none});
  for (std::size_t i = 0, end; i < sides.size(); i = end) {
    for (end = i + 1; end < sides.size(); ++end)
      if (sides[end].lo != sides[i].lo || sides[end].hi != sides[i].hi) break;
    if (end - i != 2 || sides[i].forward == sides[i + 1].forward) continue;
    result[sides[i].face][sides[i].side] = sides[i + 1].face;
    result[sides[i + 1].face][sides[i + 1].side] = sides[i].face;
  }
  return result;
}

class Flood {
 public:
  Flood(std::span<const Vec3> vertices, std::span<const Face> faces)
      : faces_(faces), points_(vertices.begin(), vertices.end()), next_(neighbours(faces)) {
    double largest = 0;
    for (const Face& face : faces)
      for (const std::uint32_t v : face)
        largest = std::max(largest, vertices[v].lpNorm<Eigen::Infinity>());
    const int exponent = largest > 0 ? -std::ilogb(largest) : 0;  // makes coordinates below 2
    for (Vec3& p : points_)
      for (double& x : p) x = std::scalbn(x, exponent);
    for (const Face& f : faces) {
      const Vec3 n = (points_[f[1]] - points_[f[0]]).cross(points_[f[2]] - points_[f[0]]);
      planes_.push_back({n.stableNormalized(), points_[f[0]]});
    }
  }

  SurfaceDecomposition run(std::uint32_t max_faces) {
    SurfaceDecomposition result;
    result.piece.assign(faces_.size(), none);
    for (std::uint32_t seed = 0; seed < faces_.size(); ++seed) {
      if (result.piece[seed] != none) continue;
      inside_.clear();
      corners_.clear();
      add(seed, result.pieces, result.piece);
      for (std::size_t i = 0; i < inside_.size(); ++i)  // breadth first, for round pieces
        for (const std::uint32_t f : next_[inside_[i]])
          if (f != none && result.piece[f] == none && inside_.size() < max_faces && fits(f))
            add(f, result.pieces, result.piece);
      ++result.pieces;
    }
    return result;
  }

 private:
  void add(std::uint32_t face, std::uint32_t piece, std::vector<std::uint32_t>& pieces) {
    pieces[face] = piece;
    inside_.push_back(face);
    corners_.insert(corners_.end(), faces_[face].begin(), faces_[face].end());
  }

  bool fits(std::uint32_t face) const {
    constexpr double tol = 0x1p-40;
    const Plane& plane = planes_[face];
    const bool flat = plane.normal.isZero(0) || planes_[inside_[0]].normal.isZero(0);
    return !flat && std::all_of(corners_.begin(), corners_.end(), [&](std::uint32_t v) {
      return plane.has_behind(points_[v], tol);
    }) && std::all_of(inside_.begin(), inside_.end(), [&](std::uint32_t f) {
      return std::all_of(faces_[face].begin(), faces_[face].end(),
                         [&](std::uint32_t v) { return planes_[f].has_behind(points_[v], tol); });
    });
  }

  std::span<const Face> faces_;
  std::vector<Vec3> points_;
  std::vector<Plane> planes_;
  std::vector<std::array<std::uint32_t, 3>> next_;
  std::vector<std::uint32_t> inside_, corners_;  // faces and vertices of the growing piece
};

}  // namespace

SurfaceDecomposition decompose_surface(std::span<const Vec3> vertices, std::span<const Face> faces,
                                       std::uint32_t max_faces) {
  const FloatEnvironment environment;
  return Flood(vertices, faces).run(max_faces);
}

}  // namespace graze::rigid
