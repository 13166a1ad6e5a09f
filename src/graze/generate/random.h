#pragma once

#include <cstdint>
#include <string_view>

#include "graze/vec3.h"

namespace graze::generate {

// A counter-based stream of random numbers for one query. It depends on the arguments of the
// constructor alone and uses only integer operations and correctly rounded operations on doubles,
// so it gives the same bits on every machine. Draw numbers in separate statements or in braces: the
// order of evaluation inside one expression is unspecified.
class Random {
 public:
  Random(std::string_view family, std::uint64_t primitive, std::uint64_t seed, std::uint64_t index)
      : state_(mix(mix(mix(mix(hash(family)) + primitive) + seed) + index)) {}

  std::uint64_t bits() { return mix(state_ += golden); }

  // Returns an integer in [0, n), n < 2^32.
  std::uint64_t below(std::uint64_t n) { return ((bits() >> 32) * n) >> 32; }
  bool one_in(std::uint64_t n) { return below(n) == 0; }
  int integer(int lo, int hi) {
    return lo + static_cast<int>(below(static_cast<std::uint64_t>(hi - lo + 1)));
  }
  // Returns an integer in [lo, hi] other than 0.
  int nonzero(int lo, int hi) {
    for (;;)
      if (const int drawn = integer(lo, hi)) return drawn;
  }

  // Returns a multiple of 2^-53 in [0, 1).
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
  double uniform(double lo, double hi) { return lo + (hi - lo) * uniform(); }

  Vec3 cube(double lo, double hi) {
    const double x = uniform(lo, hi);
    const double y = uniform(lo, hi);
    const double z = uniform(lo, hi);
    return {x, y, z};
  }
  Vec3 lattice(int bound) {
    const int x = integer(-bound, bound);
    const int y = integer(-bound, bound);
    const int z = integer(-bound, bound);
    return {double(x), double(y), double(z)};
  }

 private:
  static constexpr std::uint64_t golden = 0x9e3779b97f4a7c15;

  // The finalizer of SplitMix64 [Steele 2014].
  static constexpr std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  static constexpr std::uint64_t hash(std::string_view text) {
    std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return hash;
  }

  std::uint64_t state_;
};

}  // namespace graze::generate
