#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "graze/generate/random.h"
#include "graze/polyhedron/move.h"
#include "test/support/rational_contact.h"
#include "test/support/scale.h"

namespace graze::polyhedron::move_rotation_test {
namespace {

using generate::Random;
using test::Rational, test::Surd;

using Quadratic = std::array<Rational, 3>;  // ascending powers of f
using QuadraticPoint = std::array<Quadratic, 3>;

// Returns the polynomial through the values at 0, 1 and 2.
template <class Value>
Quadratic interpolate(const Value& value) {
  const Rational a = value(0), b = value(1), c = value(2);
  const Rational second = (c - 2 * b + a) / 2;
  return {a, b - a - second, second};
}

// The corners of the mover times the weight, and the weight, as polynomials.
struct Turning {
  std::vector<std::vector<QuadraticPoint>> facets;
  Quadratic weight;

  Turning(const Model& mover, const Path& path) {
    const auto at = [&](const Rational& f) {
      Rational sum = 0;
      const auto q0 = test::parts(path.begin), q1 = test::parts(path.end);
      for (std::size_t i = 0; i < 4; ++i) {
        const Rational q = (1 - f) * q0[i] + f * q1[i];
        sum += q * q;
      }
      return sum;
    };
    weight = interpolate(at);
    for (const Facet& facet : mover.facets) {
      auto& corners = facets.emplace_back();
      for (const std::uint32_t c : mover.corners_of(facet)) {
        QuadraticPoint x;
        for (std::size_t k = 0; k < 3; ++k)
          x[k] = interpolate([&](const Rational& f) {
            return Rational(test::place(path, mover.vertices[c], f)[k] * at(f));
          });
        corners.push_back(x);
      }
    }
  }
};

// Visits all times at which two polygons can begin to touch: a corner in a plane, two lines in one
// plane, and, for motions within a plane, a corner on the line of an edge, component by component.
template <class Visit>
void visit_events(const std::vector<QuadraticPoint>& ours, const Quadratic& weight,
                  const test::Corners<Rational>& theirs, const Path& path,
                  const std::vector<Vec3>& body, const Visit& visit) {
  const auto moved = [&](const Rational& f) {
    test::Corners<Rational> x;
    for (const Vec3& c : body) x.push_back(test::place(path, c, f));
    return x;
  };
  const auto weight_at = [&](const Rational& f) {
    return Rational(weight[0] + f * (weight[1] + f * weight[2]));
  };
  const std::array<test::Corners<Rational>, 3> at{moved(0), moved(1), moved(2)};
  const auto index = [](const Rational& f) { return f == 0 ? 0u : f == 1 ? 1u : 2u; };
  const auto volume = [](const auto& a, const auto& b, const auto& c, const auto& d) {
    return test::product(test::times(test::minus(b, a), test::minus(c, a)), test::minus(d, a));
  };
  const std::size_t n = ours.size(), m = theirs.size();
  for (std::size_t i = 0; m > 2 && i < n; ++i)
    for (std::size_t j = 2; j < m; ++j)
      visit(interpolate([&](const Rational& f) {
        return Rational(weight_at(f) * volume(theirs[0], theirs[1], theirs[j], at[index(f)][i]));
      }));
  for (std::size_t j = 0; n > 2 && j < m; ++j)
    for (std::size_t i = 2; i < n; ++i)
      visit(interpolate([&](const Rational& f) {
        const auto& x = at[index(f)];
        return Rational(weight_at(f) * volume(x[0], x[1], x[i], theirs[j]));
      }));
  for (std::size_t i = 0; n > 1 && i < n; ++i)
    for (std::size_t j = 0; m > 1 && j < m; ++j)
      visit(interpolate([&](const Rational& f) {
        const auto& x = at[index(f)];
        return Rational(weight_at(f) *
                        volume(x[i], x[(i + 1) % n], theirs[j], theirs[(j + 1) % m]));
      }));
  for (std::size_t k = 0; k < 3; ++k)
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < m; ++j) {
        if (m > 1)
          visit(interpolate([&](const Rational& f) {
            return Rational(weight_at(f) *
                            test::times(test::minus(at[index(f)][i], theirs[j]),
                                        test::minus(theirs[(j + 1) % m], theirs[j]))[k]);
          }));
        if (n > 1)
          visit(interpolate([&](const Rational& f) {
            const auto& x = at[index(f)];
            return Rational(weight_at(f) * test::times(test::minus(theirs[j], x[i]),
                                                       test::minus(x[(i + 1) % n], x[i]))[k]);
          }));
      }
}

bool touch_at(const std::vector<QuadraticPoint>& ours, const Quadratic& weight,
              const test::Corners<Rational>& theirs, const Surd& f) {
  const auto value = [&](const Quadratic& q) {
    return Surd(q[0]) + f * (Surd(q[1]) + f * Surd(q[2]));
  };
  test::Corners<Surd> p, q;
  for (const QuadraticPoint& x : ours) p.push_back({value(x[0]), value(x[1]), value(x[2])});
  const Surd w = value(weight);
  for (const auto& y : theirs) q.push_back({w * Surd(y[0]), w * Surd(y[1]), w * Surd(y[2])});
  return !test::disjoint(p, q);
}

// Checks that nothing touches before lo or, without a contact, at all, and that something touches
// in [lo, hi], which contains no other double. Returns a description of the error, or "".
std::string judge(const Model& world, const Model& mover, const Path& path,
                  const MoveResult& result, bool& at_start) {
  const Turning turning(mover, path);
  const bool contact = result.verdict == Verdict::contact;
  const Rational lo(contact ? result.toi : 1), hi(contact ? result.toi_hi : 1);
  bool confirmed = false;
  std::string wrong;
  for (std::size_t m = 0; m < mover.facets.size(); ++m) {
    std::vector<Vec3> body;
    for (const std::uint32_t c : mover.corners_of(mover.facets[m]))
      body.push_back(mover.vertices[c]);
    for (const Facet& facet : world.facets) {
      const auto theirs = test::corners_of(world, facet);
      const auto& ours = turning.facets[m];
      if (theirs.size() == 1 && ours.size() == 1) continue;
      test::Corners<double> still;
      for (const std::uint32_t c : world.corners_of(facet)) {
        const Vec3& x = world.vertices[c];
        still.push_back({x[0], x[1], x[2]});
      }
      const auto nothing_near = [&](double f) {
        if (f < -1e-6 || f > 1 + 1e-6 || (contact && f > result.toi_hi + 1e-6)) return true;
        const Pose pose = pose_at(path, f);
        test::Corners<double> moved;
        for (const Vec3& c : body) {
          const Vec3 x = pose * c;
          moved.push_back({x[0], x[1], x[2]});
        }
        return test::clearly_disjoint(moved, still);
      };
      const auto examine = [&](const Surd& f) {
        if (nothing_near(f.approximate())) return;
        if (!wrong.empty() || f.sign() < 0 || (f - Surd(1)).sign() > 0) return;
        const bool early = !contact || (f - Surd(lo)).sign() < 0;
        const bool claimed = contact && !early && (f - Surd(hi)).sign() <= 0;
        if (claimed ? confirmed : !early) return;
        if (!touch_at(ours, turning.weight, theirs, f)) return;
        if (early) wrong = "touches earlier";
        confirmed = confirmed || claimed;
      };
      if (!nothing_near(0) && touch_at(ours, turning.weight, theirs, Surd(0))) at_start = true;
      examine(Surd(0));
      visit_events(ours, turning.weight, theirs, path, body, [&](const Quadratic& q) {
        if (q[2] != 0) {
          const Rational d = q[1] * q[1] - 4 * q[0] * q[2];
          if (d < 0) return;
          const Rational half = Rational(1) / (2 * q[2]);
          examine(Surd(-q[1] * half, half, d));
          examine(Surd(-q[1] * half, -half, d));
        } else if (q[1] != 0) {
          examine(Surd(Rational(-q[0] / q[1])));
        }
      });
    }
  }
  if (!wrong.empty()) return wrong;
  if (!contact)
    return result.toi == Impact::inf && result.toi_hi == Impact::inf ? "" : "times without contact";
  if (!confirmed) return "nothing touches there";
  if (result.toi == result.toi_hi) return "";
  return result.toi_hi == std::nextafter(result.toi, 2) ? "" : "not the nearest doubles";
}

Model polygon_model(const std::vector<Vec3>& corners) {
  Polygon all;
  for (std::uint32_t i = 0; i < corners.size(); ++i) all.push_back(i);
  return make_model(corners, {&all, 1});
}

template <class Draw>
Model random_polygon(Random& random, const Draw& draw) {
  for (;;) {
    const Vec3 a = draw(), b = draw(), c = draw();
    const std::uint64_t kind = random.below(6);
    const Model model = kind == 0  ? model_of_point(a)
                        : kind < 3 ? polygon_model({a, b, Vec3(b + c - a), c})
                                   : polygon_model({a, b, c});
    if (model.ok()) return model;
  }
}

struct Tally {
  std::size_t contacts = 0, starts = 0, exact = 0, cases = 0;
};

void check(const Model& world, const Model& mover, const Path& path, Scratch& scratch,
           Tally& tally) {
  if (!path.is_valid()) return;
  const Obstacle obstacle = make_obstacle(world);
  const MoveResult result = move({&obstacle, 1}, mover, path, scratch);
  ASSERT_NE(result.verdict, Verdict::invalid);
  bool at_start = false;
  ASSERT_EQ(judge(world, mover, path, result, at_start), "");
  ASSERT_EQ(at_start, result.verdict == Verdict::contact && result.toi_hi == 0);
  ASSERT_EQ(at_start, position_test({&obstacle, 1}, mover, path.start, scratch).touches());
  ASSERT_TRUE(test::limits_hold(obstacle, mover, path, scratch, result));
  ++tally.cases;
  tally.contacts += result.verdict == Verdict::contact;
  tally.starts += at_start;
  tally.exact += result.exact > 0;
}

Eigen::Quaterniond lattice_turn(Random& random, int bound) {
  const int x = random.integer(-bound, bound), y = random.integer(-bound, bound);
  const int z = random.integer(-bound, bound);
  return {double(random.integer(1, 3)), double(x), double(y), double(z)};
}

// Axes parallel and perpendicular to features, vertices on the axis, polygons in the plane of
// rotation, tangent circles.
TEST(Rotation, OnALatticeTheFirstTimeIsThatOfExactArithmetic) {
  Scratch scratch;
  Tally tally;
  for (std::size_t i = 0; i < test::scaled(200) && !HasFatalFailure(); ++i) {
    SCOPED_TRACE(i);
    Random random("rotate lattice", 0, test::seed(), i);
    const auto left = [&] { return Vec3(random.lattice(3) - Vec3(1, 1, 0)); };
    const auto right = [&] { return Vec3(random.lattice(3) + Vec3(2, 0, 0)); };
    const Model world = random_polygon(random, left), mover = random_polygon(random, right);
    Path path;
    path.turns = true;
    path.start.translation = random.one_in(2) ? Vec3(Vec3::Zero()) : random.lattice(1);
    if (random.one_in(3)) path.start.rotation = lattice_turn(random, 1);
    path.begin = path.start.rotation;
    path.end = (random.one_in(2) ? Eigen::Quaterniond(1, 0, 0, double(random.nonzero(-2, 2)))
                                 : lattice_turn(random, 2)) *
               path.start.rotation;
    path.pivot = random.one_in(2) ? Vec3(Vec3::Zero()) : random.lattice(1);
    check(world, mover, path, scratch, tally);
  }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(8 * tally.contacts, tally.cases);
  EXPECT_GT(20 * (tally.contacts - tally.starts), tally.cases);
  EXPECT_GT(25 * tally.exact, tally.cases);
}

// Everything lies and turns in the plane z = 0: every height is 0 at all times.
TEST(Rotation, InAPlaneTheFirstTimeIsThatOfExactArithmetic) {
  Scratch scratch;
  Tally tally;
  for (std::size_t i = 0; i < test::scaled(60) && !HasFatalFailure(); ++i) {
    SCOPED_TRACE(i);
    Random random("rotate plane", 0, test::seed(), i);
    const auto draw = [&] { return Vec3(random.lattice(4).cwiseProduct(Vec3(1, 1, 0))); };
    const Model world = random_polygon(random, draw), mover = random_polygon(random, draw);
    Path path;
    path.turns = true;
    path.end = {1, 0, 0, double(random.nonzero(-3, 3))};
    path.pivot = random.one_in(2) ? Vec3(Vec3::Zero()) : draw();
    check(world, mover, path, scratch, tally);
  }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(15 * (tally.contacts - tally.starts), tally.cases);
}

TEST(Rotation, OfRandomDoublesTheFirstTimeIsThatOfExactArithmetic) {
  Scratch scratch;
  Tally tally;
  for (std::size_t i = 0; i < test::scaled(16) && !HasFatalFailure(); ++i) {
    SCOPED_TRACE(i);
    Random random("rotate random", 0, test::seed(), i);
    const auto draw = [&] { return random.cube(-1, 1); };
    const auto draw_large = [&] { return random.cube(-2, 2); };
    const Model world = random_polygon(random, draw_large);
    const Model mover = random_polygon(random, draw);
    const Vec3 point = random.cube(-1, 1), axis = random.cube(-1, 1);
    const Vec3 turned_about = random.cube(-1, 1), position = random.cube(-1, 1);
    const Pose start = Pose::from_axis_angle(turned_about, 1, position);
    check(world, mover, turning(start, point, axis, random.uniform(-1.5, 1.5))[0], scratch, tally);
  }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(tally.contacts, 0u);
}

// Double-doubles find the last bits of generic times; integers are for degenerate ones.
TEST(Rotation, OfRandomDoublesNeedsNoIntegers) {
  Scratch scratch;
  std::size_t contacts = 0, exact = 0;
  for (std::size_t i = 0; i < 4000; ++i) {
    Random random("rotate without integers", 0, test::seed(), i);
    const auto draw = [&](double size) {
      const Vec3 a = random.cube(-size, size), b = random.cube(-size, size);
      return polygon_model({a, b, random.cube(-size, size)});
    };
    const Obstacle world = make_obstacle(draw(2));
    const Model mover = draw(1);
    const Vec3 point = random.cube(-1, 1), axis = random.cube(-1, 1);
    const Vec3 turned_about = random.cube(-1, 1), position = random.cube(-1, 1);
    const Pose start = Pose::from_axis_angle(turned_about, 1, position);
    const Path path = turning(start, point, axis, random.uniform(-1.5, 1.5))[0];
    const MoveResult result = move({&world, 1}, mover, path, scratch);
    if (result.verdict != Verdict::contact || result.toi_hi == 0) continue;
    ++contacts;
    exact += result.exact;
    EXPECT_EQ(result.toi_hi, std::nextafter(result.toi, 2));
  }
  EXPECT_GT(contacts, 200u);
  EXPECT_LT(50 * exact, contacts);
}

TEST(Rotation, ADoorStopsAtAPostAndEndsAtTheGivenPose) {
  const Model door = polygon_model({{0, 0, 0}, {2, 0, 0}, {2, 0, 3}, {0, 0, 3}});
  const Obstacle post = make_obstacle(model_of_box({Vec3(-3, 1, 0), Vec3(-1, 3, 2)}));
  Scratch scratch;
  const std::vector<Path> path = turning({}, Vec3::Zero(), Vec3(0, 0, 1), 2.5);
  EXPECT_EQ(path.size(), 2u);
  const MoveResult result = move({&post, 1}, door, path, scratch);
  EXPECT_EQ(result.verdict, Verdict::contact);
  EXPECT_EQ(result.piece, 1u);
  const MoveResult free = move({}, door, path, scratch);
  EXPECT_EQ(free.verdict, Verdict::separated);
  EXPECT_TRUE(free.end.rotation.coeffs().isApprox(path[1].end.coeffs(), 1e-15));
  // The edge of the door, at the distance 2 from the hinge, meets the side x = -1 of the post.
  const Vec3 tip = result.end * Vec3(2, 0, 0);
  EXPECT_NEAR(tip[0], -1, 1e-12);
  EXPECT_NEAR(tip[1], std::sqrt(3.), 1e-12);
  EXPECT_NEAR(result.contact.point[0], -1, 1e-12);
  EXPECT_EQ(result.contact.meeting, Meeting::vertex_facet);
  EXPECT_NEAR(result.contact.normal[0], 1, 1e-12);  // not the bottom, in whose plane it slides
}

// A clock hand passes every post around it, the last one only in the last quarter.
TEST(Rotation, AFullTurnIsFourPiecesWithoutAGap) {
  const Model hand = polygon_model({{0, 0, 0}, {2, 0, 0}, {2, 0, 1}});
  Scratch scratch;
  for (int post = 1; post < 64; ++post) {
    const double angle = post * std::numbers::pi / 32;
    const Vec3 at(std::cos(angle), std::sin(angle), 0.25);
    const Obstacle world = make_obstacle(model_of_point(at));
    const auto path = turning({}, Vec3::Zero(), Vec3(0, 0, 5), 2 * std::numbers::pi);
    ASSERT_EQ(path.size(), 4u);
    const MoveResult result = move({&world, 1}, hand, path, scratch);
    ASSERT_EQ(result.verdict, Verdict::contact) << post;
    EXPECT_EQ(result.contact.meeting, Meeting::facet_vertex);
    EXPECT_NEAR((result.end * Vec3(1, 0, 0.25) - at).norm(), 0, 1e-12);
  }
}

// Whatever the angle, a post beside the hand is met in the first turn, and a free hand ends at the
// requested angle.
TEST(Rotation, AnyFiniteAngleIsFollowed) {
  const Model hand = polygon_model({{0, 0, 0}, {2, 0, 0}, {2, 0, 1}});
  Scratch scratch;
  const double full = 2 * std::numbers::pi;
  for (const double sign : {1., -1.})
    for (const double size : {full, 2 * full, 249.9 * full, 250 * full, 251.2 * full, 1000 * full,
                              1e6, 1e15, 1e300, std::numeric_limits<double>::max()}) {
      const double angle = sign * size;
      const auto path = turning({}, Vec3::Zero(), Vec3(0, 0, 5), angle);
      EXPECT_LE(path.size(), 1000u) << angle;
      for (std::size_t i = 0; i < path.size(); ++i) {
        ASSERT_TRUE(path[i].is_valid()) << angle;
        if (i > 0) {
          ASSERT_EQ(path[i].begin.coeffs(), path[i - 1].end.coeffs()) << angle;
        }
      }
      for (int post = 1; post < 16; ++post) {
        const double at = post * std::numbers::pi / 8;
        const Obstacle world =
            make_obstacle(model_of_point(Vec3(std::cos(at), sign * std::sin(at), 0.25)));
        const MoveResult result = move({&world, 1}, hand, path, scratch);
        ASSERT_EQ(result.verdict, Verdict::contact) << angle << " " << post;
        EXPECT_LT(result.piece, 4u) << angle;
      }
      const MoveResult free = move({}, hand, path, scratch);
      EXPECT_EQ(free.verdict, Verdict::separated) << angle;
      const Vec3 tip = free.end * Vec3(2, 0, 0);
      EXPECT_NEAR(tip[0], 2 * std::cos(angle), 1e-12 + 1e-15 * std::min(size, 1e4)) << angle;
      EXPECT_NEAR(tip[1], 2 * std::sin(angle), 1e-12 + 1e-15 * std::min(size, 1e4)) << angle;
    }
  for (const double angle : {HUGE_VAL, -HUGE_VAL, std::nan("")}) {
    const auto path = turning({}, Vec3::Zero(), Vec3(0, 0, 5), angle);
    ASSERT_EQ(path.size(), 1u);
    EXPECT_EQ(move({}, hand, path, scratch).verdict, Verdict::invalid);
  }
}

TEST(Rotation, HalfATurnAndMoreInOnePieceIsInvalid) {
  Path path;
  path.turns = true;
  path.end = {0, 0, 0, 1};
  Scratch scratch;
  EXPECT_EQ(move({}, model_of_point(Vec3(1, 0, 0)), path, scratch).verdict, Verdict::invalid);
}

}  // namespace
}  // namespace graze::polyhedron::move_rotation_test
