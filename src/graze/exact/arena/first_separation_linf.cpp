#include <optional>

#include "graze/exact/arena/first_separation.h"

// The first separation time in the max norm. The polygon meets the cube [-d, d]^3 unless some
// direction separates them. It suffices to test the axes, the cross products of an axis and an
// edge, and the normal (docs/methods/separation.md, section 3). Each direction separates during
// open intervals of time. The search starts at t = 0 and repeatedly replaces t by the end of a
// separating interval that contains t. It stops at the first time at which no direction separates.
namespace graze::exact {
namespace {

// A direction n. With a side, 1 or -1, n separates where side n.e > d |n|_1 for all corners e, that
// is, where all products side n.e - d (+-n_x +-n_y +-n_z) are positive.
struct Direction {
  enum class Kind { axis, edge, normal } kind;
  std::size_t axis;  // axis: n itself; edge: n = this axis x edge
  std::size_t edge;  // from this corner to the next
};

// The distinct terms of the products of a direction: n.e and d n_k.
struct Terms {
  std::array<ArenaPolynomial, 4> along;
  std::array<ArenaPolynomial, 3> reach;
  std::size_t corners = 0, components = 0;
};

Interval magnitude(const Interval& x) {
  return x.lo > 0 ? x : x.hi < 0 ? -x : Interval(0, x.magnitude());
}

class Sweep {
 public:
  explicit Sweep(const IntegerPolygon& polygon) : polygon_(polygon), arena_(*polygon.arena) {
    const auto add = [&](const Direction& direction) { directions_[count_++] = direction; };
    for (std::size_t k = 0; k < 3; ++k) add({Direction::Kind::axis, k, 0});
    for (std::size_t i = 0; i < (polygon.size == 4 ? 2 : polygon.edges()); ++i)
      for (std::size_t k = 0; k < 3; ++k) add({Direction::Kind::edge, k, i});
    if (polygon.size > 2) add({Direction::Kind::normal, 0, 0});
  }

  FirstSeparation run(double t_max) {
    IsolatedRoot now = exact_time(arena_, 0);
    for (int candidates = 1;; ++candidates) {
      look_at(now);
      const auto direction = separating(now);
      if (!direction) return {true, now.lo, now.hi, candidates};
      const auto end = end_of(*direction, now);
      if (!end || end->hi > t_max) return {false, Impact::inf, Impact::inf, candidates};
      now = *end;
      ended_ = direction;
    }
  }

 private:
  struct Sided {
    std::size_t direction;
    int side;
    bool operator==(const Sided&) const = default;
  };

  std::optional<Sided> separating(const IsolatedRoot& now) {
    for (std::size_t i = 0; i < count_; ++i)
      for (const int side : {1, -1})
        if (const Sided sided{i, side}; sided != ended_ && separates(sided, now)) return sided;
    return std::nullopt;
  }

  // Computes floating-point enclosures of the corners and edges at the time `now`.
  void look_at(const IsolatedRoot& now) {
    const Interval t(now.lo, now.hi);
    for (std::size_t i = 0; i < polygon_.size; ++i)
      for (std::size_t k = 0; k < 3; ++k) rough_[i][k] = polygon_.rough[i][k].at(t);
  }
  IntervalVector rough_edge(std::size_t i) const {
    const IntervalVector &a = rough_[i], &b = rough_[polygon_.next(i)];
    return {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
  }
  IntervalVector rough_normal(const Direction& n) const {
    IntervalVector result{Interval(0), Interval(0), Interval(0)};
    if (n.kind == Direction::Kind::axis) {
      result[n.axis] = Interval(1);
    } else if (n.kind == Direction::Kind::edge) {
      const IntervalVector g = rough_edge(n.edge);
      const std::size_t l = (n.axis + 1) % 3, m = (n.axis + 2) % 3;
      result[l] = -g[m];
      result[m] = g[l];
    } else {
      result = cross(rough_edge(polygon_.size - 1), rough_edge(0));
    }
    return result;
  }
  // Returns the number of corners with different n.e. Both ends of the edge have one value, and so
  // have both ends of an opposite edge.
  std::size_t corners(const Direction& n) const {
    return n.kind == Direction::Kind::axis     ? polygon_.size
           : n.kind == Direction::Kind::normal ? 1
           : polygon_.size > 2                 ? 2
                                               : 1;
  }
  std::size_t corner(const Direction& n, std::size_t i) const {
    return n.kind == Direction::Kind::edge ? (n.edge + 2 * i) % polygon_.size : i;
  }

  bool separates(const Sided& sided, const IsolatedRoot& now) {
    const Direction& direction = directions_[sided.direction];
    const IntervalVector n = rough_normal(direction);
    const Interval reach =
        (magnitude(n[0]) + magnitude(n[1]) + magnitude(n[2])) * Interval(polygon_.rough_d);
    bool certain = true;
    for (std::size_t i = 0; i < corners(direction); ++i) {
      const Interval along = dot(n, rough_[corner(direction, i)]);
      const Interval margin = (sided.side > 0 ? along : -along) - reach;
      if (margin.hi <= 0) return false;
      certain = certain && margin.lo > 0;
    }
    return certain || all_products(sided, [&](const ArenaPolynomial& product) {
             return sign_at(product, now) > 0;
           });
  }

  // Returns the first root after `now` of any product; all products must be positive at `now`.
  std::optional<IsolatedRoot> end_of(const Sided& sided, const IsolatedRoot& now) {
    std::optional<IsolatedRoot> end;
    all_products(sided, [&](const ArenaPolynomial& product) {
      if (product.degree < 1) return true;
      std::array<IsolatedRoot, 3> roots;
      const int count = isolate_roots(product, roots);
      for (int i = 0; i < count; ++i) {
        IsolatedRoot& root = roots[static_cast<std::size_t>(i)];
        if (end && root.lo >= end->hi) break;
        refine(root);
        if (root.hi <= now.lo || (root.lo < now.hi && order(root, now) < 0)) continue;
        if (!end || root.hi <= end->lo || (root.lo < end->hi && order(root, *end) < 0)) end = root;
        break;
      }
      return true;
    });
    return end;
  }

  template <class Test>
  bool all_products(const Sided& sided, Test&& test) {
    const Terms& terms = terms_of(sided.direction);
    const bool axis = directions_[sided.direction].kind == Direction::Kind::axis;
    const unsigned patterns = axis ? 1 : 1U << terms.components;
    for (std::size_t i = 0; i < terms.corners; ++i)
      for (unsigned pattern = 0; pattern < patterns; ++pattern) {
        std::array<ArenaInteger, 4> c;
        c.fill(ArenaInteger(arena_));
        const auto add = [&](const ArenaPolynomial& p, bool negated) {
          for (int j = 0; j <= p.degree; ++j) {
            ArenaInteger& sum = c[static_cast<std::size_t>(j)];
            sum = negated ? sum - p.c[j] : sum + p.c[j];
          }
        };
        add(terms.along[i], sided.side < 0);
        for (std::size_t k = 0; k < terms.components; ++k) add(terms.reach[k], !(pattern >> k & 1));
        if (!test(make_polynomial(c))) return false;
      }
    return true;
  }

  // start + t motion
  struct Line {
    ArenaInteger start, motion;
  };
  using LineVector = std::array<Line, 3>;
  LineVector corner_line(std::size_t i) const {
    LineVector line;
    for (std::size_t k = 0; k < 3; ++k) line[k] = {polygon_.start[i][k], polygon_.motion[i][k]};
    return line;
  }
  LineVector edge_line(std::size_t i) const {
    const std::size_t j = polygon_.next(i);
    LineVector line;
    for (std::size_t k = 0; k < 3; ++k)
      line[k] = {polygon_.start[j][k] - polygon_.start[i][k],
                 polygon_.motion[j][k] - polygon_.motion[i][k]};
    return line;
  }
  // Component k of a x b.
  static ArenaPolynomial turn(const LineVector& a, const LineVector& b, std::size_t k) {
    const Line &al = a[(k + 1) % 3], &am = a[(k + 2) % 3], &bl = b[(k + 1) % 3],
               &bm = b[(k + 2) % 3];
    return make_polynomial(std::array{al.start * bm.start - am.start * bl.start,
                                      (al.start * bm.motion - am.start * bl.motion) +
                                          (al.motion * bm.start - am.motion * bl.start),
                                      al.motion * bm.motion - am.motion * bl.motion});
  }
  ArenaPolynomial times_d(ArenaPolynomial p) const {
    for (int i = 0; i <= p.degree; ++i) p.c[i] = p.c[i] * polygon_.d;
    return p;
  }
  static ArenaPolynomial polynomial(const Line& line) {
    return make_polynomial(std::array{line.start, line.motion});
  }

  const Terms& terms_of(std::size_t index) {
    std::optional<Terms>& known = terms_[index];
    if (known) return *known;
    const Direction& n = directions_[index];
    Terms& terms = known.emplace();
    terms.corners = corners(n);
    if (n.kind == Direction::Kind::axis) {
      for (std::size_t i = 0; i < terms.corners; ++i)
        terms.along[i] = polynomial(corner_line(i)[n.axis]);
      terms.reach[terms.components++] = make_polynomial(std::array{polygon_.d});
    } else if (n.kind == Direction::Kind::edge) {
      const LineVector g = edge_line(n.edge);
      for (std::size_t i = 0; i < terms.corners; ++i)
        terms.along[i] = turn(g, corner_line(corner(n, i)), n.axis);
      for (const std::size_t k : {(n.axis + 1) % 3, (n.axis + 2) % 3})
        terms.reach[terms.components++] = times_d(polynomial(g[k]));
    } else {
      const LineVector e = corner_line(0), g = edge_line(polygon_.size - 1), h = edge_line(0);
      std::array<ArenaInteger, 4> offset;
      offset.fill(ArenaInteger(arena_));
      for (std::size_t k = 0; k < 3; ++k) {
        const ArenaPolynomial component = turn(g, h, k);
        for (int i = 0; i <= component.degree; ++i) {
          const auto at = static_cast<std::size_t>(i);
          offset[at] = offset[at] + e[k].start * component.c[i];
          offset[at + 1] = offset[at + 1] + e[k].motion * component.c[i];
        }
        terms.reach[terms.components++] = times_d(component);
      }
      terms.along[0] = make_polynomial(offset);
    }
    return terms;
  }

  const IntegerPolygon& polygon_;
  Arena& arena_;
  std::array<Direction, 13> directions_;
  std::size_t count_ = 0;
  std::array<std::optional<Terms>, 13> terms_;
  std::array<IntervalVector, 4> rough_;
  std::optional<Sided> ended_;
};

}  // namespace

FirstSeparation first_separation_linf(const IntegerPolygon& polygon, double t_max) {
  return Sweep(polygon).run(t_max);
}

}  // namespace graze::exact
