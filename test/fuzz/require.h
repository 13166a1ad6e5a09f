#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string_view>

#include "graze/io/query_files.h"

namespace graze::fuzz {

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// Aborts if a promise does not hold, which libFuzzer reports as a finding.
inline void require(bool holds, const char* promise) {
  if (holds) return;
  std::fprintf(stderr, "broken: %s\n", promise);
  std::abort();
}

inline void require_equal(const io::QuerySet& a, const io::QuerySet& b, const char* promise) {
  const auto x = std::as_bytes(a.coordinates()), y = std::as_bytes(b.coordinates());
  require(std::equal(x.begin(), x.end(), y.begin(), y.end()), promise);
  require(std::equal(a.truth().begin(), a.truth().end(), b.truth().begin(), b.truth().end()),
          promise);
}

}  // namespace graze::fuzz
