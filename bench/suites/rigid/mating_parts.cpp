#include "bench/suites/rigid/mating_parts.h"

#include <fmt/format.h>

#include <numbers>

#include "bench/harness/timing.h"
#include "graze/generate/models.h"
#include "graze/rigid/advance.h"

namespace graze::bench {
namespace {

struct MatingMotion {
  const char *name, *a, *b;  // models
  rigid::Motion motion_a, motion_b;
  double checks_before;
};

std::vector<MatingMotion> mating_motions() {
  constexpr double pi = std::numbers::pi;
  const auto screw = [](double angle) {
    rigid::Motion motion;
    motion.start.translation = motion.centre = {0, 0, 1};
    motion.rotation = {0, 0, angle};
    motion.velocity = {0, 0, generate::thread_pitch * angle / (2 * pi)};
    return motion;
  };
  const Pose facing = Pose::from_axis_angle({0, 1, 0}, pi, {23.5, 0, 2.2});
  const rigid::Motion turn = rigid::rotation_about({}, {0, 0, 0}, {0, 0, 1});
  return {
      {"nut on bolt, 162 degrees", "nut", "bolt", screw(0.9 * pi), rigid::resting({}), 10'040'864},
      {"comb along comb", "comb", "comb", rigid::translation(facing, {0, 1.5, 0}),
       rigid::resting({}), 290'943},
      {"combs turning as one", "comb", "comb", rigid::rotation_about(facing, {0, 0, 0}, {0, 0, 1}),
       turn, 1'365'600},
      {"drawer out of cabinet", "drawer", "cabinet", rigid::translation({}, {1.8, 0, 0}),
       rigid::resting({}), 123'290},
      {"drawer and cabinet turning as one", "drawer", "cabinet", turn, turn, 837'523},
  };
}

}  // namespace

std::vector<MatingRow> measure_mating_parts(std::uint32_t budget) {
  std::vector<MatingRow> rows;
  const auto body = [](const char* name) {
    const generate::SurfaceModel model = generate::find_model_recipe(name)->make();
    return rigid::make_body(model.vertices, model.faces);
  };
  for (const MatingMotion& motion : mating_motions()) {
    const rigid::Body a = body(motion.a), b = body(motion.b);
    for (const char* name : {"certified", "undirected"}) {
      rigid::AdvanceOptions options;
      options.threshold = 1e-4;
      if (name == std::string_view("undirected")) options.max_checks = budget;
      MatingRow row{motion.name, name};
      row.triangles = a.faces().size() + b.faces().size();
      const double start = processor_seconds();
      const Impact impact = rigid::find_advance_method(name)
                                ->advance(a, motion.motion_a, b, motion.motion_b, options, nullptr)
                                .impact;
      row.seconds = processor_seconds() - start;
      row.verdict = impact.verdict;
      row.free = impact.verdict == Verdict::separated ? 1 : impact.toi;
      row.checks = impact.checks;
      row.checks_before = rows.size() % 2 == 0 ? motion.checks_before : Impact::nan;
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

report::Table mating_table(const std::vector<MatingRow>& rows) {
  report::Table table{
      "Parts that fit into each other; undirected: distance over speed, with few distances",
      {{"motion", false},
       {"method", false},
       {"triangles"},
       {"verdict", false},
       {"free part of the step"},
       {"checks"},
       {"time"}},
      {}};
  for (const MatingRow& row : rows)
    table.rows.push_back({{row.motion},
                          {row.method},
                          {report::format_count(row.triangles)},
                          {std::string(name(row.verdict))},
                          {fmt::format("{:.3f}", row.free)},
                          {report::format_count(row.checks)},
                          {report::format_nanoseconds(1e9 * row.seconds)}});
  return table;
}

std::vector<Bar> mating_bars(const std::vector<MatingRow>& rows) {
  std::vector<Bar> bars;
  for (const MatingRow& row : rows)
    if (row.checks_before > 0)
      bars.push_back(
          {row.motion + ": times fewer checks than with planes fixed in the world", "x", 50, true,
           row.checks_before / row.checks,
           "before: " + report::format_count(static_cast<std::size_t>(row.checks_before))});
  return bars;
}

}  // namespace graze::bench
