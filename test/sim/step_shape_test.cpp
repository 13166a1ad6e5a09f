// The shape that the four simulators share: Report step(model, state, [memory,] options, run).

#include <gtest/gtest.h>

#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "graze/generate/level.h"
#include "graze/sim/edges.h"
#include "graze/sim/edges/edge_scenes.h"
#include "graze/sim/elastic/soft_scenes.h"
#include "graze/sim/elastic/torus_scene.h"
#include "graze/sim/rigid.h"
#include "graze/sim/rigid/rigid_scenes.h"
#include "graze/sim/soft.h"
#include "graze/sim/walker.h"

namespace graze::sim::step_shape_test {
namespace {

// The bits of a state, to be compared.
class Bits {
 public:
  void add(double x) { bits_.push_back(std::bit_cast<std::uint64_t>(x)); }
  void add(const Vec3& x) {
    for (int axis = 0; axis < 3; ++axis) add(x[axis]);
  }
  void add(const Pose& pose) {
    for (int i = 0; i < 4; ++i) add(pose.rotation.coeffs()[i]);
    add(pose.translation);
  }
  template <class T>
  void add(const std::vector<T>& list) {
    add(static_cast<double>(list.size()));
    for (const T& each : list) add(each);
  }
  void add(const edges::CableFrame& frame) {
    add(frame.along);
    add(frame.across);
    add(frame.twist);
  }
  void add(const rigid::Body& body) {
    add(static_cast<double>(body.shape));
    add(body.is_static ? 1.0 : 0.0);
    add(body.pose);
    add(body.velocity);
    add(body.spin);
    add(body.calm);
  }
  void add(const rigid::Contact& contact) {
    add(static_cast<double>(contact.a));
    add(static_cast<double>(contact.b));
    add(contact.point);
    add(contact.normal);
    add(contact.distance);
    add(contact.impulse);
  }
  bool operator==(const Bits&) const = default;

 private:
  std::vector<std::uint64_t> bits_;
};

Bits bits(const rigid::State& state) {
  Bits all;
  all.add(state.bodies);
  all.add(state.contacts);
  return all;
}
Bits bits(const edges::State& state) {
  Bits all;
  all.add(state.time);
  all.add(state.positions);
  all.add(state.velocities);
  all.add(state.frames);
  all.add(state.tensions);
  return all;
}
Bits bits(const soft::State& state) {
  Bits all;
  all.add(state.time);
  all.add(state.positions);
  all.add(state.velocities);
  return all;
}
Bits bits(const walker::State& state) {
  Bits all;
  all.add(state.pose);
  all.add(state.velocity);
  all.add(state.on_ground ? 1.0 : 0.0);
  return all;
}

// Each simulator with a scene: the options of a step, and how many steps reach a contact.

// Jointed bodies that turn so fast that steps are divided.
struct TumblingFigure {
  TumblingFigure() {
    for (rigid::Body& body : state.bodies) body.spin = {20, 0, 0};
    options.seconds = 1.0 / 30;
  }
  rigid::Report step(const graze::Run& run = {}) {
    return rigid::step(scene.model, state, options, run);
  }

  rigid::Scene scene = rigid::stairs_with_figures(1, 8, 1);
  rigid::State state = scene.state;
  rigid::Options options;
  int steps = 6;
};

struct ExpelledWall {
  ExpelledWall() { options.mover = rigid::Mover::expel; }
  rigid::Report step(const graze::Run& run = {}) {
    return rigid::step(scene.model, state, options, run);
  }

  rigid::Scene scene = rigid::brick_wall(6, 0);
  rigid::State state = scene.state;
  rigid::Options options;
  int steps = 6;
};

struct Edges {
  explicit Edges(edges::Model of) : model(std::move(of)) {}
  edges::Report step(const graze::Run& run = {}) {
    return edges::step(model, state, workspace, options, run);
  }

  edges::Model model;
  edges::State state = start(model);
  edges::Workspace workspace{model};
  edges::Options options;
  int steps = 10;
};

edges::Model sticks() {
  for (const edges::EdgeScene& scene : edges::edge_scenes())
    if (scene.name == "sticks") return scene.make(2);
  return {};
}

struct Sticks : Edges {
  Sticks() : Edges(sticks()) { steps = 60; }
};

struct Cable : Edges {
  Cable() : Edges(edges::twisted_cable(20, 10)) {}
};

struct Soft {
  explicit Soft(soft::Model of) : model(std::move(of)) {}
  soft::Report step(const graze::Run& run = {}) {
    return soft::step(model, state, workspace, options, run);
  }

  soft::Model model;
  soft::State state = start(model);
  soft::Workspace workspace{model};
  soft::Options options;
  int steps = 16;
};

soft::Model golf() {
  for (const soft::SoftScene& scene : soft::soft_scenes())
    if (scene.name == "golf") return scene.make(25);
  return {};
}

struct Barriers : Soft {
  Barriers() : Soft(golf()) { options.seconds = 0.0025; }
};

struct Constraints : Soft {
  Constraints() : Soft(soft::torus_scene(84)) {
    options.contacts = soft::Constraints{};
    options.seconds = 0.1;
    steps = 6;
  }
};

struct Walker {
  Walker() {
    for (const auto& corners : generate::level_solids(1))
      model.world.push_back(polyhedron::make_obstacle(polyhedron::convex_hull(corners)));
    model.hull = polyhedron::convex_hull(generate::player_corners(1));
    state.pose.translation = {0, 0, 1.5};
  }
  walker::Report step(const graze::Run& run = {}) {
    options.wish = generate::walk_wish(1, move++).velocity;
    return walker::step(model, state, scratch, options, run);
  }

  walker::Model model;
  walker::State state;
  polyhedron::Scratch scratch;
  walker::Options options;
  std::uint64_t move = 0;
  int steps = 60;
};

template <class Simulator>
class StepShape : public testing::Test {};
using Simulators =
    testing::Types<TumblingFigure, ExpelledWall, Sticks, Cable, Barriers, Constraints, Walker>;
TYPED_TEST_SUITE(StepShape, Simulators);

TYPED_TEST(StepShape, AStopFlagThatIsSetLeavesTheStateUnchanged) {
  TypeParam simulator;
  for (int i = 0; i < simulator.steps; ++i) simulator.step();
  int calls = 0;
  simulator.options.monitor = [&](const auto&, const auto&) { ++calls; };
  const Bits before = bits(simulator.state);
  std::atomic<bool> stop = true;
  EXPECT_EQ(simulator.step({.stop = &stop}).verdict, Verdict::undecided);
  EXPECT_EQ(bits(simulator.state), before);
  EXPECT_EQ(calls, 0);
  stop = false;
  const Verdict verdict = simulator.step({.stop = &stop}).verdict;
  EXPECT_TRUE(verdict == Verdict::separated || verdict == Verdict::contact);
  EXPECT_GT(calls, 0);
}

// A flag that is never set costs no bits, and a stopped step leaves nothing behind in the memory.
TYPED_TEST(StepShape, AStoppedStepDoesNotChangeTheNextOnes) {
  TypeParam one, other;
  std::atomic<bool> stop = false;
  for (int i = 0; i < one.steps; ++i) {
    if constexpr (requires { other.options.observer; }) {
      // Stops in the middle of a step.
      const Bits before = bits(other.state);
      bool seen = false;
      other.options.observer = [&](const MovingMesh&, const Pairs&) { seen = stop = true; };
      other.options.monitor = [](const auto&, const auto&) { FAIL() << "the step is stopped"; };
      const Verdict verdict = other.step({.stop = &stop}).verdict;
      EXPECT_TRUE(seen);
      EXPECT_EQ(verdict, Verdict::undecided);
      EXPECT_EQ(bits(other.state), before);
      other.options.observer = {};
      other.options.monitor = {};
      stop = false;
    }
    one.step();
    other.step({.stop = &stop});
    ASSERT_EQ(bits(one.state), bits(other.state)) << i;
  }
}

TYPED_TEST(StepShape, BadSecondsAreInvalidAndLeaveTheStateUnchanged) {
  TypeParam simulator;
  simulator.step();
  simulator.options.monitor = [](const auto&, const auto&) { FAIL() << "nothing is stored"; };
  const Bits before = bits(simulator.state);
  constexpr bool is_soft = std::is_base_of_v<Soft, TypeParam>;  // 0: the default of the model
  for (const double seconds : {is_soft ? -1.0 : 0.0, -1.0, std::numeric_limits<double>::quiet_NaN(),
                               std::numeric_limits<double>::infinity()}) {
    simulator.options.seconds = seconds;
    EXPECT_EQ(simulator.step().verdict, Verdict::invalid) << seconds;
    EXPECT_EQ(bits(simulator.state), before) << seconds;
  }
}

TYPED_TEST(StepShape, TheMonitorSeesEveryStoredMotionFromEndToEnd) {
  TypeParam simulator;
  for (int i = 0; i < simulator.steps; ++i) {
    Bits last = bits(simulator.state);
    int calls = 0;
    simulator.options.monitor = [&](const auto& before, const auto& after) {
      ++calls;
      EXPECT_EQ(bits(before), last);
      last = bits(after);
    };
    simulator.step();
    EXPECT_GT(calls, 0);
    ASSERT_EQ(bits(simulator.state), last) << i;
  }
}

TYPED_TEST(StepShape, ThreadsDoNotChangeTheBits) {
  TypeParam one, two;
  for (int i = 0; i < one.steps; ++i) {
    const auto first = one.step({.threads = 1}), second = two.step({.threads = 2});
    EXPECT_EQ(first.verdict, second.verdict);
    ASSERT_EQ(bits(one.state), bits(two.state)) << i;
  }
}

// The parts of a divided step that the monitor has received are discarded with the step.
TEST(RigidStep, AStopBetweenTwoPartsRestoresTheState) {
  TumblingFigure figure;
  std::atomic<bool> stop = false;
  int calls = 0;
  figure.options.monitor = [&](const rigid::State&, const rigid::State&) {
    ++calls;
    stop = true;
  };
  const Bits before = bits(figure.state);
  EXPECT_EQ(figure.step({.stop = &stop}).verdict, Verdict::undecided);
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(bits(figure.state), before);
}

TEST(EdgesStep, AStateOfAnotherModelIsInvalid) {
  Cable cable;
  const edges::State good = cable.state;
  const auto is_refused = [&](const auto& spoil) {
    cable.state = good;
    spoil(cable.state);
    return cable.step().verdict == Verdict::invalid;
  };
  EXPECT_TRUE(is_refused([](edges::State& state) { state.positions.pop_back(); }));
  EXPECT_TRUE(is_refused([](edges::State& state) { state.velocities.pop_back(); }));
  EXPECT_TRUE(is_refused([](edges::State& state) { state.tensions.pop_back(); }));
  EXPECT_TRUE(is_refused([](edges::State& state) { state.frames.pop_back(); }));
  EXPECT_TRUE(is_refused([](edges::State& state) { state.frames[0].pop_back(); }));
  EXPECT_TRUE(is_refused([](edges::State& state) { state.positions[1].x() = NAN; }));
  EXPECT_FALSE(is_refused([](edges::State&) {}));
}

TEST(SoftStep, ZeroSecondsAreTheStepOfTheModel) {
  Barriers zero, given;
  zero.options.seconds = 0;
  given.options.seconds = given.model.step;
  EXPECT_EQ(zero.step().verdict, Verdict::separated);
  given.step();
  EXPECT_EQ(bits(zero.state), bits(given.state));
  EXPECT_EQ(zero.state.time, zero.model.step);
}

TEST(SoftStep, BadOptionsAndStatesAreInvalid) {
  Barriers barriers;
  LineSearchOptions search = soft::default_search(barriers.model);
  search.fraction = 2;
  barriers.options.contacts = soft::Barriers{search};
  EXPECT_EQ(barriers.step().verdict, Verdict::invalid);
  barriers.options.contacts = soft::Barriers{};
  barriers.state.velocities.pop_back();
  EXPECT_EQ(barriers.step().verdict, Verdict::invalid);
  Constraints constraints;
  soft::Constraints no_eta;
  no_eta.eta = 0;
  constraints.options.contacts = no_eta;
  EXPECT_EQ(constraints.step().verdict, Verdict::invalid);
  EXPECT_EQ(constraints.state.time, 0);
}

TEST(SoftStep, WithoutACertificateTheVerdictIsContact) {
  Constraints constraints;
  soft::Constraints uncertified;
  uncertified.certified = false;
  constraints.options.contacts = uncertified;
  EXPECT_EQ(constraints.step().verdict, Verdict::contact);
}

// Two crossed edges, one of which falls through the other.
TEST(FindCrossing, NamesTheFirstEdgesThatTouch) {
  const Mesh mesh = make_mesh(4, {}, {{0, 1}, {2, 3}});
  edges::State before, after;
  before.positions = {{-1, 0, 0}, {1, 0, 0}, {0, -1, 1}, {0, 1, 1}};
  after = before;
  EXPECT_EQ(find_crossing(mesh, before, after).verdict, Verdict::separated);
  for (const std::size_t i : {2u, 3u}) after.positions[i].z() = -1;
  const edges::Crossing found = find_crossing(mesh, before, after);
  EXPECT_EQ(found.verdict, Verdict::contact);
  EXPECT_EQ(found.kind, Kind::edge_edge);
  EXPECT_EQ(found.pair, (Pair{0, 1}));
  EXPECT_EQ(found.toi, 0.5);
  const std::atomic<bool> stop = true;
  EXPECT_EQ(find_crossing(mesh, before, after, {.stop = &stop}).verdict, Verdict::undecided);
  after.positions.pop_back();
  EXPECT_EQ(find_crossing(mesh, before, after).verdict, Verdict::invalid);
}

TEST(FindCrossing, SeesASoftBodyPassThroughAWall) {
  const soft::Model model = golf();
  const soft::ContactSurface surface = contact_surface(model);
  const soft::State before = start(model);
  soft::State after = before;
  EXPECT_EQ(find_crossing(surface, before, after).verdict, Verdict::separated);
  for (Vec3& x : after.positions) x.x() += 5;
  const soft::Crossing found = find_crossing(surface, before, after);
  EXPECT_EQ(found.verdict, Verdict::contact);
  EXPECT_FALSE(found.at_end);
  EXPECT_GT(found.toi, 0);
  EXPECT_LT(found.toi, 1);
  const std::atomic<bool> stop = true;
  EXPECT_EQ(find_crossing(surface, before, after, {.stop = &stop}).verdict, Verdict::undecided);
  after.positions.pop_back();
  EXPECT_EQ(find_crossing(surface, before, after).verdict, Verdict::invalid);
}

}  // namespace
}  // namespace graze::sim::step_shape_test
