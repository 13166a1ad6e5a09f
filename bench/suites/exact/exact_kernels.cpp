#include "bench/suites/exact/exact_kernels.h"

#include <fmt/format.h>

#include <bit>
#include <stdexcept>

#include "bench/harness/real_data.h"
#include "bench/harness/scene.h"
#include "bench/harness/targets.h"
#include "bench/suites/exact/exact_measure.h"
#include "graze/first_contact.h"
#include "graze/generate/families.h"

namespace graze::bench {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t in_cache = 512;  // 96 KiB of queries
constexpr std::size_t fewest = 64;     // that fill the lanes of every instruction set

template <class Query>
Kernel kernel_of(const char* name, const std::string& data, std::vector<Query> queries,
                 const Options& options) {
  const std::size_t count = queries.size();
  constexpr std::size_t repeats = 20;  // enough for the resolution of the clock
  return {fmt::format("{}, {}", name, graze::name(kind_of_queries<Query>)), data, repeats * count,
          [queries = std::move(queries), impacts = std::vector<Impact>(count), options]() mutable {
            std::uint64_t digest = 0;
            for (std::size_t i = 0; i < repeats; ++i)
              first_contact(std::span<const Query>(queries), std::span(impacts), options,
                            {.threads = 1});
            for (const Impact& impact : impacts)
              digest = 31 * digest + std::bit_cast<std::uint64_t>(impact.toi);
            return digest;
          }};
}

// Adds the kernels on some of the queries.
template <class Query>
void add_kernels(const std::string& data, const std::vector<Query>& queries, double separation,
                 std::vector<Kernel>& kernels) {
  const Workload<Query> set{data, queries, std::vector<double>(queries.size()), nullptr, {}};
  StageQueries<Query> stages = divide_by_stage(set, Options(), in_cache);
  const auto join = [&](std::size_t first, std::size_t last) {
    std::vector<Query> joined;
    for (std::size_t k = first; k < last; ++k)
      joined.insert(joined.end(), stages[k].queries.begin(), stages[k].queries.end());
    return joined;
  };
  const auto add = [&](const char* name, std::vector<Query> some, const Options& options) {
    if (some.size() >= fewest) kernels.push_back(kernel_of(name, data, std::move(some), options));
  };
  add("culls", join(0, 3), {});  // axis, diagonal, coplanarity
  add("roots", join(3, 5), {});  // miss, contact
  Options options;
  options.min_separation = separation;
  add("separation", {queries.begin(), queries.begin() + std::min(in_cache, queries.size())},
      options);
}

}  // namespace

Result run_exact_kernels(const Request& request, const Progress& progress) {
  const std::size_t count = request.count.value_or(20'000);
  if (count == 0) throw std::invalid_argument("--count must be at least 1");
  const fs::path data = real_data(request.paths);
  std::vector<Kernel> kernels;
  std::vector<std::string> missing;
  for (const char* name : {"cloth-funnel", "armadillo-rollers", "cloth-ball"}) {
    if (progress) progress(name, 0);
    const fs::path folder = inside(data, fs::path("scenes") / name);
    if (!fs::is_directory(folder)) {
      missing.push_back(fmt::format("scene {}", name));
      continue;
    }
    const Scene scene = read_scene(folder);
    const auto stride = [&](const ListedPairs& listed) {
      return std::max<std::size_t>(listed.pairs.size() / count, 1);
    };
    double reach = 0;
    for (const Vec3& x : scene.motion.start) reach = std::max(reach, x.cwiseAbs().maxCoeff());
    const double separation = 1e-4 * reach;
    add_kernels(name, scene.listed_vertex_faces(stride(scene.vertex_face)), separation, kernels);
    add_kernels(name, scene.listed_edge_edges(stride(scene.edge_edge)), separation, kernels);
  }
  const generate::Family& family = *generate::find_family("random");
  add_kernels("random", generate::generate_vertex_face(family, count, request.seed), 1e-2, kernels);
  add_kernels("random", generate::generate_edge_edge(family, count, request.seed), 1e-2, kernels);
  if (progress) progress("kernels", 0.5);
  return kernels_result("exact", measure_kernels(kernels, request.seconds), std::move(missing));
}

}  // namespace graze::bench
