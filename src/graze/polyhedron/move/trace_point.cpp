#include <cmath>

#include "graze/core/numeric/float_environment.h"
#include "graze/core/numeric/unit_roundoff.h"
#include "graze/polyhedron/model/facet_index.h"
#include "graze/polyhedron/move.h"
#include "graze/polyhedron/move/containment.h"
#include "graze/polyhedron/move/exact_touch.h"
#include "graze/polyhedron/move/move_scratch.h"

namespace graze::polyhedron {
namespace {

class PointTrace {
 public:
  PointTrace(std::span<const Obstacle> world, const Path& path, const Model& point,
             const MoveOptions& options, Scratch::Data& data)
      : world_(world),
        path_(path),
        data_(data),
        x_(path.start.translation),
        way_(path.way),
        size_((std::abs(x_[0]) + std::abs(x_[1])) + std::abs(x_[2])),
        way_size_((std::abs(way_[0]) + std::abs(way_[1])) + std::abs(way_[2])),
        front_(options.sides == Sides::front),
        first_(world, point, path, options.t_max, data) {}

  MoveResult run() {
    const BoxMotion motion({x_, x_}, way_);
    for (std::uint32_t o = 0; o < world_.size(); ++o) {
      const Obstacle& obstacle = world_[o];
      data_.begin_round(obstacle.model.facets.size());
      obstacle.index->tree.visit(motion, first_.bound(),
                                 [&](std::uint32_t entry) { examine(o, obstacle, entry); });
    }
    MoveResult result = first_.result();
    result.examined = examined_;
    return result;
  }

 private:
  void examine(std::uint32_t o, const Obstacle& obstacle, std::uint32_t entry) {
    const PlaneBound& plane = obstacle.index->planes[entry];
    const auto& n = plane.normal;
    const double start = (n[0] * x_[0] + n[1] * x_[1]) + n[2] * x_[2] - plane.offset;
    const double slope = (n[0] * way_[0] + n[1] * way_[1]) + n[2] * way_[2];
    double start_err = plane.err_per_length * size_ + plane.err;
    const double end = start + slope;
    double end_err = start_err + plane.err_per_length * way_size_ + plane.err;
    if (!(end_err < 0x1p900)) start_err = end_err = HUGE_VAL;  // products may have overflowed
    if ((start > start_err && end > end_err) || (start < -start_err && end < -end_err)) return;
    const std::uint32_t f = obstacle.index->tree.box_of(entry);
    const Facet& facet = obstacle.model.facets[f];
    if (facet.count == 1 || !data_.first_visit(f)) return;
    ++examined_;
    const Candidate pair{Meeting::vertex_facet, o, f, 0, 0, 0};
    const int sign = end > end_err && start < -start_err   ? 1
                     : end < -end_err && start > start_err ? -1
                                                           : 0;
    if (front_ && !faces(obstacle.model, facet, sign)) return;
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

  // Returns whether the way goes against the front of the facet. `sign`: the sign of normal.way, 0
  // if unknown.
  bool faces(const Model& model, const Facet& facet, int sign) const {
    return (sign != 0 ? sign : exact_facing(path_, false, model, facet, data_.arena)) < 0;
  }

  // Returns whether the line of the point passes between the sides of the facet: -1 no, 1 yes, 0
  // unknown. `sign`: the sign of the slope of the height n.(x - p); 0 if unknown.
  //
  // For the side from a to b let S = (a - x) x (b - x). v.S, v being the way, is the same at every
  // time, and when x is in the plane, S = h n with h >= 0 iff x is on the inner side. So x passes
  // between the sides iff v.S is 0 or has the sign of n.v for every side.
  //
  // Rounding of way.(a x b), a and b being rounded differences: 1 u each for a, b, the product, the
  // difference and the product with the way, and 2 u for the sums, of the sum of the sizes of all
  // products; less than 8 u of that sum as computed. A product that underflows loses half a
  // denormal, times the way.
  int passes(const Model& model, const Facet& facet, int sign) const {
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
      const double err = 8 * numeric::u * size + floor;
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
  const Path& path_;
  Scratch::Data& data_;
  Vec3 x_, way_;
  double size_, way_size_;
  bool front_;
  FirstContact first_;
  std::uint32_t examined_ = 0;
};

}  // namespace

MoveResult trace_point(std::span<const Obstacle> world, const Vec3& from, const Vec3& way,
                       Scratch& scratch, const MoveOptions& options) {
  static const Model point = model_of_point(Vec3::Zero());
  const FloatEnvironment environment;
  Path path;
  path.start.translation = from;
  path.way = way;
  for (const Obstacle& obstacle : world)
    if (!obstacle.ok()) return {};
  if (!path.is_valid() || !(options.t_max > 0 && options.t_max <= 1)) return {};
  if (options.solid) {
    if (options.sides == Sides::front) return {};
    if (const auto contact = contained(world, point, path.start, scratch.data()))
      return {Verdict::contact, 0, 0, 0, path.start, *contact, 0, 1};
  }
  const MoveResult result = PointTrace(world, path, point, options, scratch.data()).run();
  return scratch.is_stopped() ? stopped_move(path, options.t_max) : result;
}

}  // namespace graze::polyhedron
