#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "graze/core/numeric/double_index.h"
#include "graze/core/numeric/strict_arithmetic.h"
#include "graze/exact/arena/first_separation.h"
#include "graze/exact/arena/gap_polynomial.h"

// The first separation time in the Euclidean norm. It is 0 or the least root of the gap of a
// feature (corner, edge or face of the polygon) at which the feature's conditions are positive:
// docs/methods/separation.md, section 2.
namespace graze::exact {
namespace {

using numeric::double_of;
using numeric::index_of;

Width width_between(double a, double b) {
  Width width;
  width.fraction = std::frexp(b - a, &width.exponent);
  return width;
}

// A corner, edge or face of the polygon. Its distance from 0 is <= d iff the gap is <= 0. The point
// closest to 0 lies in its relative interior iff all conditions are positive.
struct Feature {
  GapPolynomial gap;
  std::array<GapPolynomial, 4> inside;
  std::size_t conditions = 0;
};

class Search {
 public:
  Search(Arena& arena, double t_max) : arena_(arena), until_(t_max) {}

  // Searches for the first time of a feature; `make_gap` computes its gap only if it is needed.
  template <class MakeGap>
  void offer(Feature& feature, MakeGap&& make_gap) {
    if (first_.found && first_.hi == 0) return;
    unsigned open = (1U << feature.conditions) - 1;
    Point start = point(feature, 0, open), end = point(feature, until_, open);
    const bool starts_inside = all_positive(feature, start, open);
    if (!(until_ > 0 ? narrow(feature, start, end, open) : starts_inside)) return;
    feature.gap = make_gap();
    start.gap = expand(feature.gap, start.at);
    if (starts_inside && start.gap.sign() <= 0) return accept(0, 0);
    if (feature.gap.is_zero() || until_ == 0) return;
    end.gap = expand(feature.gap, end.at);
    const double t = until_;
    if (!examine(feature, start, end, open) && end.gap.sign() == 0 &&
        all_positive(feature, end, (1U << feature.conditions) - 1))
      accept(t, t);
  }

  FirstSeparation result() {
    std::sort(doubtful_.begin(), doubtful_.end(),
              [](const Doubtful& x, const Doubtful& y) { return x.lo < y.lo; });
    for (const Doubtful& x : doubtful_) {
      if (first_.found && x.lo >= first_.lo) break;
      ++first_.candidates;
      std::array<GapPolynomial, 4> open;
      std::size_t count = 0;
      for (std::size_t i = 0; i < x.feature->conditions; ++i)
        if (x.open >> i & 1) open[count++] = x.feature->inside[i];
      if (has_root_inside(x.feature->gap, {open.data(), count}, x.lo, x.hi)) {
        accept(x.lo, x.hi);
        break;
      }
    }
    return first_;
  }

 private:
  // A double t with the expansions at t of the gap and of the conditions that are not yet known to
  // be positive.
  struct Point {
    double t;
    ArenaDyadic at;
    Expansion gap;
    std::array<Expansion, 4> inside;
  };

  // A cell between two neighbouring doubles for which floating point could not decide whether the
  // feature has a time inside it.
  struct Doubtful {
    const Feature* feature;
    double lo, hi;
    unsigned open;  // bit mask of the conditions not proven positive in the cell
  };

  void accept(double lo, double hi) {
    first_.found = true;
    first_.lo = lo;
    first_.hi = hi;
    until_ = lo;  // later features need not search this cell again
  }

  Point point(const Feature& feature, double t, unsigned open) {
    Point result;
    result.t = t;
    result.at = make_dyadic(arena_, t);
    for (std::size_t i = 0; i < feature.conditions; ++i)
      if (open >> i & 1) result.inside[i] = expand(feature.inside[i], result.at);
    return result;
  }
  Point whole_point(const Feature& feature, double t, unsigned open) {
    Point result = point(feature, t, open);
    result.gap = expand(feature.gap, result.at);
    return result;
  }

  static bool all_positive(const Feature& feature, const Point& point, unsigned open) {
    for (std::size_t i = 0; i < feature.conditions; ++i)
      if (open >> i & 1 && point.inside[i].sign() <= 0) return false;
    return true;
  }

  // Clears the bits of conditions proven positive between a and b. Returns false if a condition is
  // positive nowhere between them.
  static bool narrow(const Feature& feature, const Point& a, const Point& b, unsigned& open) {
    for (std::size_t i = 0; i < feature.conditions; ++i) {
      if (!(open >> i & 1)) continue;
      const LocalPolynomial condition(a.inside[i], b.inside[i], width_between(a.t, b.t));
      if (condition.never_positive()) return false;
      if (condition.positive_inside()) open &= ~(1U << i);
    }
    return true;
  }

  // Returns true if the first time in (a, b) is found.
  bool examine(const Feature& feature, const Point& a, const Point& b, unsigned open) {
    if (!narrow(feature, a, b, open)) return false;
    const LocalPolynomial gap(a.gap, b.gap, width_between(a.t, b.t));
    const std::optional<int> roots = gap.roots();
    if (roots == 0) return false;
    if (roots == 1) return examine_root(feature, gap, a, b, open);
    if (index_of(b.t) - index_of(a.t) == 1) {
      doubtful_.push_back({&feature, a.t, b.t, open});
      return false;
    }
    const LocalPolynomial::Cuts cuts = gap.cuts();
    Point from = a;
    for (int i = 0; i < cuts.count; ++i) {
      double t = a.t + cuts.s[static_cast<std::size_t>(i)] * (b.t - a.t);
      if (t <= from.t) t = double_of(index_of(from.t) + 1);
      if (t >= b.t) t = double_of(index_of(b.t) - 1);
      if (t <= from.t) continue;
      const Point to = whole_point(feature, t, open);
      if (examine(feature, from, to, open)) return true;
      if (to.gap.sign() == 0 && all_positive(feature, to, open)) {
        accept(t, t);
        return true;
      }
      from = to;
    }
    return examine(feature, from, b, open);
  }

  // As examine(), for a gap with exactly one root in (a, b), a simple one.
  bool examine_root(const Feature& feature, const LocalPolynomial& gap, const Point& a,
                    const Point& b, unsigned open) {
    ++first_.candidates;
    const int before = gap.first_sign();
    std::uint64_t lo = index_of(a.t), hi = index_of(b.t);
    int sign = 1;
    const auto visit = [&](std::uint64_t i) {
      sign = sign_at(feature.gap, make_dyadic(arena_, double_of(i)));
      if (sign == 0) lo = hi = i;
      (sign == before ? lo : hi) = i;
    };
    const auto inside = [&](double t) { return index_of(t) > lo && index_of(t) < hi; };
    double t = a.t + gap.root() * (b.t - a.t);
    // Newton's method; each step expands the gap at the current t.
    for (int i = 0; i < 4 && t > 0 && inside(t); ++i) {
      const Expansion here = expand(feature.gap, make_dyadic(arena_, t));
      if (here.sign() == 0) {
        lo = hi = index_of(t);
        break;
      }
      (here.sign() == before ? lo : hi) = index_of(t);
      const double step =
          std::ldexp(here.mantissa[0] / here.mantissa[1], here.exponent[0] - here.exponent[1]);
      const double next = t - step;
      if (!(next > 0) || !inside(next)) break;
      t = next;
    }
    // Steps of doubling length away from the end found last, until the root is passed.
    if (hi - lo > 1 && (lo == index_of(t) || hi == index_of(t))) {
      const bool upward = lo == index_of(t);
      for (std::uint64_t step = 1; step < hi - lo; step *= 2) {
        const std::uint64_t next = upward ? lo + step : hi - step;
        visit(next);
        if ((upward ? hi : lo) == next) break;
      }
    }
    while (hi - lo > 1 && lo != hi) visit(lo + (hi - lo) / 2);
    const double low = double_of(lo), high = double_of(hi);
    if (lo == hi) {
      if (!all_positive(feature, point(feature, low, open), open)) return false;
    } else if (open != 0) {
      if (!narrow(feature, point(feature, low, open), point(feature, high, open), open))
        return false;
      if (open != 0) {
        doubtful_.push_back({&feature, low, high, open});
        return false;
      }
    }
    accept(low, high);
    return true;
  }

  Arena& arena_;
  double until_;
  FirstSeparation first_;
  std::vector<Doubtful> doubtful_;
};

using GapVector = std::array<GapPolynomial, 3>;

GapVector operator-(const GapVector& a, const GapVector& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
GapPolynomial dot(const GapVector& a, const GapVector& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
GapVector cross(const GapVector& a, const GapVector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

}  // namespace

FirstSeparation first_separation_l2(const IntegerPolygon& polygon, double t_max) {
  Arena& arena = *polygon.arena;
  Search search(arena, t_max);
  std::array<GapVector, 4> corner;
  std::array<GapPolynomial, 4> square;
  GapPolynomial d_sq;
  d_sq.c[0] = polygon.d * polygon.d;
  d_sq.degree = 0;
  std::array<Feature, 9> features;
  std::size_t count = 0;
  for (std::size_t i = 0; i < polygon.size; ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      GapPolynomial& p = corner[i][k];
      p.c[0] = polygon.start[i][k];
      p.c[1] = polygon.motion[i][k];
      p.degree = !p.c[1].is_zero() ? 1 : p.c[0].is_zero() ? -1 : 0;
    }
    square[i] = dot(corner[i], corner[i]);
    search.offer(features[count++], [&] { return square[i] - d_sq; });
  }
  for (std::size_t i = 0; i < polygon.edges(); ++i) {
    const std::size_t j = polygon.next(i);
    const GapPolynomial product = dot(corner[i], corner[j]);
    Feature& edge = features[count++];
    edge.inside = {square[i] - product, square[j] - product};
    edge.conditions = 2;
    search.offer(edge, [&] {  // (a x b)^2 - d^2 (b - a)^2
      return (square[i] * square[j] - product * product) - d_sq * (edge.inside[0] + edge.inside[1]);
    });
  }
  if (polygon.size > 2) {
    const GapVector along = corner[1] - corner[0];
    const GapVector normal = cross(along, corner[polygon.size - 1] - corner[0]);
    const GapPolynomial area = dot(normal, normal);
    Feature& face = features[count++];
    face.conditions = polygon.size;
    face.inside[0] = dot(normal, cross(corner[0], along));
    face.inside[1] = dot(normal, cross(corner[1], corner[2]));
    // The conditions of a triangle add up to N^2, as do those of two opposite edges of a
    // parallelogram.
    face.inside[2] = area - face.inside[0];
    if (polygon.size == 3)
      face.inside[2] = face.inside[2] - face.inside[1];
    else
      face.inside[3] = area - face.inside[1];
    search.offer(face, [&] {
      const GapPolynomial offset = dot(normal, corner[0]);
      return offset * offset - d_sq * area;
    });
  }
  return search.result();
}

}  // namespace graze::exact
