#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <type_traits>
#include <vector>

#include "graze/certificate.h"
#include "graze/core/numeric/float_environment.h"
#include "graze/exact/integer.h"
#include "graze/exact/judge/integer_motion.h"
#include "graze/narrow/run_blocks.h"

namespace graze::narrow {
namespace {

using exact::Integer;
using IntegerVector = std::array<Integer, 3>;

Integer dot(const IntegerVector& p, const IntegerVector& q) {
  return p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
}

bool all_finite(const Certificate& certificate) {
  for (const CertificatePiece& piece : certificate.pieces) {
    for (const double x : piece.end)
      if (!std::isfinite(x)) return false;
    for (const auto& coefficient : piece.direction)
      for (const Vec3& term : coefficient)
        if (!term.allFinite()) return false;
  }
  return true;
}

// Returns the coefficients of the direction times one power of two.
std::vector<IntegerVector> coefficients_of(const CertificatePiece& piece) {
  numeric::CommonScale scale;
  for (const auto& coefficient : piece.direction)
    for (const Vec3& term : coefficient) scale.include(term);
  std::vector<IntegerVector> coefficients;
  for (const auto& coefficient : piece.direction) {
    IntegerVector sum{};
    for (const Vec3& term : coefficient)
      for (std::size_t k = 0; k < 3; ++k)
        sum[k] += exact::to_integer(scale.scaled(term[static_cast<int>(k)]));
    coefficients.push_back(sum);
  }
  return coefficients;
}

template <class Query>
bool proves(const Certificate& certificate, const Query& query) {
  constexpr std::size_t corners_of_first = std::is_same_v<Query, EdgeEdge> ? 2 : 1;
  const auto motion = exact::integer_motion(query);
  std::vector<exact::PolynomialVector> differences;
  for (std::size_t i = 0; i < corners_of_first; ++i)
    for (std::size_t j = corners_of_first; j < motion.size(); ++j)
      differences.push_back(motion[i] - motion[j]);

  // A time is (its fraction in units of 2^fractions.exponent) * t_max.
  numeric::CommonScale fractions;
  fractions.include(1);
  for (const CertificatePiece& piece : certificate.pieces)
    for (const double x : piece.end) fractions.include(x);
  const auto t_max = numeric::decompose(certificate.t_max);
  const auto shift = static_cast<unsigned>(-(fractions.exponent() + t_max.exponent));
  const auto differences_at = [&](const Integer& fraction) {
    const Integer t = fraction * t_max.mantissa;
    std::vector<IntegerVector> at;  // times 2^shift
    for (const auto& d : differences) {
      IntegerVector& v = at.emplace_back();
      for (std::size_t k = 0; k < 3; ++k) v[k] = (d[k].c[0] << shift) + d[k].c[1] * t;
    }
    return at;
  };

  Integer reached = 0;
  auto d0 = differences_at(reached);
  for (const CertificatePiece& piece : certificate.pieces) {
    Integer end = 0;
    for (const double x : piece.end) end += exact::to_integer(fractions.scaled(x));
    if (end <= reached || piece.direction.empty()) return false;
    auto d1 = differences_at(end);
    const auto direction = coefficients_of(piece);
    for (std::size_t m = 0; m < d0.size(); ++m)
      for (std::size_t k = 0; k <= direction.size(); ++k) {
        Integer coefficient = 0;
        if (k < direction.size()) coefficient += dot(direction[k], d0[m]);
        if (k > 0) coefficient += dot(direction[k - 1], d1[m]);
        if (coefficient <= 0) return false;
      }
    reached = end;
    d0 = std::move(d1);
  }
  return reached == exact::to_integer(fractions.scaled(1));
}

}  // namespace
}  // namespace graze::narrow

namespace graze {

template <Query Q>
bool verify(const Certificate& certificate, const Q& query) {
  const FloatEnvironment environment;
  return certificate.verdict == Verdict::separated && certificate.t_max > 0 &&
         certificate.t_max <= 1 && is_finite(query) && narrow::all_finite(certificate) &&
         narrow::proves(certificate, query);
}

template <Query Q>
void verify(std::span<const Certificate> certificates, std::span<const Q> queries,
            std::span<std::uint8_t> valid, const Run& run) {
  assert(certificates.size() == queries.size() && certificates.size() == valid.size());
  narrow::run_blocks(
      queries.size(), run,
      [&](std::size_t first, std::size_t size) {
        for (std::size_t i = first; i < first + size; ++i)
          valid[i] = verify(certificates[i], queries[i]);
      },
      [&](std::size_t first, std::size_t size) {
        std::fill_n(valid.begin() + static_cast<std::ptrdiff_t>(first), size, std::uint8_t{0});
      });
}

#define GRAZE_INSTANTIATE(Q)                                                \
  template bool verify<Q>(const Certificate&, const Q&);                    \
  template void verify<Q>(std::span<const Certificate>, std::span<const Q>, \
                          std::span<std::uint8_t>, const Run&);
GRAZE_INSTANTIATE(VertexFace)
GRAZE_INSTANTIATE(EdgeEdge)
GRAZE_INSTANTIATE(VertexEdge)
GRAZE_INSTANTIATE(VertexVertex)
#undef GRAZE_INSTANTIATE

}  // namespace graze
