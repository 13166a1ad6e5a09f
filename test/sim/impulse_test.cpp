#include "graze/sim/impulse.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include "graze/generate/random.h"
#include "graze/mesh.h"
#include "graze/sim/contact_stencil.h"

namespace graze::sim::impulse_test {
namespace {

// A pair at the moment of impact: its two points coincide, or lie apart along the normal.
struct Meeting {
  ContactStencil stencil;
  Vec3 normal;
  std::vector<Vec3> positions, velocities;
  std::vector<double> inverse_mass;

  double kinetic() const {
    double sum = 0;
    for (std::size_t i = 0; i < velocities.size(); ++i)
      if (inverse_mass[i] > 0) sum += velocities[i].squaredNorm() / (2 * inverse_mass[i]);
    return sum;
  }
  Vec3 momentum() const {
    Vec3 sum = Vec3::Zero();
    for (std::size_t i = 0; i < velocities.size(); ++i) sum += velocities[i] / inverse_mass[i];
    return sum;
  }
  Vec3 angular_momentum() const {
    Vec3 sum = Vec3::Zero();
    for (std::size_t i = 0; i < velocities.size(); ++i)
      sum += positions[i].cross(velocities[i]) / inverse_mass[i];
    return sum;
  }
};

Meeting random_meeting(std::uint64_t index) {
  generate::Random random("impulse", 0, 1, index);
  const auto kind = static_cast<Kind>(random.below(kind_count));
  const Mesh mesh =
      kind == Kind::vertex_face ? make_mesh(4, {{1, 2, 3}}) : make_mesh(4, {}, {{0, 1}, {2, 3}});
  double u = random.uniform(), v = random.uniform();
  if (kind == Kind::vertex_face && u + v > 1) u = 1 - u, v = 1 - v;
  const Pair pair = kind == Kind::edge_edge     ? Pair{0, 1}
                    : kind == Kind::vertex_face ? Pair{0, 0}
                    : kind == Kind::vertex_edge ? Pair{0, 1}
                                                : Pair{0, 1};
  Meeting meeting;
  meeting.stencil = contact_stencil(mesh, kind, pair, u, v);
  meeting.normal = random.cube(-1, 1).normalized();
  for (int i = 0; i < 4; ++i) {
    meeting.positions.push_back(random.cube(-1, 1));
    meeting.velocities.push_back(random.cube(-1, 1));
    meeting.inverse_mass.push_back(1 / random.uniform(0.1, 10));
  }
  // Moves the first primitive so that the points lie along the normal.
  const Vec3 apart = random.uniform() * meeting.normal - meeting.stencil.between(meeting.positions);
  for (std::size_t i = 0; i < meeting.stencil.size; ++i)
    if (meeting.stencil.weights[i] > 0) meeting.positions[meeting.stencil.vertices[i]] += apart;
  return meeting;
}

// Calls function(before, after, law, impulse) and returns how many impulses were not 0.
template <class Function>
int for_each_meeting(bool friction, Function&& function) {
  int pushed = 0;
  for (std::uint64_t index = 0; index < 2000; ++index) {
    const Meeting before = random_meeting(index);
    generate::Random random("law", 0, 1, index);
    ImpulseLaw law;
    law.restitution = random.uniform();
    if (friction) law.friction = random.uniform(0, 2);
    Meeting after = before;
    const Vec3 impulse =
        apply_impulse(after.stencil, after.normal, law, after.inverse_mass, after.velocities);
    pushed += !impulse.isZero(0);
    function(before, after, law, impulse);
  }
  return pushed;
}

TEST(Impulse, Promise1And2ConservesMomentumAndAngularMomentum) {
  const int pushed = for_each_meeting(true, [](const Meeting& before, const Meeting& after,
                                               const ImpulseLaw&, const Vec3& impulse) {
    const double size = 1e-13 * (1 + impulse.norm());
    EXPECT_LT((after.momentum() - before.momentum()).norm(), 10 * size);
    // If the points do not touch, friction acts with a lever along the normal: a known torque.
    const Vec3 torque = before.stencil.between(before.positions).cross(impulse);
    EXPECT_LT((after.angular_momentum() - before.angular_momentum() - torque).norm(), 10 * size);
  });
  EXPECT_GT(pushed, 800);
  for_each_meeting(false, [](const Meeting& before, const Meeting& after, const ImpulseLaw&,
                             const Vec3& impulse) {
    EXPECT_LT((after.angular_momentum() - before.angular_momentum()).norm(),
              1e-12 * (1 + impulse.norm()));
  });
}

TEST(Impulse, Promise3NeverAddsKineticEnergy) {
  for (const bool friction : {false, true})
    for_each_meeting(friction, [&](const Meeting& before, const Meeting& after,
                                   const ImpulseLaw& law, const Vec3& impulse) {
      EXPECT_LE(after.kinetic(), before.kinetic() * (1 + 1e-14));
      if (friction || impulse.isZero(0)) return;
      double resistance = 0;
      for (std::size_t i = 0; i < after.stencil.size; ++i)
        resistance += after.stencil.weights[i] * after.stencil.weights[i] *
                      after.inverse_mass[after.stencil.vertices[i]];
      const double approach = before.normal.dot(before.stencil.between(before.velocities));
      const double loss =
          (1 - law.restitution * law.restitution) * approach * approach / (2 * resistance);
      EXPECT_NEAR(before.kinetic() - after.kinetic(), loss, 1e-12 * before.kinetic());
    });
}

TEST(Impulse, Promise4GivesBackTheSpeedTimesTheRestitution) {
  for_each_meeting(true, [](const Meeting& before, const Meeting& after, const ImpulseLaw& law,
                            const Vec3& impulse) {
    const double was = before.normal.dot(before.stencil.between(before.velocities));
    const double is = after.normal.dot(after.stencil.between(after.velocities));
    EXPECT_NEAR(is, was < 0 ? -law.restitution * was : was, 1e-12);
    if (was < 0) {
      const double push = after.normal.dot(impulse);
      const Vec3 drag = impulse - push * after.normal;
      EXPECT_LE(drag.norm(), law.friction * push * (1 + 1e-12));  // in Coulomb's cone
    }
  });
}

TEST(Impulse, SeparatesAtLeastAtTheRequestedSpeed) {
  Meeting meeting = random_meeting(3);
  ImpulseLaw law;
  law.parting = 5;
  apply_impulse(meeting.stencil, meeting.normal, law, meeting.inverse_mass, meeting.velocities);
  EXPECT_NEAR(meeting.normal.dot(meeting.stencil.between(meeting.velocities)), 5, 1e-12);
}

TEST(Impulse, LeavesPinnedParticlesAndBouncesOffThem) {
  Meeting meeting;
  meeting.stencil =
      contact_stencil(make_mesh(4, {}, {{0, 1}, {2, 3}}), Kind::edge_edge, {0, 1}, 0.5, 0.25);
  meeting.normal = {0, 0, 1};
  meeting.positions.resize(4);
  meeting.velocities = {{0, 0, -1}, {0, 0, -1}, {0, 0, 0}, {0, 0, 0}};
  meeting.inverse_mass = {1, 1, 0, 0};
  apply_impulse(meeting.stencil, meeting.normal, {1, 0, 0}, meeting.inverse_mass,
                meeting.velocities);
  EXPECT_EQ(meeting.velocities[2], Vec3::Zero());
  EXPECT_EQ(meeting.velocities[0], Vec3(0, 0, 1));
  meeting.inverse_mass = {0, 0, 0, 0};
  meeting.velocities[0] = meeting.velocities[1] = {0, 0, -1};
  EXPECT_TRUE(apply_impulse(meeting.stencil, meeting.normal, {1, 0, 0}, meeting.inverse_mass,
                            meeting.velocities)
                  .isZero(0));
}

}  // namespace
}  // namespace graze::sim::impulse_test
