// The proofs that a direction keeps a moving polygon further than d from 0, in both norms: for one
// query (separation_filter.cpp, which also finds the first time within d) and for one query per
// SIMD lane (separation_pieces.cpp, which answers the queries that directions alone can decide).
//
// Included like core/numeric/double_double-inl.h; needs numeric::u, dot(n, e) of two vectors and
// smaller(T, T). M is the largest coordinate of a corner at the start and the end of the step. E =
// 5 u M bounds the error of a coordinate at any time of the step (separation_bounds.h).

// Returns whether the bounds below hold: nothing overflows, and they cover what underflows.
template <class T>
GRAZE_LANE_INLINE auto has_bounds(T largest, T d) {
  return (largest > T(0x1p-60)) & (largest < T(0x1p60)) & (d > T(0x1p-200)) & (d < T(0x1p60));
}

// Returns the threshold for the computed products n.e of a direction n of length 1 in the dual norm
// and a corner e: above it, n.e > d |n|* is proven. n has that length up to 8 u, and |n|_1 < 1.74.
// A product n.e is off by |n|_1 E and 3 u |n|_1 M of rounding, 8 u M |n|_1 < 14 u M in all. (If n =
// 0, then n.e = 0 is below the threshold.)
template <class T>
GRAZE_LANE_INLINE T threshold_of(T d, T largest) {
  return (d + T(24 * numeric::u) * largest) * T(1 + 16 * numeric::u);
}
// Returns whether the products of n and all corners exceed the threshold: n separates.
template <class T, class Vector, class Corners>
GRAZE_LANE_INLINE auto exceeds(const Vector& n, const Corners& e, std::size_t size, T threshold) {
  T least = dot(n, e[0]);
  for (std::size_t i = 1; i < size; ++i) least = smaller(least, dot(n, e[i]));
  return least > threshold;
}

// Returns whether a direction that turns from n0 to n1 is proven to separate at all times between
// two moments. At these the corners are e0 and e1, and n0 and n1 separate. n(s) and e(s) are linear
// in s, n.e is quadratic, and |n|* is convex, so at most the mean of its values at the ends. Hence
// n.e - d |n|* is at least the quadratic with the Bernstein coefficients n0.e0 - d |n0|,
// (n0.e1 + n1.e0)/2 - d (|n0| + |n1|)/2 and n1.e1 - d |n1|. The first and the last are positive. To
// the error of two products, 28 u M, their sum adds 2 u 1.74 M: less than twice 24 u M.
template <class T, class Vector, class Corners>
GRAZE_LANE_INLINE auto bridges(const Vector& n0, const Corners& e0, const Vector& n1,
                               const Corners& e1, std::size_t size, T threshold) {
  T least = dot(n0, e1[0]) + dot(n1, e0[0]);
  for (std::size_t i = 1; i < size; ++i) least = smaller(least, dot(n0, e1[i]) + dot(n1, e0[i]));
  return least > threshold + threshold;
}

// Proves that a polygon is further than d from 0, at a moment or between two. The numbers of Space
// are doubles or lanes of doubles. It has the types Scalar, Mask, Vector, Polygon and Closest and
// the functions
//   direction(polygon, closest)   a direction that may separate, of length 1 in the dual norm, or 0
//   corners(polygon), size(polygon)
template <class Space>
class DirectionProver {
 public:
  using Scalar = typename Space::Scalar;
  using Mask = typename Space::Mask;
  using Vector = typename Space::Vector;
  using Polygon = typename Space::Polygon;

  struct Moment {
    Polygon at;                       // the corners at that moment
    typename Space::Closest closest;  // the closest point of the polygon to 0
    Vector n;                         // the direction
    Mask apart;                       // n is proven to separate
  };

  GRAZE_LANE_INLINE DirectionProver(Scalar largest, Scalar d)
      : threshold_(threshold_of(d, largest)), has_bounds_(has_bounds(largest, d)) {}

  GRAZE_LANE_INLINE Mask has_proofs() const { return has_bounds_; }
  GRAZE_LANE_INLINE Scalar threshold() const { return threshold_; }
  // Sets the fields that depend on the corners of a moment and their closest point.
  GRAZE_LANE_INLINE void settle(Moment& moment, const typename Space::Closest& closest) const {
    moment.closest = closest;
    moment.n = Space::direction(moment.at, closest);
    moment.apart = has_bounds_ & is_apart(moment.n, moment.at);
  }
  GRAZE_LANE_INLINE Mask is_apart(const Vector& n, const Polygon& e) const {
    return exceeds(n, Space::corners(e), Space::size(e), threshold_);
  }
  // Requires that both moments are apart.
  GRAZE_LANE_INLINE Mask is_bridged(const Moment& a, const Moment& b) const {
    return bridges(a.n, Space::corners(a.at), b.n, Space::corners(b.at), Space::size(a.at),
                   threshold_);
  }

 private:
  Scalar threshold_;
  Mask has_bounds_;
};

// Returns an upper bound of the distance of a point of the polygon, given its computed distance.
// The point is given by coordinates in the polygon, up to u beyond its border. Each of its
// coordinates is off by E, two differences of corners (2.4 E each) and ten roundings of at most 4
// M, and two edges of at most 2 M lead 2 u beyond the border: below 12 E = 60 u M; 104 u M in any
// norm. The norm is off by 4 u of itself.
template <class T>
GRAZE_LANE_INLINE T distance_bound(T distance, T largest) {
  return distance * T(1 + 8 * numeric::u) + T(128 * numeric::u) * largest;
}
