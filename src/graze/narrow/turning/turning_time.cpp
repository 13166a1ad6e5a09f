#include "graze/narrow/turning/turning_time.h"

#include "graze/impact.h"

namespace graze::narrow {
namespace {

using numeric::PairNumber, numeric::PairVector;

constexpr double u = numeric::u;

// Returns a / b, off by less than 8 u^2 |a / b|: the first quotient has one rounding, the rest of
// the division is exact up to 7 u^2 |a|, and its quotient by b is off by u of itself.
PairNumber quotient(const PairNumber& a, double b) {
  const double first = a.hi / b;
  const PairNumber rest = a - numeric::two_product(first, b);
  return numeric::fast_sum(first, rest.hi / b);
}

// Returns sqrt(a), off by less than 4 u^2 sqrt(a): one step of Newton's method from the rounded
// root.
PairNumber square_root(const PairNumber& a) {
  const double first = std::sqrt(a.hi);
  const PairNumber rest = a - numeric::two_product(first, first);
  return numeric::fast_sum(first, rest.hi / (2 * first));
}

struct SineCosine {
  PairNumber sine, cosine;
};

// Returns the sine of x, with a relative error below 2^-96, and its cosine, with an absolute error
// below 2^-96, for x in [0, 1.6].
//
// Let z = x / 16 <= 0.1, exact unless denormal. Taylor's series of sin(z) / z and of cos(z) end
// with z^18 / 19! and z^18 / 18!; the rest is below 2^-120. From the factor z^10 / 11!, z^10 / 10!
// on they are summed in doubles: below 2^-55 in size and off by less than 8 u of that, 2^-105. The
// other terms fall from 1 by factors below 2^-7 and are off by less than 20 u^2 each: sine and
// cosine start with errors below 2^-100.
// A doubling, sin(2a) = 2 sin(a) cos(a), cos(2a) = 1 - 2 sin(a)^2, is made for a <= 0.8, where
// cos(a) > 0.69 and sin(a) < 0.72. With e the relative error of the sine and f the absolute error
// of the cosine, the new ones are at most e + 1.5 f + 9 u^2 and 4 sin(a)^2 e + 40 u^2. The sines of
// the four doublings are below 0.1, 0.2, 0.39 and 0.72, so that e grows to 2.5, 2.9, 3.5, 5.6 units
// of 2^-100, and f to 0.11, 0.4, 1.8, 7.3 of them (terms of u^2 included).
SineCosine sine_cosine(double x) {
  const double z = x / 16;
  const PairNumber q = numeric::two_product(z, z), one{1, 0};
  const double s = q.hi;
  const double sine_tail =
      -0x1.ae64567f544e4p-26 +
      s * (0x1.6124613a86d09p-33 +
           s * (-0x1.ae7f3e733b81fp-41 + s * (0x1.952c77030ad4ap-49 + s * -0x1.2f49b46814157p-57)));
  const double cosine_tail =
      -0x1.27e4fb7789f5cp-22 +
      s * (0x1.1eed8eff8d898p-29 +
           s * (-0x1.93974a8c07c9dp-37 + s * (0x1.ae7f3e733b81fp-45 + s * -0x1.6827863b97d97p-53)));
  // 1 / 3!, 1 / 5!, 1 / 7!, 1 / 9! and 1 / 2!, 1 / 4!, 1 / 6!, 1 / 8!, to 107 bits.
  constexpr PairNumber odd[4] = {{0x1.5555555555555p-3, 0x1.5555555555555p-57},
                                 {0x1.1111111111111p-7, 0x1.1111111111111p-63},
                                 {0x1.a01a01a01a01ap-13, 0x1.a01a01a01a01ap-73},
                                 {0x1.71de3a556c734p-19, -0x1.c154f8ddc6c00p-73}};
  constexpr PairNumber even[4] = {{0x1p-1, 0},
                                  {0x1.5555555555555p-5, 0x1.5555555555555p-59},
                                  {0x1.6c16c16c16c17p-10, -0x1.f49f49f49f49fp-65},
                                  {0x1.a01a01a01a01ap-16, 0x1.a01a01a01a01ap-76}};
  const auto sum = [&](const PairNumber(&c)[4], double tail) {
    PairNumber result = c[3] + q * PairNumber{tail, 0};
    for (int i = 2; i >= 0; --i) result = c[i] - q * result;
    return one - q * result;
  };
  SineCosine a{z * sum(odd, sine_tail), sum(even, cosine_tail)};
  for (int i = 0; i < 4; ++i) {
    const PairNumber twice = 2.0 * a.sine;
    a = {twice * a.cosine, one - twice * a.sine};
  }
  return a;
}

// Returns the coplanarity D at y and sets `err`, a bound of its error: 2^-94 P + 2^-640, where P is
// the determinant of the magnitudes m, all terms added. The control points are off by 160 u^2 m,
// and two levels of de Casteljau's scheme add 48 u^2 m (see curved_residual() in
// simd/exact_curved-inl.h). The determinant adds 25 u^2 P to three such factors: below 2^10 u^2 P.
// Underflow loses less than 2^-950 in a component, times 2^242.
template <class Query>
double coplanarity_at(const Turning<Query>& query, const RoughTurn& turn,
                      const exact::HalfTurn& part, double y, double& err) {
  const auto points = turning_differences<PairNumber>(query, turn, part);
  const auto sizes = turning_differences<Magnitude>(query, turn, part);
  std::array<PairVector, 3> e;
  std::array<std::array<double, 3>, 3> m;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < 3; ++k) {
      const auto mix = [&](const PairNumber& a, const PairNumber& b) { return a + y * (b - a); };
      const auto& p = points[i];
      e[i][k] = mix(mix(p[0][k], p[1][k]), mix(p[1][k], p[2][k]));
      m[i][k] = std::max({sizes[i][0][k].x, sizes[i][1][k].x, sizes[i][2][k].x});
    }
  const auto& [a, b, c] = m;
  const double size = a[0] * (b[1] * c[2] + b[2] * c[1]) + a[1] * (b[2] * c[0] + b[0] * c[2]) +
                      a[2] * (b[0] * c[1] + b[1] * c[0]);
  err = 0x1p-94 * size + 0x1p-640;
  return numeric::dot(e[0], numeric::cross(e[1], e[2])).hi;
}

}  // namespace

// The root is y - D(y) / r for a rate r between y and the root. D(y) / rate instead of D(y) / r is
// off by |D(y) / rate| rate_err / slowest, and the error of D(y) by err / slowest.
//
// theta = h pi + 2 phi, phi = atan2(N y, c), N = |n|, c = 2^range - y. Let x be close to phi. Then
//   phi - x = atan q,  q = (N y cos x - c sin x) / (c cos x + N y sin x),
// and |q| <= 2^-40 x makes atan q = q up to 2^-120 x. Errors of q, relative to N y / |(N y, c)| =
// sin phi <= phi: the root N 10 u^2, the products 2^-95 (sine and cosine), below 2^-92 in all. An
// error of y changes phi by at most 6 2^-range of that error: the rate of phi is N 2^range /
// (c^2 + N^2 y^2), where 1/2 <= N^2 < 2; for range = 0 the denominator is at least 1/3, and for
// range >= 1 at least (2^range - 1)^2 >= 4^range / 4. The sums with pi and the quotient by the rate
// add less than 2^-98 of the time. In all 2^-90 of the time covers what does not come from y.
template <class Query>
std::optional<std::array<double, 2>> rough_time(const Turning<Query>& query, const RoughTurn& turn,
                                                const exact::HalfTurn& part,
                                                const RoughRoot& root) {
  if (!(turn.rate > 0x1p-400 && turn.rate < 0x1p400)) return {};
  double err = 0;
  const double value = coplanarity_at(query, turn, part, root.y, err);
  const double step = value / root.rate;
  const double y_err =
      1.001 * (std::abs(step) * (root.rate_err / root.slowest + 4 * u) + err / root.slowest);
  const PairNumber y = numeric::two_sum(root.y, -step);
  const auto& n = turn.axes[turn.turns[0] ? 0 : 1];
  PairNumber length_sq = numeric::two_product(n[0], n[0]);
  for (std::size_t k = 1; k < 3; ++k) length_sq = length_sq + numeric::two_product(n[k], n[k]);
  const PairNumber up = square_root(length_sq) * y;
  const PairNumber down = PairNumber{std::ldexp(1.0, part.range), 0} - y;
  const double x = std::atan2(up.hi, down.hi);  // a guess
  if (!(x > 0x1p-400 && x <= 1.6)) return {};
  const auto [sine, cosine] = sine_cosine(x);
  const PairNumber across = up * cosine - down * sine;
  const double along = (down * cosine + up * sine).hi;
  const double q = across.hi / along;
  if (!(std::abs(q) <= 0x1p-40 * x)) return {};
  constexpr PairNumber pi{0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53};
  PairNumber theta = 2.0 * numeric::two_sum(x, q);
  if (part.half == 1) theta = pi + theta;
  const PairNumber t = quotient(theta, turn.rate);
  const double t_err =
      12.1 * std::ldexp(y_err, -part.range) / turn.rate + 0x1p-90 * t.hi + 0x1p-1000;
  if (!(t.hi > 0x1p-400 && std::abs(t.lo) > t_err)) return {};
  if (t.lo > 0) return std::array{t.hi, std::nextafter(t.hi, Impact::inf)};
  return std::array{std::nextafter(t.hi, 0.0), t.hi};
}

template std::optional<std::array<double, 2>> rough_time(const Turning<VertexFace>&,
                                                         const RoughTurn&, const exact::HalfTurn&,
                                                         const RoughRoot&);
template std::optional<std::array<double, 2>> rough_time(const Turning<EdgeEdge>&, const RoughTurn&,
                                                         const exact::HalfTurn&, const RoughRoot&);

}  // namespace graze::narrow
