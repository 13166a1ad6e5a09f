#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bench/harness/scene.h"
#include "graze/generate/scenes.h"
#include "graze/step.h"

namespace graze::bench {

// Seconds of processor time on one thread, and of wall time on two: medians of rounds in turn.
struct StepTimes {
  std::array<double, 2> enumerate, earliest, all;
};

// Measures the default strategy and method for about `seconds`.
StepTimes measure_step_times(const MovingMesh& moving, double seconds);

// The searches of a step with the start check (StepOptions::start_check) and without it, on one
// thread: seconds of processor time, medians of rounds in turns.
struct StartCheckTimes {
  double first_without = 0, first_with = 0;  // earliest_impact()
  double all_without = 0, all_with = 0;      // all_impacts(), which lists every piercing

  double first_ratio() const { return first_with / first_without; }
  double all_ratio() const { return all_with / all_without; }
};

// Measures the four searches for about `seconds` in all.
StartCheckTimes measure_start_check(const MovingMesh& moving, double seconds);

// Seconds of processor time of the kernels of one instruction set, on one thread: medians.
struct TargetTimes {
  std::string target;
  double enumerate = 0, earliest = 0, all = 0;
};

// Measures each instruction set that the kernels are compiled for and the processor has, the best
// one first, for about `seconds` in all. Other threads must not use the library in the meantime.
std::vector<TargetTimes> measure_targets(const MovingMesh& moving, double seconds);

// Steps that follow each other: earliest_impact() for each of them, against StepSearch. Seconds of
// processor time for the whole sequence on one thread, medians.
struct SequenceResult {
  std::string name;
  std::uint64_t steps = 0;
  std::uint64_t forecast = 0;  // steps that StepSearch answered by a forecast
  std::uint64_t differ = 0;    // steps with another answer
  double anew_seconds = 0, kept_seconds = 0;
};
SequenceResult measure_sequence(std::string name, const generate::FrameSequence& sequence,
                                double seconds);

// Returns the step of a scene in equal parts.
generate::FrameSequence in_parts(const MovingMesh& moving, std::size_t parts);

// One run of a broad-phase strategy over the whole step, on one thread.
struct StrategyResult {
  std::string strategy;
  std::uint64_t vertex_face = 0, edge_edge = 0;
  double seconds = 0;
};
std::vector<StrategyResult> measure_strategies(const MovingMesh& moving);

// The first impact by pairs of a strategy, on one thread: seconds of processor time, median.
struct EarliestByStrategy {
  std::string strategy;  // the first one is the default
  double seconds = 0;
  bool agrees = false;  // has the impact of the default
};

// Measures the strategies in turns, for about `seconds` in all. brute_force is left out for meshes
// of more than 3,000 edges.
std::vector<EarliestByStrategy> measure_earliest(const MovingMesh& moving, double seconds);

// The contacts of all_impacts(), without those of the start check, compared with the truth of the
// scene's files, and a sample of their times compared with the oracle's.
struct StepTruth {
  std::uint64_t contacts = 0, wrong = 0, missed = 0;
  std::uint64_t piercings = 0;  // edges that pierce faces at the start
  std::uint64_t times = 0, times_differ = 0;
  bool first_agrees = false;  // earliest_impact() returns the first of them
  double toi = 0;
};
StepTruth judge_step(const Scene& scene, std::size_t most_times, std::uint64_t seed);

// One size of a generated scene.
struct ScalingResult {
  std::uint64_t triangles = 0, pairs = 0, contacts = 0;
  double earliest_seconds = 0, all_seconds = 0;  // one thread
  double peak_bytes = 0;  // of the process during all_impacts(), meshes included; NaN where unknown
};
ScalingResult measure_scaling(std::size_t triangles, double seconds);

}  // namespace graze::bench
