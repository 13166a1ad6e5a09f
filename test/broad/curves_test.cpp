#include "graze/broad/moving/curves.h"

#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>

#include "graze/generate/random.h"

namespace graze::broad::curves_test {
namespace {

using Rational = boost::multiprecision::cpp_rational;

// The exact curve lies in the hull and between the bounds that move linearly, for all control
// points within the given error.
TEST(CurvePoints, BoundTheExactCurve) {
  const Mesh mesh = make_mesh(1, {});
  generate::Random random("curve points", 0, 0, 0);
  double tightest = 1;
  for (int round = 0; round < 300; ++round) {
    const double size = std::ldexp(1.0, round % 7 == 0 ? -1060 : round % 5 == 0 ? 900 : 0);
    const double err = round % 3 == 0 ? 0 : size * (round % 3 == 1 ? 0x1p-48 : 0x1p-8);
    std::array<std::array<Vec3, 1>, 4> given;
    std::array<Rational, 4> exact;
    for (std::size_t j = 0; j < 4; ++j) {
      given[j][0] = Vec3(size * random.cube(-1, 1));
      const double off = random.cube(-1, 1)[0];
      exact[j] = Rational(given[j][0][0]) + Rational(err) * Rational(off < 0 ? -1 : 1);
    }
    const std::array<double, 1> errs{err};
    const MovingMesh moving{mesh, given[0], given[3]};
    const Curves curves{{given[1], given[2]}, errs};
    const CurvePoints points(moving, curves, 0, 0);
    const auto [lowest, highest] = points.hull();
    const auto bounds = points.moving_bounds();
    for (int step = 0; step <= 16; ++step) {
      const Rational s(step, 16), r = 1 - s;
      const Rational x = r * r * r * exact[0] + 3 * r * r * s * exact[1] +
                         3 * r * s * s * exact[2] + s * s * s * exact[3];
      EXPECT_LE(Rational(lowest), x);
      EXPECT_GE(Rational(highest), x);
      const Rational lo = r * Rational(bounds[0][0]) + s * Rational(bounds[1][0]);
      const Rational hi = r * Rational(bounds[0][1]) + s * Rational(bounds[1][1]);
      EXPECT_LE(lo, x);
      EXPECT_GE(hi, x);
      const double room = static_cast<double>(Rational(std::min(x - lo, hi - x)) / Rational(size));
      tightest = std::min(tightest, room);
    }
  }
  EXPECT_LT(tightest, 0x1p-40);  // the bounds are tight for some curves
}

}  // namespace
}  // namespace graze::broad::curves_test
