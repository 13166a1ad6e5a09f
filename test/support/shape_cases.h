#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "graze/generate/models.h"
#include "graze/generate/random.h"
#include "graze/rigid/advance.h"
#include "graze/rigid/distance.h"
#include "test/support/shape_judge.h"

// Random pairs of moving shapes, answered by the library and judged by shape_judge.h.
namespace graze::test {

struct JudgedShape {
  rigid::Body body;
  ShapeJudge judge;
  bool convex = true;
};

// The shapes of the soak, each drawn with random sizes from 0.1 to 1, one in six from 0.001 to 0.1.
inline constexpr std::array<std::string_view, 14> shape_names = {
    "sphere", "capsule",    "box",          "rounded box", "cylinder",     "cone",  "ellipsoid",
    "hull",   "half space", "height field", "mesh",        "rounded mesh", "solid", "compound"};

inline JudgedShape draw_shape(std::string_view name, generate::Random& random) {
  using namespace rigid;
  const auto size = [&] {
    return random.one_in(6) ? std::pow(10.0, random.uniform(-3, -1)) : random.uniform(0.1, 1);
  };
  const auto sizes = [&] {
    const double x = size();
    const double y = size();
    const double z = size();
    return Vec3(x, y, z);
  };
  if (name == "sphere") {
    const double r = size();
    return {make_sphere(r), judge_capsule(Vec3::Zero(), Vec3::Zero(), r)};
  }
  if (name == "capsule") {
    const Vec3 a = random.cube(-0.7, 0.7), b = random.cube(-0.7, 0.7);
    const double r = random.uniform(0, 0.5);
    return {make_capsule(a, b, r), judge_capsule(a, b, r)};
  }
  if (name == "box" || name == "rounded box") {
    const Vec3 h = sizes();
    const double r = name == "box" ? 0 : random.uniform(0.01, 0.3);
    JudgedShape shape{rounded(make_box(h), r), judge_box(h)};
    shape.judge.radius = r;
    return shape;
  }
  if (name == "cylinder") {
    const double r = size(), h = size();
    return {make_cylinder(r, h), judge_cylinder(r, h)};
  }
  if (name == "cone") {
    const double r = size(), h = size();
    return {make_cone(r, h), judge_cone(r, h)};
  }
  if (name == "ellipsoid") {
    const Vec3 r = sizes();
    return {make_ellipsoid(r), judge_ellipsoid(r)};
  }
  if (name == "hull") {
    std::array<Vec3, 4> corners;
    for (Vec3& corner : corners) corner = random.cube(-0.7, 0.7);
    return {make_convex(corners), judge_tetrahedron(corners)};
  }
  if (name == "half space") return {make_half_space(), judge_half_space(), false};
  if (name == "height field") {
    const std::size_t columns = 2 + random.below(3), rows = 2 + random.below(2);
    std::vector<double> heights(columns * rows);
    for (double& z : heights) z = random.one_in(4) ? 0 : random.uniform(-0.3, 0.3);
    const double dx = random.uniform(0.2, 0.8), dy = random.uniform(0.2, 0.8);
    std::vector<Vec3> vertices;
    std::vector<Face> faces;
    for (std::size_t j = 0; j < rows; ++j)
      for (std::size_t i = 0; i < columns; ++i)
        vertices.push_back({double(i) * dx, double(j) * dy, heights[j * columns + i]});
    for (std::uint32_t j = 0; j + 1 < rows; ++j)
      for (std::uint32_t i = 0; i + 1 < columns; ++i) {
        const auto width = static_cast<std::uint32_t>(columns);
        const std::uint32_t v = j * width + i;
        faces.push_back({v, v + 1, v + width + 1});
        faces.push_back({v, v + width + 1, v + width});
      }
    return {make_height_field(columns, rows, dx, dy, heights), judge_triangles(vertices, faces),
            false};
  }
  if (name == "compound") {
    std::vector<CompoundPart> parts;
    JudgedShape all{{}, {}, false};
    for (std::size_t count = 1 + random.below(3); count > 0; --count) {
      constexpr std::array<std::string_view, 6> kinds = {"sphere", "capsule", "rounded box",
                                                         "cone",   "hull",    "rounded mesh"};
      const JudgedShape part = draw_shape(kinds[random.below(kinds.size())], random);
      Pose pose;
      pose.translation = random.cube(-0.5, 0.5);
      if (!random.one_in(4))
        pose.rotation = Eigen::Quaterniond(1, random.uniform(-1, 1), 0.5, -0.2);
      parts.push_back({part.body, pose});
      const ShapeJudge placed = judge_placed(part.judge, pose);
      all.judge.pieces.insert(all.judge.pieces.end(), placed.pieces.begin(), placed.pieces.end());
    }
    all.body = make_compound(parts);
    return all;
  }
  generate::SurfaceModel model = generate::tetrahedron();
  if (name != "solid" && random.one_in(3)) model = generate::soup(3, 0.7, random.below(1000));
  const double r = name == "rounded mesh" ? random.uniform(0.01, 0.4) : 0;
  const bool solid = name == "solid";
  JudgedShape shape{rounded(make_body(model.vertices, model.faces, {.solid = solid}), r),
                    judge_triangles(model.vertices, model.faces, solid), false};
  shape.judge.radius = r;
  return shape;
}

// Returns a motion that starts about `distance` from the origin and passes it. One in four does not
// turn, one in four starts aligned with the axes, one in eight starts near the other body.
inline rigid::Motion draw_motion(generate::Random& random, double distance) {
  const double near = random.one_in(8) ? random.uniform(0, 0.4) : 1;
  const Vec3 from = random.cube(-1, 1).normalized() * (distance * near);
  rigid::Motion motion;
  motion.start.translation = from;
  if (!random.one_in(4)) {
    const Vec3 v = random.cube(-1, 1);
    const double w = random.uniform(-1, 1);
    motion.start.rotation = Eigen::Quaterniond(w, v[0], v[1], v[2]);
  }
  motion.velocity = 2 * (random.cube(-0.7, 0.7) - from);
  motion.centre = from + random.cube(-0.5, 0.5);
  if (!random.one_in(4)) motion.rotation = random.cube(-1, 1).normalized() * random.uniform(0, 10);
  return motion;
}

// Returns a time at which a judged distance is at most 1e-10; NaN if none is found.
//
// `apart(t, resolution)` is the judged distance, `times` are sorted. After a look at these times,
// golden section descends into the three least local minima among them, unless the distance cannot
// reach 0 between the neighbours of the minimum even at twice the largest speed between two of the
// times.
template <class Distance>
double judged_intersection(const Distance& apart, const std::vector<double>& times) {
  constexpr double touching = 1e-10, golden = 0.6180339887498949;
  std::vector<double> seen;
  for (const double t : times) {
    seen.push_back(apart(t, 1e-4));
    if (seen.back() <= touching) return t;
  }
  const std::size_t count = times.size();
  double speed = 0;
  for (std::size_t i = 0; i + 1 < count; ++i)
    speed = std::max(speed, 2 * std::abs(seen[i + 1] - seen[i]) /
                                std::max(times[i + 1] - times[i], 1e-3 * times.back()));
  std::vector<std::size_t> minima;
  for (std::size_t i = 0; i < count; ++i)
    if ((i == 0 || seen[i] <= seen[i - 1]) && (i + 1 == count || seen[i] <= seen[i + 1]))
      minima.push_back(i);
  std::sort(minima.begin(), minima.end(),
            [&](std::size_t i, std::size_t j) { return seen[i] < seen[j]; });
  if (minima.size() > 3) minima.resize(3);
  for (const std::size_t i : minima) {
    double lo = times[i > 0 ? i - 1 : 0], hi = times[std::min(i + 1, count - 1)];
    double x = hi - golden * (hi - lo), y = lo + golden * (hi - lo);
    double at_x = apart(x, 1e-6), at_y = apart(y, 1e-6);
    for (int k = 0; k < 40 && std::min(at_x, at_y) <= speed * (hi - lo); ++k) {
      if (at_x <= touching) return x;
      if (at_y <= touching) return y;
      if (at_x < at_y) {
        hi = y, y = x, at_y = at_x;
        x = hi - golden * (hi - lo), at_x = apart(x, 1e-6);
      } else {
        lo = x, x = y, at_x = at_y;
        y = lo + golden * (hi - lo), at_y = apart(y, 1e-6);
      }
    }
    const double t = at_x < at_y ? x : y;
    if (std::min(at_x, at_y) < 1e-4 && apart(t, 1e-12) <= touching) return t;
  }
  return Impact::nan;
}

struct ShapeTally {
  std::uint64_t cases = 0, contacts = 0, at_start = 0, undecided = 0;
  // Faults. Unexpected: invalid, or undecided though promise (5) of advance() demands an answer.
  std::uint64_t unexpected = 0, late = 0, far = 0, wrong_distance = 0;
  // Contacts after the start, and those of them that the judge would call a fault if the answer
  // were `separated`.
  std::uint64_t later = 0, noticed = 0;
  double loosest = 0;  // the largest hi - lo of distance()
  std::string first_fault;

  std::uint64_t faults() const { return unexpected + late + far + wrong_distance; }
};

// Answers and judges case `index` of a pair of shapes. Late: judged_intersection() finds an
// intersection before 255/256 of toi (in the whole step, if separated) from `samples` gaps of equal
// length, four random times and, before a contact, four times that approach it. Far: the points of
// the contact are not points of the bodies within the threshold of each other. Wrong: the bounds of
// distance() at a random time are not those of two points of the bodies, or the judge finds closer
// points than the lower bound.
inline void judge_case(std::string_view name_a, std::string_view name_b, std::uint64_t seed,
                       std::uint64_t index, int samples, ShapeTally& tally) {
  const std::string family = std::string(name_a) + "/" + std::string(name_b);
  generate::Random random(family, 0, seed, index);
  const JudgedShape a = draw_shape(name_a, random), b = draw_shape(name_b, random);
  const rigid::Motion motion_a = draw_motion(random, 3), motion_b = draw_motion(random, 0.5);
  rigid::AdvanceOptions options;
  if (random.one_in(3)) options.threshold = std::pow(10.0, random.uniform(-6, -2));
  options.smallest_threshold = random.one_in(4);
  const auto fault = [&](std::uint64_t& count, const std::string& what) {
    ++count;
    if (tally.first_fault.empty())
      tally.first_fault = family + " " + std::to_string(index) + ": " + what;
  };
  const rigid::BodyImpact found = advance(a.body, motion_a, b.body, motion_b, options);
  const Impact& impact = found.impact;
  ++tally.cases;
  tally.contacts += impact.verdict == Verdict::contact;
  tally.at_start += impact.toi == 0;
  const bool planes = name_a == "half space" && name_b == name_a;
  if (impact.verdict == Verdict::undecided || impact.verdict == Verdict::invalid) {
    // Promise (5): with a threshold below 4 e, which is the smallest threshold, bodies that are
    // within 4 e of each other may be undecided.
    rigid::AdvanceOptions smallest = options;
    smallest.smallest_threshold = true;
    const double least = advance(a.body, motion_a, b.body, motion_b, smallest).threshold;
    const double hi = distance(a.body, placement_at(motion_a, impact.toi), b.body,
                               placement_at(motion_b, impact.toi))
                          .hi;
    ++tally.undecided;
    if (impact.verdict == Verdict::invalid || !(found.threshold < least && hi <= least))
      fault(tally.unexpected, std::string(name(impact.verdict)));
  }
  if (planes) return;  // they intersect
  const auto apart = [&](double t, double resolution) {
    return judge_distance(a.judge, motion_a, b.judge, motion_b, t, resolution, 1e-10);
  };
  const bool contact = impact.verdict == Verdict::contact;
  if (const double claimed = std::min(impact.toi, 1.0); claimed > 0) {
    std::array<double, 4> drawn;
    for (double& x : drawn) x = random.uniform();
    const auto find = [&](double end, bool approach) {
      std::vector<double> times;
      for (int k = 0; k <= samples; ++k) times.push_back(end * k / samples);
      for (const double x : drawn) times.push_back(end * x);
      for (int k = 1; k <= 4 && approach; ++k) times.push_back(end * (1 - std::pow(4.0, -k)));
      std::sort(times.begin(), times.end());
      return judged_intersection(apart, times);
    };
    const double last = contact ? claimed * (1 - 1.0 / 256) : claimed;
    if (const double t = find(last, contact); !std::isnan(t))
      fault(tally.late,
            "intersects at " + std::to_string(t) + " before " + std::to_string(claimed));
    if (contact) ++tally.later, tally.noticed += !std::isnan(find(1, false));
  }
  // Returns how far two points are from being points of the two bodies at most `most` apart.
  const auto excess = [&](double at, const Vec3& of_a, const Vec3& of_b, double most) {
    return judge_distance(a.judge, motion_a, at, of_a) +
           judge_distance(b.judge, motion_b, at, of_b) + std::max((of_a - of_b).norm() - most, 0.0);
  };
  if (contact)
    if (const double d = excess(impact.toi, found.point_a, found.point_b, found.threshold);
        !(d <= 1e-9) || !(std::abs(impact.normal.norm() - 1) < 1e-9))
      fault(tally.far, "points of the contact off by " + std::to_string(d));
  const double t = random.uniform();
  const rigid::BodyDistance measured =
      distance(a.body, placement_at(motion_a, t), b.body, placement_at(motion_b, t));
  const double d = apart(t, 1e-6);
  const double off = excess(t, measured.point_a, measured.point_b, measured.hi);
  tally.loosest = std::max(tally.loosest, measured.hi - measured.lo);
  if (!(measured.lo <= d + 1e-9) || !(measured.hi - measured.lo <= 1e-9) || !(off <= 1e-9))
    fault(tally.wrong_distance, "distance in [" + std::to_string(measured.lo) + ", " +
                                    std::to_string(measured.hi) + "], judged " + std::to_string(d) +
                                    ", points off by " + std::to_string(off));
}

}  // namespace graze::test
