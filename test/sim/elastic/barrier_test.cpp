#include "graze/sim/elastic/solvers/barrier.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>

#include "graze/separation.h"
#include "test/sim/elastic/finite_differences.h"
#include "test/support/scale.h"

namespace graze::sim::soft::barrier_test {
namespace {

using test::derivative, test::random_points, test::relative_error;

constexpr Barrier strong{1.5, 2};
constexpr std::array kinds{Kind::vertex_face, Kind::edge_edge, Kind::vertex_edge,
                           Kind::vertex_vertex};

Barrier::Feature feature(Kind kind, const std::vector<Vec3>& x, double parallel) {
  return {kind, {x[0], x[1], x[2], x[3]}, parallel};
}

double distance(const Barrier::Feature& f) {
  const auto& x = f.corners;
  switch (f.kind) {
    case Kind::vertex_face:
      return closest_points(VertexFace{x, x}, 0).distance;
    case Kind::edge_edge:
      return closest_points(EdgeEdge{x, x}, 0).distance;
    case Kind::vertex_edge:
      return closest_points(VertexEdge{{x[0], x[1], x[2]}, {x[0], x[1], x[2]}}, 0).distance;
    case Kind::vertex_vertex:
      return (x[0] - x[1]).norm();
    case Kind::edge_face:
      break;
  }
  return 0;
}

// Returns random pairs; a third of the edge pairs are nearly parallel.
struct Draw {
  std::mt19937_64 random{13};
  Barrier::Feature operator()() {
    const std::vector<Vec3> x = random_points(random, 4);
    return feature(kinds[random() % 4], x, random() % 3 == 0 ? 4.0 : 1e-3);
  }
};

std::vector<Vec3> points(const Barrier::Feature& f) {
  return {f.corners.begin(), f.corners.end()};
}

TEST(Barrier, GrowsWithoutBoundTowardsContact1) {
  double before = 0;
  for (double gap = 1; gap > 1e-150; gap /= 1e10) {
    const double energy = strong.energy(
        feature(Kind::vertex_face, {{0.2, 0.2, gap}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, 0));
    EXPECT_GT(energy, before);
    before = energy;
  }
  EXPECT_GT(before, 1000);
}

TEST(Barrier, IsZeroBeyondReach2) {
  Draw draw;
  for (std::size_t i = 0; i < test::scaled(1000); ++i) {
    const Barrier::Feature f = draw();
    const double d = distance(f);
    const Barrier just{d, 1}, more{1.001 * d, 1};
    EXPECT_LT(just.energy(f), 1e-20);
    EXPECT_LT(just.linearize(f, Curvature::as_it_is).gradient.norm() * d, 1e-12);
    EXPECT_GT(more.energy(f), 0);
  }
}

TEST(Barrier, HasTheGradientAndHessianOfFiniteDifferences3) {
  Draw draw;
  std::array<std::size_t, 4> near{};
  std::size_t parallel = 0, good = 0, all = 0;
  for (std::size_t i = 0; i < test::scaled(3000); ++i) {
    const Barrier::Feature f = draw();
    const double d = distance(f);
    if (d > 0.99 * strong.reach || d < 0.05) continue;
    ++near[static_cast<std::size_t>(f.kind)];
    parallel += f.kind == Kind::edge_edge && f.parallel > 1;
    const auto at = [&](const std::vector<Vec3>& x) { return feature(f.kind, x, f.parallel); };
    const auto value = [&](const std::vector<Vec3>& x) {
      return Eigen::VectorXd::Constant(1, strong.energy(at(x)));
    };
    const auto gradient = [&](const std::vector<Vec3>& x) -> Eigen::VectorXd {
      return strong.linearize(at(x), Curvature::as_it_is).gradient;
    };
    const auto model = strong.linearize(f, Curvature::as_it_is);
    EXPECT_LT(relative_error(derivative(value, points(f), 1e-5), model.gradient.transpose()), 1e-5);
    // The Hessian is discontinuous where the closest points reach a border: differences there are
    // few.
    good += relative_error(derivative(gradient, points(f), 1e-5), model.hessian) < 1e-4;
    ++all;
  }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  for (const std::size_t count : near) EXPECT_GT(count, test::scaled(3000) / 20);
  EXPECT_GT(parallel, test::scaled(3000) / 50);
  EXPECT_GT(static_cast<double>(good), 0.99 * static_cast<double>(all));
}

TEST(Barrier, ProjectsItsHessianToBePositiveSemidefinite4) {
  Draw draw;
  std::size_t indefinite = 0;
  for (std::size_t i = 0; i < test::scaled(1000); ++i) {
    const Barrier::Feature f = draw();
    const auto least = [&](Curvature curvature) {
      const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(
          strong.linearize(f, curvature).hessian);
      return eigen.eigenvalues()[0] / std::max(1e-300, eigen.eigenvalues().cwiseAbs().maxCoeff());
    };
    EXPECT_GT(least(Curvature::projected), -1e-13);
    indefinite += least(Curvature::as_it_is) < -1e-6;
  }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(indefinite, test::scaled(1000) / 4);
}

TEST(Barrier, OfATriangleWithoutAreaHasAFiniteHessian) {
  for (const double width : {0.0, 1e-200, 1e-12, 1e-7}) {
    const auto f = feature(Kind::vertex_face,
                           {{0.5, width / 4, 0.1}, {0, 0, 0}, {1, 0, 0}, {0.5, width, 0}}, 0);
    EXPECT_GT(strong.energy(f), 0);
    EXPECT_TRUE(strong.linearize(f, Curvature::projected).hessian.allFinite()) << width;
  }
}

TEST(Barrier, OfParallelEdgesIsZeroAndFinite) {
  const auto f =
      feature(Kind::edge_edge, {{0, 0, 0}, {1, 0, 0}, {0.2, 0, 0.1}, {0.9, 0, 0.1}}, 1e-3);
  EXPECT_EQ(strong.energy(f), 0);
  EXPECT_TRUE(strong.linearize(f, Curvature::projected).hessian.allFinite());
}

}  // namespace
}  // namespace graze::sim::soft::barrier_test
