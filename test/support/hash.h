#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "graze/query.h"

namespace graze::test {

// An order-dependent hash of 64-bit words, for comparing results with stored values.
class Hash {
 public:
  void add(std::uint64_t word) {
    value_ = (value_ ^ word) * 0x9e3779b97f4a7c15;
    value_ ^= value_ >> 32;
  }
  void add(double number) { add(std::bit_cast<std::uint64_t>(number)); }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325;
};

template <class Query>
std::uint64_t hash(const std::vector<Query>& queries) {
  Hash hash;
  for (const Query& query : queries)
    for (const auto& side : {query.start, query.end})
      for (const Vec3& corner : side)
        for (const double x : {corner[0], corner[1], corner[2]}) hash.add(x);
  return hash.value();
}

}  // namespace graze::test
