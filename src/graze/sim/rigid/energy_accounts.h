#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

namespace graze::sim::rigid {

// Islands of bodies that exchanged impulses within a step, and the energy that each has lost since
// the start of the step.
//
// The predicted energy of a body is its kinetic energy plus the potential energy at the end of the
// step if it keeps its velocity until then: m v.v / 2 + w.Jw / 2 - m g.(x + left v). It changes by
// impulses and stops alone, not by motion. The balance of an island is the sum of the energies at
// the start of the step minus the sum of the predicted energies. So an island whose balance is at
// least 0 at the end has not gained energy.
class EnergyAccounts {
 public:
  explicit EnergyAccounts(std::size_t bodies) : root_(bodies), balance_(bodies) {
    std::iota(root_.begin(), root_.end(), 0u);
  }

  // Returns the body that names the island of a body.
  std::uint32_t island(std::uint32_t body) {
    while (root_[body] != body) body = root_[body] = root_[root_[body]];
    return body;
  }
  double& balance(std::uint32_t body) { return balance_[island(body)]; }
  void join(std::uint32_t a, std::uint32_t b) {
    a = island(a);
    b = island(b);
    if (a == b) return;
    root_[b] = a;
    balance_[a] += balance_[b];
  }

 private:
  std::vector<std::uint32_t> root_;
  std::vector<double> balance_;  // of the bodies that name an island
};

}  // namespace graze::sim::rigid
