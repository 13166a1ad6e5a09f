#pragma once

#include <cstdint>

namespace graze {

struct Options {
  double t_max = 1;                    // fraction of the step, in (0, 1]: only [0, t_max] counts
  double distance_tol = 1e-6;          // length: delta of [Wang 2021]
  double time_tol = 1e-9;              // fraction of the step: E_tol of [Huh 2014]
  std::uint32_t max_checks = 1000000;  // budget of the iterative methods; then `undecided`
  double min_separation = 0;           // length: contact means distance <= min_separation
  bool no_zero_toi = false;            // conservative methods: refine until toi > 0
};

// False for an option that makes no sense for any method; queries asked with it are `invalid`.
constexpr bool is_sensible(const Options& options) {
  constexpr double largest = 1.7976931348623157e308;
  return options.t_max > 0 && options.t_max <= 1 && options.distance_tol > 0 &&
         options.distance_tol <= largest && options.time_tol > 0 && options.time_tol <= largest &&
         options.max_checks > 0 && options.min_separation >= 0 && options.min_separation <= largest;
}

}  // namespace graze
