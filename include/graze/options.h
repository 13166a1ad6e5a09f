#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

namespace graze {

// The norm in which a distance is measured.
enum class Norm : std::uint8_t {
  none,  // Options: the norm of the method. Method: it takes no separation.
  l2,    // Euclidean
  linf   // the largest coordinate
};

// Options of a query: the definition of contact, and limits of refinement. Fields that a method
// does not read do not change its answer, with one exception: a method that cannot honour
// min_separation, or not in the requested norm, answers `invalid`.
struct Options {
  double t_max = 1;                    // fraction of the step, in (0, 1]: only [0, t_max] counts
  double distance_tol = 1e-6;          // length > 0: delta of [Wang 2021]
  double time_tol = 1e-9;              // fraction of the step > 0: E_tol of [Huh 2014]
  std::uint32_t max_checks = 1000000;  // budget of iterative methods, then `undecided`; 0: no limit
  double min_separation = 0;           // length >= 0: contact means distance <= min_separation
  Norm norm = Norm::none;              // of min_separation; read only if min_separation > 0
  bool no_zero_toi = false;            // conservative methods: refine until toi > 0
};

// Returns whether every option lies in its range. With an option outside it every query is
// `invalid`.
constexpr bool is_sensible(const Options& options) {
  constexpr double largest = 1.7976931348623157e308;
  return options.t_max > 0 && options.t_max <= 1 && options.distance_tol > 0 &&
         options.distance_tol <= largest && options.time_tol > 0 && options.time_tol <= largest &&
         options.min_separation >= 0 && options.min_separation <= largest &&
         (options.norm == Norm::none || options.norm == Norm::l2 || options.norm == Norm::linf);
}

// Returns whether a number of checks spends the budget.
constexpr bool is_spent(std::uint64_t checks, std::uint32_t max_checks) {
  return max_checks != 0 && checks >= max_checks;
}

// Threads, stop flag and progress of a call. Only a stopped call has another answer: it ends early.
struct Run {
  int threads = 0;  // 0: all cores
  // If another thread sets the flag, the call ends soon; queries that it has not answered are
  // `undecided` with a safe toi. A step of a simulator leaves its state unchanged. The flag stays
  // set until the call has returned. Not owned; may be null.
  const std::atomic<bool>* stop = nullptr;
  // Called from time to time with the finished fraction in [0, 1], from any thread, never from two
  // threads at the same time. Batches of queries and searches for pairs, impacts or intersections
  // call it; line searches and simulators do not. May be empty.
  std::function<void(double)> progress = {};
};

// Returns "", "L2" or "Linf".
constexpr const char* name(Norm norm) {
  switch (norm) {
    case Norm::none:
      return "";
    case Norm::l2:
      return "L2";
    case Norm::linf:
      return "Linf";
  }
  return "?";
}

}  // namespace graze
