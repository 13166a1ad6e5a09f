#include <cmath>

#include "graze/core/float_environment.h"
#include "graze/polyhedron/move_scratch.h"

namespace graze::polyhedron {
namespace {

constexpr double u = 0x1p-53;

// The normal N and the offset K of the exact plane are in intervals; n, k are their middles and the
// intervals' widths, at least twice the radii, bound what is lost by that: width |x|_1 + width. The
// three products and three sums of n.x - k are off by at most 4.01 u (|n|_max |x|_1 + |k|), or by
// four halves of the smallest denormal. 8 u and 2^-1070 leave room for one more sum of such numbers
// and for rounding of the bound itself.
PlaneBound bound_of(const BrushModel& model, const Facet& facet) {
  if (facet.count == 1) return {Vec3::Zero(), 0, 0, 0};
  const auto corner = [&](int i) { return interval(model.vertices[facet.plane[i]]); };
  const PlaneFrame<Interval> plane(corner(0), corner(1), corner(2));
  const Interval offset = dot(plane.normal, plane.origin);
  PlaneBound bound{};
  double width = 0;
  for (int k = 0; k < 3; ++k) {
    const Interval& n = plane.normal[static_cast<std::size_t>(k)];
    bound.normal[k] = n.lo / 2 + n.hi / 2;
    width = std::max(width, n.hi - n.lo);
  }
  bound.offset = offset.lo / 2 + offset.hi / 2;
  bound.err_per_length = (width + 8 * u * bound.normal.lpNorm<Eigen::Infinity>()) * (1 + 8 * u);
  bound.err = (offset.hi - offset.lo + 8 * u * std::abs(bound.offset)) * (1 + 8 * u) + 0x1p-1070;
  if (!bound.normal.allFinite() || !std::isfinite(width + bound.offset)) bound.err = HUGE_VAL;
  return bound;
}

class PointTrace {
 public:
  PointTrace(std::span<const Obstacle> world, const Path& path, const BrushModel& point,
             Scratch::Data& data)
      : world_(world),
        data_(data),
        x_(path.start.translation),
        way_(path.way),
        size_((std::abs(x_[0]) + std::abs(x_[1])) + std::abs(x_[2])),
        way_size_((std::abs(way_[0]) + std::abs(way_[1])) + std::abs(way_[2])),
        first_(world, point, path, data) {}

  MoveResult run() {
    const BoxMotion motion({x_, x_}, way_);
    for (std::uint32_t o = 0; o < world_.size(); ++o) {
      const Obstacle& obstacle = world_[o];
      data_.begin_round(obstacle.model.facets.size());
      obstacle.tree.visit(motion, first_.bound(),
                          [&](std::uint32_t entry) { examine(o, obstacle, entry); });
    }
    MoveResult result = first_.result();
    result.examined = examined_;
    return result;
  }

 private:
  void examine(std::uint32_t o, const Obstacle& obstacle, std::uint32_t entry) {
    const PlaneBound& plane = obstacle.planes[entry];
    const auto& n = plane.normal;
    const double start = (n[0] * x_[0] + n[1] * x_[1]) + n[2] * x_[2] - plane.offset;
    const double slope = (n[0] * way_[0] + n[1] * way_[1]) + n[2] * way_[2];
    double start_err = plane.err_per_length * size_ + plane.err;
    const double end = start + slope;
    double end_err = start_err + plane.err_per_length * way_size_ + plane.err;
    if (!(end_err < 0x1p900)) start_err = end_err = HUGE_VAL;  // products may have overflowed
    if ((start > start_err && end > end_err) || (start < -start_err && end < -end_err)) return;
    const std::uint32_t f = obstacle.tree.box_of(entry);
    const Facet& facet = obstacle.model.facets[f];
    if (facet.count == 1 || !data_.first_visit(f)) return;
    ++examined_;
    const Candidate pair{Meeting::vertex_facet, o, f, 0, 0, 0};
    const int sign = end > end_err && start < -start_err   ? 1
                     : end < -end_err && start > start_err ? -1
                                                           : 0;
    const int inside = passes(obstacle.model, facet, sign);
    if (inside < 0) return;
    if (inside == 0 || sign == 0) return first_.decide(pair);
    const Interval time =
        zero_of({start - start_err, start + start_err}, {end - end_err, end + end_err});
    Candidate hit = pair;
    hit.lo = time.lo;
    hit.hi = time.hi;
    first_.add(hit);
  }

  // Between the sides of the facet: -1 no, 1 yes, 0 not known. `sign`: of the slope of the height
  // n.(x - p), 0 where not known.
  //
  // For the side from a to b let S = (a - x) x (b - x). v.S, v being the way, is the same at every
  // time, and when x is in the plane, S = h n with h >= 0 iff x is on the inner side. So it is
  // between the sides iff v.S has the sign of n.v for all sides, or is 0.
  //
  // way.(a x b), a and b rounded differences: 1 u each for a, b, the product, the difference and
  // the product with the way and 2 u for the sums, of the sum of all products' sizes, are less than
  // 8 u of it as computed. A product that underflows loses half a denormal, times the way.
  int passes(const BrushModel& model, const Facet& facet, int sign) const {
    const auto corners = model.corners_of(facet);
    const double floor = 0x1p-1070 * (1 + way_size_);
    bool clear = true;
    Vec3 a = model.vertices[corners.back()] - x_;
    for (const std::uint32_t corner : corners) {
      const Vec3 b = model.vertices[corner] - x_;
      double value = 0, size = 0;
      for (int k = 0; k < 3; ++k) {
        const int i = k == 2 ? 0 : k + 1, j = k == 0 ? 2 : k - 1;
        const double p = a[i] * b[j], q = a[j] * b[i];
        value += way_[k] * (p - q);
        size += std::abs(way_[k]) * (std::abs(p) + std::abs(q));
      }
      const double err = 8 * u * size + floor;
      const int side = value > err ? 1 : value < -err ? -1 : 0;
      if (side == 0)
        clear = false;
      else if (sign == 0)
        sign = side;
      else if (side != sign)
        return -1;
      a = b;
    }
    return clear ? 1 : 0;
  }

  std::span<const Obstacle> world_;
  Scratch::Data& data_;
  Vec3 x_, way_;
  double size_, way_size_;
  FirstContact first_;
  std::uint32_t examined_ = 0;
};

}  // namespace

Obstacle make_obstacle(BrushModel model) {
  const FloatEnvironment environment;
  Obstacle obstacle;
  obstacle.tree = PolygonTree(model.boxes);
  for (std::uint32_t entry = 0; entry < obstacle.tree.entries(); ++entry)
    obstacle.planes.push_back(bound_of(model, model.facets[obstacle.tree.box_of(entry)]));
  obstacle.model = std::move(model);
  return obstacle;
}

MoveResult trace_point(std::span<const Obstacle> world, const Vec3& from, const Vec3& way,
                       Scratch& scratch) {
  static const BrushModel point = model_of_point(Vec3::Zero());
  const FloatEnvironment environment;
  Path path;
  path.start.translation = from;
  path.way = way;
  for (const Obstacle& obstacle : world)
    if (!obstacle.model.ok()) return {};
  if (!path.is_valid()) return {};
  return PointTrace(world, path, point, scratch.data()).run();
}

}  // namespace graze::polyhedron
