#include "graze/rigid/model/model.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

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
  model.lo = lo;
  model.hi = hi;
  model.size = (hi - lo).stableNorm();
  model.status = Status::ok;
}

// Returns whether every edge belongs to an even number of faces. An edge from a vertex to itself
// does not count: a ray has no crossing with it.
bool is_closed(const std::vector<Face>& faces) {
  std::vector<std::array<std::uint32_t, 2>> edges;
  edges.reserve(3 * faces.size());
  for (const Face& face : faces)
    for (std::size_t i = 0; i < 3; ++i) {
      const std::uint32_t from = face[i], to = face[(i + 1) % 3];
      if (from != to) edges.push_back({std::min(from, to), std::max(from, to)});
    }
  std::sort(edges.begin(), edges.end());
  for (std::size_t i = 0; i < edges.size(); i += 2)
    if (i + 1 == edges.size() || edges[i] != edges[i + 1]) return false;
  return true;
}

// Returns a vertex of each connected piece of the mesh.
std::vector<Vec3> islands_of(const Model& model) {
  std::vector<std::uint32_t> parent(model.vertices.size());
  std::iota(parent.begin(), parent.end(), 0u);
  const auto root = [&](std::uint32_t v) {
    while (parent[v] != v) v = parent[v] = parent[parent[v]];
    return v;
  };
  for (const Face& face : model.faces) {
    const std::uint32_t to = root(face[0]);
    parent[root(face[1])] = to;
    parent[root(face[2])] = to;
  }
  std::vector<Vec3> points;
  std::vector<bool> seen(model.vertices.size());
  for (const Face& face : model.faces) {
    const std::uint32_t v = root(face[0]);
    if (!seen[v]) points.push_back(model.vertices[v]);
    seen[v] = true;
  }
  return points;
}

// Returns the first coordinate that is not finite and its value, such as "y is NaN".
std::string coordinate_not_finite(const Vec3& vertex) {
  int axis = 0;
  while (axis < 2 && std::isfinite(vertex[axis])) ++axis;
  return std::string(1, "xyz"[axis]) + (std::isnan(vertex[axis]) ? " is NaN" : " is infinite");
}

}  // namespace

std::string Model::problem() const {
  const std::string at = std::to_string(status_at) + " (counted from 0)";
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
      return "vertex " + at + ": " + coordinate_not_finite(vertices[status_at]);
    case Status::too_large:
      return "vertex " + at + " has a coordinate beyond 2^1000";
    case Status::degenerate_triangle:
      return "face " + at + " has no area";
    case Status::not_closed:
      return "an edge belongs to an odd number of faces";
    case Status::bad_size:
      return "a size of the shape is out of its range";
  }
  return "?";
}

Model make_model(std::vector<Vec3> vertices, std::vector<Face> faces, const BodyOptions& options) {
  const FloatEnvironment environment;
  Model model;
  model.vertices = std::move(vertices);
  model.faces = std::move(faces);
  check_mesh(model, options);
  if (model.valid() && options.solid && !is_closed(model.faces)) model.status = Status::not_closed;
  if (!model.valid()) return model;
  model.solid = options.solid;
  model.islands = islands_of(model);
  model.tree = HullTree(model.vertices, model.faces);
  model.oriented = oriented_box(model.vertices, model.faces);
  return model;
}

}  // namespace graze::rigid
