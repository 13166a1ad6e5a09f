#include "graze/polyhedron/model.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "graze/core/numeric/float_environment.h"
#include "graze/polyhedron/model/exact_sign.h"
#include "graze/polyhedron/model/polygon_shape.h"

namespace graze::polyhedron {
namespace {

bool before(const Vec3& a, const Vec3& b) {
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
}

// Replaces equal vertices by the first of them and numbers the vertices by first use.
void weld(std::span<const Vec3> vertices, Model& model) {
  std::vector<std::uint32_t> order(vertices.size()), first(vertices.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return before(vertices[a], vertices[b]);
  });
  for (std::size_t i = 0; i < order.size(); ++i)
    first[order[i]] =
        i > 0 && vertices[order[i]] == vertices[order[i - 1]] ? first[order[i - 1]] : order[i];
  constexpr std::uint32_t unused = 0xffffffff;
  std::vector<std::uint32_t> number(vertices.size(), unused);
  for (Polygon& polygon : model.polygons)
    for (std::uint32_t& corner : polygon) {
      std::uint32_t& n = number[first[corner]];
      if (n == unused) {
        n = static_cast<std::uint32_t>(model.vertices.size());
        model.vertices.push_back(vertices[first[corner]]);
      }
      corner = n;
    }
}

// Drops the vertices that no polygon has and numbers the others by first use.
void drop_unused(Model& model) {
  const std::vector<Vec3> vertices = std::exchange(model.vertices, {});
  weld(vertices, model);
}

Aabb box_of(const Model& model, std::span<const std::uint32_t> corners) {
  Aabb box{model.vertices[corners[0]], model.vertices[corners[0]]};
  for (const std::uint32_t corner : corners)
    box.include({model.vertices[corner], model.vertices[corner]});
  return box;
}

void add_facet(Model& model, const Polygon& corners, std::uint32_t polygon,
               const PolygonShape& shape) {
  Facet facet{};
  facet.first = static_cast<std::uint32_t>(model.corners.size());
  facet.count = static_cast<std::uint32_t>(corners.size());
  facet.polygon = polygon;
  std::copy(shape.plane.begin(), shape.plane.end(), facet.plane);
  facet.axis = shape.axis;
  facet.axis_sign = shape.sign;
  model.facets.push_back(facet);
  model.corners.insert(model.corners.end(), corners.begin(), corners.end());
  model.boxes.push_back(box_of(model, corners));
}

Status check_polygon(const Model& model, const Polygon& polygon, double planar_tol) {
  if (polygon.size() == 1) return Status::ok;
  const PolygonShape shape = shape_of(model.vertices, polygon);
  if (shape.status != Status::ok || shape.planar) return shape.status;
  return unevenness(model.vertices, polygon) > planar_tol ? Status::not_planar : Status::ok;
}

// Adds the facets of the polygon. If the polygon has a defect, returns it and adds nothing.
Status add_polygon(Model& model, std::uint32_t index, double planar_tol) {
  const Polygon& polygon = model.polygons[index];
  if (polygon.size() == 1) {
    add_facet(model, polygon, index, {Status::ok, -1, 0, {}, true});
    return Status::ok;
  }
  const PolygonShape shape = shape_of(model.vertices, polygon);
  if (shape.status != Status::ok) return shape.status;
  if (shape.planar) {
    add_facet(model, polygon, index, shape);
    return Status::ok;
  }
  if (unevenness(model.vertices, polygon) > planar_tol) return Status::not_planar;
  for (const Polygon& triangle : ears(model.vertices, polygon, shape.axis))
    add_facet(model, triangle, index,
              {Status::ok, shape.axis, shape.sign, {triangle[0], triangle[1], triangle[2]}, true});
  return Status::ok;
}

// Returns a corner of the facet that is not on the line of its side i.
const Vec3& off_side(const Model& model, const Facet& facet, std::size_t i) {
  const auto corners = model.corners_of(facet);
  const std::size_t n = corners.size();
  for (std::size_t j = 2;; ++j)
    if (j + 1 == n || turn_sign(model.vertices[corners[i]], model.vertices[corners[(i + 1) % n]],
                                model.vertices[corners[(i + j) % n]], facet.axis) != 0)
      return model.vertices[corners[(i + j) % n]];
}

EdgeKind kind_of(const Model& model, const Facet& left, std::size_t left_side, const Facet& right,
                 std::size_t right_side) {
  const auto corners = model.corners_of(left);
  const Vec3 &a = model.vertices[corners[left_side]],
             &b = model.vertices[corners[(left_side + 1) % corners.size()]];
  const Vec3 &c = off_side(model, left, left_side), &d = off_side(model, right, right_side);
  const int height = volume_sign(a, b, c, d);
  if (height != 0) return height > 0 ? EdgeKind::internal : EdgeKind::convex;
  // Both facets lie in one plane: on opposite sides of the edge, or on the same side.
  return turn_sign(a, b, d, left.axis) == -left.axis_sign ? EdgeKind::flat : EdgeKind::convex;
}

// A side of a facet, as a use of the edge between the vertices a < b.
struct Use {
  std::uint32_t a, b;
  bool reversed;  // runs from b to a
  std::uint32_t facet, side;
};

// Orders the facets at an edge from a to b by their angles about it, from the first facet on,
// counterclockwise as seen from beyond b. Exact.
class AngleOrder {
 public:
  AngleOrder(const Model& model, const Use& first)
      : model_(model),
        a_(model.vertices[first.a]),
        b_(model.vertices[first.b]),
        first_(first),
        first_off_(off(first)) {}

  // Returns whether the angle of x is smaller than that of y.
  bool operator()(const Use& x, const Use& y) const {
    const int half_x = half(x), half_y = half(y);
    if (half_x != half_y) return half_x < half_y;
    return volume_sign(a_, b_, off(x), off(y)) > 0;
  }

 private:
  const Vec3& off(const Use& use) const {
    return off_side(model_, model_.facets[use.facet], use.side);
  }
  // Returns 0 for the angle 0, 1 below a half turn, 2 for a half turn, 3 above.
  int half(const Use& use) const {
    const Vec3& point = off(use);
    const int sign = volume_sign(a_, b_, first_off_, point);
    if (sign != 0) return sign > 0 ? 1 : 3;
    const Facet& facet = model_.facets[first_.facet];
    const int side = turn_sign(a_, b_, point, facet.axis) * facet.axis_sign;
    return (side > 0) != first_.reversed ? 0 : 2;
  }

  const Model& model_;
  const Vec3 &a_, &b_;
  const Use first_;
  const Vec3& first_off_;
};

// Pairs the facets at an edge, half of which run along it in each direction, so that each pair
// bounds a wedge behind its fronts. Wedges are nested or apart.
//
// Counterclockwise, a facet that runs from b to a opens a wedge, and one that runs from a to b
// closes the wedge that was opened last. The walk starts where the fewest wedges are open. Of
// facets at one angle, those that close come before those that open, as where two solids touch. A
// facet that finds no wedge to close bounds a wedge without extent, a sheet, with one at its angle
// that opens. (Solids that together fill all angles are taken for sheets. No search leaves out
// edges of sheets.)
std::vector<std::pair<Use, Use>> wedges(const Model& model, std::span<Use> uses) {
  const AngleOrder before(model, uses[0]);
  std::sort(uses.begin(), uses.end(), [&](const Use& x, const Use& y) {
    if (before(x, y)) return true;
    if (before(y, x) || x.reversed != y.reversed) return !before(y, x) && y.reversed;
    return x.reversed ? x.facet < y.facet : x.facet > y.facet;
  });
  std::size_t start = 0;
  for (std::ptrdiff_t i = 0, open = 0, least = 0; i < std::ssize(uses); ++i) {
    const auto k = static_cast<std::size_t>(i);
    if (i > 0 && open < least && before(uses[k - 1], uses[k])) {
      least = open;
      start = k;
    }
    open += uses[k].reversed ? 1 : -1;
  }
  std::rotate(uses.begin(), uses.begin() + static_cast<std::ptrdiff_t>(start), uses.end());
  std::vector<std::pair<Use, Use>> pairs;
  std::vector<Use> open, sheets;
  for (const Use& use : uses) {
    std::vector<Use>& partners = use.reversed ? sheets : open;
    if (!partners.empty()) {
      pairs.emplace_back(partners.back(), use);
      partners.pop_back();
    } else {
      (use.reversed ? open : sheets).push_back(use);
    }
  }
  return pairs;
}

// Makes the edges from the sorted sides of all facets. Returns false if two facets run along an
// edge in the same direction; then `culprit` is the polygon of the second.
bool find_edges(Model& model) {
  std::vector<Use> uses;
  for (std::uint32_t f = 0; f < model.facets.size(); ++f) {
    const auto corners = model.corners_of(model.facets[f]);
    for (std::uint32_t i = 0; corners.size() > 1 && i < corners.size(); ++i) {
      const std::uint32_t a = corners[i], b = corners[(i + 1) % corners.size()];
      uses.push_back({std::min(a, b), std::max(a, b), a > b, f, i});
    }
  }
  std::sort(uses.begin(), uses.end(), [](const Use& x, const Use& y) {
    return std::tie(x.a, x.b, x.facet) < std::tie(y.a, y.b, y.facet);
  });
  model.sides.resize(model.corners.size());
  const auto join = [&](std::span<const Use> joined, EdgeKind kind) {
    for (const Use& use : joined)
      model.sides[model.facets[use.facet].first + use.side] =
          static_cast<std::uint32_t>(model.edges.size());
    model.edges.push_back({joined[0].a,
                           joined[0].b,
                           {joined[0].facet, joined.size() > 1 ? joined[1].facet : no_facet},
                           kind});
  };
  bool oriented = true;
  for (std::size_t i = 0, end; i < uses.size(); i = end) {
    end = i + 1;
    while (end < uses.size() && uses[end].a == uses[i].a && uses[end].b == uses[i].b) ++end;
    const std::span<Use> at_edge(uses.data() + i, end - i);
    const auto reversed = static_cast<std::size_t>(
        std::count_if(at_edge.begin(), at_edge.end(), [](const Use& use) { return use.reversed; }));
    const bool balanced = 2 * reversed == at_edge.size();
    if (at_edge.size() > 1 && (at_edge.size() > 2 || !balanced) && std::exchange(oriented, false))
      model.culprit = model.facets[at_edge[1].facet].polygon;
    if (!balanced) {
      join(at_edge, EdgeKind::open);
      continue;
    }
    const auto join_pair = [&](const Use& x, const Use& y) {
      const Use pair[] = {x, y};
      join(pair, kind_of(model, model.facets[x.facet], x.side, model.facets[y.facet], y.side));
    };
    if (at_edge.size() == 2) {
      join_pair(at_edge[0], at_edge[1]);
    } else {
      for (const auto& [opens, closes] : wedges(model, at_edge)) join_pair(opens, closes);
    }
  }
  return oriented;
}

void find_owners(Model& model) {
  std::vector<std::uint8_t> is_true(model.vertices.size(), 1);
  model.hidden.assign(model.vertices.size(), 0);
  for (const ModelEdge& edge : model.edges)
    for (const std::uint32_t v : {edge.a, edge.b}) {
      is_true[v] = 0;
      model.hidden[v] = 1;
    }
  for (const ModelEdge& edge : model.edges)
    for (const std::uint32_t v : {edge.a, edge.b}) {
      if (edge.kind != EdgeKind::flat) is_true[v] = 1;
      if (edge.kind == EdgeKind::open || edge.kind == EdgeKind::convex) model.hidden[v] = 0;
    }
  std::vector<std::uint8_t> edge_free(model.edges.size());
  for (std::size_t e = 0; e < model.edges.size(); ++e)
    edge_free[e] = model.edges[e].kind != EdgeKind::flat;
  const auto take = [](std::vector<std::uint8_t>& free, std::span<const std::uint32_t> from,
                       std::vector<std::uint32_t>& owned, std::uint32_t& first,
                       std::uint32_t& count) {
    first = static_cast<std::uint32_t>(owned.size());
    for (const std::uint32_t i : from)
      if (std::exchange(free[i], std::uint8_t{0})) owned.push_back(i);
    count = static_cast<std::uint32_t>(owned.size()) - first;
  };
  for (Facet& facet : model.facets) {
    take(is_true, model.corners_of(facet), model.owned_vertices, facet.first_vertex,
         facet.vertex_count);
    take(edge_free, model.sides_of(facet), model.owned_edges, facet.first_edge, facet.edge_count);
  }
}

// Lists one facet of each piece. Facets that share a vertex belong to one piece.
void find_pieces(Model& model) {
  std::vector<std::uint32_t> parent(model.vertices.size());
  std::iota(parent.begin(), parent.end(), 0u);
  const auto root = [&](std::uint32_t v) {
    while (parent[v] != v) v = parent[v] = parent[parent[v]];
    return v;
  };
  for (const Facet& facet : model.facets)
    for (const std::uint32_t corner : model.corners_of(facet))
      parent[root(corner)] = root(model.corners_of(facet)[0]);
  std::vector<std::uint8_t> found(model.vertices.size(), 0);
  for (std::uint32_t f = 0; f < model.facets.size(); ++f)
    if (!std::exchange(found[root(model.corners_of(model.facets[f])[0])], std::uint8_t{1}))
      model.pieces.push_back(f);
}

// Returns whether all corners of the polygon lie on a line, exactly; corners may coincide. False
// for a single point.
bool has_no_area(std::span<const Vec3> vertices, const Polygon& polygon) {
  if (polygon.size() < 2) return false;
  Polygon corners;
  for (const std::uint32_t corner : polygon)
    if (std::none_of(corners.begin(), corners.end(),
                     [&](std::uint32_t other) { return vertices[other] == vertices[corner]; }))
      corners.push_back(corner);
  return corners.size() < 3 || shape_of(vertices, corners).status == Status::zero_area;
}

bool has_repeated_corner(const Polygon& polygon) {
  Polygon sorted = polygon;
  std::sort(sorted.begin(), sorted.end());
  return std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end();
}

}  // namespace

const char* name(Status status) {
  switch (status) {
    case Status::ok:
      return "ok";
    case Status::empty:
      return "no polygons";
    case Status::not_finite:
      return "has a coordinate that is not finite";
    case Status::bad_corner:
      return "has a corner that does not exist, a repeated corner, or only two corners";
    case Status::zero_area:
      return "has no area: all corners lie on a line";
    case Status::not_planar:
      return "is not planar";
    case Status::not_convex:
      return "is not convex";
    case Status::duplicate_edge:
      return "runs along an edge in the same direction as another polygon";
  }
  return "?";
}

std::string describe(const Model& model) {
  if (model.status == Status::ok || model.status == Status::empty) return name(model.status);
  return "polygon " + std::to_string(model.culprit) + " (counted from 0) " + name(model.status);
}

Model make_model(std::span<const Vec3> vertices, std::span<const Polygon> polygons,
                 const ModelOptions& options) {
  const FloatEnvironment environment;
  const auto failed = [](Status status, std::size_t culprit) {
    Model model;
    model.status = status;
    model.culprit = culprit;
    return model;
  };
  Model model;
  if (polygons.empty()) return model;
  model.polygons.assign(polygons.begin(), polygons.end());
  for (std::size_t p = 0; p < polygons.size(); ++p)
    for (const std::uint32_t corner : polygons[p]) {
      if (corner >= vertices.size()) return failed(Status::bad_corner, p);
      if (!vertices[corner].allFinite()) return failed(Status::not_finite, p);
    }
  std::vector<std::size_t> given(polygons.size());  // index of each polygon among those given
  std::iota(given.begin(), given.end(), std::size_t{0});
  if (options.drop_degenerate) {
    std::erase_if(given, [&](std::size_t p) { return has_no_area(vertices, polygons[p]); });
    for (std::size_t p = 0; p < given.size(); ++p)
      if (given[p] != p) model.polygons[p] = std::move(model.polygons[given[p]]);
    model.polygons.resize(given.size());
    model.dropped = polygons.size() - given.size();
    if (given.empty()) return model;
  }
  weld(vertices, model);
  for (std::size_t p = 0; p < model.polygons.size(); ++p) {
    const Polygon& polygon = model.polygons[p];
    if (polygon.empty() || polygon.size() == 2 || has_repeated_corner(polygon))
      return failed(Status::bad_corner, given[p]);
  }
  model.box = {model.vertices[0], model.vertices[0]};
  for (const Vec3& vertex : model.vertices) model.box.include({vertex, vertex});
  const double size = 2 * (model.box.hi / 2 - model.box.lo / 2).maxCoeff();
  const double planar_tol = options.planar_tol * size;
  if (options.merge_coplanar) {
    for (std::size_t p = 0; p < model.polygons.size(); ++p)  // before they are renumbered
      if (const Status status = check_polygon(model, model.polygons[p], planar_tol);
          status != Status::ok)
        return failed(status, given[p]);
    model.polygons = merged(model.vertices, model.polygons);
    drop_unused(model);
  }
  for (std::uint32_t p = 0; p < model.polygons.size(); ++p) {
    const Status status = add_polygon(model, p, planar_tol);
    if (status != Status::ok) return failed(status, given[p]);
  }
  if (!find_edges(model) && !options.accept_soup)
    return failed(Status::duplicate_edge,
                  options.merge_coplanar ? model.culprit : given[model.culprit]);
  find_owners(model);
  find_pieces(model);
  model.closed = !model.edges.empty() &&
                 std::none_of(model.edges.begin(), model.edges.end(),
                              [](const ModelEdge& edge) { return edge.kind == EdgeKind::open; });
  model.culprit = 0;
  model.status = Status::ok;
  return model;
}

Model model_of_mesh(const Mesh& mesh, std::span<const Vec3> positions,
                    const ModelOptions& options) {
  std::vector<Polygon> polygons;
  polygons.reserve(mesh.faces.size() + mesh.points.size());
  for (const Face& face : mesh.faces) polygons.emplace_back(face.begin(), face.end());
  for (const std::uint32_t point : mesh.points) polygons.push_back({point});
  return make_model(positions, polygons, options);
}

Model model_of_box(const Aabb& box) {
  std::vector<Vec3> corners;
  for (int i = 0; i < 8; ++i)
    corners.push_back({i & 1 ? box.hi[0] : box.lo[0], i & 2 ? box.hi[1] : box.lo[1],
                       i & 4 ? box.hi[2] : box.lo[2]});
  const Polygon sides[] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                           {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
  return make_model(corners, sides);
}

Model model_of_point(const Vec3& point) {
  const Polygon polygon{0};
  return make_model({&point, 1}, {&polygon, 1});
}

Model placed(const Model& model, const Pose& pose) {
  const FloatEnvironment environment;
  std::vector<Vec3> vertices;
  vertices.reserve(model.vertices.size());
  for (const Vec3& vertex : model.vertices) vertices.push_back(pose * vertex);
  ModelOptions options;
  options.accept_soup = true;
  return make_model(vertices, model.polygons, options);
}

}  // namespace graze::polyhedron
