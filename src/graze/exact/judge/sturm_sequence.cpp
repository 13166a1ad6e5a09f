#include "graze/exact/judge/sturm_sequence.h"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace graze::exact {
namespace {

void drop_leading_zeros(Coefficients& p) {
  while (!p.empty() && p.back().is_zero()) p.pop_back();
}

// Divides p by the common divisor of its coefficients, which is positive.
void make_primitive(Coefficients& p) {
  Integer divisor = 0;
  for (const Integer& c : p) divisor = gcd(divisor, c);
  if (divisor > 1)
    for (Integer& c : p) c /= divisor;
}

// Returns the remainder of p by q != 0 times a positive number.
Coefficients remainder(Coefficients p, const Coefficients& q) {
  const Integer lead = q.back();
  while (p.size() >= q.size()) {
    const Integer top = lead < 0 ? Integer(-p.back()) : p.back();
    const Integer scale = abs(lead);
    const std::size_t shift = p.size() - q.size();
    for (Integer& c : p) c *= scale;
    for (std::size_t i = 0; i < q.size(); ++i) p[shift + i] -= top * q[i];
    drop_leading_zeros(p);
  }
  make_primitive(p);
  return p;
}

Coefficients derivative_of(const Coefficients& p) {
  Coefficients d;
  for (std::size_t i = 1; i < p.size(); ++i) d.push_back(p[i] * static_cast<unsigned>(i));
  return d;
}

// Returns p / q times some number, for a divisor q of p.
Coefficients quotient_of(Coefficients p, const Coefficients& q) {
  Coefficients result(p.size() - q.size() + 1, Integer(0));
  for (std::size_t i = result.size(); i-- > 0;) {
    const Integer top = p[i + q.size() - 1];
    for (Integer& c : result) c *= q.back();
    for (Integer& c : p) c *= q.back();
    result[i] = top;
    for (std::size_t j = 0; j < q.size(); ++j) p[i + j] -= top * q[j];
  }
  make_primitive(result);
  return result;
}

Dyadic double_at(std::uint64_t index) {  // non-negative doubles are ordered like their bits
  return Dyadic::of(std::bit_cast<double>(index));
}

}  // namespace

Coefficients operator+(const Coefficients& p, const Coefficients& q) {
  Coefficients sum(std::max(p.size(), q.size()), Integer(0));
  for (std::size_t i = 0; i < p.size(); ++i) sum[i] += p[i];
  for (std::size_t i = 0; i < q.size(); ++i) sum[i] += q[i];
  drop_leading_zeros(sum);
  return sum;
}

Coefficients operator-(const Coefficients& p, const Coefficients& q) {
  Coefficients negated = q;
  for (Integer& c : negated) c = -c;
  return p + negated;
}

Coefficients operator*(const Coefficients& p, const Coefficients& q) {
  if (p.empty() || q.empty()) return {};
  Coefficients product(p.size() + q.size() - 1, Integer(0));
  for (std::size_t i = 0; i < p.size(); ++i)
    for (std::size_t j = 0; j < q.size(); ++j) product[i + j] += p[i] * q[j];
  return product;
}

Coefficients common_divisor(Coefficients p, Coefficients q) {
  while (!q.empty()) {
    Coefficients r = remainder(p, q);
    p = std::move(q);
    q = std::move(r);
  }
  make_primitive(p);
  return p;
}

int sign_at(const Coefficients& p, const Dyadic& t) {
  Integer value = 0, power = 1;  // of 2^shift
  for (std::size_t i = p.size(); i-- > 0;) {
    value = value * t.numerator + p[i] * power;
    power <<= t.shift;
  }
  return value.sign();
}

SturmSequence::SturmSequence(const Coefficients& p) : sequence_{p} {
  for (Coefficients next = derivative_of(p); !next.empty();) {
    make_primitive(next);
    sequence_.push_back(std::move(next));
    next = remainder(sequence_[sequence_.size() - 2], sequence_.back());
    for (Integer& c : next) c = -c;
  }
}

int SturmSequence::changes_at(const Dyadic& t) const {
  int changes = 0, last = 0;
  for (const Coefficients& p : sequence_) {
    const int sign = sign_at(p, t);
    if (sign != 0 && sign == -last) ++changes;
    if (sign != 0) last = sign;
  }
  return changes;
}

std::vector<SturmRoot> SturmRoot::all(const Coefficients& p) {
  SturmSequence sturm(p);
  Coefficients simple = p;
  if (sturm.gcd().size() > 1) {
    simple = quotient_of(p, sturm.gcd());
    sturm = SturmSequence(simple);
  }
  std::vector<SturmRoot> roots;
  const Dyadic zero_time{}, one = Dyadic::of(1);
  if (sign_at(simple, zero_time) == 0) roots.push_back(zero());
  struct Part {
    Dyadic a, b;
  };
  std::vector<Part> parts{{zero_time, one}};
  while (!parts.empty()) {
    const Part part = parts.back();
    parts.pop_back();
    const int count = sturm.count(part.a, part.b);
    if (count == 1) roots.push_back(SturmRoot(simple, part.a, part.b));
    if (count < 2) continue;
    const Dyadic middle = Dyadic::middle(part.a, part.b);
    parts.push_back({middle, part.b});  // visited after the first half
    parts.push_back({part.a, middle});
  }
  return roots;
}

SturmRoot SturmRoot::zero() {
  return {{Integer(0), Integer(1)}, Dyadic{}, Dyadic{}};
}

// p has one root in (a, b], a simple one, and changes its sign there. Just after a its sign is that
// of p(a), or of p'(a) if a is a root.
bool SturmRoot::at_most(const Dyadic& t) const {
  if (compare(a_, b_) == 0) return compare(b_, t) <= 0;
  if (compare(t, a_) <= 0) return false;
  const int sign = sign_at(p_, t), at_a = sign_at(p_, a_);
  return sign == 0 || sign != (at_a != 0 ? at_a : sign_at(derivative_of(p_), a_));
}

void SturmRoot::halve() {
  if (compare(a_, b_) == 0) return;
  const Dyadic middle = Dyadic::middle(a_, b_);
  (at_most(middle) ? b_ : a_) = middle;
}

// Between a and b, which lie in [0, 1], q changes by at most (b - a) times the sum of i |q_i|.
bool SturmRoot::is_far_from_zero(const Coefficients& q) const {
  const unsigned shift = std::max(a_.shift, b_.shift);
  const Integer length = b_.over(shift) - a_.over(shift);  // times 2^-shift
  Integer value = 0, power = 1, rate = 0;
  for (std::size_t i = q.size(); i-- > 0;) {
    value = value * b_.numerator + q[i] * power;  // q(b) times 2^(b.shift (size - 1)) in the end
    if (i > 0) power <<= b_.shift;
    rate += abs(q[i]) * static_cast<unsigned>(i);
  }
  return (abs(value) << shift) > length * rate * power;
}

int SturmRoot::sign_of(const Coefficients& q) {
  if (q.empty()) return 0;
  if (compare(a_, b_) == 0 || sign_at(p_, b_) == 0) return sign_at(q, b_);
  for (int i = 0; i < 8; ++i) {
    if (is_far_from_zero(q)) return sign_at(q, b_);
    for (int halvings = 0; halvings < 8; ++halvings) halve();
  }
  // A common root is a root of the gcd, which has only simple roots as p has.
  const Coefficients common = common_divisor(p_, q);
  if (common.size() > 1 && SturmSequence(common).count(a_, b_) > 0) return 0;
  // Without a common root the interval shrinks until it holds no root of q.
  const Coefficients simple = quotient_of(q, SturmSequence(q).gcd());
  const SturmSequence sturm(simple);
  while (sturm.count(a_, b_) > 0) halve();
  return sign_at(q, b_);
}

std::array<double, 2> SturmRoot::enclosure() {
  // hi is the first double at which the root is not later.
  std::uint64_t lo = 0, hi = std::bit_cast<std::uint64_t>(1.0);
  const auto reached = [&](std::uint64_t i) {
    const Dyadic t = double_at(i);
    return compare(t, b_) >= 0 || at_most(t);
  };
  if (reached(0)) return {0, 0};
  while (hi - lo > 1) {
    const std::uint64_t middle = lo + (hi - lo) / 2;
    (reached(middle) ? hi : lo) = middle;
  }
  const double after = std::bit_cast<double>(hi), before = std::bit_cast<double>(lo);
  const bool equal = compare(a_, b_) == 0
                         ? compare(double_at(hi), b_) == 0
                         : sign_at(p_, double_at(hi)) == 0 && compare(double_at(hi), b_) <= 0;
  return {equal ? after : before, after};
}

std::array<Dyadic, 2> SturmRoot::narrowed(unsigned bits) {
  for (;;) {
    if (compare(a_, b_) == 0 || sign_at(p_, b_) == 0) return {b_, b_};
    const unsigned shift = std::max(a_.shift, b_.shift);
    if ((b_.over(shift) - a_.over(shift)) << bits <= a_.over(shift)) return {a_, b_};
    halve();
  }
}

}  // namespace graze::exact
