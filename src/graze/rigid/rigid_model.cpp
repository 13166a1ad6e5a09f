#include "graze/rigid/rigid_model.h"

#include <Eigen/Geometry>
#include <cmath>

#include "graze/core/float_environment.h"

namespace graze {
namespace {

// Has the triangle no area, as far as doubles tell? Exact where two corners coincide; collinear
// corners are found where the cross product is zero after scaling to size 1.
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

}  // namespace

std::string RigidModel::problem() const {
  const std::string at = std::to_string(fault_at);
  switch (fault) {
    case ModelFault::none:
      return degenerate == 0
                 ? ""
                 : std::to_string(degenerate) + " triangles have no area, the first is face " + at;
    case ModelFault::no_triangles:
      return "the mesh has no triangles";
    case ModelFault::too_many_triangles:
      return "the mesh has more than 2^30 triangles";
    case ModelFault::index_out_of_range:
      return "face " + at + " names a vertex that is not there";
    case ModelFault::not_finite:
      return "vertex " + at + " is not finite";
    case ModelFault::too_large:
      return "vertex " + at + " has a coordinate beyond 2^1000";
    case ModelFault::degenerate_triangle:
      return "face " + at + " has no area";
  }
  return "?";
}

void check_mesh(RigidModel& model, const RigidModelOptions& options) {
  const FloatEnvironment environment;
  const auto fail = [&](ModelFault fault, std::size_t at) {
    model.fault = fault;
    model.fault_at = at;
  };
  model.degenerate = 0;
  if (model.faces.empty()) return fail(ModelFault::no_triangles, 0);
  if (model.faces.size() > std::size_t{1} << 30) return fail(ModelFault::too_many_triangles, 0);
  for (std::size_t v = 0; v < model.vertices.size(); ++v) {
    if (!model.vertices[v].allFinite()) return fail(ModelFault::not_finite, v);
    if (model.vertices[v].lpNorm<Eigen::Infinity>() > 0x1p1000)
      return fail(ModelFault::too_large, v);
  }
  Vec3 lo = Vec3::Constant(0x1p1001), hi = -lo;
  for (std::size_t f = 0; f < model.faces.size(); ++f) {
    const Face& face = model.faces[f];
    for (const std::uint32_t v : face) {
      if (v >= model.vertices.size()) return fail(ModelFault::index_out_of_range, f);
      lo = lo.cwiseMin(model.vertices[v]);
      hi = hi.cwiseMax(model.vertices[v]);
    }
    if (is_degenerate(model.vertices[face[0]], model.vertices[face[1]], model.vertices[face[2]])) {
      if (options.refuse_degenerate) return fail(ModelFault::degenerate_triangle, f);
      if (model.degenerate++ == 0) model.fault_at = f;
    }
  }
  model.size = (hi - lo).stableNorm();
}

RigidModel make_rigid_model(std::vector<Vec3> vertices, std::vector<Face> faces,
                            const RigidModelOptions& options) {
  const FloatEnvironment environment;
  RigidModel model;
  model.vertices = std::move(vertices);
  model.faces = std::move(faces);
  check_mesh(model, options);
  if (!model.valid()) return model;
  model.decomposition = decompose_surface(model.vertices, model.faces);
  model.tree = make_hull_tree(model.vertices, model.faces);
  return model;
}

}  // namespace graze
