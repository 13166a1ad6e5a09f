#include "bench/suites/robot/robot_suite.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "bench/harness/bar.h"
#include "bench/harness/timing.h"
#include "bench/peers/robot_peer.h"
#include "bench/suites/robot/robot_worlds.h"

namespace graze::bench {
namespace {

using Json = nlohmann::ordered_json;

// The times of one method in one world, and its errors against PathChecker.
struct RobotRow {
  std::string world, method;
  std::size_t edges = 0, contacts = 0, missed = 0, false_contacts = 0, undecided = 0;
  double median_us = 0, p99_us = 0, per_second = 0;
};

RobotRow measure(const std::string& world, const std::string& method, const Edges& edges,
                 std::size_t joints, const std::function<Verdict(const rigid::Trajectory&)>& query,
                 std::vector<Verdict>& truth) {
  RobotRow row{world, method};
  const bool judges = truth.empty();
  std::vector<double> times;
  double sum = 0;
  for (std::size_t i = 0; i * joints < edges.from.size(); ++i) {
    std::vector<double> ends(edges.from.begin() + std::ptrdiff_t(i * joints),
                             edges.from.begin() + std::ptrdiff_t((i + 1) * joints));
    ends.insert(ends.end(), edges.to.begin() + std::ptrdiff_t(i * joints),
                edges.to.begin() + std::ptrdiff_t((i + 1) * joints));
    const rigid::Trajectory edge = rigid::straight_path(ends, joints);
    const double start = processor_seconds();
    const Verdict verdict = query(edge);
    times.push_back(processor_seconds() - start);
    sum += times.back();
    if (judges) truth.push_back(verdict);
    ++row.edges;
    row.contacts += verdict == Verdict::contact;
    row.undecided += verdict == Verdict::undecided;
    row.missed += verdict == Verdict::separated && truth[i] == Verdict::contact;
    row.false_contacts += verdict == Verdict::contact && truth[i] == Verdict::separated;
  }
  std::sort(times.begin(), times.end());
  row.median_us = 1e6 * times[times.size() / 2];
  row.p99_us = 1e6 * times[times.size() * 99 / 100];
  row.per_second = static_cast<double>(row.edges) / sum;
  return row;
}

report::Table table_of(const std::vector<RobotRow>& rows) {
  report::Table table{"Edges of 0.1 radians of the Panda, one thread",
                      {{"world", false},
                       {"method", false},
                       {"edges"},
                       {"contacts"},
                       {"missed"},
                       {"false"},
                       {"undecided"},
                       {"median"},
                       {"p99"},
                       {"edges/s"}},
                      {}};
  for (const RobotRow& row : rows)
    table.rows.push_back({{row.world},
                          {row.method},
                          {report::format_count(row.edges)},
                          {report::format_count(row.contacts)},
                          {report::format_count(row.missed),
                           row.missed > 0 ? report::Tone::bad : report::Tone::good},
                          {report::format_count(row.false_contacts)},
                          {report::format_count(row.undecided)},
                          {report::format_nanoseconds(1e3 * row.median_us)},
                          {report::format_nanoseconds(1e3 * row.p99_us)},
                          {fmt::format("{:.0f}", row.per_second)}});
  return table;
}

}  // namespace

Result run_robot(const Request& request, const Progress& progress) {
  const std::size_t count = request.count.value_or(1000);
  if (count == 0 || count > 1'000'000)
    throw std::invalid_argument("--count must be in 1 .. 1,000,000 edges");
  const Machine where = machine();
  Result result{.suite = "robot",
                .machine = where,
                .report = report::Report("Edges of robots", describe(where))};
  const std::filesystem::path data = real_data(request.paths);
  if (!io::has_robots() || !std::filesystem::exists(data / "robots/panda/panda.urdf")) {
    result.missing.push_back("robots/panda");
    result.measurements = {{"rows", Json::array()}};
    return result;
  }
  const NamedRobot panda = read_named_robot(data, "panda");
  const Edges edges = random_edges(panda.robot, count, 0.1, request.seed);
  const std::size_t joints = panda.robot.joints().size();
  std::vector<RobotRow> rows;
  for (const char* name : {"none", "table", "shelf", "cage"}) {
    if (progress) progress(name, 0.25 * static_cast<double>(rows.size()) / 4);
    const rigid::PathChecker checker(panda.robot, named_world(name, panda.robot));
    std::vector<Verdict> truth;
    rows.push_back(measure(
        name, "graze", edges, joints,
        [&](const rigid::Trajectory& edge) { return checker.check(edge).verdict; }, truth));
    for (const RobotPeer& peer : robot_peers())
      if (std::string_view(name) != "table")  // FCL's meshes have no radius
        rows.push_back(
            measure(name, std::string(peer.name), edges, joints, peer.prepare(checker), truth));
  }
  const auto find = [&](std::string_view method) -> const RobotRow* {
    for (const RobotRow& row : rows)
      if (row.world == "shelf" && row.method == method) return &row;
    return nullptr;
  };
  const RobotRow& own = *find("graze");
  result.bars.push_back(
      {"median of an edge in the shelf", "ns", 1e5, false, 1e3 * own.median_us, {}});
  result.bars.push_back(
      {"edges a second over FCL's collide() every 0.01 radians", "x", 1, true, {}, {}});
  if (const RobotRow* row = find("fcl_0.01"))
    result.bars.back().measured = own.per_second / row->per_second;
  result.bars.push_back(
      {"edges a second over advancement on FCL's distance()", "x", 20, true, {}, {}});
  if (const RobotRow* row = find("fcl_distance"))
    result.bars.back().measured = own.per_second / row->per_second;
  result.tables = {table_of(rows), bars_table(result.bars, where)};
  Json json = Json::array();
  for (const RobotRow& row : rows)
    json.push_back({{"world", row.world},
                    {"method", row.method},
                    {"edges", row.edges},
                    {"contacts", row.contacts},
                    {"missed", row.missed},
                    {"false_contacts", row.false_contacts},
                    {"undecided", row.undecided},
                    {"median_us", row.median_us},
                    {"p99_us", row.p99_us},
                    {"edges_per_second", row.per_second}});
  result.measurements = {{"rows", json}};
  for (const report::Table& table : result.tables) result.report.table(table);
  return result;
}

}  // namespace graze::bench
