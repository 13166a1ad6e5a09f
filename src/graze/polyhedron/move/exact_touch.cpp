#include "graze/polyhedron/move/exact_touch.h"

#include <algorithm>
#include <vector>

#include "graze/exact/arena/isolated_root.h"
#include "graze/polyhedron/move/pluecker.h"

namespace graze::polyhedron {
namespace {

using exact::ArenaPolynomial, exact::IsolatedRoot;
using Integers = Triple<ArenaInteger>;

// The path in integers: lengths on one scale, parts of quaternions on another. Every formula is
// homogeneous in each, so that the scales do not change its sign and roots.
class IntegerPath {
 public:
  template <class... Points>
  IntegerPath(const Path& path, Arena& arena, const Points&... points)
      : length_(arena), turn_(arena) {
    for (const Vec3* x : {&path.start.translation, &path.way, &path.pivot}) length_.include(*x);
    for (const auto* q : {&path.start.rotation, &path.begin, &path.end})
      for (const double part : q->coeffs()) turn_.include(part);
    (include(points), ...);
    kinematics_.emplace(path, length_, turn_);
  }
  Integers body(const Vec3& x) const { return kinematics_->body(length_(x)); }
  Integers world(const Vec3& x) const { return kinematics_->world(length_(x)); }
  const Kinematics<ArenaInteger>& operator*() const { return *kinematics_; }

 private:
  void include(const Vec3& x) { length_.include(x); }
  void include(const std::vector<Vec3>& points) {
    for (const Vec3& x : points) include(x);
  }

  IntegerScale length_, turn_;
  std::optional<Kinematics<ArenaInteger>> kinematics_;
};

template <class CoefficientOf>
ArenaPolynomial polynomial(const CoefficientOf& b) {
  const ArenaInteger b0 = b(0), b1 = b(1), b2 = b(2), step = b1 - b0;
  return exact::make_polynomial(std::array{b0, step + step, (b2 - b1) - step});
}

void keep_first(std::optional<Touch>& first, IsolatedRoot root) {
  exact::refine(root);
  if (!first || root.lo < first->lo) first = {root.lo, root.hi};
}

// Returns the sign of a quadratic, not 0 everywhere, directly after a root: of the derivative at a
// simple root, of the square's coefficient at a double root.
int sign_after(const ArenaPolynomial& p, const IsolatedRoot& root) {
  const int slope = exact::sign_at(exact::derivative(p), root);
  return slope != 0 ? slope : p.c[2].sign();
}

}  // namespace

// If the height is 0 at all times, the vertex moves within the plane: it is on the facet at the
// start, or it reaches the facet across the line of a side.
std::optional<Touch> exact_vertex_facet(const Path& path, bool vertex_moves, const Vec3& vertex,
                                        const Model& model, const Facet& facet, exact::Arena& arena,
                                        bool enters) {
  const exact::ArenaFrame frame(arena);
  std::vector<Vec3> corners;
  for (const std::uint32_t corner : model.corners_of(facet))
    corners.push_back(model.vertices[corner]);
  const IntegerPath integers(path, arena, vertex, corners);
  const auto fixed = [&](const Vec3& x) {
    return vertex_moves ? integers.world(x) : integers.body(x);
  };
  const CurveVector<ArenaInteger> x = vertex_moves
                                          ? (*integers).moving_body(integers.body(vertex))
                                          : (*integers).moving_world(integers.world(vertex));
  const PlaneFrame<ArenaInteger> plane(fixed(model.vertices[facet.plane[0]]),
                                       fixed(model.vertices[facet.plane[1]]),
                                       fixed(model.vertices[facet.plane[2]]));
  const ArenaPolynomial height =
      polynomial([&](std::size_t i) { return plane.height(x[i], (*integers).weight(i)); });

  std::vector<ArenaPolynomial> inner;
  const auto inside = [&](const IsolatedRoot& time) {
    if (inner.empty())
      for (std::size_t e = 0; e < corners.size(); ++e) {
        const Integers a = fixed(corners[e]), b = fixed(corners[(e + 1) % corners.size()]);
        inner.push_back(polynomial(
            [&](std::size_t i) { return plane.inner(a, b, x[i], (*integers).weight(i)); }));
      }
    return std::all_of(inner.begin(), inner.end(),
                       [&](const ArenaPolynomial& p) { return exact::sign_at(p, time) >= 0; });
  };
  std::optional<Touch> first;
  std::array<IsolatedRoot, 3> roots;
  if (!height.is_zero()) {
    const int count = exact::isolate_roots(height, roots);
    for (int i = 0; !first && i < count; ++i) {
      const IsolatedRoot& root = roots[static_cast<std::size_t>(i)];
      if (enters && sign_after(height, root) > 0) continue;
      if (inside(root)) keep_first(first, root);
    }
    return first;
  }
  if (enters) return first;
  if (inside(exact::exact_time(arena, 0))) return Touch{0, 0, true};
  for (std::size_t e = 0; e < inner.size(); ++e) {
    if (inner[e].degree < 1) continue;
    const int count = exact::isolate_roots(inner[e], roots);
    for (int i = 0; i < count; ++i)
      if (inside(roots[static_cast<std::size_t>(i)]))
        keep_first(first, roots[static_cast<std::size_t>(i)]);
  }
  if (first) first->slides = true;
  return first;
}

int exact_facing(const Path& path, bool of_body, const Model& model, const Facet& facet,
                 exact::Arena& arena) {
  const exact::ArenaFrame frame(arena);
  const auto corner = [&](int i) { return model.vertices[facet.plane[i]]; };
  const IntegerPath integers(path, arena, corner(0), corner(1), corner(2));
  const auto place = [&](int i) {
    return of_body ? integers.body(corner(i)) : integers.world(corner(i));
  };
  return dot(PlaneFrame<ArenaInteger>(place(0), place(1), place(2)).normal, (*integers).way())
      .sign();
}

namespace {

// The line of an edge of the body, which moves, and that of an edge of the world.
struct EdgeLines {
  const std::array<Line<ArenaInteger>, 3>& a;
  const Line<ArenaInteger>& b;
};

// Returns the first time at which two edges touch while their lines are not parallel and do not
// stay in one plane, and at which counts(coplanarity, root, lines) is true.
//
// When the lines are in one plane and not parallel, N = A x B, A and B being their directions, is
// normal to that plane. The lines cross at a0 + s A = b0 + r B, where
//   B x (a0 - b0) = s N      B x (a1 - b0) = (s - 1) N
//   A x (b0 - a0) = -r N     A x (b1 - a0) = (1 - r) N
// So the signs of one component in which N is not 0 decide whether 0 <= s <= 1 and 0 <= r <= 1.
template <class Counts>
std::optional<Touch> first_crossing(const IntegerPath& integers, const Vec3& a0, const Vec3& a1,
                                    const Vec3& b0, const Vec3& b1, const Counts& counts) {
  const Integers p0 = integers.body(a0), p1 = integers.body(a1);
  const std::array<Integers, 2> y{integers.world(b0), integers.world(b1)};
  const Line<ArenaInteger> b = line_through(y[0], y[1]);
  const auto a = (*integers).moving_line(p0, p1);
  const ArenaPolynomial coplanarity = polynomial([&](std::size_t i) { return side(a[i], b); });
  if (coplanarity.is_zero()) return std::nullopt;

  const std::array x{(*integers).moving_body(p0), (*integers).moving_body(p1)};
  const auto component = [](const Integers& u, const Integers& v, std::size_t k) {
    const std::size_t i = (k + 1) % 3, j = (k + 2) % 3;
    return u[i] * v[j] - u[j] * v[i];
  };
  const auto crosses_at = [&](const IsolatedRoot& time) {
    for (std::size_t k = 0; k < 3; ++k) {
      const int normal = exact::sign_at(
          polynomial([&](std::size_t i) { return component(a[i].d, b.d, k); }), time);
      if (normal == 0) continue;
      for (std::size_t end = 0; end < 2; ++end) {
        const int expected = end == 0 ? normal : -normal;
        const auto of_a = polynomial([&](std::size_t i) {
          return component(b.d, x[end][i], k) + b.m[k] * (*integers).weight(i);
        });
        const auto of_b =
            polynomial([&](std::size_t i) { return component(a[i].d, y[end], k) + a[i].m[k]; });
        if (exact::sign_at(of_a, time) == -expected || exact::sign_at(of_b, time) == expected)
          return false;
      }
      return true;
    }
    return false;
  };
  std::optional<Touch> first;
  std::array<IsolatedRoot, 3> roots;
  const int count = exact::isolate_roots(coplanarity, roots);
  for (int i = 0; !first && i < count; ++i) {
    const IsolatedRoot& root = roots[static_cast<std::size_t>(i)];
    if (crosses_at(root) && counts(coplanarity, root, EdgeLines{a, b})) keep_first(first, root);
  }
  return first;
}

}  // namespace

std::optional<Touch> exact_edge_edge(const Path& path, const Vec3& a0, const Vec3& a1,
                                     const Vec3& b0, const Vec3& b1, exact::Arena& arena) {
  const exact::ArenaFrame frame(arena);
  const IntegerPath integers(path, arena, a0, a1, b0, b1);
  return first_crossing(integers, a0, a1, b0, b1,
                        [](const auto&, const auto&, const auto&) { return true; });
}

// With A, B and N as above, the sidedness of the lines is N.(a0 - b0). Let c be its sign directly
// after the crossing: edge a then is on the side c N of edge b. Let u = -c N. A facet at
// edge b with normal n, which runs along o B (o = 1 or -1), extends from the edge in the direction
// t = n x o B, and
//   N.t = o (A x B).(n x B) = o |B|^2 (A.n), since B.n = 0.
// Likewise N.t = -o |A|^2 (B.n) for a facet at edge a with o A. The models lie on their sides of
// the plane across u if u.t <= 0 at b and u.t >= 0 at a, which is c o (A.n) >= 0 and c o (B.n) >=
// 0. Otherwise that plane does not separate the wedges at the two edges. It is the only plane that
// can, since a plane between them contains both lines: the interiors overlap already, or the wedges
// are separated the other way round, and the edges part.
std::optional<Touch> exact_entering_edges(const Path& path, const Model& mover, const ModelEdge& a,
                                          const Model& world, const ModelEdge& b,
                                          exact::Arena& arena) {
  const auto may_enter = [](const ModelEdge& edge) {
    return edge.kind == EdgeKind::open || edge.kind == EdgeKind::convex;
  };
  if (!may_enter(a) || !may_enter(b)) return std::nullopt;
  const exact::ArenaFrame frame(arena);
  // The two facets at a convex edge: three corners of the plane each, and the direction o.
  struct Side {
    const Vec3* corners[3];
    int along;
  };
  std::vector<Side> of_mover, of_world;
  std::vector<Vec3> points = {mover.vertices[a.a], mover.vertices[a.b], world.vertices[b.a],
                              world.vertices[b.b]};
  const auto add_sides = [&](const Model& model, const ModelEdge& edge, std::vector<Side>& sides) {
    if (edge.kind != EdgeKind::convex) return;
    for (const std::uint32_t f : edge.facets) {
      const Facet& facet = model.facets[f];
      const auto corners = model.corners_of(facet);
      const auto at = static_cast<std::size_t>(std::find(corners.begin(), corners.end(), edge.a) -
                                               corners.begin());
      Side side{{}, corners[at + 1 < corners.size() ? at + 1 : 0] == edge.b ? 1 : -1};
      for (int k = 0; k < 3; ++k) {
        side.corners[k] = &model.vertices[facet.plane[k]];
        points.push_back(*side.corners[k]);
      }
      sides.push_back(side);
    }
  };
  add_sides(mover, a, of_mover);
  add_sides(world, b, of_world);
  const IntegerPath integers(path, arena, points);
  const auto enters = [&](const ArenaPolynomial& coplanarity, const IsolatedRoot& root,
                          const EdgeLines& lines) {
    const int after = sign_after(coplanarity, root);
    const auto is_behind = [&](const Side& side, const auto& product) {
      return after * side.along * exact::sign_at(polynomial(product), root) >= 0;
    };
    for (const Side& side : of_world) {
      const PlaneFrame<ArenaInteger> plane(integers.world(*side.corners[0]),
                                           integers.world(*side.corners[1]),
                                           integers.world(*side.corners[2]));
      if (!is_behind(side, [&](std::size_t i) { return dot(lines.a[i].d, plane.normal); }))
        return false;
    }
    for (const Side& side : of_mover) {
      const PlaneFrame<ArenaInteger> plane(integers.body(*side.corners[0]),
                                           integers.body(*side.corners[1]),
                                           integers.body(*side.corners[2]));
      const auto normal = (*integers).moving_body(plane.normal);  // a rotation of the normal
      if (!is_behind(side, [&](std::size_t i) { return dot(lines.b.d, normal[i]); })) return false;
    }
    return true;
  };
  return first_crossing(integers, points[0], points[1], points[2], points[3], enters);
}

}  // namespace graze::polyhedron
