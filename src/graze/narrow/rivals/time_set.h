#pragma once

#include "graze/narrow/rivals/time_polynomial.h"

// Sets of times at which inequalities hold, for the methods that intersect them: cubic_root and the
// same method as published.
namespace graze::narrow::rivals {

struct Interval {
  double lo, hi;
};

// A set of times: closed intervals, ascending. A quartic inequality holds on three at most, so the
// intersection of four of them with one interval has no more than ten.
class TimeSet {
 public:
  static constexpr std::size_t capacity = 12;

  void add(Interval interval) {
    if (count_ > 0 && items_[count_ - 1].hi >= interval.lo)
      items_[count_ - 1].hi = std::max(items_[count_ - 1].hi, interval.hi);
    else if (count_ < capacity)
      items_[count_++] = interval;
  }
  bool empty() const { return count_ == 0; }
  const Interval* begin() const { return items_.data(); }
  const Interval* end() const { return items_.data() + count_; }

 private:
  std::array<Interval, capacity> items_;
  std::size_t count_ = 0;
};

inline TimeSet intersection(const TimeSet& a, const TimeSet& b) {
  TimeSet both;
  for (const Interval& i : a)
    for (const Interval& j : b)
      if (i.lo <= j.hi && j.lo <= i.hi) both.add({std::max(i.lo, j.lo), std::min(i.hi, j.hi)});
  return both;
}

// Returns four polynomials. If the ends of the edges are coplanar, their contact is inside both
// exactly where none is negative: they are the parameters on the edges, from x = u y - v z, and
// their complements to 1, times |n|^2, n = y cross z.
inline std::array<Polynomial<4>, 4> inside(const EdgeEdge&, const Motion& m) {
  const auto n = cross(m.y, m.z);
  const auto nn = dot(n, n), u = dot(cross(m.x, m.z), n), v = dot(cross(m.x, m.y), n);
  return {u, nn - u, v, nn - v};
}

}  // namespace graze::narrow::rivals
