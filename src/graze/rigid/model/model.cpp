#include "graze/rigid/model/model.h"

#include <Eigen/Geometry>
#include <cmath>

#include "graze/core/numeric/float_environment.h"

namespace graze::rigid {
namespace {

// Returns whether a triangle has no area, in double arithmetic. Exact if two corners coincide.
// Collinear corners are found if the cross product, scaled to size 1, is zero.
bool is_degenerate(const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3 u = b - a, v = c - a;
  const double size = std::max(u.lpNorm<Eigen::Infinity>(), v.lpNorm<Eigen::Infinity>());
  if (size == 0) return true;
  const int exponent = -std::ilogb(size);
  const auto scaled = [&](const Vec3& x) {
    return Vec3(std::scalbn(x[0], exponent), std::scalbn(x[1], exponent),
                std::scalbn(x[2], exponent));
  };
  return b == c || scaled(u).cross(scaled(v)).isZero(0);
}

// Sets status, status_at, size and degenerate from the vertices and faces.
void check_mesh(Model& model, const BodyOptions& options) {
  const auto fail = [&](Status status, std::size_t at) {
    model.status = status;
    model.status_at = at;
  };
  if (model.faces.empty()) return fail(Status::no_triangles, 0);
  if (model.faces.size() > std::size_t{1} << 30) return fail(Status::too_many_triangles, 0);
  for (std::size_t v = 0; v < model.vertices.size(); ++v) {
    if (!model.vertices[v].allFinite()) return fail(Status::not_finite, v);
    if (model.vertices[v].lpNorm<Eigen::Infinity>() > 0x1p1000) return fail(Status::too_large, v);
  }
  Vec3 lo = Vec3::Constant(0x1p1001), hi = -lo;
  for (std::size_t f = 0; f < model.faces.size(); ++f) {
    const Face& face = model.faces[f];
    for (const std::uint32_t v : face) {
      if (v >= model.vertices.size()) return fail(Status::index_out_of_range, f);
      lo = lo.cwiseMin(model.vertices[v]);
      hi = hi.cwiseMax(model.vertices[v]);
    }
    if (is_degenerate(model.vertices[face[0]], model.vertices[face[1]], model.vertices[face[2]])) {
      if (options.refuse_degenerate) return fail(Status::degenerate_triangle, f);
      if (model.degenerate++ == 0) model.status_at = f;
    }
  }
  model.size = (hi - lo).stableNorm();
  model.status = Status::ok;
}

}  // namespace

std::string Model::problem() const {
  const std::string at = std::to_string(status_at);
  switch (status) {
    case Status::ok:
      if (degenerate == 0) return "";
      if (degenerate == 1) return "face " + at + " has no area";
      return std::to_string(degenerate) + " triangles have no area; the first is face " + at;
    case Status::no_triangles:
      return "the mesh has no triangles";
    case Status::too_many_triangles:
      return "the mesh has more than 2^30 triangles";
    case Status::index_out_of_range:
      return "face " + at + " refers to a vertex that does not exist";
    case Status::not_finite:
      return "vertex " + at + " has a coordinate that is not finite";
    case Status::too_large:
      return "vertex " + at + " has a coordinate beyond 2^1000";
    case Status::degenerate_triangle:
      return "face " + at + " has no area";
  }
  return "?";
}

Model make_model(std::vector<Vec3> vertices, std::vector<Face> faces, const BodyOptions& options) {
  const FloatEnvironment environment;
  Model model;
  model.vertices = std::move(vertices);
  model.faces = std::move(faces);
  check_mesh(model, options);
  if (model.valid()) model.tree = HullTree(model.vertices, model.faces);
  return model;
}

}  // namespace graze::rigid
