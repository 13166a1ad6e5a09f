#include "graze/narrow/separation/enclosed_contact.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "graze/separation.h"
#include "test/support/curved.h"
#include "test/support/scale.h"

namespace graze::narrow::enclosed_contact_test {
namespace {

// Returns the query at rest at the positions of a curved query at time t, up to rounding.
template <Query Q>
Q at_time(const Curved<Q>& query, double t) {
  const EnclosedPath<Q> part = enclose(query, t, t);
  return {part.chord.start, part.chord.start};
}

template <Query Q>
double distance_at(const Curved<Q>& query, double t) {
  return closest_points(at_time(query, t), 0.0).distance;
}

// Promises (1) and (2) on curves, with and without a separation.
TEST(EnclosedContact, IsNeverLateAndCloseWhereItReports) {
  int contacts = 0, apart = 0;
  for (const generate::CurvedFamily& family : generate::curved_families()) {
    if (family.mixed) continue;
    SCOPED_TRACE(std::string(family.name));
    for (const Curve curve : test::curves)
      test::for_each_curved(family, curve, test::scaled(8), 3, [&](const auto& query, auto i) {
        using Primitives = std::remove_cvref_t<decltype(at_time(query, 0.0))>;
        for (const double d : {0.0, 0.01, 0.25}) {
          const Options options{.distance_tol = 1e-4, .max_checks = 2000, .min_separation = d};
          const PathEnclosure<Primitives> path = [&](double begin, double end) {
            return enclose(query, begin, end);
          };
          const Impact given = d > 0 ? first_contact(query, options) : first_contact(path, options);
          ASSERT_NE(given.verdict, Verdict::invalid) << i;
          const double free = std::min(given.toi, 1.0);
          for (int k = 0; k <= 40; ++k) {
            const double t = free * k / 40;
            if (t < free) {
              ASSERT_GT(distance_at(query, t), d * (1 - 1e-9) - 1e-12) << i << ' ' << t;
            }
          }
          if (d == 0) {
            const Impact truth = first_contact(query);
            ASSERT_LE(given.toi, truth.toi) << i;
            if (truth.verdict == Verdict::contact) {
              ASSERT_NE(given.verdict, Verdict::separated);
            }
          }
          if (given.verdict == Verdict::contact) {
            ASSERT_EQ(given.toi_hi, 1);
            double nearest = Impact::inf;
            for (int k = 0; k <= 200; ++k)
              nearest =
                  std::min(nearest, distance_at(query, given.toi + (1 - given.toi) * k * k / 4e4));
            ASSERT_LT(nearest, d + 2.1e-4 + 0.02) << i;
            ++contacts;
          }
          apart += given.verdict == Verdict::separated;
        }
      });
  }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(contacts, 300);
  EXPECT_GT(apart, 300);
}

// A vertex moves on a circle about the z axis; the sagitta of half the angle bounds the deviation
// of an arc from its chord.
TEST(EnclosedContact, FindsTheContactOfATurningVertex) {
  const double angle = 3, radius = 2;
  int enclosures = 0;
  const auto on_circle = [&](double t) {
    return Vec3(radius * std::cos(angle * t), radius * std::sin(angle * t), 0.25);
  };
  const PathEnclosure<VertexFace> path = [&](double begin, double end) {
    ++enclosures;
    VertexFace chord{{Vec3(), Vec3(-9, 1.5, -9), Vec3(9, 1.5, -9), Vec3(0, 1.5, 9)}, {}};
    chord.end = chord.start;
    chord.start[0] = on_circle(begin);
    chord.end[0] = on_circle(end);
    // |p - chord| <= |p''| (length)^2 / 8 with |p''| = radius angle^2.
    const double length = end - begin;
    return EnclosedPath<VertexFace>{chord, radius * angle * angle * length * length / 8 + 1e-14};
  };
  const double truth = std::asin(0.75) / angle;
  const Impact impact = first_contact(path, {.distance_tol = 1e-9});
  ASSERT_EQ(impact.verdict, Verdict::contact);
  EXPECT_LE(impact.toi, truth);
  EXPECT_GT(impact.toi, truth - 1e-8);
  EXPECT_LT(enclosures, 100);
  EXPECT_NEAR(impact.normal[1], -1, 1e-6);

  const Impact spent = first_contact(path, {.distance_tol = 1e-9, .max_checks = 3});
  EXPECT_EQ(spent.verdict, Verdict::undecided);  // promise (3)
  EXPECT_LE(spent.toi, truth);
  EXPECT_EQ(spent.checks, 3u);

  const Impact apart = first_contact(path, {.t_max = 0.25});
  EXPECT_EQ(apart.verdict, Verdict::separated);
}

// Promise (4).
TEST(EnclosedContact, AnswersInvalidForBadInput) {
  for (const double bad : {Impact::nan, Impact::inf, -1.0}) {
    const PathEnclosure<VertexVertex> path = [&](double, double) {
      return EnclosedPath<VertexVertex>{{}, bad};
    };
    EXPECT_EQ(first_contact(path).verdict, Verdict::invalid);
  }
  const PathEnclosure<VertexVertex> path = [&](double, double) {
    return EnclosedPath<VertexVertex>{{{Vec3(Impact::nan, 0, 0), Vec3()}, {}}, 0};
  };
  EXPECT_EQ(first_contact(path).verdict, Verdict::invalid);
  EXPECT_EQ(first_contact(path, {.t_max = 2}).verdict, Verdict::invalid);
}

}  // namespace
}  // namespace graze::narrow::enclosed_contact_test
