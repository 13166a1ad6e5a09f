// A Newton step to the last bit for T = double (newton_step.h) and for T = a SIMD vector of
// doubles. Included like double_double-inl.h, after it and after unit_roundoff.h. The includer also
// defines abs_of(T).

// The position of a simple root relative to the double `at`.
template <class T>
struct RootCell {
  using Mask = decltype(T() < T());

  T at, rest, err;    // the root is within err of at + rest
  Mask sharp;         // the root lies strictly between the neighbours of `at`
  Mask above, below;  // sharp, and the root lies strictly between `at` and its neighbour there
};

// Makes one interval-Newton step from t to the root of a function in a bracket around t. The root
// is t - f(t) / r for some rate of change r of the function in the bracket.
//   f        within f_err of f(t), apart from a relative error of u
//   rate     within rate_err of every r
//   slowest  at most every |r|; the cell is not sharp if this is not positive
//   spread   rate_err / slowest
// |f(t)/r - fl(f/rate)| <= |step| (spread + 8 u) + f_err / slowest; the factor 1.0001 covers the
// rounding of this sum. root.lo is at most half the way from root.hi to its neighbour there. The
// neighbour is at least u root.hi away (below a power of two; 2 u above), so with err < u/8 root.hi
// the root lies strictly between both neighbours.
template <class T>
GRAZE_LANE_INLINE RootCell<T> newton_step(T t, T f, T f_err, T rate, T spread, T slowest) {
  using Mask = typename RootCell<T>::Mask;
  const T step = f / rate;
  const T err = (abs_of(step) * (spread + T(8 * numeric::u)) + f_err / slowest) * T(1.0001);
  const DoubleDouble<T> root = two_sum(t, -step);
  const Mask sharp =
      (slowest > T(0.0)) & (err < T(0.125 * numeric::u) * root.hi) & (root.hi > T(0x1p-900));
  const Mask above = sharp & (root.lo > err), below = sharp & (root.lo < -err);
  return {root.hi, root.lo, err, sharp, above, below};
}
