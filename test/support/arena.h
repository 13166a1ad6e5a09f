#pragma once

#include <boost/multiprecision/cpp_int.hpp>
#include <span>
#include <vector>

#include "graze/exact/arena/isolated_root.h"

namespace graze::test {

using BigInteger = boost::multiprecision::cpp_int;

inline exact::ArenaInteger in_arena(exact::Arena& arena, const BigInteger& value) {
  exact::ArenaInteger result(arena);
  BigInteger rest = abs(value);
  for (int shift = 0; rest != 0; shift += 64, rest >>= 64)
    result =
        result + exact::ArenaInteger(arena, static_cast<std::uint64_t>(rest & ~std::uint64_t{0}),
                                     shift, false);
  return value < 0 ? -result : result;
}

inline exact::ArenaPolynomial in_arena(exact::Arena& arena,
                                       const std::vector<BigInteger>& ascending) {
  std::vector<exact::ArenaInteger> c;
  for (const BigInteger& x : ascending) c.push_back(in_arena(arena, x));
  return exact::make_polynomial(c);
}

}  // namespace graze::test
