#include "graze/rigid/proof/link_row.h"

#include <vector>

#include "graze/core/numeric/strict_arithmetic.h"

namespace graze::rigid::proof {
namespace {

Range horner(std::span<const double> c, const Range& s, std::size_t derivative) {
  Range sum{};
  for (std::size_t k = c.size(); k-- > derivative;) {
    double factor = 1;
    for (std::size_t i = 0; i < derivative; ++i) factor *= static_cast<double>(k - i);
    sum = sum * s + factor * Range::of(c[k]);
  }
  return sum;
}

Ranges times(const Ranges& row, const RangeMatrix& m) {
  Ranges result;
  for (std::size_t j = 0; j < 3; ++j)
    result[j] = row[0] * m.row[0][j] + row[1] * m.row[1][j] + row[2] * m.row[2][j];
  return result;
}
Range times(const Ranges& row, const Ranges& v) {
  return row[0] * v[0] + row[1] * v[1] + row[2] * v[2];
}
Ranges sum_of(const Ranges& a, const Ranges& b) {
  return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}
Ranges doubled(const Ranges& a) {
  return {2 * a[0], 2 * a[1], 2 * a[2]};
}

// A frame in its parent, x -> rotation x + offset, with two derivatives with respect to s.
struct Step {
  std::array<RangeMatrix, 3> rotation;
  std::array<Ranges, 3> offset{};
};

Step step_of(const MovingFrame& frame, std::span<const double> curve, const Range& s) {
  const Range q = horner(curve, s, 0), q1 = horner(curve, s, 1), q2 = horner(curve, s, 2);
  Step step;
  RangeMatrix origin;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      origin.row[std::size_t(i)][std::size_t(j)] = Range::of(frame.origin.rotation(i, j));
  for (int i = 0; i < 3; ++i) step.offset[0][std::size_t(i)] = Range::of(frame.origin.offset[i]);
  const Vec3& a = frame.axis;
  if (!frame.revolute) {
    step.rotation[0] = origin;
    for (std::size_t i = 0; i < 3; ++i) {
      const Range along = dot(origin.row[i], a);
      step.offset[0][i] = step.offset[0][i] + along * q;
      step.offset[1][i] = along * q1;
      step.offset[2][i] = along * q2;
    }
    return step;
  }
  // Rot = a a^T + cos (1 - a a^T) + sin [a]x, and its derivatives by q.
  const SineCosine at = sine_cosine(q);
  const double cross[3][3] = {{0, -a[2], a[1]}, {a[2], 0, -a[0]}, {-a[1], a[0], 0}};
  RangeMatrix turn, turn1, turn2;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      const Range along = Range::of(a[int(i)]) * Range::of(a[int(j)]);
      const Range across = Range::of(i == j ? 1.0 : 0.0) - along;
      const Range x = cross[i][j] * at.sine, y = cross[i][j] * at.cosine;
      turn.row[i][j] = along + at.cosine * across + x;
      turn1.row[i][j] = y - at.sine * across;
      turn2.row[i][j] = -(at.cosine * across + x);
    }
  step.rotation[0] = origin * turn;
  const RangeMatrix by_q = origin * turn1;
  step.rotation[1] = q1 * by_q;
  step.rotation[2] = (q1 * q1) * (origin * turn2) + q2 * by_q;
  return step;
}

}  // namespace

// With the row r(s) of a frame and the step R(s), o(s) to the next, the next row is r R and the
// constant grows by r.o. Derivatives by the product rule.
LinkRows rows_of(const Mechanism& mechanism, const PieceCurves& curves, std::uint32_t base,
                 std::uint32_t frame, const Range& s, const Vec3& n) {
  std::vector<std::uint32_t> chain;
  for (; frame != base; frame = mechanism.frames[frame].parent) chain.push_back(frame);
  LinkRows rows;
  rows[0].row = {Range::of(n[0]), Range::of(n[1]), Range::of(n[2])};
  for (std::size_t i = chain.size(); i-- > 0;) {
    const Step step = step_of(mechanism.frames[chain[i]], curves.of(chain[i]), s);
    const Ranges r0 = rows[0].row, r1 = rows[1].row, r2 = rows[2].row;
    rows[0].constant = rows[0].constant + times(r0, step.offset[0]);
    rows[1].constant = rows[1].constant + times(r1, step.offset[0]) + times(r0, step.offset[1]);
    rows[2].constant = rows[2].constant + times(r2, step.offset[0]) +
                       2 * times(r1, step.offset[1]) + times(r0, step.offset[2]);
    rows[0].row = times(r0, step.rotation[0]);
    rows[1].row = sum_of(times(r1, step.rotation[0]), times(r0, step.rotation[1]));
    rows[2].row = sum_of(sum_of(times(r2, step.rotation[0]), doubled(times(r1, step.rotation[1]))),
                         times(r0, step.rotation[2]));
  }
  return rows;
}

}  // namespace graze::rigid::proof
