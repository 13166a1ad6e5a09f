#include <limits>

#include "graze/narrow/separation/separation_bounds.h"
#include "graze/narrow/separation/separation_filter.h"

namespace graze::narrow::separation {
namespace {

using Kind = Direction::Kind;

// side * n.e - n.c for a direction n, a corner e of the polygon and a corner c of the cube, which
// is d times the signs. While all products of a direction are positive, it separates.
struct Product {
  std::size_t corner;
  std::array<double, 3> signs;
};

// Opposite edges of a parallelogram are parallel.
std::size_t different_edges(std::size_t size) {
  return size == 4 ? 2 : size == 3 ? 3 : size - 1;
}

// Calls visit(direction), with side 1, for each direction that may separate to either side.
template <class Visit>
void each_direction(const MovingPolygon& polygon, Visit&& visit) {
  for (int k = 0; k < 3; ++k) visit(Direction{Kind::axis, k, 0, 1});
  for (std::size_t i = 0; i < different_edges(polygon.size); ++i)
    for (int k = 0; k < 3; ++k)
      if (!polygon.is_zero(i, (k + 1) % 3) || !polygon.is_zero(i, (k + 2) % 3))
        visit(Direction{Kind::edge, k, i, 1});
  if (polygon.size > 2 && !polygon.is_flat()) visit(Direction{Kind::normal, 0, 0, 1});
}

// ---- the products during a short piece of time -------------------------------------------------

class Products {
 public:
  Products(const MovingPolygon& polygon, double d, double lo, double hi)
      : piece_(polygon, lo, hi), d_(d) {
    const std::size_t n = polygon.size;
    for (std::size_t i = 0; i < piece_.edges(); ++i) edge_[i] = piece_.edge(i);
    for (std::size_t i = 0; i < different_edges(n); ++i) {
      near_[i] = cross(edge_[i], piece_.corner(i));
      // Seen along an edge, a polygon has two corners: the edge, and the third corner or the
      // opposite edge.
      if (n > 2) far_[i] = cross(edge_[i], piece_.corner(opposite(i)));
    }
    if (n > 2) {
      normal_ = cross(edge_[n - 1], edge_[0]);
      offset_ = dot(piece_.corner(0), normal_);
    }
  }

  // Calls visit(corner, n.e) for the corners that differ along a direction.
  template <class Visit>
  void each_corner(const Direction& n, Visit&& visit) const {
    if (n.kind == Kind::axis) {
      for (std::size_t i = 0; i < piece_.corners(); ++i) visit(i, piece_.corner(i)[n.axis]);
    } else if (n.kind == Kind::edge) {
      visit(n.edge, near_[n.edge][n.axis]);
      if (piece_.corners() > 2) visit(opposite(n.edge), far_[n.edge][n.axis]);
    } else {
      visit(0, offset_);
    }
  }

  // Writes the coordinates of n, at most 3, and returns their number.
  std::size_t coordinates(const Direction& n, std::array<Number, 3>& x) const {
    if (n.kind == Kind::axis) {
      x[0] = {1, 0};
      return 1;
    }
    if (n.kind == Kind::edge) {  // axis x edge
      x[0] = -edge_[n.edge][(n.axis + 2) % 3];
      x[1] = edge_[n.edge][(n.axis + 1) % 3];
      return 2;
    }
    x = {normal_[0], normal_[1], normal_[2]};
    return 3;
  }

  // Returns the rate of change of a product.
  Number rate(const Direction& n, const Product& product) const {
    const std::size_t i = product.corner;
    const Vector &e = piece_.corner(i), &e_rate = piece_.corner_rate(i);
    const auto signed_sum = [&](const Number& a, const Number& b) {
      return product.signs[0] * a + product.signs[1] * b;
    };
    if (n.kind == Kind::axis) return n.side * e_rate[n.axis];
    if (n.kind == Kind::edge) {
      const Vector change = piece_.edge_rate(n.edge);
      const Vector turn = cross(change, e) + cross(edge_[n.edge], e_rate);
      const Number reach = signed_sum(-1 * change[(n.axis + 2) % 3], change[(n.axis + 1) % 3]);
      return n.side * turn[n.axis] - d_ * reach;
    }
    const std::size_t last = piece_.corners() - 1;
    const Vector change =
        cross(piece_.edge_rate(last), edge_[0]) + cross(edge_[last], piece_.edge_rate(0));
    const Number reach = signed_sum(change[0], change[1]) + product.signs[2] * change[2];
    return n.side * (dot(e_rate, normal_) + dot(e, change)) - d_ * reach;
  }

 private:
  std::size_t opposite(std::size_t i) const { return (i + 2) % piece_.corners(); }

  Piece piece_;
  double d_;
  std::array<Vector, 4> edge_, near_, far_;
  Vector normal_;
  Number offset_;
};

// Returns a product at the double t, in pairs of doubles.
Residual residual(const MovingPolygon& polygon, const Direction& n, const Product& product,
                  double d, double t) {
  const double err = corner_err(polygon), edge_err = 2.5 * err;
  const auto at = [&](std::size_t i) { return corner_at(polygon, i, t); };
  const auto edge = [&](std::size_t i) { return at(i + 1 == polygon.size ? 0 : i + 1) - at(i); };
  const auto less = [&](PairNumber value, double value_err, PairNumber reach,
                        double reach_err) -> Residual {
    const PairNumber far = d * reach;
    return {n.side * value - far,
            (value_err + d * reach_err + 4 * uu * (std::abs(value.hi) + std::abs(far.hi))) *
                    (1 + 0x1p-20) +
                floor_err};
  };
  const auto k = static_cast<std::size_t>(n.axis), l = (k + 1) % 3, m = (k + 2) % 3;
  if (n.kind == Direction::Kind::axis) return less(at(product.corner)[k], err, {1, 0}, 0);
  if (n.kind == Direction::Kind::edge) {
    const PairVector g = edge(n.edge), e = at(product.corner);
    return less(cross(g, e)[k], pair_cross_err(pair_size(g), edge_err, pair_size(e), err),
                product.signs[1] * g[l] - product.signs[0] * g[m],
                2.01 * edge_err + 4 * uu * pair_size(g));
  }
  const PairVector e = at(0), p = edge(0), q = edge(polygon.size - 1), normal = cross(q, p);
  const double size = pair_size(normal);
  const double normal_err = pair_cross_err(pair_size(q), edge_err, pair_size(p), edge_err);
  const PairNumber reach =
      (product.signs[0] * normal[0] + product.signs[1] * normal[1]) + product.signs[2] * normal[2];
  return less(dot(e, normal),
              3.02 * (pair_size(e) * normal_err + size * err + err * normal_err) +
                  40 * uu * pair_size(e) * size,
              reach, 3.01 * normal_err + 12 * uu * size);
}

// Returns d |n|_1 with bounds from below and from above.
Number reach(const std::array<Number, 3>& n, std::size_t count, double d) {
  Number sum{std::abs(n[0].value), n[0].err};
  for (std::size_t k = 1; k < count; ++k) sum = sum + Number{std::abs(n[k].value), n[k].err};
  return d * sum;
}

}  // namespace

Vec3 Direction::at(const DifferencePolygon& polygon) const {
  const auto& e = polygon.corners;
  if (kind == Kind::axis) return Vec3::Unit(axis);
  if (kind == Kind::edge)
    return Vec3::Unit(axis).cross(e[edge + 1 == polygon.size ? 0 : edge + 1] - e[edge]);
  return (e[1] - e[0]).cross(e[polygon.size - 1] - e[0]);
}

BestDirection best_direction(const DifferencePolygon& polygon) {
  const auto& e = polygon.corners;
  const std::size_t n = polygon.size, edges = different_edges(n);
  // The least and the largest n.e / |n|_1: along the axes, then for each edge along its products
  // with the axes, then along the normal. NaN for an edge along an axis.
  std::array<double, 13> lo, hi;
  for (int k = 0; k < 3; ++k) {
    double least = e[0][k], most = least;
    for (std::size_t i = 1; i < n; ++i) {
      least = std::min(least, e[i][k]);
      most = std::max(most, e[i][k]);
    }
    lo[static_cast<std::size_t>(k)] = least;
    hi[static_cast<std::size_t>(k)] = most;
  }
  std::size_t count = 3;
  for (std::size_t i = 0; i < edges; ++i) {
    const Vec3 g = e[i + 1 == n ? 0 : i + 1] - e[i], size = g.cwiseAbs();
    const Vec3 near = g.cross(e[i]), far = g.cross(e[n > 2 ? (i + 2) % n : i]);
    for (int k = 0; k < 3; ++k, ++count) {
      const double per_norm = 1 / (size[(k + 1) % 3] + size[(k + 2) % 3]);
      lo[count] = std::min(near[k], far[k]) * per_norm;
      hi[count] = std::max(near[k], far[k]) * per_norm;
    }
  }
  if (n > 2) {
    const Vec3 normal = (e[1] - e[0]).cross(e[n - 1] - e[0]);
    lo[count] = hi[count] = normal.dot(e[0]) / normal.lpNorm<1>();
    ++count;
  }
  BestDirection best;
  best.distance = -std::numeric_limits<double>::infinity();
  std::size_t at = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double distance = std::max(lo[i], -hi[i]);
    at = distance > best.distance ? i : at;
    best.distance = distance > best.distance ? distance : best.distance;
  }
  best.side = lo[at] > -hi[at] ? 1 : -1;
  best.kind = at < 3 ? Kind::axis : at < 3 + 3 * edges ? Kind::edge : Kind::normal;
  best.axis = static_cast<int>(at % 3);
  if (best.kind == Kind::edge) best.edge = at / 3 - 1;
  const Vec3 direction = best.side * best.at(polygon);
  for (std::size_t i = 1; i < n; ++i)
    if (direction.dot(e[i]) < direction.dot(e[best.corner])) best.corner = i;
  return best;
}

// Each direction has, to both sides, a corner at which n.e is proven to be less than d |n|_1.
bool is_within_linf(const MovingPolygon& polygon, double d, double t) {
  const Products products(polygon, d, t, t);
  bool within = true;
  each_direction(polygon, [&](const Direction& n) {
    if (!within) return;
    std::array<Number, 3> x;
    const std::size_t count = products.coordinates(n, x);
    const Number far = reach(x, count, d);
    bool above = false, below = false;
    products.each_corner(n, [&](std::size_t, const Number& value) {
      above = above || (value - far).is_negative();
      below = below || (value + far).is_positive();
    });
    within = above && below;
  });
  return within;
}

// The first time within d lies in the bracket, after its start: it is the time at which the last
// separating direction ceases to separate. Every product of a direction that may separate somewhere
// in the bracket must stay positive or fall all along; then the direction separates up to the first
// root of its products and no longer.
Proven root_linf(const MovingPolygon& polygon, double d, const Bracket& bracket) {
  const Products products(polygon, d, bracket.lo, bracket.hi);
  std::optional<Cell> last;
  bool proven = true;
  const auto examine = [&](const Direction& n, const std::array<Number, 3>& x, std::size_t count,
                           const Number& far) {
    std::optional<Cell> end;  // of this direction
    bool separates = true;    // somewhere in the bracket
    products.each_corner(n, [&](std::size_t corner, const Number& value) {
      if (!proven || (n.side * value - far).is_positive()) return;
      for (std::size_t pattern = 0; pattern < std::size_t{1} << count; ++pattern) {
        Product product{corner, {1, 1, 1}};
        Number part{0, 0};
        for (std::size_t k = 0; k < count; ++k) {
          if (pattern >> k & 1) product.signs[k] = -1;
          part = part + product.signs[k] * x[k];
        }
        if (n.kind == Kind::axis && pattern == 1) continue;  // n.c = d
        if ((n.side * value - d * part).is_positive()) continue;
        const auto cell = locate([&](double t) { return residual(polygon, n, product, d, t); },
                                 products.rate(n, product), bracket);
        if (!cell || cell->side == 0) {
          proven = false;
          return;
        }
        if (cell->lo() >= bracket.hi) continue;
        if (cell->hi() <= bracket.lo)
          separates = false;
        else if (cell->lo() < bracket.lo || cell->hi() > bracket.hi)
          proven = false;
        else if (!end || cell->lo() < end->lo())
          end = cell;
      }
    });
    if (!separates) return;
    if (!end) proven = false;  // contradicts the distance at hi
    if (proven && (!last || end->lo() > last->lo())) last = end;
  };
  each_direction(polygon, [&](Direction n) {
    std::array<Number, 3> x;
    const std::size_t count = products.coordinates(n, x);
    const Number far = reach(x, count, d);
    bool below = false, above = false;
    products.each_corner(n, [&](std::size_t, const Number& value) {
      below = below || (value - far).is_negative();
      above = above || (value + far).is_positive();
    });
    for (const double side : {1.0, -1.0}) {
      if (!proven || (side > 0 ? below : above)) continue;
      n.side = side;
      examine(n, x, count, far);
    }
  });
  if (!proven || !last) return {};
  return {Proven::Result::root, last->lo(), 1, 0};
}

}  // namespace graze::narrow::separation
