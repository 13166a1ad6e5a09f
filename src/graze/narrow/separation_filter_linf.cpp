#include <bit>
#include <cstdint>

#include "graze/narrow/separation_curves.h"

namespace graze {
namespace {

using namespace separation;

// A direction that may separate the polygon from the cube [-d, d]^3, and its side.
struct Direction {
  enum class Kind { axis, edge, normal } kind;
  int axis;          // axis: the axis; edge: the axis of the cross product with the edge
  std::size_t edge;  // edge: from this corner to the next
  double side;       // 1 or -1
};

// side * n.e - n.c for a direction n, a corner e of the polygon and a corner c of the cube, which
// is d times the signs. While all of them are positive the direction separates.
struct Product {
  std::size_t corner;
  std::array<double, 3> signs;
};

// The signs of c that matter: none along an axis (n.c = d), two for an edge, three for the normal.
std::size_t patterns(const Direction& direction) {
  return direction.kind == Direction::Kind::axis   ? 1
         : direction.kind == Direction::Kind::edge ? 4
                                                   : 8;
}
std::array<double, 3> signs_of(std::size_t pattern) {
  return {pattern & 1 ? -1.0 : 1.0, pattern & 2 ? -1.0 : 1.0, pattern & 4 ? -1.0 : 1.0};
}

class Piece {
 public:
  Piece(const MovingPolygon& polygon, double d, double lo, double hi) : size_(polygon.size), d_(d) {
    const DifferencePolygon a = polygon.at(lo), b = polygon.at(hi);
    const double err = 5 * u * polygon.largest;
    for (std::size_t i = 0; i < size_; ++i) {
      corner_[i] = {{a.corners[i], b.corners[i]}, err, 0};
      corner_[i].measure();
    }
  }

  // Along an axis: a coordinate less d, off by E and a rounding.
  // Along axis k x edge g: (g x e)_k less d (s_m g_l - s_l g_m), k, l, m cyclic. The second is the
  // sum of two coordinates of an edge (2 err of an edge and one rounding), times d, raised by one
  // degree (one more mean).
  // Along the normal N: N.e less d s.N: three coordinates, 3 err and two roundings, times d, raised
  // (three roundings more). The last difference is off by u of both.
  template <class Visit>
  auto with_curve(const Direction& n, const Product& product, Visit&& visit) {
    if (n.kind == Direction::Kind::axis) {
      const VectorCurve<1>& e = corner_[product.corner];
      return visit(Curve<1>{{n.side * e.c[0][n.axis] - d_, n.side * e.c[1][n.axis] - d_},
                            e.err + 2 * u * (e.size + d_)});
    }
    if (n.kind == Direction::Kind::edge) {
      const VectorCurve<1> g = edge(n.edge);
      const VectorCurve<2>& turn = turned(n.edge, product.corner);
      const int k = n.axis, l = (k + 1) % 3, m = (k + 2) % 3;
      const auto reach = [&](const Vec3& x) {
        return d_ * (product.signs[1] * x[l] - product.signs[0] * x[m]);
      };
      const double first = reach(g.c[0]), last = reach(g.c[1]);
      return visit(Curve<2>{
          {n.side * turn.c[0][k] - first, n.side * turn.c[1][k] - 0.5 * (first + last),
           n.side * turn.c[2][k] - last},
          turn.err + d_ * (2.01 * g.err + 16 * u * g.size) + 2 * u * turn.size + floor_err});
    }
    if (!normal_) {
      normal_ = cross(edge(size_ - 1), edge(0));
      offset_ = dot(corner_[0], *normal_);
    }
    const VectorCurve<2>& normal = *normal_;
    const Curve<3>& offset = *offset_;
    const auto reach = [&](const Vec3& x) {
      return d_ * (product.signs[0] * x[0] + product.signs[1] * x[1] + product.signs[2] * x[2]);
    };
    const double r0 = reach(normal.c[0]), r1 = reach(normal.c[1]), r2 = reach(normal.c[2]);
    double size = 0;
    for (const double c : offset.c) size = std::max(size, std::abs(c));
    return visit(Curve<3>{
        {n.side * offset.c[0] - r0, n.side * offset.c[1] - (r0 + 2 * r1) / 3,
         n.side * offset.c[2] - (2 * r1 + r2) / 3, n.side * offset.c[3] - r2},
        offset.err + d_ * (3.01 * normal.err + 40 * u * normal.size) + 2 * u * size + floor_err});
  }
  Sign sign(const Direction& direction, const Product& product) {
    return with_curve(direction, product, [](const auto& curve) { return curve.sign(); });
  }

  // The product that is least in the middle of the piece, roughly: a guess at the one that fails.
  Product least(const Direction& n) const {
    const auto middle = [](const VectorCurve<1>& x) { return Vec3(x.c[0] + x.c[1]); };
    Vec3 direction = Vec3::Unit(n.axis);
    if (n.kind == Direction::Kind::edge) direction = direction.cross(middle(edge(n.edge)));
    if (n.kind == Direction::Kind::normal)
      direction = middle(edge(size_ - 1)).cross(middle(edge(0)));
    Product product{0, {}};
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < size_; ++i)
      if (const double x = n.side * direction.dot(middle(corner_[i])); x < least) {
        least = x;
        product.corner = i;
      }
    const auto sign = [&](int k) { return direction[k] < 0 ? -1.0 : 1.0; };
    if (n.kind == Direction::Kind::edge)  // direction_l = -g_m, direction_m = g_l
      product.signs = {sign((n.axis + 1) % 3), sign((n.axis + 2) % 3), 1};
    else
      product.signs = {sign(0), sign(1), sign(2)};
    return product;
  }

 private:
  VectorCurve<1> edge(std::size_t i) const {
    const std::size_t j = i + 1 == size_ ? 0 : i + 1;
    VectorCurve<1> result{{corner_[j].c[0] - corner_[i].c[0], corner_[j].c[1] - corner_[i].c[1]},
                          2.5 * corner_[i].err,
                          0};
    result.measure();
    return result;
  }

  const VectorCurve<2>& turned(std::size_t from, std::size_t corner) {
    auto& known = turned_[from][corner];
    if (!known) known = cross(edge(from), corner_[corner]);
    return *known;
  }

  std::size_t size_;
  double d_;
  std::array<VectorCurve<1>, 4> corner_;
  std::array<std::array<std::optional<VectorCurve<2>>, 4>, 4> turned_;
  std::optional<VectorCurve<2>> normal_;
  std::optional<Curve<3>> offset_;
};

// A product at a double, in pairs.
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

// Whether the test holds for all products of a direction.
template <class Test>
bool all_products(const MovingPolygon& polygon, const Direction& direction, Test&& test) {
  for (std::size_t i = 0; i < polygon.size; ++i) {
    if (direction.kind == Direction::Kind::normal && i > 0) break;  // N.e is the same for all,
    if (direction.kind == Direction::Kind::edge && i == polygon.next(direction.edge))
      continue;  // and n.e for both ends of the edge
    for (std::size_t pattern = 0; pattern < patterns(direction); ++pattern)
      if (!test(Product{i, signs_of(pattern)})) return false;
  }
  return true;
}

}  // namespace

// [lo, hi] with a distance above d at lo. A direction separates as long as all its products are
// positive. Take one, and the root r of its least product, which falls through 0 once. If its other
// products are positive up to r, or fall through 0 once in the same cell of doubles as r, it
// separates up to there and no longer; if no other direction separates at r (one of its products is
// negative on a bracket of r) or does so only up to the same cell, that cell holds the first time
// within d.
Proven examine_linf(const MovingPolygon& polygon, double d, double lo, double hi) {
  Piece piece(polygon, d, lo, hi);
  std::array<Direction, 26> open;  // the directions that may separate somewhere
  std::size_t count = 0;
  bool apart = false;  // one separates all the time
  const auto consider = [&](Direction direction) {
    for (const double side : {1.0, -1.0}) {
      direction.side = side;
      const Sign least = piece.sign(direction, piece.least(direction));
      if (least != Sign::negative) open[count++] = direction;
      apart = apart || (least == Sign::positive &&
                        all_products(polygon, direction, [&](const Product& product) {
                          return piece.sign(direction, product) == Sign::positive;
                        }));
    }
  };
  const std::size_t edges = polygon.size == 4 ? 2 : polygon.size == 3 ? 3 : polygon.size - 1;
  for (int k = 0; k < 3; ++k) {
    consider({Direction::Kind::axis, k, 0, 1});
    for (std::size_t i = 0; i < edges; ++i)
      if (!polygon.is_zero(i, (k + 1) % 3) || !polygon.is_zero(i, (k + 2) % 3))
        consider({Direction::Kind::edge, k, i, 1});
  }
  if (polygon.size > 2 && !polygon.is_flat()) consider({Direction::Kind::normal, 0, 0, 1});
  if (apart) return {Proven::Result::separated};

  struct End {
    Bracket bracket;
    double floor;  // the root lies strictly between this double and the next, both in the bracket
  };
  const auto end_of = [&](const Direction& direction,
                          const Product& product) -> std::optional<End> {
    if (piece.sign(direction, product) != Sign::falls) return std::nullopt;
    const auto bracket = bracket_root(
        [&](double from, double to, auto&& visit) {
          Piece(polygon, d, from, to).with_curve(direction, product, visit);
        },
        lo, hi);
    if (!bracket) return std::nullopt;
    const auto cell =
        locate([&](double t) { return residual(polygon, direction, product, d, t); }, *bracket);
    if (!cell || cell->side == 0) return std::nullopt;
    const auto bits = std::bit_cast<std::int64_t>(cell->at) - (cell->side > 0 ? 0 : 1);
    const double floor = std::bit_cast<double>(bits), ceil = std::bit_cast<double>(bits + 1);
    if (!(bracket->lo <= floor && ceil <= bracket->hi)) return std::nullopt;
    return End{*bracket, floor};
  };
  // Whether the direction certainly separates until the cell of `end`.
  const auto ends_there = [&](const Direction& direction, const End& end) {
    Piece before(polygon, d, lo, end.bracket.hi);
    return all_products(polygon, direction, [&](const Product& product) {
      if (before.sign(direction, product) == Sign::positive) return true;
      const auto other = end_of(direction, product);
      return other && other->floor == end.floor;
    });
  };
  const auto try_direction = [&](const Direction& direction) {
    const auto end = end_of(direction, piece.least(direction));
    if (!end || !ends_there(direction, *end)) return Proven{};
    Piece around(polygon, d, end->bracket.lo, end->bracket.hi);
    for (std::size_t i = 0; i < count; ++i) {
      const Direction& other = open[i];
      const Product least = around.least(other);
      if (&other == &direction || around.sign(other, least) == Sign::negative) continue;
      const auto same = end_of(other, least);
      if (!same || same->floor != end->floor) return Proven{};
    }
    return Proven{Proven::Result::root, end->floor, 1, 0};
  };
  for (std::size_t i = 0; i < count; ++i)
    if (const Proven proven = try_direction(open[i]); proven.result == Proven::Result::root)
      return proven;
  return {};
}

}  // namespace graze
