#include "bench/suites/step/step_kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "bench/harness/real_data.h"
#include "bench/harness/scene.h"
#include "bench/harness/targets.h"
#include "graze/generate/random.h"
#include "graze/generate/scenes.h"

namespace graze::bench {
namespace {

namespace fs = std::filesystem;

// Returns a number that depends on the set of pairs, not on their order.
std::uint64_t digest_of(const PairStrategy& strategy, const MovingMesh& moving) {
  std::uint64_t digest = 0;
  const PairConsumer add = [&](Kind kind, std::span<const Pair> pairs) {
    for (const Pair& pair : pairs)
      digest += ((std::uint64_t{pair.a} << 32 | pair.b) + 1) * (2 * std::uint64_t(kind) + 1);
  };
  find_pairs(moving, add, {}, {.threads = 1}, strategy);
  return digest;
}

// Large faces in a heap: the boxes of most features overlap, so that nearly all of the time of
// moving_tree is the search for separating directions.
OwnedMotion heap_of_faces(std::uint32_t count, std::uint64_t seed) {
  OwnedMotion motion;
  std::vector<Face> faces;
  generate::Random random("heap", 0, 1, seed);
  for (std::uint32_t face = 0; face < count; ++face) {
    for (int c = 0; c < 3; ++c) motion.start.push_back(random.cube(-1, 1));
    faces.push_back({3 * face, 3 * face + 1, 3 * face + 2});
  }
  motion.mesh = make_mesh(motion.start.size(), std::move(faces));
  motion.end = motion.start;
  for (Vec3& x : motion.end) x += random.cube(-0.1, 0.1);
  return motion;
}

std::vector<KernelTimes> measure_scene(const std::string& name, const MovingMesh& moving,
                                       double seconds) {
  const std::size_t features =
      moving.mesh.vertex_count + moving.mesh.edges.size() + moving.mesh.faces.size();
  std::vector<Kernel> kernels;
  const auto add = [&](const char* kernel, const PairStrategy& strategy) {
    kernels.push_back({kernel, name, features,
                       [&moving, chosen = &strategy] { return digest_of(*chosen, moving); }});
  };
  add("moving tree", default_pair_strategy(PairSet::meeting));
  add("box tree", *find_pair_strategy("box_tree"));
  add("sweep", *find_pair_strategy("sweep_and_prune"));
  return measure_kernels(kernels, seconds);
}

}  // namespace

Result run_step_kernels(const Request& request, const Progress& progress) {
  const fs::path data = real_data(request.paths);
  std::vector<KernelTimes> times;
  std::vector<std::string> missing;
  const auto append = [&](std::vector<KernelTimes>&& some) {
    times.insert(times.end(), some.begin(), some.end());
  };
  double done = 0;
  for (const char* name : {"cloth-funnel", "armadillo-rollers", "cloth-ball"}) {
    if (progress) progress(name, done);
    done += 0.25;
    const fs::path folder = inside(data, fs::path("scenes") / name);
    if (!fs::is_directory(folder)) {
      missing.push_back(fmt::format("scene {}", name));
      continue;
    }
    const io::OwnedMotion motion = read_scene(folder).motion;
    append(measure_scene(name, motion.moving(), request.seconds));
  }
  if (progress) progress("cloth on a cone", done);
  const generate::FrameSequence cloth =
      generate::find_scene_recipe("cloth_on_cone")->make(request.count.value_or(20'000), 3);
  append(measure_scene("cloth on a cone", cloth.step(1), request.seconds));
  const OwnedMotion heap = heap_of_faces(300, request.seed);
  std::size_t pairs = 0;
  const PairConsumer count = [&](Kind, std::span<const Pair> block) { pairs += block.size(); };
  find_pairs(heap.moving(), count, {}, {.threads = 1}, *find_pair_strategy("box_tree"));
  const Kernel direction{"direction", "heap of faces", pairs, [&] {
                           return digest_of(default_pair_strategy(PairSet::meeting), heap.moving());
                         }};
  append(measure_kernels({&direction, 1}, request.seconds));
  return kernels_result("step", times, std::move(missing));
}

}  // namespace graze::bench
