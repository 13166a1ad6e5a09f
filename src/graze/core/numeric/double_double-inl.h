// Numbers of doubled precision: DoubleDouble<T> for T = double (double_double.h) and for T = a SIMD
// vector of doubles with the operators +, - and * and a constructor from double.
//
// A SIMD includer includes this text inside its own namespace, once per target, because functions
// on vectors must be compiled with the target's attributes. So this file has no include guard,
// includes nothing and opens no namespace. The includer defines GRAZE_LANE_INLINE (`inline`, or
// what the SIMD library needs) and may overload product_error for its vectors.
//
// u = 2^-53. Magnitudes must stay between 2^-900 and 2^900 or be 0; underflow below that adds an
// error of less than 2^-960. hi = fl(hi + lo) in all results.

// The number hi + lo, of about 106 bits.
template <class T>
struct DoubleDouble {
  T hi, lo;
};

// Returns a + b exactly, where |a| >= |b| or a = 0 [Dekker 1971].
template <class T>
GRAZE_LANE_INLINE DoubleDouble<T> fast_sum(T a, T b) {
  const T s = a + b;
  return {s, b - (s - a)};
}
// Returns a + b exactly [Knuth, TAOCP 2, 4.2.2].
template <class T>
GRAZE_LANE_INLINE DoubleDouble<T> two_sum(T a, T b) {
  const T s = a + b, bb = s - a;
  return {s, (a - (s - bb)) + (b - bb)};
}
// Returns a * b - p exactly for p = fl(a * b) [Dekker 1971]: each factor is split into halves of 26
// bits, whose products are exact. A fused operation gives the same result.
template <class T>
GRAZE_LANE_INLINE T product_error(T a, T b, T p) {
  const T splitter(0x1p27 + 1);
  const T ca = splitter * a, cb = splitter * b;
  const T a_hi = ca - (ca - a), b_hi = cb - (cb - b);
  const T a_lo = a - a_hi, b_lo = b - b_hi;
  return a_lo * b_lo - (((p - a_hi * b_hi) - a_lo * b_hi) - a_hi * b_lo);
}
// Returns a * b exactly.
template <class T>
GRAZE_LANE_INLINE DoubleDouble<T> two_product(T a, T b) {
  const T p = a * b;
  return {p, product_error(a, b, p)};
}

template <class T>
GRAZE_LANE_INLINE DoubleDouble<T> operator-(DoubleDouble<T> a) {
  return {-a.hi, -a.lo};
}
// The error is at most 3 u^2 (|a| + |b|).
template <class T>
GRAZE_LANE_INLINE DoubleDouble<T> operator+(DoubleDouble<T> a, DoubleDouble<T> b) {
  const DoubleDouble<T> s = two_sum(a.hi, b.hi), t = two_sum(a.lo, b.lo);
  const DoubleDouble<T> v = fast_sum(s.hi, s.lo + t.hi);
  return fast_sum(v.hi, t.lo + v.lo);
}
template <class T>
GRAZE_LANE_INLINE DoubleDouble<T> operator-(DoubleDouble<T> a, DoubleDouble<T> b) {
  return a + -b;
}
// The error is at most 8 u^2 |a b|.
template <class T>
GRAZE_LANE_INLINE DoubleDouble<T> operator*(DoubleDouble<T> a, DoubleDouble<T> b) {
  const DoubleDouble<T> p = two_product(a.hi, b.hi);
  return fast_sum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}
// The error is at most 4 u^2 |a b|.
template <class T>
GRAZE_LANE_INLINE DoubleDouble<T> operator*(T a, DoubleDouble<T> b) {
  const DoubleDouble<T> p = two_product(a, b.hi);
  return fast_sum(p.hi, p.lo + a * b.lo);
}
