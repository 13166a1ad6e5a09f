#include "graze/sim/edges.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "graze/first_contact.h"
#include "graze/generate/random.h"
#include "graze/sim/edges/edge_contacts.h"
#include "graze/sim/edges/edge_scenes.h"

namespace graze::sim::edges::edges_test {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

// A model with its state and workspace.
struct Simulation {
  explicit Simulation(Model of) : model(std::move(of)), state(start(model)), workspace(model) {}

  Report step(double seconds, int threads = 1) {
    Options options;
    const graze::Run run{.threads = threads};
    options.seconds = seconds;
    crossed = false;
    if (monitor)
      options.monitor = [&](const State& before, const State& after) {
        crossed = find_crossing(workspace.mesh(), before, after, run).verdict != Verdict::separated;
      };
    return edges::step(model, state, workspace, options, run);
  }
  Energy energy() const { return edges::energy(model, state); }

  Model model;
  State state;
  Workspace workspace;
  bool monitor = false, crossed = false;  // crossed: the monitor found a contact in the last step
};

std::uint32_t add_particle(Model& model, const Vec3& position, double mass,
                           const Vec3& velocity = {0, 0, 0}, double radius = 0) {
  model.positions.push_back(position);
  model.velocities.push_back(velocity);
  model.masses.push_back(mass);
  model.radii.push_back(radius);
  return static_cast<std::uint32_t>(model.positions.size() - 1);
}

// Adds a cable of n elements from a to b that hardly stretches.
Cable& add_stiff_cable(Model& model, const Vec3& a, const Vec3& b, std::size_t elements,
                       double mass, double radius = 0) {
  Cable& cable = add_cable(model, a, b, elements, mass, radius);
  cable.stretch = 1e4;
  return cable;
}

// Returns cables that fall across each other.
Model tangle(std::uint64_t seed, std::size_t cables, double radius) {
  generate::Random random("tangle", 0, seed, 0);
  Model model;
  model.gravity = {0, 0, -9.81};
  model.margin = 0.01;
  model.law.friction = 0.3;
  model.law.restitution = 0.3;
  for (std::size_t i = 0; i < cables; ++i) {
    const double angle = random.uniform(0, 2 * std::numbers::pi), z = 0.2 * static_cast<double>(i);
    const Vec3 along(std::cos(angle), std::sin(angle), 0), up(0, 0, z);
    Cable& cable = add_stiff_cable(model, up - along, up + along, 16, 0.2, radius);
    cable.bend = 1e-3;
    if (i == 0)
      for (const std::uint32_t p : {cable.particles.front(), cable.particles.back()})
        model.masses[p] = infinite;
    for (const std::uint32_t p : cable.particles)
      if (i > 0) model.velocities[p] = random.cube(-3, 3) + Vec3(0, 0, -4);
  }
  return model;
}

TEST(Edges, Promise1KeepsFeaturesApartByTheirRadii) {
  for (const double radius : {0.0, 0.02}) {
    std::size_t impulses = 0;
    for (std::uint64_t seed = 0; seed < 2; ++seed) {
      Simulation system(tangle(seed, 6, radius));
      system.monitor = true;
      for (int step = 0; step < 60; ++step) {
        const std::vector<Vec3> before = system.state.positions;
        const Report report = system.step(1 / 60.0);
        ASSERT_FALSE(system.crossed);
        ASSERT_TRUE(reached_pairs({system.workspace.mesh(), before, system.state.positions},
                                  system.model.radii, 0, {}, {})
                        .empty())
            << "seed " << seed << " step " << step;
        impulses += report.impulses;
      }
    }
    EXPECT_GT(impulses, 50u);
  }
}

// Judged by first_contact on every pair whose swept boxes overlap, found by comparing all.
TEST(Edges, ReachedPairsAreAllPairsWithinTheirRadiiAndMargin) {
  std::size_t reached = 0, still = 0;
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    Model model = tangle(seed, 6, 0.02);
    const Mesh mesh = mesh_of(model);
    generate::Random random("reached", 0, seed, 0);
    std::vector<Vec3> end = model.positions;
    for (Vec3& x : end) x += random.cube(-0.3, 0.3);
    for (std::size_t i = 0; i < model.radii.size(); ++i) model.radii[i] = i % 3 == 0 ? 0 : 0.01;
    const MovingMesh moving{mesh, model.positions, end};
    std::vector<std::pair<Kind, Pair>> expected;
    PairOptions options;
    options.separation = 0.05;
    options.shared_vertices = true;
    const Pairs pairs = collect_pairs(moving, options, {}, *find_pair_strategy("brute_force"));
    const auto radius = [&](const auto& vertices) {
      double largest = 0;
      for (const std::uint32_t i : vertices) largest = std::max(largest, model.radii[i]);
      return largest;
    };
    const double margin = 0.02;
    for (const Pair& pair : pairs.edge_edge) {
      graze::Options query;
      query.min_separation = margin + radius(mesh.edges[pair.a]) + radius(mesh.edges[pair.b]);
      if (first_contact(moving.edge_edge(pair.a, pair.b), query).verdict == Verdict::contact)
        expected.emplace_back(Kind::edge_edge, pair);
    }
    for (const Pair& pair : pairs.vertex_edge) {
      graze::Options query;
      query.min_separation = margin;  // a tangle has no points: neighbours count without radii
      if (first_contact(moving.vertex_edge(pair.a, pair.b), query).verdict == Verdict::contact)
        expected.emplace_back(Kind::vertex_edge, pair);
    }
    std::vector<Contact> found = reached_pairs(moving, model.radii, margin, {}, {});
    EXPECT_TRUE(std::is_sorted(found.begin(), found.end(),
                               [](const Contact& a, const Contact& b) { return a.toi < b.toi; }));
    const auto pairs_of = [](const std::vector<Contact>& contacts) {
      std::vector<std::pair<Kind, Pair>> result;
      for (const Contact& contact : contacts) result.emplace_back(contact.kind, contact.pair);
      std::sort(result.begin(), result.end());
      return result;
    };
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(pairs_of(found), expected);
    const std::vector<Contact> touching = still_reached(moving, model.radii, 0, found);
    EXPECT_EQ(pairs_of(touching), pairs_of(reached_pairs(moving, model.radii, 0, {}, {})));
    reached += found.size();
    still += touching.size();
  }
  EXPECT_GT(reached, 100u);
  EXPECT_GT(still, 10u);
  EXPECT_LT(still, reached);
}

// Two links of a chain, one of which swings through all angles onto the other.
TEST(Edges, Promise2DoesNotFoldEdgesOntoEachOther) {
  Model model;
  model.margin = 0.01;
  const auto a = add_particle(model, {1, 0, 0}, infinite);
  const auto b = add_particle(model, {0, 0, 0}, infinite);
  const auto c = add_particle(model, {0, 0.8, 0}, 1, {40, 0, 0});
  model.springs = {{{a, b}, 1, infinite}, {{b, c}, 0.8, infinite}};
  Simulation system(model);
  system.monitor = true;
  std::size_t impulses = 0;
  for (int step = 0; step < 300; ++step) {
    const Report report = system.step(1 / 60.0);
    ASSERT_FALSE(system.crossed);
    impulses += report.impulses;
  }
  EXPECT_GT(impulses, 0u);
  EXPECT_GT(system.state.positions[c].norm(), 0.5);
}

TEST(Edges, Promise3EndsIfNothingCanGiveWay) {
  // A particle between two walls that close in on it.
  Model model;
  model.margin = 0.01;
  for (const double side : {-1.0, 1.0}) {
    const auto p = add_particle(model, {side, -9, -9}, infinite, {-side, 0, 0});
    const auto q = add_particle(model, {side, 9, -9}, infinite, {-side, 0, 0});
    const auto r = add_particle(model, {side, 0, 9}, infinite, {-side, 0, 0});
    model.faces.push_back({p, q, r});
  }
  add_particle(model, {0, 0, 0}, 1);
  Simulation system(model);
  system.monitor = true;
  double least = 1;
  for (int step = 0; step < 150; ++step) {
    const Report report = system.step(0.01);
    ASSERT_FALSE(system.crossed);
    least = std::min(least, report.part);
  }
  EXPECT_LT(least, 1);
  EXPECT_LT(std::abs(system.state.positions[6].x()), 1);
}

TEST(Edges, Promise4IsDeterministicAcrossThreadsAndRestores) {
  const auto run = [](int threads, bool restore) {
    Simulation system(tangle(7, 5, 0.01));
    for (int step = 0; step < 40; ++step) {
      system.step(1 / 60.0, threads);
      if (!restore || step != 20) continue;
      Simulation other(tangle(7, 5, 0.01));
      other.state = system.state;
      system = std::move(other);
    }
    return system.state;
  };
  const auto one = run(1, false);
  for (const auto& other : {run(2, false), run(1, true)}) {
    EXPECT_EQ(one.time, other.time);
    EXPECT_EQ(one.positions, other.positions);
    EXPECT_EQ(one.velocities, other.velocities);
  }
}

// Runs each scene into its hardest contact.
TEST(Edges, ContactAddsAtMostOnePercentOfEnergy) {
  for (const EdgeScene& scene : edge_scenes()) {
    Simulation system(scene.make(scene.name == "curtain" ? 300 : scene.usual_edges));
    const double seconds = scene.name == "curtain" ? 0.1 : scene.name == "knot" ? 1.5 : 0.7;
    // A twisted cable buckles before it touches itself.
    const std::size_t least = scene.name == "twist" ? 0 : scene.name == "sticks" ? 1 : 21;
    double gained = 0, moved = 0;
    std::size_t impulses = 0;
    while (system.state.time < seconds) {
      const double before = system.energy().total();
      impulses += system.step(1.0 / 60).impulses;
      gained += std::max(0.0, system.energy().total() - before);
      moved = std::max(moved, system.energy().kinetic + system.energy().elastic);
    }
    EXPECT_GE(impulses, least) << scene.name;
    EXPECT_LT(gained, 0.01 * moved) << scene.name;
  }
}

// Tests the form of step() without a workspace.
TEST(Edges, StepsWithoutAWorkspaceGiveTheSameBits) {
  const Model model = tangle(3, 4, 0.01);
  State one = start(model), other = start(model);
  Workspace workspace(model);
  const graze::Run run{.threads = 1};
  for (int i = 0; i < 10; ++i) {
    step(model, one, workspace, {}, run);
    step(model, other, {}, run);
  }
  EXPECT_EQ(one.positions, other.positions);
  EXPECT_EQ(one.velocities, other.velocities);
}

TEST(Edges, ScenesHaveAboutTheRequestedNumberOfEdges) {
  for (const EdgeScene& scene : edge_scenes()) {
    const Model usual = scene.make(scene.usual_edges);
    EXPECT_EQ(problem(usual), "") << scene.name;
    const auto edges = static_cast<double>(mesh_of(usual).edges.size());
    EXPECT_NEAR(edges, static_cast<double>(scene.usual_edges), 0.25 * edges) << scene.name;
    if (scene.most_edges > 1000) continue;
    EXPECT_EQ(mesh_of(scene.make(scene.most_edges)).edges.size(), scene.most_edges);
    EXPECT_EQ(mesh_of(scene.make(scene.most_edges + 1)).edges.size(), scene.most_edges);
  }
}

TEST(Edges, FreeFallFollowsImplicitEuler) {
  Model model;
  model.margin = 0.01;
  model.gravity = {0, 0, -10};
  add_particle(model, {0, 0, 0}, 2, {1, 0, 0});
  Simulation system(model);
  for (int step = 0; step < 100; ++step) system.step(0.01);
  EXPECT_NEAR(system.state.velocities[0].z(), -10, 1e-12);
  // Implicit Euler falls further than the parabola, by g h t / 2.
  EXPECT_NEAR(system.state.positions[0].z(), -5 - 0.05, 1e-9);
  EXPECT_NEAR(system.state.positions[0].x(), 1, 1e-12);
}

TEST(Edges, PendulumSwingsWithItsPeriod) {
  Model model;
  model.margin = 1e-3;
  model.gravity = {0, 0, -9.81};
  const double length = 2, angle = 0.1;
  const auto pivot = add_particle(model, {0, 0, 0}, infinite);
  const auto bob = add_particle(model, length * Vec3(std::sin(angle), 0, -std::cos(angle)), 1);
  model.springs = {{{pivot, bob}, length, infinite}};
  Simulation system(model);
  const double h = 1e-3;
  std::vector<double> crossings;
  for (int step = 0; step < 6000; ++step) {
    const double before = system.state.positions[bob].x();
    system.step(h);
    const double after = system.state.positions[bob].x();
    if ((before > 0) != (after > 0))
      crossings.push_back(system.state.time - h * after / (after - before));
    EXPECT_NEAR(system.state.positions[bob].norm(), length, 1e-8);
  }
  ASSERT_GE(crossings.size(), 3u);
  const double period = crossings[2] - crossings[0];
  const double ideal = 2 * std::numbers::pi * std::sqrt(length / 9.81) * (1 + angle * angle / 16);
  EXPECT_NEAR(period, ideal, 0.002 * ideal);
}

TEST(Edges, CableHangsAsACatenary) {
  Model model;
  model.margin = 1e-3;
  model.gravity = {0, 0, -9.81};
  model.drag = 5;
  const std::size_t elements = 64;
  const double length = 3, span = 2;
  Cable& cable = add_stiff_cable(model, {0, 0, 0}, {length, 0, 0}, elements, 1);
  cable.stretch = 1e6;
  model.masses[cable.particles.front()] = model.masses[cable.particles.back()] = infinite;
  // The far end comes nearer and then rests.
  model.velocities[cable.particles.back()] = {span - length, 0, 0};
  Simulation system(model);
  for (int step = 0; step < 50; ++step) system.step(0.02);
  // Continues from there with the end at rest; the new rest lengths differ by 1e-5 at most.
  Model hung = model;
  hung.positions = system.state.positions;
  hung.velocities.assign(hung.positions.size(), Vec3::Zero());
  Simulation resting(hung);
  for (int step = 0; step < 1500; ++step) resting.step(0.02);
  // y = a cosh(x / a), with 2 a sinh(span / 2a) = length.
  double lo = 0.1, hi = 10;
  for (int i = 0; i < 200; ++i) {
    const double a = (lo + hi) / 2;
    (2 * a * std::sinh(span / (2 * a)) > length ? lo : hi) = a;
  }
  const double sag = lo * (std::cosh(span / (2 * lo)) - 1);
  EXPECT_NEAR(-resting.state.positions[cable.particles[elements / 2]].z(), sag, 0.005 * sag);
}

// A rod clamped at one end under a load at the other: deflection over length for the load
// P L^2 / EI = 1, 2, 5 from the elliptic integrals of the elastica.
TEST(Edges, RodBendsAsTheElastica) {
  for (const auto& [load, deflection] : {std::pair{1.0, 0.30172}, {2.0, 0.49346}, {5.0, 0.71379}}) {
    Model model;
    model.margin = 1e-3;
    model.drag = 20;
    const std::size_t elements = 50;
    // The clamp holds the first element; the rod begins in its middle.
    const double half = 0.5 / (elements - 0.5);
    Cable& cable = add_stiff_cable(model, {-half, 0, 0}, {1, 0, 0}, elements, 0.1);
    cable.stretch = 1e5;
    cable.bend = 1;
    for (std::size_t i = 0; i < 2; ++i) model.masses[cable.particles[i]] = infinite;
    model.forces.assign(model.positions.size(), Vec3::Zero());
    model.forces.back() = {0, 0, -load};
    Simulation system(model);
    for (int step = 0; step < 100; ++step) system.step(0.05);
    EXPECT_NEAR(-system.state.positions.back().z(), deflection, 0.001) << load;
  }
}

TEST(Edges, FreeCollisionConservesMomentum) {
  Model model;
  model.margin = 0.01;
  model.law.restitution = 1;
  const auto a = add_particle(model, {-1, 0, 0}, 1), b = add_particle(model, {1, 0, 0}, 2);
  const auto c = add_particle(model, {0.2, -1, 0.5}, 3, {0, 0, -2}),
             d = add_particle(model, {0.2, 1, 0.5}, 1, {0, 0, -2});
  model.springs = {{{a, b}, 2, 1e3}, {{c, d}, 2, 1e3}};
  Simulation system(model);
  const Vec3 before = momentum(system.model, system.state);
  std::size_t impulses = 0;
  for (int step = 0; step < 100; ++step) impulses += system.step(0.01).impulses;
  EXPECT_GT(impulses, 0u);
  EXPECT_LT((momentum(system.model, system.state) - before).norm(), 1e-9);
}

// Two free edges, one of which slides over the other while it bounces: the time of impact is in the
// middle of the step, where the edges are elsewhere than at its start.
TEST(Edges, ImpulsesActAtTheConfigurationOfTheImpact) {
  for (const double restitution : {0.0, 0.5, 1.0})
    for (const double sliding : {0.0, 3.0, 30.0}) {
      Model model;
      model.margin = 0.01;
      model.law.restitution = restitution;
      const auto a = add_particle(model, {-1, 0, 0}, 1), b = add_particle(model, {1, 0, 0}, 2);
      const auto c = add_particle(model, {0.2, -1, 0.055}, 3, {sliding, 0, -2}),
                 d = add_particle(model, {0.2, 1, 0.055}, 1, {sliding, 0, -2});
      model.edges = {{a, b}, {c, d}};
      Simulation system(model);
      system.monitor = true;
      const Vec3 linear = momentum(model, system.state);
      const Vec3 angular = angular_momentum(model, system.state);
      const double before = system.energy().kinetic;
      std::size_t impulses = 0;
      for (int step = 0; step < 4; ++step) {
        const Report report = system.step(1 / 60.0);
        EXPECT_FALSE(system.crossed);
        impulses += report.impulses;
      }
      EXPECT_GT(impulses, 0u);
      EXPECT_LT((momentum(model, system.state) - linear).norm(), 1e-12 * linear.norm());
      EXPECT_LT((angular_momentum(model, system.state) - angular).norm(), 1e-12 * angular.norm())
          << "restitution " << restitution << " sliding " << sliding;
      if (restitution == 1) {
        EXPECT_NEAR(system.energy().kinetic, before, 1e-12 * before);
      }
    }
}

// Edges without springs that fly at each other. Many meet several others in a step.
TEST(Edges, ImpulsesKeepMomentumAndAngularMomentum) {
  std::size_t impulses = 0, zones = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    generate::Random random("soup", 0, seed, 0);
    Model model;
    model.margin = 0.005;
    model.law.restitution = seed % 2 == 0 ? 1 : 0.3;
    for (int i = 0; i < 12; ++i) {
      const Vec3 middle = random.cube(-1, 1), along = random.cube(-0.6, 0.6);
      const Vec3 velocity = -4 * middle + random.cube(-1, 1);
      const auto a = add_particle(model, middle - along, random.uniform(0.2, 3), velocity);
      const auto b = add_particle(model, middle + along, random.uniform(0.2, 3),
                                  velocity + random.cube(-2, 2));
      model.edges.push_back({a, b});
    }
    ASSERT_EQ(problem(model), "");
    Simulation system(model);
    system.monitor = true;
    for (int step = 0; step < 30; ++step) {
      const Vec3 linear = momentum(model, system.state);
      const Vec3 angular = angular_momentum(model, system.state);
      const double before = system.energy().kinetic;
      const Report report = system.step(1 / 30.0);
      ASSERT_FALSE(system.crossed);
      if (report.part < 1) continue;  // the last resort stops particles
      impulses += report.impulses;
      zones += report.zones;
      const double bound = 1e-12 * static_cast<double>(1 + report.impulses);
      EXPECT_LT((momentum(model, system.state) - linear).norm(), bound);
      EXPECT_LT((angular_momentum(model, system.state) - angular).norm(), bound)
          << "seed " << seed << " step " << step << " zones " << report.zones;
      // Besides the bounce, surfaces within the margin part by a tenth of the missing gap per step.
      const double parting = 0.1 * model.margin * 30;
      EXPECT_LT(
          system.energy().kinetic,
          before * (1 + 1e-12) + static_cast<double>(report.impulses) * 3 * parting * parting);
    }
  }
  EXPECT_GT(impulses, 500u);
  EXPECT_GT(zones, 0u);
}

// [Jansen] 3.7: n springs between two points.
TEST(Edges, AddsACableBetweenTwoPointsOrParticles) {
  Model model;
  model.margin = 0.01;
  model.forces = {Vec3(0, 0, 1)};
  const auto peg = add_particle(model, {0, 0, 5}, infinite);
  add_cable(model, {0, 0, 0}, {1, 2, 2}, 6, 3, 0.1).stretch = 100;
  add_cable(model, peg, 7, 4, 2).stretch = 100;
  EXPECT_EQ(problem(model), "");
  ASSERT_EQ(model.positions.size(), 1u + 7u + 3u);
  ASSERT_EQ(model.forces.size(), model.positions.size());
  double mass = 0;
  for (std::size_t i = 0; i < 7; ++i) {
    const std::uint32_t p = model.cables[0].particles[i];
    EXPECT_EQ(p, i + 1);
    const double s = static_cast<double>(i) / 6;
    EXPECT_LT((model.positions[p] - s * Vec3(1, 2, 2)).norm(), 1e-15);
    EXPECT_EQ(model.masses[p], i % 6 == 0 ? 0.25 : 0.5);
    EXPECT_EQ(model.radii[p], 0.1);
    mass += model.masses[p];
  }
  EXPECT_EQ(mass, 3);
  EXPECT_EQ(model.cables[1].particles, (std::vector<std::uint32_t>{peg, 8, 9, 10, 7}));
  EXPECT_EQ(model.masses[peg], infinite);
  EXPECT_EQ(model.masses[7], 0.25);
  for (const std::size_t i : {8u, 9u, 10u}) EXPECT_EQ(model.masses[i], 0.5);
  EXPECT_EQ(mesh_of(model).edges.size(), 10u);
}

// [Jansen] Figure 2.
TEST(Edges, SticksCollideOnceAndPart) {
  Model model;
  for (const EdgeScene& scene : edge_scenes())
    if (scene.name == "sticks") model = scene.make(2);
  ASSERT_EQ(model.positions.size(), 4u);
  Simulation system(model);
  system.monitor = true;
  const Vec3 before = momentum(model, system.state);
  const auto height = [&] {
    const auto& x = system.state.positions;
    return (x[2] + x[3] - x[0] - x[1]).z() / 2;
  };
  double lowest = height();
  while (system.state.time < 1.5) {
    system.step(1 / 60.0);
    EXPECT_FALSE(system.crossed);
    lowest = std::min(lowest, height());
  }
  EXPECT_LT(lowest, 0.3);
  EXPECT_GT(height(), lowest + 0.05);
  EXPECT_LT((momentum(model, system.state) - before).norm(), 1e-9);
}

TEST(Edges, NamesTheDefectOfAModel) {
  Model sound;
  sound.margin = 0.1;
  add_particle(sound, {0, 0, 0}, 1);
  add_particle(sound, {1, 0, 0}, 1);
  sound.springs = {{{0, 1}, 1, 10}};
  ASSERT_EQ(problem(sound), "");
  const auto expect = [&](const std::string& text, auto&& spoil) {
    Model model = sound;
    spoil(model);
    EXPECT_NE(problem(model).find(text), std::string::npos) << problem(model);
  };
  expect("particle 1 has no positive mass", [](Model& m) { m.masses[1] = 0; });
  expect("particle 1 has no positive mass", [](Model& m) { m.masses[1] = NAN; });
  expect("spring 0 has no length", [](Model& m) { m.positions[1] = m.positions[0]; });
  expect("particle 0 has a position that is not finite",
         [](Model& m) { m.positions[0].x() = NAN; });
  expect("particle 0 has a velocity", [](Model& m) { m.velocities[0].x() = infinite; });
  expect("2 positions but 1 radii", [](Model& m) { m.radii.pop_back(); });
  expect("spring 0 names particle 9 of 2", [](Model& m) { m.springs[0].ends = {0, 9}; });
  expect("joins particle 1 to itself", [](Model& m) { m.springs[0].ends = {1, 1}; });
  expect("restitution", [](Model& m) { m.law.restitution = 2; });
  expect("margin", [](Model& m) { m.margin = 0; });
  expect("a scene needs at least one particle", [](Model& m) { m = Model(); });
  expect("at the start particles 0, 1, 2, 3 (edge-edge) are closer", [](Model& m) {
    add_particle(m, {0.5, -1, 0}, 1);
    add_particle(m, {0.5, 1, 0}, 1);
    m.edges = {{2, 3}};
  });
}

}  // namespace
}  // namespace graze::sim::edges::edges_test
