#include "graze/narrow/separation/separation_bounds.h"
#include "graze/narrow/separation/separation_filter.h"

namespace graze::narrow::separation {
namespace {

// ---- the features of the polygon during a short piece of time ----------------------------------

// Feature numbers: corners, edges, the face.
class Features {
 public:
  Features(const MovingPolygon& polygon, double d, double lo, double hi)
      : polygon_(polygon), piece_(polygon, lo, hi), d_sq_{d * d, 1.01 * u * d * d} {
    for (std::size_t i = 0; i < piece_.edges(); ++i) edge_[i] = piece_.edge(i);
    if (polygon.size > 2) normal_ = cross(edge_[polygon.size - 1], edge_[0]);
  }

  std::size_t count() const { return polygon_.size > 2 ? 2 * polygon_.size + 1 : last_edge(); }

  // Returns whether 0 may project into the interior of the feature while its gap is 0. Sets
  // `certain` to whether that projection is proven.
  bool may_vanish(std::size_t feature, bool& certain) const {
    certain = true;
    const auto require = [&](const Number& x) {
      if (!x.is_positive()) certain = false;
      return !x.is_negative();
    };
    const std::size_t n = polygon_.size;
    if (feature < n) return !gap(feature).is_positive();
    if (feature < last_edge()) {
      const std::size_t i = feature - n;
      if (polygon_.is_point(i)) return false;
      const Number along = dot(piece_.corner(i), edge_[i]);
      return require(-along) && require(dot(piece_.corner(piece_.next(i)), edge_[i])) &&
             !gap(feature).is_positive();
    }
    if (gap(feature).is_positive() || polygon_.is_flat()) return false;
    for (std::size_t i = 0; i < n; ++i)
      if (!require(dot(normal_, turn(i)))) return false;
    return true;
  }

  Number gap(std::size_t feature) const {
    if (feature < polygon_.size) return dot(piece_.corner(feature), piece_.corner(feature)) - d_sq_;
    if (feature < last_edge()) {
      const std::size_t i = feature - polygon_.size;
      const Vector around = turn(i);
      return dot(around, around) - d_sq_ * dot(edge_[i], edge_[i]);
    }
    const Number offset = dot(piece_.corner(0), normal_);
    return offset * offset - d_sq_ * dot(normal_, normal_);
  }

  // Returns the rate of change of the gap of a feature.
  Number rate(std::size_t feature) const {
    if (feature < polygon_.size)
      return 2 * dot(piece_.corner(feature), piece_.corner_rate(feature));
    if (feature < last_edge()) {
      const std::size_t i = feature - polygon_.size;
      const Vector change = piece_.edge_rate(i);
      const Vector around = turn(i), around_rate = cross(piece_.corner_rate(i), edge_[i]) +
                                                   cross(piece_.corner(i), change);
      return 2 * (dot(around, around_rate) - d_sq_ * dot(edge_[i], change));
    }
    const std::size_t last = polygon_.size - 1;
    const Vector normal_rate =
        cross(piece_.edge_rate(last), edge_[0]) + cross(edge_[last], piece_.edge_rate(0));
    const Vector &e = piece_.corner(0), &e_rate = piece_.corner_rate(0);
    return 2 * (dot(e, normal_) * (dot(e_rate, normal_) + dot(e, normal_rate)) -
                d_sq_ * dot(normal_, normal_rate));
  }

 private:
  std::size_t last_edge() const { return polygon_.size + piece_.edges(); }
  // corner i x edge i = corner i x next corner.
  Vector turn(std::size_t i) const { return cross(piece_.corner(i), edge_[i]); }

  const MovingPolygon& polygon_;
  Piece piece_;
  Number d_sq_;
  std::array<Vector, 4> edge_;
  Vector normal_;  // last edge x first edge
};

// ---- the gap at one double, in pairs of doubles ------------------------------------------------

// Returns the gap of a feature at t. The formulas of its error are those of Features, with
// corner_err for E and uu for u.
Residual residual(const MovingPolygon& polygon, std::size_t feature, double d, double t) {
  const double err = corner_err(polygon);
  const auto at = [&](std::size_t i) { return corner_at(polygon, i, t); };
  // |x|^2 - d^2 |y|^2 with coordinates off by x_err and y_err.
  const PairNumber d_sq = two_product(d, d);
  const auto difference = [&](PairNumber x_sq, double x_size, double x_err, PairNumber y_sq,
                              double y_size, double y_err) -> Residual {
    const auto square_err = [&](double s, double e) {
      return 3.02 * (2 * s * e + e * e) + 40 * uu * s * s;
    };
    const PairNumber y = d_sq * y_sq;
    const double bound = square_err(x_size, x_err) + d_sq.hi * square_err(y_size, y_err) +
                         4 * uu * (std::abs(x_sq.hi) + std::abs(y.hi));
    return {x_sq - y, bound * (1 + 0x1p-20) + floor_err};
  };
  const std::size_t n = polygon.size, edges = n > 2 ? n : n - 1;
  if (feature < n) {
    const PairVector e = at(feature);
    return difference(dot(e, e), pair_size(e), err, {1, 0}, 0, 0);
  }
  const double edge_err = 2.5 * err;
  if (feature < n + edges) {
    const std::size_t i = feature - n, j = i + 1 == n ? 0 : i + 1;
    const PairVector e = at(i), g = at(j) - e, turn = cross(e, g);
    return difference(dot(turn, turn), pair_size(turn),
                      pair_cross_err(pair_size(e), err, pair_size(g), edge_err), dot(g, g),
                      pair_size(g), edge_err);
  }
  const PairVector e = at(0), p = at(1) - e, q = at(n - 1) - e, normal = cross(p, q);
  const double normal_err = pair_cross_err(pair_size(p), edge_err, pair_size(q), edge_err);
  const PairNumber offset = dot(e, normal);
  const double offset_err =
      3.02 * (pair_size(e) * normal_err + pair_size(normal) * err + err * normal_err) +
      40 * uu * pair_size(e) * pair_size(normal);
  return difference(offset * offset, std::abs(offset.hi), offset_err, dot(normal, normal),
                    pair_size(normal), normal_err);
}

}  // namespace

// The first time within d lies in the bracket, after its start, and is a root of the gap of a
// feature into which 0 projects there. Every candidate feature has a gap that falls all along the
// bracket, so at most one root. If all these roots share a cell between doubles, that cell contains
// the time. Otherwise the cell of the first root does, if 0 is proven to project into its feature:
// then the foot is a point of the polygon, at distance d when the gap is 0.
Proven root_l2(const MovingPolygon& polygon, double d, const Bracket& bracket) {
  struct Candidate {
    std::size_t feature;
    Cell cell;
    bool certain;
  };
  std::array<Candidate, 9> candidates;
  std::size_t count = 0, first = 0;
  const Features features(polygon, d, bracket.lo, bracket.hi);
  for (std::size_t feature = 0; feature < features.count(); ++feature) {
    bool certain;
    if (!features.may_vanish(feature, certain)) continue;
    const auto cell = locate([&](double t) { return residual(polygon, feature, d, t); },
                             features.rate(feature), bracket);
    if (!cell) return {};
    if (count > 0 && cell->lo() < candidates[first].cell.lo()) first = count;
    candidates[count++] = {feature, *cell, certain};
  }
  if (count == 0) return {};
  const Cell& cell = candidates[first].cell;
  bool alone = true, agreed = cell.side != 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (i == first) continue;
    const Cell& other = candidates[i].cell;
    agreed = agreed && other.lo() == cell.lo() && other.hi() == cell.hi();
    alone = alone && other.lo() >= cell.hi();
  }
  const bool is_first =
      candidates[first].certain && bracket.lo <= cell.lo() && cell.hi() <= bracket.hi;
  if (!agreed && !(alone && (count == 1 || is_first))) return {};
  return {Proven::Result::root, cell.at, cell.side, candidates[first].feature};
}

}  // namespace graze::narrow::separation
