#include "bench/suites/rigid/rigid_measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "bench/harness/timing.h"
#include "bench/peers/rigid_peer.h"
#include "graze/rigid/advance.h"
#include "graze/rigid/model/decomposition.h"
#include "graze/rigid/model_advance.h"
#include "graze/rigid/rivals/advance_pieces.h"

namespace graze::bench {
namespace {

double bytes_of(const rigid::Model& model) {
  const auto bytes = [](const auto& list) {
    return static_cast<double>(list.size() * sizeof(list[0]));
  };
  return bytes(model.vertices) + bytes(model.faces) + static_cast<double>(model.tree.bytes());
}

// Limits of the methods that are measured for comparison: some need seconds for a shot. No shot is
// begun after variant_seconds. The first method, `fast`, is measured on all shots, the others on
// the first.
constexpr std::size_t variant_shots = 10;
constexpr std::uint32_t variant_checks = 400'000;
constexpr double variant_seconds = 3;
constexpr std::size_t ablation_pairs = 1'200'000;  // of pieces

struct NamedWays {
  std::string_view name;
  rigid::PieceWays ways;
};
constexpr NamedWays piece_ways[] = {
    {"as in the paper", {}},
    {"distances from the first vertex", {.warm = false}},
    {"scans instead of hill climbing", {.climb = false}},
    {"|n x w| rho instead of extremal vertices", {.extremal = false}},
};

// Measures one shot, which `ask` answers: the median time of three runs.
template <class Ask>
ShotResult ask_thrice(const RigidShot& shot, const Ask& ask) {
  ShotResult result{};
  std::vector<double> times;
  for (int pass = 0; pass < 3; ++pass) {
    const double before = processor_seconds();
    result = ask(shot);
    times.push_back(processor_seconds() - before);
  }
  result.seconds = median(std::move(times));
  return result;
}

// Computes the statistics of the shots. `refined`: the times of contact, infinite where there is
// none, NaN where unknown. They are lower bounds, up to `accuracy`.
void summarize(RigidMethodResult& result, const std::vector<double>& refined,
               std::size_t translations) {
  constexpr double accuracy = 1e-9;
  std::vector<double> times;
  double sum = 0, translation_sum = 0;
  std::size_t compared = 0;
  for (std::size_t i = 0; i < result.shots.size(); ++i) {
    const ShotResult& shot = result.shots[i];
    times.push_back(shot.seconds);
    sum += shot.seconds;
    if (i < translations) translation_sum += shot.seconds;
    result.iterations += shot.iterations / static_cast<double>(result.shots.size());
    result.contacts += shot.verdict == Verdict::contact;
    result.undecided += shot.verdict == Verdict::undecided;
    if (!std::isfinite(refined[i])) continue;
    result.missed += shot.verdict == Verdict::separated;
    result.late += shot.verdict == Verdict::contact && shot.toi > refined[i] + accuracy;
    if (shot.verdict != Verdict::contact) continue;
    const double early = std::max(0.0, refined[i] - shot.toi);
    result.early += early;
    result.early_max = std::max(result.early_max, early);
    ++compared;
  }
  if (compared > 0) result.early /= static_cast<double>(compared);
  if (times.empty()) return;
  std::sort(times.begin(), times.end());
  result.mean = sum / static_cast<double>(times.size());
  result.median = median(times);
  result.p95 = times[times.size() * 95 / 100];
  result.max = times.back();
  if (translations > 0)
    result.translation_mean = translation_sum / static_cast<double>(translations);
}

}  // namespace

RigidScenarioResult measure_rigid(const RigidScenario& scenario) {
  RigidScenarioResult result;
  result.name = scenario.name;
  result.figure = scenario.figure;
  result.published_ms = scenario.published_ms;
  result.triangles_a = scenario.a.faces.size();
  result.triangles_b = scenario.b.faces.size();
  const double before = processor_seconds();
  const bool alike =
      scenario.a.vertices == scenario.b.vertices && scenario.a.faces == scenario.b.faces;
  const rigid::Model a = rigid::make_model(scenario.a.vertices, scenario.a.faces);
  const rigid::Model other =
      alike ? rigid::Model() : rigid::make_model(scenario.b.vertices, scenario.b.faces);
  const rigid::Model& b = alike ? a : other;
  result.ours.method = "graze";
  result.ours.prepare_seconds = processor_seconds() - before;
  result.bytes = bytes_of(a) + (alike ? 0 : bytes_of(b));
  result.pieces_a = rigid::decompose_surface(a.vertices, a.faces).pieces;
  result.pieces_b = alike ? result.pieces_a : rigid::decompose_surface(b.vertices, b.faces).pieces;

  const rigid::Body body_a = rigid::make_body(scenario.a.vertices, scenario.a.faces);
  const rigid::Body body_b =
      alike ? body_a : rigid::make_body(scenario.b.vertices, scenario.b.faces);
  rigid::AdvanceOptions options, refine;
  options.threshold = scenario.threshold;
  refine.smallest_threshold = true;
  std::vector<double> refined;
  for (const RigidShot& shot : scenario.shots) {
    const Impact impact = advance(body_a, shot.a, body_b, shot.b, refine).impact;
    refined.push_back(impact.verdict == Verdict::contact     ? impact.toi
                      : impact.verdict == Verdict::separated ? Impact::inf
                                                             : Impact::nan);
    result.ours.shots.push_back(ask_thrice(shot, [&](const RigidShot& asked) {
      const rigid::BodyImpact found = advance(body_a, asked.a, body_b, asked.b, options);
      return ShotResult{0, found.impact.verdict, found.impact.toi,
                        static_cast<double>(found.iterations)};
    }));
  }
  summarize(result.ours, refined, scenario.translations);

  rigid::AdvanceOptions limited = options, once = options;
  limited.max_checks = variant_checks;
  once.max_checks = 1;
  // Measures the first `count` shots, which advance(shot, options) answers. The first call, of one
  // step, prepares what the method keeps in a model.
  const auto first_shots = [&](std::string_view name, std::size_t count, const auto& advance) {
    RigidMethodResult variant;
    variant.method = name;
    const double begin = processor_seconds();
    if (!scenario.shots.empty()) advance(scenario.shots[0], once);
    variant.prepare_seconds = processor_seconds() - begin;
    for (std::size_t i = 0; i < std::min(count, scenario.shots.size()); ++i) {
      const double now = processor_seconds();
      if (now - begin > variant_seconds) break;
      rigid::BodyImpact found = advance(scenario.shots[i], limited);
      double seconds = processor_seconds() - now;
      if (seconds < 0.05 * variant_seconds) {  // again, with all nodes of this shot bounded
        const double again = processor_seconds();
        found = advance(scenario.shots[i], limited);
        seconds = processor_seconds() - again;
      }
      variant.shots.push_back(
          {seconds, found.impact.verdict, found.impact.toi, static_cast<double>(found.iterations)});
    }
    summarize(variant, refined, std::min(scenario.translations, variant.shots.size()));
    return variant;
  };
  for (const rigid::AdvanceMethod& method : rigid::advance_methods().subspan(1))
    result.variants.push_back(
        first_shots(method.name, result.variants.empty() ? scenario.shots.size() : variant_shots,
                    [&](const RigidShot& shot, const rigid::AdvanceOptions& chosen) {
                      return method.advance(body_a, shot.a, body_b, shot.b, chosen, nullptr);
                    }));
  if (result.pieces_a * result.pieces_b <= ablation_pairs)
    for (const NamedWays& row : piece_ways)
      result.ablation.push_back(first_shots(
          row.name, variant_shots, [&](const RigidShot& shot, const rigid::AdvanceOptions& chosen) {
            return advance_pieces(body_a.model(), shot.a, body_b.model(), shot.b, {chosen},
                                  row.ways);
          }));

  for (const RigidPeer& peer : rigid_peers()) {
    RigidMethodResult theirs;
    theirs.method = peer.name;
    const double start = processor_seconds();
    const PeerQuery query = peer.prepare(scenario.a, scenario.b);
    theirs.prepare_seconds = processor_seconds() - start;
    for (const RigidShot& shot : scenario.shots)
      theirs.shots.push_back(ask_thrice(shot, [&](const RigidShot& asked) {
        const PeerAnswer answer = query(asked.a, asked.b, scenario.threshold);
        return ShotResult{0, answer.verdict, answer.toi, static_cast<double>(answer.iterations)};
      }));
    summarize(theirs, refined, scenario.translations);
    result.peers.push_back(std::move(theirs));
  }
  return result;
}

double mean_ratio(const RigidMethodResult& method, const RigidMethodResult& other) {
  const std::size_t count = std::min(method.shots.size(), other.shots.size());
  double sum = 0, other_sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    sum += method.shots[i].seconds;
    other_sum += other.shots[i].seconds;
  }
  return sum / other_sum;
}

std::vector<Bar> rigid_bars(const std::vector<RigidScenarioResult>& results) {
  std::vector<Bar> bars;
  double logarithms = 0, iterations = 0;
  std::size_t compared = 0, wrong = 0, contacts = 0;
  for (const RigidScenarioResult& result : results) {
    wrong += result.ours.missed + result.ours.late;
    // The iterations of the advancement are those of Alg. 2, the first variant.
    if (!result.variants.empty())
      for (const ShotResult& shot : result.variants[0].shots) {
        if (shot.verdict != Verdict::contact) continue;
        iterations += shot.iterations;
        ++contacts;
      }
    Bar faster{result.name + ": median, times faster than the best peer", "x", 4, true, {}, ""};
    if (!result.peers.empty()) {
      const auto best =
          std::min_element(result.peers.begin(), result.peers.end(),
                           [](const auto& x, const auto& y) { return x.median < y.median; });
      faster.measured = best->median / result.ours.median;
      faster.note = fmt::format("{}, early by {:.1e} on average against {:.1e}", best->method,
                                best->early, result.ours.early);
      logarithms += std::log(*faster.measured);
      ++compared;
    }
    bars.push_back(std::move(faster));
  }
  Bar together{"geometric mean over the scenarios", "x", 8, true, {}, ""};
  if (compared == results.size() && compared > 0)
    together.measured = std::exp(logarithms / static_cast<double>(compared));
  bars.push_back(together);
  Bar few{"iterations of Alg. 2 (fast), mean over its contacts", "", 5, false, {}, ""};
  few.note = "the paper: about 4";
  if (contacts > 0) few.measured = iterations / static_cast<double>(contacts);
  bars.push_back(few);
  bars.push_back(
      {"missed or late", "", 0, false, static_cast<double>(wrong), "judge: our time, refined"});
  for (const RigidScenarioResult& result : results)
    if (result.name == "bunnies")
      bars.push_back({"bunny: memory", "MiB", 100, false, result.bytes / 0x1p20, ""});
  return bars;
}

}  // namespace graze::bench
