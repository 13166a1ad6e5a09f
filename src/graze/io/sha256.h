#pragma once

#include <string>
#include <string_view>

namespace graze::io {

// Returns the SHA-256 digest of bytes (FIPS 180-4) as 64 hexadecimal digits.
std::string sha256(std::string_view bytes);

}  // namespace graze::io
