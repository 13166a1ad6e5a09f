// sse4_speed START END [COUNT]: prints, as JSON, the processor time of the default method on COUNT
// random queries of each kind (default 100000), in nanoseconds per query, and of the first impact
// and of all impacts of the step between two mesh files, in milliseconds. Uses one thread and SIMD
// up to SSE4. test/wasm/speed.mjs compares the package for browsers with these times.

#include <hwy/targets.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

#include "graze/first_contact.h"
#include "graze/generate/families.h"
#include "graze/io/mesh_files.h"
#include "graze/step.h"

namespace graze {
namespace {

// Returns the processor time of a call in seconds.
template <class Work>
double seconds(Work&& work) {
  const std::clock_t begin = std::clock();
  work();
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

template <class Query>
double nanoseconds(const std::vector<Query>& queries) {
  std::vector<Impact> impacts(queries.size());
  const auto ask = [&] { first_contact<Query>(queries, impacts, {}, {.threads = 1}); };
  ask();
  return 1e9 * seconds(ask) / static_cast<double>(queries.size());
}

}  // namespace
}  // namespace graze

int main(int argc, char** argv) {
  using namespace graze;
  if (argc < 3 || argc > 4) {
    std::fprintf(stderr, "usage: sse4_speed START END [COUNT]\n");
    return 2;
  }
  hwy::SetSupportedTargetsForTest(HWY_SSE4 | HWY_SSSE3 | HWY_EMU128 | HWY_SCALAR);
  const auto count = static_cast<std::size_t>(argc > 3 ? std::atol(argv[3]) : 100000);
  const generate::Family& random = *generate::find_family("random");
  const io::OwnedMotion step = io::read_motion(argv[1], argv[2]);
  const Run run{.threads = 1};
  earliest_impact(step.moving(), {}, run);
  std::printf("{\"vertexFace\": %.6g, \"edgeEdge\": %.6g, \"earliest\": %.6g, \"all\": %.6g}\n",
              nanoseconds(generate::generate_vertex_face(random, count, 1)),
              nanoseconds(generate::generate_edge_edge(random, count, 1)),
              1e3 * seconds([&] { earliest_impact(step.moving(), {}, run); }),
              1e3 * seconds([&] { all_impacts(step.moving(), {}, run); }));
}
