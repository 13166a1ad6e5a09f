// Certifies many misses of the exact method and checks every certificate twice: by verify() and by
// the checker of test/support/proof.h, which shares no code with the library.
//
//   certificate_soak [MISSES [SEED]]   default: 1000000 misses, seed 1
//
// Exit code 0: every miss is proven; 1: some are not; 2: usage.

#include <charconv>
#include <cstdio>
#include <string_view>

#include "test/support/certified_misses.h"

namespace graze {
namespace {

bool parse(std::string_view text, std::uint64_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && number > 0;
}

int run(std::uint64_t wanted, std::uint64_t seed) {
  const auto faces = test::certified_misses<VertexFace>(wanted / 2, seed);
  const auto edges = test::certified_misses<EdgeEdge>(wanted - wanted / 2, seed);
  std::printf("%zu misses, %zu of them not proven\n", faces.misses + edges.misses,
              faces.unproven + edges.unproven);
  return faces.unproven + edges.unproven == 0 ? 0 : 1;
}

}  // namespace
}  // namespace graze

int main(int argc, char** argv) {
  std::uint64_t wanted = 1'000'000, seed = 1;
  if (argc > 3 || (argc > 1 && !graze::parse(argv[1], wanted)) ||
      (argc > 2 && !graze::parse(argv[2], seed))) {
    std::fputs("usage: certificate_soak [MISSES [SEED]]\n", stderr);
    return 2;
  }
  return graze::run(wanted, seed);
}
