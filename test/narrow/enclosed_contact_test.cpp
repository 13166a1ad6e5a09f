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

// Returns an upper bound of the least distance on [begin, end]: of 41 samples, and of 50 steps of
// the golden section beside the smallest sample. Every distance it is taken from is one of the
// primitives at a time of the interval.
template <Query Q>
double least_distance(const Curved<Q>& query, double begin, double end) {
  constexpr int samples = 40;
  const double step = (end - begin) / samples;
  double nearest = Impact::inf, at = begin;
  for (int k = 0; k <= samples; ++k) {
    const double t = std::min(begin + k * step, end), distance = distance_at(query, t);
    if (distance < nearest) nearest = distance, at = t;
  }
  constexpr double golden = 0.6180339887498949;
  double a = std::max(begin, at - step), b = std::min(end, at + step);
  double low = b - golden * (b - a), high = a + golden * (b - a);
  double at_low = distance_at(query, low), at_high = distance_at(query, high);
  for (int i = 0; i < 50; ++i) {
    nearest = std::min({nearest, at_low, at_high});
    if (at_low < at_high) {
      b = high, high = low, at_high = at_low;
      at_low = distance_at(query, low = b - golden * (b - a));
    } else {
      a = low, low = high, at_low = at_high;
      at_high = distance_at(query, high = a + golden * (b - a));
    }
  }
  return nearest;
}

// Promises (1) and (2) on curves, with and without a separation. The search above lies in the last
// part that was enclosed, which is the part of promise (2).
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
          // The resolution of the judge: the rounding of a computed distance and its positions.
          const double rounding = d * 1e-9 + 1e-12;
          double part_end = 1, deviation = 0;
          const PathEnclosure<Primitives> path = [&](double begin, double end) {
            const auto part = enclose(query, begin, end);
            part_end = end;
            deviation = part.deviation;
            return part;
          };
          const Impact given = first_contact(path, options);
          ASSERT_NE(given.verdict, Verdict::invalid) << i;
          if (d > 0) {
            ASSERT_EQ(test::time_difference(first_contact(query, options), given), "") << i;
          }
          const double free = std::min(given.toi, 1.0);
          if (free > 0) {
            const double before = given.toi < 1 ? std::nextafter(free, 0.0) : free;
            ASSERT_GT(least_distance(query, 0, before), d - rounding) << i;
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
            ASSERT_LE(given.toi, part_end);
            ASSERT_LE(deviation, options.distance_tol / 2) << i;
            ASSERT_LE(least_distance(query, given.toi, part_end),
                      d + 2 * options.distance_tol + rounding)
                << i;
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
