#include "bench/suites/step/step_gpu.h"

#include <array>
#include <cstring>
#include <functional>
#include <utility>

#include "bench/harness/timing.h"
#include "graze/gpu.h"

namespace graze::bench {
namespace {

bool same_impact(const StepImpact& a, const StepImpact& b) {
  return a.kind == b.kind && a.pair == b.pair &&
         std::memcmp(&a.impact, &b.impact, sizeof(Impact)) == 0;
}

}  // namespace

GpuStep measure_gpu_step(std::string name, const MovingMesh& moving, int gpu) {
  GpuStep step;
  step.name = std::move(name);
  step.triangles = moving.mesh.faces.size();
  StepOptions options;
  options.start_check = false;
  gpu::StepSearch search(moving.mesh, {.device = gpu});
  gpu::FirstAnswer first;
  gpu::AllAnswer all;
  FirstImpact cpu_first;
  AllImpacts cpu_all;
  const std::array<std::function<void()>, 4> passes = {
      [&] { first = search.earliest_impact(moving.start, moving.end, options); },
      [&] { all = search.all_impacts(moving.start, moving.end, options); },
      [&] { cpu_first = earliest_impact(moving, options); },
      [&] { cpu_all = all_impacts(moving, options); }};
  passes[0]();
  passes[1]();
  if (!first.outcome || !all.outcome) {
    step.problem = (first.outcome ? all.outcome : first.outcome).message;
    return step;
  }
  // Processors and GPU rest between the passes of one kind, so each pair of passes has its turns.
  const auto on_gpu = time_in_turns(std::span(passes).first(2), 0.2, wall_seconds);
  const auto on_cpu = time_in_turns(std::span(passes).last(2), 0.2, wall_seconds);
  step.earliest_seconds = on_gpu[0];
  step.all_seconds = on_gpu[1];
  step.cpu_earliest_seconds = on_cpu[0];
  step.cpu_all_seconds = on_cpu[1];
  step.contacts = all.impacts.size();
  std::size_t differ = 0;
  if (all.impacts.size() != cpu_all.impacts.size())
    step.problem = "another number of contacts";
  else
    for (std::size_t i = 0; i < all.impacts.size(); ++i)
      differ += !same_impact(all.impacts[i], cpu_all.impacts[i]);
  const bool touches = cpu_first.impact.verdict == Verdict::contact;
  if (first.impact.verdict != cpu_first.impact.verdict ||
      (touches && !same_impact(first, cpu_first)))
    ++differ;
  if (differ > 0) step.problem = std::to_string(differ) + " impacts differ";
  return step;
}

}  // namespace graze::bench
