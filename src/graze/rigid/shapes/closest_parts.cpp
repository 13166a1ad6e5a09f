#include "graze/rigid/shapes/closest_parts.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "graze/rigid/distance/simplex.h"

namespace graze::rigid {
namespace {

struct PointPair {
  Vec3 a, b;
};

// Returns the direction from 0 to the closest point of the simplex, which is `length` away. The
// closest point is a difference of large numbers and has few correct digits if it is short. Its
// direction is across every edge of the simplex: that of a triangle is its normal, that of a
// segment is freed of its part along the segment.
Vec3 direction_to(const Simplex<PointPair>& s, double length) {
  const auto& p = s.points;
  Vec3 n = s.closest / length;
  if (s.size == 3) {
    const Vec3 across = (p[1] - p[0]).cross(p[2] - p[0]);
    const double size = across.norm();
    if (const double cosine = across.dot(n) / size; std::abs(cosine) > 0.9)
      n = across * ((cosine > 0 ? 1 : -1) / size);
  } else if (s.size == 2) {
    const Vec3 edge = p[1] - p[0];
    const double squared = edge.squaredNorm();
    if (squared > 0) {
      for (int round = 0; round < 2; ++round) n -= edge * (edge.dot(n) / squared);
      n = n.norm() > 0.5 ? Vec3(n.normalized()) : Vec3(s.closest / length);
    }
  }
  return n;
}

class ClosestSearch {
 public:
  ClosestSearch(const PlacedPart& a, const PlacedPart& b, const ClosestGoal& goal)
      : a_(a), b_(b), goal_(goal), scale_(std::scalbn(1.0, -std::ilogb(goal.size))) {}

  ClosestParts run(const Vec3& hint) {
    Simplex<PointPair> s;
    add(s, look(hint.isZero(0) ? Vec3::UnitX() : hint));
    reduce(s);
    gilbert(s);
    double tilt = 1;
    while (!done() && tilt > 0x1p-10 && result_.hi > result_.lo) {
      const double before = result_.hi - result_.lo;
      if (begin_anew(s, tilt)) gilbert(s);
      if (!(result_.hi - result_.lo < 0.9 * before)) tilt /= 4;
    }
    if (!done()) frank_wolfe();
    return result_;
  }

 private:
  bool done() const {
    const double least = result_.lo - goal_.beyond, most = result_.hi - goal_.beyond;
    return result_.hi <= goal_.near || result_.lo >= goal_.far ||
           (least > 0 && least >= (1 - goal_.tol) * most) || result_.steps >= goal_.max_steps;
  }

  // Finds the extreme points along n, and the bound that n proves.
  PointPair look(const Vec3& n) {
    ++result_.steps;
    const PointPair found{a_.extreme(-n), b_.extreme(n)};
    const double lo = n.dot(found.a - found.b) - a_.margin - b_.margin;
    if (lo > result_.lo) {
      result_.lo = lo;
      result_.n = n;
    }
    return found;
  }

  void offer(const Vec3& a, const Vec3& b) {
    const double hi = (scale_ * (a - b)).norm() / scale_;
    if (!(hi < result_.hi)) return;
    result_.hi = hi;
    result_.a = a;
    result_.b = b;
  }

  void add(Simplex<PointPair>& s, const PointPair& pair) const {
    s.points[s.size] = scale_ * (pair.a - pair.b);
    s.from[s.size++] = pair;
  }

  // Replaces the simplex by three extreme points around the direction that proves `lo`, tilted by
  // the angle at which a curved surface of the size of the parts falls below its tangent by hi -
  // lo. Close to a curved surface the simplices of GJK degenerate to slivers; these three points
  // are well apart. Returns false if nothing can be made of them.
  bool begin_anew(Simplex<PointPair>& s, double tilt) {
    const double angle = tilt * std::min(std::sqrt((result_.hi - result_.lo) / goal_.size), 0.5);
    const Vec3 n = result_.n, u = n.unitOrthogonal(), v = n.cross(u);
    if (!(angle > 0)) return false;
    s.size = 0;
    for (const auto& [x, y] :
         {std::pair(1.0, 0.0), std::pair(-0.5, 0.866), std::pair(-0.5, -0.866)})
      add(s, look((n + angle * (x * u + y * v)).normalized()));
    return reduce(s) == Place::outside;
  }

  void gilbert(Simplex<PointPair>& s) {
    Place place = Place::outside;
    for (;;) {
      PointPair closest{Vec3::Zero(), Vec3::Zero()};
      for (std::uint32_t k = 0; k < s.size; ++k) {
        closest.a += s.weights[k] * s.from[k].a;
        closest.b += s.weights[k] * s.from[k].b;
      }
      offer(closest.a, closest.b);
      if (place == Place::inside || s.size == 4 || done()) return;
      const double sq = s.closest.squaredNorm(), length = std::sqrt(sq);
      if (!(length > 0x1p-400)) return;
      const PointPair next = look(direction_to(s, length));
      if (done()) return;
      Simplex<PointPair> larger = s;
      add(larger, next);
      place = reduce(larger);
      if (place == Place::lost || !(larger.closest.squaredNorm() < sq)) return;
      s = larger;
    }
  }

  void frank_wolfe() {
    while (!done()) {
      const Vec3 v = scale_ * (result_.a - result_.b);
      const double length = v.norm();
      if (!(length > 0x1p-400)) return;
      const PointPair next = look(v / length);
      const Vec3 way = scale_ * (next.a - next.b) - v;
      const double along = -v.dot(way), squared = way.squaredNorm();
      if (!(along > 0 && squared > 0)) return;
      const double share = std::min(along / squared, 1.0), before = result_.hi;
      offer((1 - share) * result_.a + share * next.a, (1 - share) * result_.b + share * next.b);
      if (!(result_.hi < before * (1 - 0x1p-45))) return;
    }
  }

  const PlacedPart &a_, &b_;
  const ClosestGoal& goal_;
  double scale_;
  ClosestParts result_;
};

}  // namespace

ClosestParts closest_parts(const PlacedPart& a, const PlacedPart& b, const Vec3& hint,
                           const ClosestGoal& goal) {
  return ClosestSearch(a, b, goal).run(hint);
}

}  // namespace graze::rigid
