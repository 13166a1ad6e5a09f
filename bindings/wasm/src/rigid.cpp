#include <span>

#include "graze/rigid/advance.h"
#include "graze/rigid/body.h"
#include "graze/rigid/motion.h"
#include "results.h"

using namespace graze;
using graze::wasm::results;

namespace {

// A pose is w, x, y, z and the translation. A motion is its start, centre, velocity and rotation.
Vec3 vector_at(const double* numbers) {
  return {numbers[0], numbers[1], numbers[2]};
}
Pose pose_at_address(const double* pose) {
  return Pose::from_quaternion(pose[0], pose[1], pose[2], pose[3], vector_at(pose + 4));
}
rigid::Motion motion_at(const double* motion) {
  return {pose_at_address(motion), vector_at(motion + 7), vector_at(motion + 10),
          vector_at(motion + 13)};
}

void add(const Pose& pose) {
  const Eigen::Quaterniond& q = pose.rotation;
  results().numbers.insert(results().numbers.end(), {q.w(), q.x(), q.y(), q.z()});
  wasm::add(results().numbers, pose.translation);
}

void add(const rigid::Motion& motion) {
  add(motion.start);
  for (const Vec3& v : {motion.centre, motion.velocity, motion.rotation})
    wasm::add(results().numbers, v);
}

}  // namespace

// Returns a body, to be released by body_free(). Text: its problem. Numbers: its status.
GRAZE_EXPORT(body_new)
rigid::Body* body_new(const double* vertices, std::size_t vertex_count, const Face* faces,
                      std::size_t face_count, int solid) {
  auto* body =
      new rigid::Body(rigid::make_body({reinterpret_cast<const Vec3*>(vertices), vertex_count},
                                       {faces, face_count}, {.solid = solid != 0}));
  results().text = body->problem();
  results().numbers = {static_cast<double>(body->status()), body->size()};
  return body;
}
GRAZE_EXPORT(body_free) void body_free(rigid::Body* body) {
  delete body;
}

// Numbers: the motion.
GRAZE_EXPORT(linear_motion)
void linear_motion_of(const double* from, const double* to, const double* centre) {
  add(rigid::linear_motion(pose_at_address(from), pose_at_address(to), vector_at(centre)));
}
GRAZE_EXPORT(screw_motion) void screw_motion_of(const double* from, const double* to) {
  add(rigid::screw_motion(pose_at_address(from), pose_at_address(to)));
}

// Numbers: the pose at t.
GRAZE_EXPORT(pose_at) void pose_at_time(const double* motion, double t) {
  add(rigid::pose_at(motion_at(motion), t));
}

// Impacts: one. Numbers: both faces, both points, distance, iterations, threshold.
// Options: t_max, threshold, smallest_threshold, margin, max_checks.
GRAZE_EXPORT(advance)
void advance_of(const rigid::Body* a, const double* motion_a, const rigid::Body* b,
                const double* motion_b, const double* options) {
  const rigid::BodyImpact found =
      rigid::advance(*a, motion_at(motion_a), *b, motion_at(motion_b),
                     {.t_max = options[0],
                      .threshold = options[1],
                      .smallest_threshold = options[2] != 0,
                      .margin = options[3],
                      .max_checks = static_cast<std::uint32_t>(options[4])});
  results().impacts = {found.impact};
  std::vector<double>& out = results().numbers;
  out = {static_cast<double>(found.face_a), static_cast<double>(found.face_b)};
  wasm::add(out, found.point_a);
  wasm::add(out, found.point_b);
  out.insert(out.end(), {found.distance, static_cast<double>(found.iterations), found.threshold});
}
