// An elastic sheet falls on a cone: a use of the active set and the line search.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "graze/separation.h"
#include "graze/sim/line_search.h"
#include "graze/sim/soft.h"
#include "test/support/scale.h"

namespace graze::sim::sheet_on_cone_test {
namespace {

struct Scene {
  Mesh mesh;
  std::vector<Vec3> positions;
  std::size_t moving = 0;  // this many first vertices are the sheet
};

// Returns a sheet of n x n squares, a little askew, above a cone with its tip at 0.
Scene sheet_above_cone(std::uint32_t n) {
  Scene scene;
  std::vector<Face> faces;
  for (std::uint32_t i = 0; i <= n; ++i)
    for (std::uint32_t j = 0; j <= n; ++j) {
      const double x = 2.0 * i / n - 0.93, y = 2.0 * j / n - 1.04;
      scene.positions.emplace_back(x, y, 0.1 + 0.02 * x - 0.01 * y);
      const std::uint32_t corner = i * (n + 1) + j;
      if (i == n || j == n) continue;
      faces.push_back({corner, corner + n + 1, corner + 1});
      faces.push_back({corner + 1, corner + n + 1, corner + n + 2});
    }
  scene.moving = scene.positions.size();
  constexpr std::uint32_t sides = 12;
  const auto tip = static_cast<std::uint32_t>(scene.moving);
  scene.positions.emplace_back(0, 0, 0);
  for (std::uint32_t k = 0; k < sides; ++k) {
    const double angle = 2 * std::numbers::pi * k / sides;
    scene.positions.emplace_back(1.5 * std::cos(angle), 1.5 * std::sin(angle), -0.7);
    faces.push_back({tip, tip + 1 + k, tip + 1 + (k + 1) % sides});
  }
  scene.mesh = make_mesh(scene.positions.size(), faces);
  return scene;
}

// Springs along the edges; the rest lengths are those at construction.
class Springs {
 public:
  Springs(const Mesh& mesh, std::span<const Vec3> rest, double stiffness) : stiffness_(stiffness) {
    for (const Edge& edge : mesh.edges)
      springs_.push_back({edge, (rest[edge[1]] - rest[edge[0]]).norm()});
  }

  double energy(std::span<const Vec3> positions) const {
    double sum = 0;
    for (const auto& [ends, length] : springs_) {
      const double stretch = (positions[ends[1]] - positions[ends[0]]).norm() - length;
      sum += 0.5 * stiffness_ * stretch * stretch;
    }
    return sum;
  }
  // Adds the gradient of the energy, and to `diagonal` (one number per vertex) a bound on the
  // curvature.
  void add_gradient(std::span<const Vec3> positions, std::span<Vec3> gradient,
                    std::span<double> diagonal) const {
    for (const auto& [ends, length] : springs_) {
      const Vec3 along = positions[ends[1]] - positions[ends[0]];
      const double now = along.norm();
      if (now > 0) {
        const Vec3 force = stiffness_ * (now - length) / now * along;
        gradient[ends[1]] += force;
        gradient[ends[0]] -= force;
      }
      // Gershgorin: the two blocks of a row, each at most the stiffness.
      for (const std::uint32_t end : ends) diagonal[end] += 2 * stiffness_;
    }
  }

 private:
  struct Spring {
    Edge ends;
    double length;
  };
  std::vector<Spring> springs_;
  double stiffness_;
};

// Implicit steps of the sheet under gravity by descent on its incremental potential. Pairs of the
// active set repel each other by a barrier of their distance below `reach`.
class Simulation {
 public:
  Simulation(Scene scene, double separation)
      : scene_(std::move(scene)),
        springs_(scene_.mesh, scene_.positions, stiffness),
        contacts_(reach),
        velocity_(scene_.positions.size(), Vec3(0, 0, -4)) {
    search_.separation = separation;
  }

  template <class Accept>
  void step(Accept&& accept) {
    const std::vector<Vec3> before = scene_.positions;
    std::vector<Vec3> goal = before;
    for (std::size_t i = 0; i < scene_.moving; ++i)
      goal[i] += dt * velocity_[i] + dt * dt * Vec3(0, 0, -9.8);
    contacts_.clear();
    for (int iteration = 0; iteration < 6; ++iteration) {
      contacts_.update({scene_.mesh, scene_.positions, scene_.positions});
      const auto direction = descent(goal);
      std::vector<Vec3> target = scene_.positions;
      for (std::size_t i = 0; i < target.size(); ++i) target[i] += direction[i];
      contacts_.update({scene_.mesh, scene_.positions, target});
      const auto found = line_search(
          scene_.mesh, scene_.positions, direction,
          [&](std::span<const Vec3> x) { return energy(x, goal); }, search_);
      if (found.step == 0) break;
      accept(scene_, found);
      scene_.positions = found.positions;
    }
    for (std::size_t i = 0; i < scene_.moving; ++i)
      velocity_[i] = 0.99 * (scene_.positions[i] - before[i]) / dt;
  }
  const Scene& scene() const { return scene_; }
  std::size_t contacts() const { return contacts_.constraints().size(); }

 private:
  static constexpr double dt = 0.02, mass = 1, stiffness = 300, reach = 0.02, repulsion = 1e4;

  double energy(std::span<const Vec3> x, std::span<const Vec3> goal) const {
    double sum = springs_.energy(x);
    for (std::size_t i = 0; i < scene_.moving; ++i)
      sum += 0.5 * mass / (dt * dt) * (x[i] - goal[i]).squaredNorm();
    for (const ContactConstraint& c : contacts_.constraints())
      if (const double d = closest(c, x).distance; d < reach)
        sum -= repulsion * (d - reach) * (d - reach) * std::log(d / reach);
    return sum;
  }
  std::vector<Vec3> descent(std::span<const Vec3> goal) const {
    std::vector<Vec3> gradient(goal.size(), Vec3::Zero());
    std::vector<double> diagonal(goal.size(), mass / (dt * dt));
    const auto& x = scene_.positions;
    springs_.add_gradient(x, gradient, diagonal);
    for (std::size_t i = 0; i < scene_.moving; ++i)
      gradient[i] += mass / (dt * dt) * (x[i] - goal[i]);
    for (const ContactConstraint& c : contacts_.constraints()) {
      const ClosestPoints at = closest(c, x);
      const double d = at.distance, log = std::log(d / reach), past = d - reach;
      if (d >= reach) continue;
      const double force = repulsion * (2 * past * log + past * past / d);
      const double curvature = -repulsion * (2 * log + 4 * past / d - past * past / (d * d));
      const auto weights = c.kind == Kind::vertex_face
                               ? std::array{1.0, at.u + at.v - 1, -at.u, -at.v}
                               : std::array{1 - at.u, at.u, at.v - 1, -at.v};
      for (std::size_t i = 0; i < 4; ++i) {
        gradient[c.stencil.vertices[i]] -= force * weights[i] * at.normal;
        diagonal[c.stencil.vertices[i]] += 4 * curvature * std::abs(weights[i]);
      }
    }
    for (std::size_t i = 0; i < gradient.size(); ++i)
      gradient[i] = i < scene_.moving ? Vec3(-gradient[i] / diagonal[i]) : Vec3::Zero();
    return gradient;
  }

  // Returns the closest points of the pair at the positions x; the mesh has no rods and no points.
  ClosestPoints closest(const ContactConstraint& c, std::span<const Vec3> x) const {
    const MovingMesh here{scene_.mesh, x, x};
    return c.kind == Kind::vertex_face ? closest_points(here.vertex_face(c.pair.a, c.pair.b), 0)
                                       : closest_points(here.edge_edge(c.pair.a, c.pair.b), 0);
  }

  Scene scene_;
  Springs springs_;
  ActiveSet contacts_;
  LineSearchOptions search_;
  std::vector<Vec3> velocity_;
};

class SheetOnCone : public testing::TestWithParam<double> {};
INSTANTIATE_TEST_SUITE_P(Separations, SheetOnCone,
                         testing::Values(1e-2, 1e-3, 1e-4, 1e-6, 1e-8, 0.0));

TEST_P(SheetOnCone, NeverTouchesInTwoHundredSteps) {
  Simulation simulation(sheet_above_cone(10), GetParam());
  const double height = simulation.scene().positions[0].z();
  std::size_t accepted = 0, bound = 0, most_contacts = 0;
  StepOptions independent;
  independent.strategy = find_pair_strategy("brute_force");
  const std::size_t steps = std::min<std::size_t>(200, test::scaled(200));
  for (std::size_t i = 0; i < steps; ++i) {
    simulation.step([&](const Scene& scene, const LineSearchResult& found) {
      ++accepted;
      bound += found.bound.verdict == Verdict::contact;
      // Checks every third step, in a longer run every step, exactly on all pairs.
      if (accepted % 3 != 0 && test::scaled(1) == 1) return;
      const MovingMesh moved{scene.mesh, scene.positions, found.positions};
      ASSERT_EQ(earliest_impact(moved, independent).impact.verdict, Verdict::separated);
    });
    most_contacts = std::max(most_contacts, simulation.contacts());
  }
  std::cout << "  " << accepted << " accepted steps, " << bound << " bound by a pair, at most "
            << most_contacts << " active contacts\n";
  if (steps < 200) return;
  EXPECT_GT(accepted, 200u);
  EXPECT_GE(bound, 5u);
  EXPECT_GT(most_contacts, 3u);
  EXPECT_LT(simulation.scene().positions[0].z(), height - 0.1);  // it fell and hangs
}

}  // namespace
}  // namespace graze::sim::sheet_on_cone_test
