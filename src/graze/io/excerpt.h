#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace graze::io {

// Returns text of a file in quotes for an error message: at most 40 characters, all printable.
inline std::string excerpt(std::string_view text) {
  constexpr std::size_t shown = 40;
  std::string result = "'";
  for (const char c : text.substr(0, shown)) result += c >= ' ' && c <= '~' ? c : '?';
  return result + (text.size() > shown ? "...'" : "'");
}

}  // namespace graze::io
