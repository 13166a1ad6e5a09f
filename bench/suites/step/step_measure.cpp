#include "bench/suites/step/step_measure.h"

#include <hwy/targets.h>

#include <atomic>
#include <cstring>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "bench/harness/scene_pairs.h"
#include "bench/harness/targets.h"
#include "bench/harness/timing.h"
#include "graze/exact/judge/oracle.h"
#include "graze/step.h"

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace graze::bench {
namespace {

using PairCounts = std::array<std::uint64_t, kind_count>;

PairCounts count_pairs(const PairStrategy& strategy, const MovingMesh& moving, int threads) {
  std::array<std::atomic<std::uint64_t>, kind_count> counts{};
  const PairConsumer count = [&](Kind kind, std::span<const Pair> pairs) {
    counts[static_cast<std::size_t>(kind)] += pairs.size();
  };
  find_pairs(moving, count, {}, {.threads = threads}, strategy);
  PairCounts result;
  std::copy(counts.begin(), counts.end(), result.begin());
  return result;
}

// Resets the peak memory of the process, which Linux records.
void forget_peak() {
#if defined(__GLIBC__)
  malloc_trim(0);
#endif
  std::ofstream("/proc/self/clear_refs") << 5;
}

double peak_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (double kibibytes = 0; word == "VmHWM:" && status >> kibibytes) return 1024 * kibibytes;
  return std::numeric_limits<double>::quiet_NaN();
}

// Returns options without the start check: the files of the scenes list touches, not intersections
// at the start, which are counted separately.
StepOptions touches() {
  StepOptions options;
  options.start_check = false;
  return options;
}

}  // namespace

StepTimes measure_step_times(const MovingMesh& moving, double seconds) {
  StepTimes result;
  for (const int threads : {1, 2}) {
    const Run run{.threads = threads};
    const std::vector<std::function<void()>> passes = {
        [&] { count_pairs(default_pair_strategy(), moving, threads); },
        [&] { earliest_impact(moving, touches(), run); },
        [&] { all_impacts(moving, touches(), run); }};
    const auto times =
        time_in_turns(passes, seconds / 2, threads == 1 ? processor_seconds : wall_seconds);
    const auto place = static_cast<std::size_t>(threads - 1);
    result.enumerate[place] = times[0];
    result.earliest[place] = times[1];
    result.all[place] = times[2];
  }
  return result;
}

StartCheckTimes measure_start_check(const MovingMesh& moving, double seconds) {
  const Run run{.threads = 1};
  const std::vector<std::function<void()>> passes = {
      [&] { earliest_impact(moving, touches(), run); }, [&] { earliest_impact(moving, {}, run); },
      [&] { all_impacts(moving, touches(), run); }, [&] { all_impacts(moving, {}, run); }};
  const auto times = time_in_turns(passes, seconds);
  return {times[0], times[1], times[2], times[3]};
}

std::vector<TargetTimes> measure_targets(const MovingMesh& moving, double seconds) {
  const Run run{.threads = 1};
  std::vector<TargetTimes> results;
  std::vector<std::function<void()>> passes;
  for (const std::int64_t target : supported_targets()) {
    results.push_back({.target = hwy::TargetName(target)});
    passes.push_back([=, &moving] {
      use_target(target);
      count_pairs(default_pair_strategy(), moving, 1);
    });
    passes.push_back([=, &moving] {
      use_target(target);
      earliest_impact(moving, {}, run);
    });
    passes.push_back([=, &moving] {
      use_target(target);
      all_impacts(moving, {}, run);
    });
  }
  const auto times = time_in_turns(passes, seconds);
  use_target(0);
  for (std::size_t i = 0; i < results.size(); ++i) {
    results[i].enumerate = times[3 * i];
    results[i].earliest = times[3 * i + 1];
    results[i].all = times[3 * i + 2];
  }
  return results;
}

SequenceResult measure_sequence(std::string name, const generate::FrameSequence& sequence,
                                double seconds) {
  const Run run{.threads = 1};
  const std::size_t steps = sequence.frames.size() - 1;
  SequenceResult result{.name = std::move(name), .steps = steps};
  std::vector<FirstImpact> anew(steps), kept(steps);
  const std::vector<std::function<void()>> passes = {
      [&] {
        for (std::size_t i = 0; i < steps; ++i)
          anew[i] = earliest_impact(sequence.step(i), {}, run);
      },
      [&] {
        StepSearch search(sequence.mesh);
        for (std::size_t i = 0; i < steps; ++i)
          kept[i] = search.earliest_impact(sequence.frames[i], sequence.frames[i + 1], {}, run);
        result.forecast = search.use().forecast;
      }};
  const auto times = time_in_turns(passes, seconds);
  result.anew_seconds = times[0];
  result.kept_seconds = times[1];
  const auto bits_differ = [](double a, double b) { return std::memcmp(&a, &b, sizeof a) != 0; };
  for (std::size_t i = 0; i < steps; ++i) {
    const Impact &a = anew[i].impact, &b = kept[i].impact;
    result.differ += anew[i].kind != kept[i].kind || anew[i].pair != kept[i].pair ||
                     a.verdict != b.verdict || bits_differ(a.toi, b.toi) ||
                     bits_differ(a.toi_hi, b.toi_hi) || bits_differ(a.u, b.u) ||
                     bits_differ(a.v, b.v);
  }
  return result;
}

generate::FrameSequence in_parts(const MovingMesh& moving, std::size_t parts) {
  generate::FrameSequence sequence{moving.mesh, {}};
  for (std::size_t i = 0; i <= parts; ++i) {
    const double t = static_cast<double>(i) / static_cast<double>(parts);
    std::vector<Vec3> positions;
    positions.reserve(moving.start.size());
    for (std::size_t v = 0; v < moving.start.size(); ++v)
      positions.push_back((1 - t) * moving.start[v] + t * moving.end[v]);
    sequence.frames.push_back(std::move(positions));
  }
  return sequence;
}

std::vector<StrategyResult> measure_strategies(const MovingMesh& moving) {
  std::vector<StrategyResult> results;
  for (const PairStrategy& strategy : pair_strategies()) {
    if (strategy.set != PairSet::overlapping) continue;
    constexpr std::size_t most_for_brute_force = 30'000;
    if (strategy.name == "brute_force" && moving.mesh.edges.size() > most_for_brute_force) continue;
    const double begin = processor_seconds();
    const PairCounts counts = count_pairs(strategy, moving, 1);
    results.push_back(
        {std::string(strategy.name), counts[0], counts[1], processor_seconds() - begin});
  }
  return results;
}

std::vector<EarliestByStrategy> measure_earliest(const MovingMesh& moving, double seconds) {
  constexpr std::size_t most_for_brute_force = 3'000;
  std::vector<const PairStrategy*> strategies = {&default_pair_strategy(PairSet::meeting)};
  for (const PairStrategy& strategy : pair_strategies())
    if (&strategy != strategies[0] &&
        (strategy.name != "brute_force" || moving.mesh.edges.size() <= most_for_brute_force))
      strategies.push_back(&strategy);
  std::vector<FirstImpact> found(strategies.size());
  std::vector<std::function<void()>> passes;
  for (std::size_t i = 0; i < strategies.size(); ++i)
    passes.push_back([&, i] {
      StepOptions options = touches();
      options.strategy = strategies[i];
      found[i] = earliest_impact(moving, options, {.threads = 1});
    });
  const auto times = time_in_turns(passes, seconds);
  std::vector<EarliestByStrategy> results;
  for (std::size_t i = 0; i < strategies.size(); ++i)
    results.push_back({std::string(strategies[i]->name), times[i],
                       found[i].kind == found[0].kind && found[i].pair == found[0].pair &&
                           found[i].impact.toi == found[0].impact.toi});
  return results;
}

StepTruth judge_step(const Scene& scene, std::size_t most_times, std::uint64_t seed) {
  const MovingMesh moving = scene.motion.moving();
  const AllImpacts all = all_impacts(moving, touches());
  std::map<std::tuple<Kind, std::uint32_t, std::uint32_t>, bool> truth;  // whether it was found
  const auto list = [&](Kind kind, const ListedPairs& listed) {
    for (std::size_t i = 0; i < listed.pairs.size(); ++i) {
      auto [a, b] = listed.pairs[i];
      if (kind == Kind::edge_edge && a > b) std::swap(a, b);
      if (listed.contact[i]) truth[{kind, a, b}] = false;
    }
  };
  list(Kind::vertex_face, scene.vertex_face);
  list(Kind::edge_edge, scene.edge_edge);

  StepTruth result;
  result.contacts = all.impacts.size();
  for (const StepImpact& found : all_impacts(moving).impacts)
    result.piercings += found.kind == Kind::edge_face;
  for (const StepImpact& found : all.impacts) {
    const auto place = truth.find({found.kind, found.pair.a, found.pair.b});
    if (place == truth.end() || std::exchange(place->second, true)) ++result.wrong;
  }
  for (const auto& [pair, found] : truth) result.missed += !found;
  for (const std::size_t i : sample(all.impacts.size(), most_times, seed)) {
    const auto& [kind, pair, impact] = all.impacts[i];
    const Impact expected = kind == Kind::vertex_face
                                ? exact::oracle(moving.vertex_face(pair.a, pair.b))
                                : exact::oracle(moving.edge_edge(pair.a, pair.b));
    ++result.times;
    result.times_differ += expected.toi != impact.toi || expected.toi_hi != impact.toi_hi;
  }
  const FirstImpact first = earliest_impact(moving, touches(), {.threads = 1});
  result.toi = first.impact.toi;
  result.first_agrees = all.impacts.empty() ? first.impact.verdict == Verdict::separated
                                            : first.kind == all.impacts[0].kind &&
                                                  first.pair == all.impacts[0].pair &&
                                                  first.impact.toi == all.impacts[0].impact.toi;
  return result;
}

ScalingResult measure_scaling(std::size_t triangles, double seconds) {
  const generate::FrameSequence scene =
      generate::find_scene_recipe("cloth_on_cone")->make(triangles, 3);
  const MovingMesh moving = scene.step(1);
  ScalingResult result;
  forget_peak();
  {
    const AllImpacts all = all_impacts(moving, touches(), {.threads = 1});
    result.peak_bytes = peak_bytes();
    result.contacts = all.impacts.size();
  }
  for (const std::uint64_t count : count_pairs(default_pair_strategy(), moving, 1))
    result.pairs += count;
  result.triangles = scene.mesh.faces.size();
  const std::vector<std::function<void()>> passes = {
      [&] { earliest_impact(moving, touches(), {.threads = 1}); },
      [&] { all_impacts(moving, touches(), {.threads = 1}); }};
  const auto times = time_in_turns(passes, seconds, processor_seconds);
  result.earliest_seconds = times[0];
  result.all_seconds = times[1];
  return result;
}

}  // namespace graze::bench
