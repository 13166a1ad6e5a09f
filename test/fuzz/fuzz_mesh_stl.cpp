#include "test/fuzz/mesh.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return graze::fuzz::check_mesh(graze::io::parse_stl, graze::fuzz::text_of(data, size));
}
