#include "graze/sim/line_search.h"

#include <gtest/gtest.h>

#include <atomic>

#include "graze/generate/random.h"
#include "graze/sim/soft.h"
#include "test/support/meshes.h"
#include "test/support/moving_meshes.h"

namespace graze::sim::line_search_test {
namespace {

// A vertex above a large face; `fall` moves the vertex alone.
struct Drop {
  Mesh mesh = make_mesh(4, {{1, 2, 3}});
  std::vector<Vec3> x = {{0, 0, 1}, {-4, -4, 0}, {4, -4, 0}, {0, 4, 0}};

  std::vector<Vec3> fall(double by) const {
    return {{0, 0, -by}, Vec3::Zero(), Vec3::Zero(), Vec3::Zero()};
  }
  std::vector<Vec3> fallen(double by) const {
    auto end = x;
    end[0].z() -= by;
    return end;
  }
};

LineSearchOptions with(double separation, double fraction = 0.9) {
  LineSearchOptions options;
  options.separation = separation;
  options.fraction = fraction;
  return options;
}

// Promises of step_bound.

TEST(StepBound, KeepsTheSeparation) {
  const Drop drop;
  const auto end = drop.fallen(2);
  const StepBound bound = step_bound({drop.mesh, drop.x, end}, with(0.25));
  EXPECT_EQ(bound.verdict, Verdict::contact);
  EXPECT_EQ(bound.step, 0.375);
  EXPECT_EQ(bound.kind, Kind::vertex_face);
}

TEST(StepBound, KeepsAFractionOfTheDistanceOfCloserPairs) {
  const Drop drop;
  const auto end = drop.fallen(2);
  const StepBound bound = step_bound({drop.mesh, drop.x, end}, with(5, 0.5));
  EXPECT_NEAR(bound.step, 0.25, 1e-9);
  EXPECT_GE(1 - 2 * bound.step, 0.5 - 1e-9);
}

TEST(StepBound, GoesAFractionOfTheWayWhereTheSeparationIsZero) {
  const Drop drop;
  const auto end = drop.fallen(2);
  EXPECT_EQ(step_bound({drop.mesh, drop.x, end}, with(0, 0.5)).step, 0.25);
}

TEST(StepBound, IsTheWholeStepWhereNothingComesNear) {
  const Drop drop;
  const auto end = drop.fallen(0.5);
  const StepBound bound = step_bound({drop.mesh, drop.x, end}, with(0.25));
  EXPECT_EQ(bound.verdict, Verdict::separated);
  EXPECT_EQ(bound.step, 1);
}

TEST(StepBound, IsPositiveFromASeparatedStartHoweverClose) {
  Drop drop;
  for (const double gap : {1e-3, 1e-9, 1e-15, 1e-100, 1e-300}) {
    drop.x[0].z() = gap;
    for (const double separation : {0.0, 1e-8, 1e-2, 1.0}) {
      const auto end = drop.fallen(2);
      const StepBound bound = step_bound({drop.mesh, drop.x, end}, with(separation));
      EXPECT_EQ(bound.verdict, Verdict::contact);
      EXPECT_GT(bound.step, 0) << gap << " " << separation;
      EXPECT_LE(bound.step, 0.5 * gap) << gap << " " << separation;
    }
  }
}

// A vertex one unit in the last place above a level or tilted face, near the origin or far away,
// and two rods at the same distance.
TEST(StepBound, IsPositiveOneUnitInTheLastPlaceFromContact) {
  std::size_t bound_by_a_pair = 0;
  const Mesh rods = make_mesh(4, {}, std::vector{Edge{0, 1}, Edge{2, 3}});
  for (const double height : {0x1p-1074, 0x1p-1022, 1e-160, 0.1, 1.0, 1e8, 1e150, 1e300})
    for (const double tilt : {0.0, 0.25})
      for (const double fraction : {0.9, 0.1})
        for (const double separation : {0.0, 1e-8, 1e-2, 1.0}) {
          Drop drop;
          for (Vec3& x : drop.x) x *= height;
          for (Vec3& x : drop.x) x.z() = height + tilt * x.x();  // exact
          std::vector<Vec3> crossed = {drop.x[1], drop.x[2], {0, -5 * height, 0}, {0, height, 0}};
          for (Vec3& x : crossed) x.z() = height;
          for (const std::size_t v : {2u, 3u}) crossed[v].z() = std::nextafter(height, Impact::inf);
          drop.x[0].z() = std::nextafter(height, Impact::inf);
          auto end = drop.x, uncrossed = crossed;
          end[0].z() -= 2 * height;
          for (const std::size_t v : {2u, 3u}) uncrossed[v].z() -= 2 * height;
          for (const StepBound& bound :
               {step_bound({drop.mesh, drop.x, end}, with(separation, fraction)),
                step_bound({rods, crossed, uncrossed}, with(separation, fraction))}) {
            EXPECT_GT(bound.step, 0) << height << " " << tilt << " " << separation;
            bound_by_a_pair += bound.verdict == Verdict::contact;
          }
        }
  EXPECT_EQ(bound_by_a_pair, 256u);
}

// A contact before the smallest positive double leaves no step to take.
TEST(StepBound, IsZeroWhereNoDoubleIsEarlyEnough) {
  Drop drop;
  for (Vec3& x : drop.x) x.head<2>() *= 1e300;
  drop.x[0].z() = 1e-300;
  EXPECT_EQ(step_bound({drop.mesh, drop.x, drop.fallen(1e300)}, with(0)).step, 0);
  drop.x[0].z() = 0x1p-1074;
  EXPECT_EQ(step_bound({drop.mesh, drop.x, drop.fallen(0.5)}, with(0, 0.1)).step, 0x1p-1074);
}

TEST(StepBound, IsZeroFromContactAndRefusesOptionsOutOfRange) {
  Drop drop;
  drop.x[0].z() = 0;
  const auto end = drop.fallen(-1);
  EXPECT_EQ(step_bound({drop.mesh, drop.x, end}, with(0.1)).step, 0);
  for (const auto& options : {with(-1), with(0.1, 0), with(0.1, 1), with(Impact::nan)})
    EXPECT_EQ(step_bound({drop.mesh, drop.x, end}, options).verdict, Verdict::invalid);
  auto broken = end;
  broken[2].x() = Impact::nan;
  const StepBound bound = step_bound({drop.mesh, drop.x, broken}, with(0.1));
  EXPECT_EQ(bound.verdict, Verdict::invalid);
  EXPECT_EQ(bound.step, 0);
}

// A vertex 0.1 * (1, 1, 1) above a face with normal (1, 1, 1), 0.17 away in the Euclidean norm and
// 0.1 in the max norm: a fraction of one distance is no fraction of the other.
TEST(StepBound, MeasuresTheStartInTheNormOfTheMethod) {
  const Mesh mesh = make_mesh(4, {{1, 2, 3}});
  const std::vector<Vec3> x = {{0.1, 0.1, 0.1}, {2, -1, -1}, {-1, 2, -1}, {-1, -1, 2}};
  auto end = x;
  end[0] = -x[0];
  for (const char* name : {"tight_inclusion", "separation_root_linf", "separation_root"}) {
    auto options = with(1, 0.9);
    options.method = find_method(name);
    ASSERT_TRUE(options.method) << name;
    const StepBound bound = step_bound({mesh, x, end}, options);
    EXPECT_EQ(bound.verdict, Verdict::contact) << name;
    EXPECT_NEAR(bound.step, 0.05, 1e-4) << name;
  }
}

// [Wang 2021] Alg. 4: with p = 0.9 and a tolerance of 0.3 of the distance a contact at the start is
// not excluded; p is halved until 1 - p leaves room for the tolerance, and the step is positive.
TEST(StepBound, HalvesTheShareThatAMethodKeepsUntilItsToleranceHasRoom) {
  const Drop drop;
  const auto end = drop.fallen(2);
  LineSearchOptions options = with(5, 0.9);
  options.method = find_method("tight_inclusion");
  for (const double tol : {1e-6, 1e-3, 0.3, 0.7}) {
    options.query.distance_tol = tol;
    const StepBound bound = step_bound({drop.mesh, drop.x, end}, options);
    EXPECT_EQ(bound.verdict, Verdict::contact);
    EXPECT_GT(bound.step, 0) << tol;
    // Halved twice at most: the tolerance that the method reached may demand it once more.
    EXPECT_GE(1 - 2 * bound.step, 0.9 / 4 - 1e-12) << tol;  // the distance that is kept
  }
}

// Threads, strategies and accelerations do not change the bound.
TEST(StepBound, DependsOnTheArgumentsAlone) {
  const auto motion = test::sheet(12);
  const auto options = with(1e-2);
  const StepBound bound = step_bound(motion.moving(), options);
  EXPECT_EQ(bound.verdict, Verdict::contact);
  const auto expect_same = [&](const LineSearchOptions& other, const graze::Run& run = {}) {
    const StepBound again = step_bound(motion.moving(), other, run);
    EXPECT_EQ(again.step, bound.step);
    EXPECT_EQ(again.kind, bound.kind);
    EXPECT_EQ(again.pair, bound.pair);
  };
  for (const PairStrategy& strategy : pair_strategies()) {
    auto other = options;
    other.strategy = &strategy;
    expect_same(other, {.threads = 1});
    expect_same(other, {.threads = 2});
  }
  auto other = options;
  other.shorten_interval = false;
  expect_same(other);
  other = options;
  other.cut_time = false;
  expect_same(other);
}

TEST(StepBound, _4_IsUndecidedIfStopped) {
  const Drop drop;
  const std::atomic<bool> stop = true;
  const StepBound bound =
      step_bound({drop.mesh, drop.x, drop.fallen(2)}, with(0.25), {.stop = &stop});
  EXPECT_EQ(bound.verdict, Verdict::undecided);
  EXPECT_EQ(bound.step, 0);
}

TEST(StepBound, IsTheSameFromSlabsOfTime) {
  std::size_t bound_later = 0;
  for (const auto& family : test::mesh_families)
    for (const std::uint32_t triangles : {2u, 6u}) {
      const OwnedMotion motion = test::random_mesh(family, triangles, 3);
      auto options = with(0.01);
      const StepBound cut = step_bound(motion.moving(), options);
      options.cut_time = false;
      const StepBound whole = step_bound(motion.moving(), options);
      EXPECT_EQ(cut.verdict, whole.verdict) << family.name;
      EXPECT_EQ(cut.step, whole.step) << family.name;
      EXPECT_EQ(cut.pair, whole.pair) << family.name;
      bound_later += cut.step > 0 && cut.step < 1;
    }
  EXPECT_GT(bound_later, 2u);
}

// Promises of line_search.

TEST(LineSearch, TakesTheWholeStepWhereItIsFree) {
  const Drop drop;
  const auto result = line_search(
      drop.mesh, drop.x, drop.fall(0.5), [](auto x) { return x[0].z(); }, with(0.1));
  EXPECT_EQ(result.step, 1);
  EXPECT_EQ(result.positions, drop.fallen(0.5));
  EXPECT_EQ(result.energy, 0.5);
}

TEST(LineSearch, StopsBeforeContactAndHalvesUntilTheEnergyIsLower) {
  const Drop drop;
  const auto low_near = [](std::span<const Vec3> x) { return std::abs(x[0].z() - 0.99); };
  const auto result = line_search(drop.mesh, drop.x, drop.fall(2), low_near, with(0.1));
  EXPECT_EQ(result.bound.verdict, Verdict::contact);
  EXPECT_GT(result.halvings, 3);
  EXPECT_GT(result.step, 0);
  EXPECT_LT(result.energy, low_near(drop.x));
}

TEST(LineSearch, StaysWhereNoStepLowersTheEnergy) {
  const Drop drop;
  const auto result = line_search(
      drop.mesh, drop.x, drop.fall(2), [](auto x) { return -x[0].z(); }, with(0.1));
  EXPECT_EQ(result.step, 0);
  EXPECT_EQ(result.positions, drop.x);
}

TEST(LineSearch, _4_StaysIfStopped) {
  const Drop drop;
  for (const bool at_once : {true, false}) {
    std::atomic<bool> stop = at_once;
    // Otherwise the flag is set after the bound is known.
    const auto energy = [&](auto) {
      stop = true;
      return 1.0;
    };
    const auto result =
        line_search(drop.mesh, drop.x, drop.fall(2), energy, with(0.1), {.stop = &stop});
    EXPECT_EQ(result.bound.verdict, Verdict::undecided);
    EXPECT_EQ(result.step, 0);
    EXPECT_EQ(result.positions, drop.x);
  }
}

// Repeated steps towards a contact: every step is positive and ends separated, until doubles are
// exhausted. [Wang 2021] Section 7.2.
TEST(LineSearch, ApproachesAContactForeverWithoutTouching) {
  for (const double separation : {0.0, 1e-6, 1e-1}) {
    Drop drop;
    double z = drop.x[0].z();
    for (int i = 0; i < 60; ++i) {
      const auto result = line_search(
          drop.mesh, drop.x, drop.fall(2), [](auto x) { return x[0].z(); }, with(separation, 0.5));
      ASSERT_GT(result.step, 0) << i;
      ASSERT_LT(result.positions[0].z(), z);
      ASSERT_GT(result.positions[0].z(), 0);
      drop.x = result.positions;
      z = drop.x[0].z();
    }
    EXPECT_LT(z, 1e-10);
  }
}

// At 2^20 and with odd directions rounding moves the stored frame off the path.
TEST(LineSearch, AcceptsOnlyFramesThatAreFreeAsStored) {
  generate::Random random("line_search", 0, 1, 0);
  int accepted = 0;
  for (int i = 0; i < 300; ++i) {
    Drop drop;
    const Vec3 offset = 0x1p20 * Vec3(random.uniform(), random.uniform(), random.uniform());
    for (Vec3& x : drop.x) x += offset;
    drop.x[0].z() = offset.z() + 0x1p-30 * (1 + random.uniform());
    auto direction = drop.fall(1e-8);
    for (Vec3& d : direction) d += 1e-9 * Vec3(random.uniform(), random.uniform(), 0);
    const auto result = line_search(
        drop.mesh, drop.x, direction, [](auto x) { return x[0].z() - x[1].z(); }, with(0, 0.99));
    if (result.step == 0) continue;
    ++accepted;
    const MovingMesh stored{drop.mesh, drop.x, result.positions};
    EXPECT_EQ(earliest_impact(stored).impact.verdict, Verdict::separated);
  }
  EXPECT_GT(accepted, 200);
}

// Promises of ActiveSet.

TEST(ActiveSet, HoldsEveryPairThatTouchesOnce) {
  const auto motion = test::sheet(12);
  ActiveSet active(0);
  const auto impacts = all_impacts(motion.moving()).impacts;
  ASSERT_GT(impacts.size(), 10u);
  EXPECT_EQ(active.update(motion.moving()), impacts.size());
  EXPECT_EQ(active.update(motion.moving()), 0u);
  EXPECT_EQ(active.constraints().size(), impacts.size());
  active.clear();
  EXPECT_TRUE(active.constraints().empty());
}

TEST(ActiveSet, RenewsTheConstraintsOfPairsThatTouch) {
  const Drop drop;
  const auto end = drop.fallen(2);
  const MovingMesh moving{drop.mesh, drop.x, end};
  ActiveSet active(0.01);
  EXPECT_EQ(active.update(moving), 1u);
  EXPECT_EQ(active.update(moving), 0u);
  EXPECT_EQ(active.renew(moving), 1u);
  ASSERT_EQ(active.constraints().size(), 2u);
  EXPECT_EQ(active.constraints()[1].pair, active.constraints()[0].pair);
  const auto near = drop.fallen(0.995);  // within eta, without a touch
  EXPECT_EQ(active.renew({drop.mesh, drop.x, near}), 0u);
}

TEST(ActiveSet, HasGapsThatShrinkThroughZeroAtTheContact) {
  const Drop drop;
  const auto end = drop.fallen(2), middle = drop.fallen(0.75);
  ActiveSet active(0.25);
  ASSERT_EQ(active.update({drop.mesh, drop.x, end}), 1u);
  const ContactConstraint& c = active.constraints()[0];
  EXPECT_EQ(c.toi, 0.375);
  EXPECT_EQ(c.gap(drop.x), 0.75);
  EXPECT_EQ(c.gap(middle), 0);
  EXPECT_LT(c.gap(end), 0);
}

TEST(ActiveSet, ActivatesEarlyByEta) {
  const Drop drop;
  const auto end = drop.fallen(0.9);
  ActiveSet touching(0), near(0.2);
  EXPECT_EQ(touching.update({drop.mesh, drop.x, end}), 0u);
  EXPECT_EQ(near.update({drop.mesh, drop.x, end}), 1u);
}

// tight_inclusion reports no normal; out of budget, it reports no points either.
TEST(ActiveSet, AddsNormalsAndPointsThatAMethodDoesNotReport) {
  const auto motion = test::sheet(12);
  for (const std::uint32_t max_checks : {1'000'000u, 1u}) {
    StepOptions options;
    options.method = find_method("tight_inclusion");
    options.query.max_checks = max_checks;
    ActiveSet active(0), exact(0);
    active.update(motion.moving(), options);
    exact.update(motion.moving());
    EXPECT_GE(active.constraints().size(), exact.constraints().size());
    for (const ContactConstraint& c : active.constraints()) {
      EXPECT_NEAR(c.normal.norm(), 1, 1e-12);
      double sum = 0;
      for (std::size_t i = 0; i < c.stencil.size; ++i) sum += c.stencil.weights[i];
      EXPECT_NEAR(sum, 0, 1e-12);
      EXPECT_GE(c.gap(motion.start), 0);
    }
  }
  const Drop drop;
  const auto end = drop.fallen(2);
  StepOptions options;
  options.method = find_method("tight_inclusion");
  ActiveSet active(0.25);
  ASSERT_EQ(active.update({drop.mesh, drop.x, end}, options), 1u);
  EXPECT_EQ(active.constraints()[0].gap(drop.x), 0.75);
}

}  // namespace
}  // namespace graze::sim::line_search_test
