#include "graze/rigid/shapes/convex_parts.h"

#include <algorithm>
#include <cmath>

#include "graze/core/numeric/strict_arithmetic.h"

namespace graze::rigid {
namespace {

// A shape of one part around the origin.
class OnePart : public Parts {
 public:
  std::uint32_t root() const final { return 0; }
  std::uint64_t size() const final { return 1; }
  std::uint64_t faces() const final { return 1; }
  Part part(std::uint32_t) const final { return {centre_, radius_, 0, true, 0}; }
  std::uint32_t children(std::uint32_t, Children&) const final { return 0; }

 protected:
  // `radius`: of a ball around the centre that contains the shape, up to relative errors of 8u.
  OnePart(const Vec3& centre, double radius, double reach, bool curved)
      : centre_(centre), radius_(radius * (1 + 0x1p-48)) {
    reach_ = reach;
    curved_ = curved;
  }

 private:
  Vec3 centre_;
  double radius_;
};

// The error of a dot product is below 3.01u times the sum of the coordinates of n times reach().
class Points final : public OnePart {
 public:
  Points(std::vector<Vec3> points, const Vec3& centre, double radius, double reach)
      : OnePart(centre, radius, reach, false), points_(std::move(points)) {}
  Vec3 extreme(std::uint32_t, const Vec3& n) const override {
    const Vec3* best = &points_[0];
    double highest = n.dot(*best);
    for (const Vec3& point : points_)
      if (const double value = n.dot(point); value > highest) best = &point, highest = value;
    return *best;
  }

 private:
  std::vector<Vec3> points_;
};

// Returns the point of the circle of radius r in the plane z that is extreme along n. Let m be the
// part of n in the plane. r m/|m| is computed with a relative error of 5u in each coordinate, so
// the point is within 5u r of the circle and n.p within 5u r of its maximum r |m| + n_z z. For |m|
// < 2^-500 the centre is as good, up to 2^-500 r.
Vec3 extreme_of_circle(const Vec3& n, double r, double z) {
  const double length = std::sqrt(n[0] * n[0] + n[1] * n[1]);
  if (!(length > 0x1p-500)) return {0, 0, z};
  return {r * (n[0] / length), r * (n[1] / length), z};
}

class Cylinder final : public OnePart {
 public:
  Cylinder(double radius, double half_height)
      : OnePart(Vec3::Zero(), std::sqrt(radius * radius + half_height * half_height),
                std::max(radius, half_height), true),
        radius_(radius),
        half_height_(half_height) {}
  Vec3 extreme(std::uint32_t, const Vec3& n) const override {
    return extreme_of_circle(n, radius_, n[2] < 0 ? -half_height_ : half_height_);
  }

 private:
  double radius_, half_height_;
};

// The hull of the base circle and the tip. The two values differ from those in real arithmetic by
// at most 8u reach, and so does the greater of them.
class Cone final : public OnePart {
 public:
  Cone(double radius, double half_height)
      : OnePart(Vec3::Zero(), std::sqrt(radius * radius + half_height * half_height),
                std::max(radius, half_height), true),
        radius_(radius),
        half_height_(half_height) {}
  Vec3 extreme(std::uint32_t, const Vec3& n) const override {
    const Vec3 base = extreme_of_circle(n, radius_, -half_height_), tip(0, 0, half_height_);
    return n.dot(tip) >= n.dot(base) ? tip : base;
  }

 private:
  double radius_, half_height_;
};

// The support function is |D n| with D = diag(radii), attained at D D n/|D n|. With q = D n/r, r
// the largest radius, q has relative errors of 2u, its length of 4u, the point of 8u in each
// coordinate: within 8u r of the surface and of the maximum. For |q| < 2^-500 the maximum is below
// 2^-500 r, and 0 is as good.
class Ellipsoid final : public OnePart {
 public:
  explicit Ellipsoid(const Vec3& radii)
      : OnePart(Vec3::Zero(), radii.maxCoeff(), radii.maxCoeff(), true), radii_(radii) {}
  Vec3 extreme(std::uint32_t, const Vec3& n) const override {
    const Vec3 q = n.cwiseProduct(radii_ / reach());
    const double length = q.norm();
    if (!(length > 0x1p-500)) return Vec3::Zero();
    return (q / length).cwiseProduct(radii_);
  }

 private:
  Vec3 radii_;
};

}  // namespace

std::shared_ptr<const Parts> convex_points(std::vector<Vec3> points) {
  Vec3 lo = points[0], hi = points[0];
  for (const Vec3& point : points) lo = lo.cwiseMin(point), hi = hi.cwiseMax(point);
  const Vec3 centre = lo / 2 + hi / 2;
  double radius = 0;
  for (const Vec3& point : points) radius = std::max(radius, (point - centre).stableNorm());
  const double reach = lo.cwiseAbs().cwiseMax(hi.cwiseAbs()).maxCoeff();
  return std::make_shared<Points>(std::move(points), centre, radius, reach);
}
std::shared_ptr<const Parts> convex_cylinder(double radius, double half_height) {
  return std::make_shared<Cylinder>(radius, half_height);
}
std::shared_ptr<const Parts> convex_cone(double radius, double half_height) {
  return std::make_shared<Cone>(radius, half_height);
}
std::shared_ptr<const Parts> convex_ellipsoid(const Vec3& radii) {
  return std::make_shared<Ellipsoid>(radii);
}

}  // namespace graze::rigid
