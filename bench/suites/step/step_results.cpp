#include "bench/suites/step/step_results.h"

#include <cmath>

namespace graze::bench {

using Json = nlohmann::ordered_json;

double slope(const ScalingResult& a, const ScalingResult& b, double ScalingResult::*seconds) {
  return std::log(b.*seconds / a.*seconds) /
         std::log(static_cast<double>(b.pairs) / static_cast<double>(a.pairs));
}

Json json_of(const StepResults& all) {
  Json json = {{"scenes", Json::array()},
               {"races", Json::array()},
               {"sequences", Json::array()},
               {"gpu", Json::array()},
               {"rows", Json::array()}};
  for (const StrategyRace& race : all.races)
    for (const EarliestByStrategy& result : race.strategies)
      json["races"].push_back({{"scene", race.scene},
                               {"strategy", result.strategy},
                               {"earliest_s", result.seconds},
                               {"agrees", result.agrees}});
  for (const SequenceResult& result : all.sequences)
    json["sequences"].push_back({{"sequence", result.name},
                                 {"steps", result.steps},
                                 {"steps_by_forecast", result.forecast},
                                 {"steps_differ", result.differ},
                                 {"anew_s", result.anew_seconds},
                                 {"step_search_s", result.kept_seconds}});
  for (const auto& scene : all.scenes) {
    const auto& [row, times, start_check, targets, strategies, truth, first_call] = scene;
    Json by_target = Json::array();
    for (const TargetTimes& each : targets)
      by_target.push_back({{"instruction_set", each.target},
                           {"enumerate_s", each.enumerate},
                           {"earliest_s", each.earliest},
                           {"all_s", each.all}});
    Json found = Json::array();
    for (const StrategyResult& result : strategies)
      found.push_back({{"strategy", result.strategy},
                       {"vertex_face", result.vertex_face},
                       {"edge_edge", result.edge_edge},
                       {"seconds", result.seconds}});
    Json first = nullptr;
    if (first_call)
      first = {{"first_wall_s", first_call->first},
               {"warm_wall_s", first_call->warm_wall},
               {"process_processor_s", first_call->process},
               {"warm_processor_s", first_call->warm_processor}};
    json["scenes"].push_back({{"scene", row.name},
                              {"right", scene.right()},
                              {"toi", truth.toi},
                              {"contacts", truth.contacts},
                              {"wrong", truth.wrong},
                              {"missed", truth.missed},
                              {"times_checked", truth.times},
                              {"times_differ", truth.times_differ},
                              {"enumerate_s", times.enumerate},
                              {"earliest_s", times.earliest},
                              {"all_s", times.all},
                              {"piercings", truth.piercings},
                              {"start_check",
                               {{"earliest_without_s", start_check.first_without},
                                {"earliest_with_s", start_check.first_with},
                                {"all_without_s", start_check.all_without},
                                {"all_with_s", start_check.all_with}}},
                              {"first_call", first},
                              {"instruction_sets", by_target},
                              {"strategies", found}});
  }
  for (const GpuStep& step : all.gpu)
    json["gpu"].push_back({{"scene", step.name},
                           {"triangles", step.triangles},
                           {"contacts", step.contacts},
                           {"earliest_s", step.earliest_seconds},
                           {"all_s", step.all_seconds},
                           {"cpu_earliest_s", step.cpu_earliest_seconds},
                           {"cpu_all_s", step.cpu_all_seconds},
                           {"problem", step.problem.empty() ? Json() : Json(step.problem)}});
  for (const ScalingResult& result : all.scaling)
    json["rows"].push_back({{"triangles", result.triangles},
                            {"pairs", result.pairs},
                            {"contacts", result.contacts},
                            {"earliest_s", result.earliest_seconds},
                            {"all_s", result.all_seconds},
                            {"peak_bytes", result.peak_bytes}});
  return json;
}

}  // namespace graze::bench
