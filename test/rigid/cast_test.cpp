#include "graze/rigid/motion/cast.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <array>
#include <cmath>

#include "graze/generate/models.h"
#include "graze/generate/random.h"
#include "test/support/scale.h"
#include "test/support/shape_judge.h"

namespace graze::rigid::cast_test {
namespace {

using generate::Random;

// Returns the least value of a convex function on [lo, hi] and its place, by golden sections.
template <class Function>
std::pair<double, double> least(const Function& f, double lo, double hi) {
  constexpr double golden = 0.6180339887498949;
  double x = hi - golden * (hi - lo), y = lo + golden * (hi - lo), fx = f(x), fy = f(y);
  for (int i = 0; i < 55; ++i) {
    if (fx < fy) {
      hi = y, y = x, fy = fx;
      x = hi - golden * (hi - lo);
      fx = f(x);
    } else {
      lo = x, x = y, fx = fy;
      y = lo + golden * (hi - lo);
      fy = f(y);
    }
  }
  return fx < fy ? std::pair(fx, x) : std::pair(fy, y);
}

struct CastCase {
  std::array<Vec3, 2> mover;
  double radius;
  Motion motion, of_mesh;
  generate::SurfaceModel mesh;
};

// Returns a soup of triangles and a mover. Half of the cases are on a lattice, so that faces are
// parallel to axes and paths, vertices and edges are hit, and triangles are degenerate or doubled.
CastCase draw_case(std::uint64_t index) {
  Random random("casts", 0, test::seed(), index);
  CastCase drawn;
  const bool lattice = random.one_in(2);
  const auto place = [&] {
    return lattice ? Vec3(0.25 * random.lattice(4)) : Vec3(random.cube(-1, 1));
  };
  const std::size_t faces = 1 + random.below(10);
  for (std::uint32_t f = 0; f < faces; ++f) {
    const Vec3 near = place();
    for (int c = 0; c < 3; ++c) drawn.mesh.vertices.push_back(near + 0.5 * place());
    drawn.mesh.faces.push_back({3 * f, 3 * f + 1, 3 * f + 2});
    if (random.one_in(8)) drawn.mesh.faces.push_back({3 * f, 3 * f + 1, 3 * f + 1});
    if (random.one_in(8)) drawn.mesh.faces.push_back({3 * f, 3 * f + 2, 3 * f + 1});
  }
  drawn.radius = random.one_in(4) ? 0 : random.uniform(0.001, 0.4);
  drawn.mover = {place(), place()};
  if (random.one_in(2)) drawn.mover[1] = drawn.mover[0];
  const auto turn = [&] {
    if (lattice || random.one_in(3)) return Eigen::Quaterniond::Identity();
    const Vec3 v = random.cube(-1, 1);
    return Eigen::Quaterniond(random.uniform(-1, 1), v[0], v[1], v[2]);
  };
  const Vec3 from = (random.one_in(8) ? 0.5 : 3.0) * place();
  drawn.motion =
      translation({turn(), from}, random.one_in(20) ? Vec3(0, 0, 0) : place() - 2 * from);
  const Eigen::Quaterniond mesh_turn = turn();
  drawn.of_mesh =
      translation({mesh_turn, 0.5 * place()}, random.one_in(2) ? Vec3(0, 0, 0) : place());
  return drawn;
}

// Returns the distance of the mover without its radius from one triangle at a time.
double distance_at(const CastCase& drawn, const Face& face, double t) {
  const test::shape_judge::JudgePose a(drawn.motion, t), b(drawn.of_mesh, t);
  const std::array<Vec3, 3> y = {b.world(drawn.mesh.vertices[face[0]]),
                                 b.world(drawn.mesh.vertices[face[1]]),
                                 b.world(drawn.mesh.vertices[face[2]])};
  const Vec3 p = a.world(drawn.mover[0]), q = a.world(drawn.mover[1]);
  const auto along = [&](double s) {
    const Vec3 x = p + s * (q - p);
    return (x - test::shape_judge::onto_triangle(x, y)).norm();
  };
  if (p == q) return along(0);
  return std::min({least(along, 0, 1).first, along(0), along(1)});
}

// Returns the least distance from one triangle on [0, end], radius subtracted. The distance is a
// convex function of time.
double least_until(const CastCase& drawn, const Face& face, double end) {
  const auto f = [&](double t) { return distance_at(drawn, face, t); };
  return std::min({least(f, 0, end).first, f(0), f(end)}) - drawn.radius;
}

// Promises (1), (2), (3) and (5) of advance() for casts, by the least of a convex function for each
// triangle; the general search, which an observer demands, gives the same verdicts.
TEST(Casts, AreNeverLateAndWithinTheThresholdAndDecided) {
  const MotionObserver observer = [](const MovingMesh&, const Pairs&) {};
  std::size_t contacts = 0, free = 0, starts = 0, by_cast = 0;
  const std::size_t count = test::scaled(400);
  for (std::size_t i = 0; i < count; ++i) {
    SCOPED_TRACE(i);
    const CastCase drawn = draw_case(i);
    Random random("cast options", 0, test::seed(), i);
    const Body mover = drawn.mover[0] == drawn.mover[1] && drawn.mover[0].isZero(0)
                           ? make_sphere(drawn.radius)
                           : make_capsule(drawn.mover[0], drawn.mover[1], drawn.radius);
    const Body mesh = make_body(drawn.mesh.vertices, drawn.mesh.faces);
    AdvanceOptions options;
    options.threshold = std::pow(10.0, random.uniform(-8, -2));
    options.smallest_threshold = random.one_in(4);
    options.t_max = random.one_in(3) ? random.uniform(0.1, 1) : 1;
    const bool swapped = random.one_in(2);
    const auto ask = [&](const MotionObserver& watching) {
      return swapped ? advance(mesh, drawn.of_mesh, mover, drawn.motion, options, watching)
                     : advance(mover, drawn.motion, mesh, drawn.of_mesh, options, watching);
    };
    const BodyImpact found = ask({}), general = ask(observer);
    const Impact& impact = found.impact;
    ASSERT_TRUE(impact.verdict == Verdict::contact || impact.verdict == Verdict::separated);
    const Roundness round{mover.radius(), std::max(mover.size(), mesh.size())};
    by_cast +=
        advance_cast(mover.model(), drawn.motion, mesh.model(), drawn.of_mesh, {options}, round)
            .has_value();
    const bool hits = impact.verdict == Verdict::contact;
    ++(hits ? contacts : free);
    starts += hits && impact.toi == 0;
    const double end = hits ? impact.toi : options.t_max;
    double nearest = HUGE_VAL, at_end = HUGE_VAL;
    for (const Face& face : drawn.mesh.faces) {
      if (end > 0) nearest = std::min(nearest, least_until(drawn, face, end));
      at_end = std::min(at_end, distance_at(drawn, face, end) - drawn.radius);
    }
    // A golden section ends within 1e-11 of a minimum and never finds less.
    ASSERT_GE(nearest, -1e-12);
    if (hits) {
      ASSERT_LE(at_end, found.threshold + 1e-12);
      ASSERT_LE(found.distance, found.threshold);
      const Face& face = drawn.mesh.faces[swapped ? found.face_a : found.face_b];
      ASSERT_LE(distance_at(drawn, face, end) - drawn.radius, found.threshold + 1e-12);
      ASSERT_NEAR(impact.normal.norm(), 1, 1e-12);
    }
    if (general.impact.verdict != impact.verdict) {
      double close = HUGE_VAL;
      for (const Face& face : drawn.mesh.faces)
        close = std::min(close, least_until(drawn, face, options.t_max));
      ASSERT_GT(close, -1e-12);  // they come within the threshold and never touch
      ASSERT_LE(close, found.threshold + 1e-12);
    }
  }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(contacts, count / 4);
  EXPECT_GT(free, count / 8);
  EXPECT_GT(starts, 5u);
  EXPECT_GT(by_cast, count * 3 / 4);
}

TEST(Casts, ASpentBudgetIsUndecidedAndSafe) {
  const generate::SurfaceModel ring = generate::ring(40, 20);
  const Body mesh = make_body(ring.vertices, ring.faces), ball = make_sphere(0.05);
  const Motion way = translation({Eigen::Quaterniond::Identity(), {3, 0.1, 0.1}}, {-6, 0, 0});
  AdvanceOptions options;
  options.threshold = 1e-6;
  const BodyImpact truth = advance(ball, way, mesh, resting({}), options);
  ASSERT_EQ(truth.impact.verdict, Verdict::contact);
  std::size_t undecided = 0;
  for (options.max_checks = 1; options.max_checks < 200; ++options.max_checks) {
    const BodyImpact found = advance(ball, way, mesh, resting({}), options);
    undecided += found.impact.verdict == Verdict::undecided;
    ASSERT_NE(found.impact.verdict, Verdict::separated);
    ASSERT_LE(found.impact.toi, truth.impact.toi);
    if (found.impact.verdict != Verdict::contact) continue;
    ASSERT_EQ(found.impact.toi, truth.impact.toi);
  }
  EXPECT_GT(undecided, 5u);
  const std::atomic<bool> stop = true;
  EXPECT_EQ(advance(ball, way, mesh, resting({}), {}, {}, &stop).impact.verdict,
            Verdict::undecided);
}

}  // namespace
}  // namespace graze::rigid::cast_test
