#include "graze/polyhedron/slide.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <optional>

#include "graze/core/numeric/float_environment.h"
#include "graze/polyhedron/contacts.h"

namespace graze::polyhedron {
namespace {

constexpr int most_stops = 8;
// A translation along a plane also moves away from the plane by this fraction of its length: far
// more than rounding, so that the body stays outside, and far less than is visible.
constexpr double outward = 0x1p-20;
constexpr double against = 0x1p-30;  // least component into a plane that counts, per length
constexpr double least = 0x1p-16;    // a shorter fraction of the way counts as 0
constexpr double same_plane = 1 - 1e-6;

bool goes_against(const Vec3& way, const Vec3& normal) {
  return way.dot(normal) < -against * way.norm();
}

// Returns the component of a translation along a plane, and along the line of two planes.
Vec3 along(const Vec3& way, const Vec3& n) {
  const Vec3 flat = way - way.dot(n) * n;
  return flat + outward * flat.norm() * n;
}
Vec3 along(const Vec3& way, const Vec3& n, const Vec3& m) {
  const Vec3 crease = n.cross(m).stableNormalized();
  const Vec3 flat = way.dot(crease) * crease;
  return flat + outward * flat.norm() * (n + m);
}

// Returns the part of a translation that moves into none of the planes: the whole translation, its
// component along one plane or along the line of two planes, or 0.
Vec3 clipped(const Vec3& way, std::span<const Vec3> planes) {
  const auto is_free = [&](const Vec3& v) {
    return std::none_of(planes.begin(), planes.end(),
                        [&](const Vec3& n) { return goes_against(v, n); });
  };
  if (is_free(way)) return way;
  std::optional<Vec3> best;
  const auto consider = [&](const Vec3& v) {
    if (is_free(v) && (!best || v.dot(way) > best->dot(way))) best = v;
  };
  for (const Vec3& n : planes)
    if (goes_against(way, n)) consider(along(way, n));
  if (!best)
    for (std::size_t i = 0; i < planes.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) consider(along(way, planes[i], planes[j]));
  if (!best || best->dot(way) <= 0 || best->norm() < least * way.norm()) return Vec3::Zero();
  return *best;
}

class Slide {
 public:
  Slide(std::span<const Obstacle> world, const Model& mover, Scratch& scratch,
        const SlideOptions& options)
      : world_(world), mover_(mover), scratch_(scratch), options_(options) {}

  ExpelResult go(const Pose& pose, const Vec3& way) {
    return expel_move(world_, mover_, translating(pose, way), scratch_, {options_.thickness});
  }

  SlideResult slide(const Pose& pose, const Vec3& way, const Contact* ground) {
    SlideResult result;
    result.verdict = Verdict::separated;
    result.end = pose;
    result.track = {pose};
    result.way = way;
    std::vector<Vec3> planes;
    if (ground) planes.push_back(ground->normal);
    result.way = clipped(way, planes);
    Vec3 left = result.way;
    for (int i = 0; i < most_stops && left != Vec3::Zero(); ++i) {
      const ExpelResult part = go(result.end, left);
      if (part.verdict == Verdict::invalid) return {};
      result.end = part.end;
      result.track.push_back(part.end);
      if (part.verdict == Verdict::separated) return result;
      result.verdict = Verdict::contact;
      result.contacts.push_back(part.contact);
      ++result.stops;
      const Vec3& n = part.contact.normal;
      if (n == Vec3::Zero()) break;  // wedged
      left *= 1 - part.fraction;
      const bool known = std::any_of(planes.begin(), planes.end(),
                                     [&](const Vec3& m) { return n.dot(m) > same_plane; });
      if (known) left += 2 * outward * left.norm() * n;
      if (!known) planes.push_back(n);
      // For a walking body, a plane too steep to stand on is a vertical wall.
      const double rise = n.dot(options_.up);
      if (ground && !known && rise > 0 && rise < options_.ground_cos)
        planes.push_back((n - rise * options_.up).stableNormalized());
      left = clipped(left, planes);
      result.way = clipped(result.way, planes);
    }
    if (left != Vec3::Zero()) result.way = Vec3::Zero();  // all stops used
    return result;
  }

  bool stands_on(const Contact& contact) const {
    return contact.normal.dot(options_.up) >= options_.ground_cos;
  }
  bool ground_below(const Pose& pose, double distance, ExpelResult* found) {
    *found = go(pose, -distance * options_.up);
    if (found->verdict != Verdict::contact) return false;
    if (stands_on(found->contact)) return true;
    // A steep plane was met first; there may be ground at its foot.
    for (const ContactPoint& contact :
         contacts(world_, mover_, found->end, ground_distance(), scratch_))
      if (stands_on(contact)) {
        found->contact = contact;
        return true;
      }
    return false;
  }
  double ground_distance() const {
    if (options_.ground_distance > 0) return options_.ground_distance;
    return (mover_.box.hi - mover_.box.lo).cwiseProduct(options_.up).norm() / 256;
  }
  double progress(const Pose& from, const Pose& to) const {
    const Vec3 way = to.translation - from.translation;
    return (way - way.dot(options_.up) * options_.up).norm();
  }

  // Moves up, along, and down onto ground. Returns nothing if there is no ground at the end.
  std::optional<SlideResult> step_up(const Pose& pose, const Vec3& way) {
    const ExpelResult raised = go(pose, options_.step_height * options_.up);
    const double height = (raised.end.translation - pose.translation).dot(options_.up);
    if (!(height > 0)) return std::nullopt;
    SlideResult result = slide(raised.end, way, nullptr);
    ExpelResult landed;
    if (!ground_below(result.end, height, &landed)) return std::nullopt;
    result.end = landed.end;
    result.track.insert(result.track.begin(), pose);
    result.track.push_back(landed.end);
    result.stepped = true;
    return result;
  }

  SlideResult run(const Pose& pose, const Vec3& way) {
    ExpelResult feet;
    const bool rises = way.dot(options_.up) > against * way.norm();
    const bool walks = !rises && ground_below(pose, ground_distance(), &feet);
    SlideResult result = slide(pose, way, walks ? &feet.contact : nullptr);
    if (result.verdict == Verdict::invalid) return result;
    const double step = options_.step_height;
    const bool is_blocked =
        std::any_of(result.contacts.begin(), result.contacts.end(),
                    [&](const Contact& contact) { return !stands_on(contact); });
    if (walks && step > 0 && is_blocked) {
      const Vec3 level = way - way.dot(options_.up) * options_.up;
      const auto stepped = step_up(pose, level);
      if (stepped && progress(pose, stepped->end) > progress(pose, result.end)) result = *stepped;
    }
    ExpelResult below;
    result.on_ground = ground_below(result.end, ground_distance(), &below);
    if (!result.on_ground && walks && step > 0 && ground_below(result.end, step, &below)) {
      result.on_ground = result.stepped = true;
      result.end = below.end;
      result.track.push_back(below.end);
    }
    // A falling body that steep planes stop within half of its way, as on a crease of 30 degrees,
    // counts as standing.
    const double done = (result.end.translation - pose.translation).norm();
    if (!result.on_ground && way.dot(options_.up) < 0 && !result.contacts.empty() &&
        done < way.norm() / 2) {
      result.on_ground = true;
      below.contact = result.contacts.back();
    }
    if (result.on_ground) result.ground = below.contact;
    return result;
  }

 private:
  std::span<const Obstacle> world_;
  const Model& mover_;
  Scratch& scratch_;
  const SlideOptions& options_;
};

bool is_valid(const SlideOptions& options) {
  return options.up.allFinite() && std::abs(options.up.norm() - 1) < 1e-9 &&
         options.step_height >= 0 && std::isfinite(options.step_height) &&
         options.ground_distance >= 0 && std::isfinite(options.ground_distance);
}

}  // namespace

TouchResult ground_test(std::span<const Obstacle> world, const Model& mover, const Pose& pose,
                        Scratch& scratch, const SlideOptions& options) {
  const FloatEnvironment environment;
  if (!is_valid(options)) return {};
  Slide slide(world, mover, scratch, options);
  ExpelResult below;
  const bool found = slide.ground_below(pose, slide.ground_distance(), &below);
  if (found && !scratch.is_stopped()) return {Verdict::contact, below.contact};
  if (scratch.is_stopped() && below.verdict != Verdict::invalid) return {Verdict::undecided, {}};
  return {below.verdict == Verdict::invalid ? Verdict::invalid : Verdict::separated, {}};
}

SlideResult slide_move(std::span<const Obstacle> world, const Model& mover, const Pose& pose,
                       const Vec3& way, Scratch& scratch, const SlideOptions& options) {
  const FloatEnvironment environment;
  if (!is_valid(options)) return {};
  const SlideResult result = Slide(world, mover, scratch, options).run(pose, way);
  if (result.verdict == Verdict::invalid || !scratch.is_stopped()) return result;
  SlideResult stopped;
  stopped.verdict = Verdict::undecided;
  stopped.end = pose;
  stopped.way = way;
  stopped.track = {pose};
  return stopped;
}

}  // namespace graze::polyhedron
