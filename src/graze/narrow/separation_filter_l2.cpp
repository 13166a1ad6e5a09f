#include <bit>
#include <cstdint>

#include "graze/narrow/separation_curves.h"

namespace graze {
namespace {

using namespace separation;

// ---- the features of the polygon on a piece of time --------------------------------------------

class Piece {
 public:
  Piece(const MovingPolygon& polygon, double d, double lo, double hi)
      : size_(polygon.size), d_sq_(d * d), lo_(lo), hi_(hi) {
    const DifferencePolygon a = polygon.at(lo), b = polygon.at(hi);
    const double err = 5 * u * polygon.largest;
    for (std::size_t i = 0; i < size_; ++i) {
      corner_[i] = {{a.corners[i], b.corners[i]}, err, 0};
      corner_[i].measure();
    }
    // A difference of corners: 2 E and the rounding of 2 M at most, 2 u M = 0.4 E.
    for (std::size_t i = 0; i < edges(); ++i) {
      const std::size_t j = i + 1 == size_ ? 0 : i + 1;
      edge_[i] = {
          {corner_[j].c[0] - corner_[i].c[0], corner_[j].c[1] - corner_[i].c[1]}, 2.5 * err, 0};
      edge_[i].measure();
    }
  }

  std::size_t corners() const { return size_; }
  std::size_t edges() const { return size_ > 2 ? size_ : size_ - 1; }
  std::size_t features() const { return size_ + edges() + (size_ > 2 ? 1 : 0); }
  double lo() const { return lo_; }
  double hi() const { return hi_; }

  // Whether 0 projects into the interior of the feature: never, always, or not known.
  enum class Inside { never, always, unknown };
  Inside inside(std::size_t feature) {
    if (feature < size_) return Inside::always;
    Inside result = Inside::always;
    const auto require = [&](const auto& curve, double sign) {
      bool above = true, below = true;
      for (const double c : curve.c) {
        above = above && sign * c > curve.err;
        below = below && sign * c < -curve.err;
      }
      if (below) result = Inside::never;
      if (!above && result == Inside::always) result = Inside::unknown;
    };
    if (feature < size_ + edges()) {
      const std::size_t i = feature - size_, j = i + 1 == size_ ? 0 : i + 1;
      require(dot(corner_[i], edge_[i]), -1);
      require(dot(corner_[j], edge_[i]), 1);
    } else {
      for (std::size_t i = 0; i < edges() && result != Inside::never; ++i)
        require(dot(normal(), turn(i)), 1);
    }
    return result;
  }

  // Calls visit(curve) with the gap of the feature.
  template <class Visit>
  auto with_gap(std::size_t feature, Visit&& visit) {
    if (feature < size_)
      return visit(gap(dot(corner_[feature], corner_[feature]), d_sq_, Curve<2>{{1, 1, 1}, 0}));
    if (feature < size_ + edges()) {
      const std::size_t i = feature - size_;
      return visit(gap(dot(turn(i), turn(i)), d_sq_, raised(dot(edge_[i], edge_[i]))));
    }
    return visit(gap(square(dot(corner_[0], normal())), d_sq_, raised(dot(normal(), normal()))));
  }

 private:
  // corner i x edge i = corner i x next corner.
  const VectorCurve<2>& turn(std::size_t i) {
    if (!turn_[i]) turn_[i] = cross(corner_[i], edge_[i]);
    return *turn_[i];
  }
  // Along the first edge and from the first corner to the last: minus the last edge.
  const VectorCurve<2>& normal() {
    if (!normal_) normal_ = cross(edge_[size_ - 1], edge_[0]);
    return *normal_;
  }

  std::size_t size_;
  double d_sq_, lo_, hi_;
  std::array<VectorCurve<1>, 4> corner_, edge_;
  std::array<std::optional<VectorCurve<2>>, 4> turn_;
  std::optional<VectorCurve<2>> normal_;
};

// ---- the gap at one double, in pairs of doubles ------------------------------------------------

// The formulas are those of the curves, with corner_err for E and uu for u.
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

// ---- a piece of time that ends in contact ------------------------------------------------------

double neighbour(double x, int side) {  // x > 0
  return std::bit_cast<double>(std::bit_cast<std::int64_t>(x) + side);
}

}  // namespace

// [lo, hi] with a distance above d at lo. The first time within d is a root of the gap of a feature
// into which 0 projects there. If no feature has one, they stay apart; if a certain one is the
// first, or all that may be agree on the cell, and `ends_within` (the distance at hi is <= d), that
// is the time.
Proven examine_l2(const MovingPolygon& polygon, double d, double lo, double hi, bool ends_within) {
  struct Candidate {
    std::size_t feature;
    Cell cell;
    bool certain;
  };
  std::array<Candidate, 9> candidates;
  std::size_t count = 0;
  Piece piece(polygon, d, lo, hi);
  const auto vanishes = [&](std::size_t feature) {
    const std::size_t n = polygon.size;
    return feature >= n &&
           (feature < n + piece.edges() ? polygon.is_point(feature - n) : polygon.is_flat());
  };
  for (std::size_t feature = 0; feature < piece.features(); ++feature) {
    if (vanishes(feature)) continue;
    if (piece.inside(feature) == Piece::Inside::never) continue;
    const Sign sign = piece.with_gap(feature, [](const auto& gap) { return gap.sign(); });
    if (sign == Sign::positive) continue;
    if (sign != Sign::falls) return {};
    const auto bracket =
        bracket_root([&](double from, double to,
                         auto&& visit) { Piece(polygon, d, from, to).with_gap(feature, visit); },
                     lo, hi);
    if (!bracket) return {};
    const auto inside = Piece(polygon, d, bracket->lo, bracket->hi).inside(feature);
    if (inside == Piece::Inside::never) continue;
    const auto cell = locate([&](double t) { return residual(polygon, feature, d, t); }, *bracket);
    if (!cell) return {};
    candidates[count++] = {feature, *cell, inside == Piece::Inside::always};
  }
  if (count == 0) return {Proven::Result::separated};
  const auto first = std::min_element(
      candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(count),
      [](const Candidate& a, const Candidate& b) {
        return a.cell.at != b.cell.at ? a.cell.at < b.cell.at : a.cell.side < b.cell.side;
      });
  bool certain = first->certain || ends_within;
  for (std::size_t i = 0; i < count; ++i) {
    const Candidate& other = candidates[i];
    if (&other == &*first) continue;
    const bool same = other.cell.at == first->cell.at && other.cell.side == first->cell.side;
    // Cells that share a double may hold roots in either order.
    const bool later = neighbour(other.cell.at, -1) >= neighbour(first->cell.at, 1);
    if (same && first->cell.side != 0) {
      certain = certain || other.certain;
    } else if (!later || !first->certain) {
      return {};
    }
  }
  if (!certain) return {};
  return {Proven::Result::root, first->cell.at, first->cell.side, first->feature};
}

}  // namespace graze
