// Measures graze::gpu on the device of this machine, prints a table and writes JSON.
//   gpu_times OUTPUT.json COMMIT [REPEATS [LARGEST_CONE [SMALLEST_CONE]]]
// Scenes are those of GRAZE_DATA and generated cones of cloth. Wall times until the host has the
// answer, medians, in microseconds; every answer is compared with the CPU's, bit for bit.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <span>
#include <sstream>
#include <string>
#include <thread>

#include "graze/find_pairs.h"
#include "graze/first_contact.h"
#include "graze/generate/scenes.h"
#include "graze/gpu.h"
#include "graze/io/mesh_files.h"
#include "test/gpu/device_rows.h"
#include "test/gpu/same_bits.h"
#include "test/support/data.h"

namespace {

using namespace graze;
using Clock = std::chrono::steady_clock;

double median_us(int repeats, const std::function<void()>& prepare,
                 const std::function<void()>& call) {
  std::vector<double> times;
  for (int i = 0; i < repeats; ++i) {
    prepare();
    const auto begin = Clock::now();
    call();
    times.push_back(1e6 * std::chrono::duration<double>(Clock::now() - begin).count());
  }
  std::nth_element(times.begin(), times.begin() + repeats / 2, times.end());
  return times[static_cast<std::size_t>(repeats / 2)];
}

bool same(std::span<const StepImpact> a, std::span<const StepImpact> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& p, const auto& q) { return test::same_bits(p, q); });
}
bool same(const AllImpacts& a, const AllImpacts& b) {
  return a.verdict == b.verdict && same(a.impacts, std::span(b.impacts));
}
bool same(const FirstImpact& a, const FirstImpact& b) {
  return test::same_bits(a.impact, b.impact) &&
         (a.impact.verdict != Verdict::contact || (a.kind == b.kind && a.pair == b.pair));
}

struct Row {
  std::vector<std::pair<std::string, double>> numbers;
  std::string name;
};

// Adds the rates of the times of all pairs whose swept boxes overlap: as queries of 192 bytes and
// as pairs of indices, both on the device.
template <class Query>
void measure_queries(Row& row, const std::string& kind, const MovingMesh& moving,
                     const std::vector<Pair>& pairs, gpu::StepSearch& search,
                     const test::DeviceRows& start, const test::DeviceRows& end) {
  constexpr int repeats = 30;
  if (pairs.empty()) return;
  std::vector<Query> queries(pairs.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if constexpr (kind_of<Query> == Kind::edge_edge)
      queries[i] = moving.edge_edge(pairs[i].a, pairs[i].b);
    else
      queries[i] = moving.vertex_face(pairs[i].a, pairs[i].b);
  }
  std::vector<Impact> expected(queries.size());
  first_contact(queries, expected);
  const test::DeviceArray<double> on_device({queries[0].start[0].data(), 24 * queries.size()},
                                            true);
  const test::DeviceArray<std::uint32_t> indices({&pairs[0].a, 2 * pairs.size()}, true);
  test::DeviceArray<double> times(std::vector<double>(queries.size(), -1), true);
  gpu::QuerySearch query_search;
  gpu::TimesAnswer answer;
  std::size_t wrong = 0;
  const auto count_wrong = [&] {
    const std::vector<double>& found = times.fetch();
    for (std::size_t i = 0; i < found.size(); ++i)
      wrong += !answer.outcome || !test::same_bits(found[i], expected[i].toi);
  };
  const auto by_query = [&] {
    answer = query_search.times(kind_of<Query>, on_device.data(), queries.size(), times.data());
  };
  const auto by_index = [&] {
    answer = search.pair_times(kind_of<Query>, indices.data(), pairs.size(), start.positions(),
                               end.positions(), times.data());
  };
  const auto count = static_cast<double>(queries.size());
  row.numbers.push_back({kind + "_queries", count});
  by_query();
  count_wrong();
  row.numbers.push_back({kind + "_queries_per_us", count / median_us(
                                                               repeats, [] {}, by_query)});
  by_index();
  count_wrong();
  row.numbers.push_back({kind + "_pairs_per_us", count / median_us(
                                                             repeats, [] {}, by_index)});
  row.numbers.push_back({kind + "_wrong_answers", static_cast<double>(wrong)});
}

Row measure(const std::string& name, const MovingMesh& moving, int repeats, bool with_queries) {
  Row row{{}, name};
  const auto add = [&](const char* key, double value) { row.numbers.push_back({key, value}); };
  StepOptions options;
  options.start_check = false;
  std::size_t wrong = 0, replays = 0;
  AllImpacts all;
  FirstImpact first;
  const std::size_t faces = moving.mesh.faces.size();
  const int cpu_repeats = faces > 5000000 ? 1 : faces > 500000 ? 3 : 7;
  const auto nothing = [] {};
  add("triangles", static_cast<double>(moving.mesh.faces.size()));
  for (const int threads : {1, 0}) {
    const Run run{.threads = threads};
    const std::string of = threads ? "_1" : "_all_threads";
    add(("cpu_earliest" + of + "_us").c_str(),
        median_us(cpu_repeats, nothing, [&] { first = earliest_impact(moving, options, run); }));
    add(("cpu_all" + of + "_us").c_str(),
        median_us(cpu_repeats, nothing, [&] { all = all_impacts(moving, options, run); }));
  }
  add("contacts", static_cast<double>(all.impacts.size()));
  gpu::StepSearch search(moving.mesh);
  if (!search.outcome()) {
    std::printf("%s\n", search.outcome().message.c_str());
    return row;
  }
  const test::DeviceRows start(moving.start), end(moving.end);
  gpu::FirstAnswer found_first;
  gpu::AllAnswer found_all;
  gpu::DeviceAnswer on_device;
  const auto check_first = [&] {
    ++replays;
    if (!found_first.outcome || !same(found_first, first)) ++wrong;
  };
  const auto resident = [&] {
    found_first = search.earliest_impact(start.positions(), end.positions(), options);
  };
  const auto from_host = [&] {
    found_first = search.earliest_impact(moving.start, moving.end, options);
  };
  for (int i = 0; i < 3; ++i) resident();
  found_all = search.all_impacts(start.positions(), end.positions(), options);
  found_all = search.all_impacts(start.positions(), end.positions(), options);
  if (!found_all.outcome) std::printf("%s\n", found_all.outcome.message.c_str());
  found_first = search.earliest_impact(start.positions(), end.positions(), options);
  add("earliest_resident_us", median_us(repeats, check_first, resident));
  add("earliest_pageable_us", median_us(repeats, check_first, from_host));
  {
    const test::PinnedRows pinned_start(moving.start), pinned_end(moving.end);
    from_host();
    add("earliest_pinned_us", median_us(repeats, check_first, from_host));
    const auto renew = [&] {
      check_first();
      search.renew_order();
    };
    add("earliest_cold_pinned_us", median_us(repeats, renew, from_host));
    from_host();
  }
  const auto all_on_device = [&] {
    on_device = search.all_impacts_on_device(start.positions(), end.positions(), options);
  };
  all_on_device();
  add("all_on_device_us", median_us(repeats, nothing, all_on_device));
  {
    std::vector<StepImpact> left(on_device.count);
    test::copy_from_device(left.data(), on_device.impacts, left.size() * sizeof(StepImpact));
    if (!on_device.outcome || !same(left, all.impacts)) ++wrong;
  }
  const auto check_all = [&] {
    ++replays;
    if (!found_all.outcome || !same(found_all, all)) ++wrong;
  };
  add("all_to_host_us", median_us(repeats, check_all, [&] {
        found_all = search.all_impacts(start.positions(), end.positions(), options);
      }));
  check_all();
  gpu::ViewAnswer view;
  add("all_view_us", median_us(repeats, nothing, [&] {
        view = search.view_all_impacts(start.positions(), end.positions(), options);
      }));
  if (!view.outcome || !same(view.impacts, all.impacts)) ++wrong;
  StepOptions checked;
  first = earliest_impact(moving, checked);
  add("earliest_resident_start_check_us", median_us(repeats, nothing, [&] {
        found_first = search.earliest_impact(start.positions(), end.positions(), checked);
      }));
  check_first();
  {
    // Two starts in turn that differ in one bit: neither is that of the call before.
    std::vector<Vec3> moved(moving.start.begin(), moving.start.end());
    moved.back()[0] = std::nextafter(moved.back()[0], HUGE_VAL);
    const test::DeviceRows other(moved);
    const FirstImpact expected[2] = {first,
                                     earliest_impact({moving.mesh, moved, moving.end}, checked)};
    int turn = 0;
    const auto with_a_new_start = [&] {
      turn = 1 - turn;
      found_first =
          search.earliest_impact((turn ? other : start).positions(), end.positions(), checked);
    };
    const auto check = [&] {
      ++replays;
      if (!found_first.outcome || !same(found_first, expected[turn])) ++wrong;
    };
    with_a_new_start();
    add("earliest_resident_new_start_us", median_us(repeats, check, with_a_new_start));
    check();
  }
  StepOptions apart;
  apart.query.min_separation = 1e-3 * (moving.start[0] - moving.start[1]).norm();
  first = earliest_impact(moving, apart);
  add("earliest_separation_us",
      median_us(faces > 5000000 ? 1 : std::min(repeats, 20), nothing,
                [&] { found_first = search.earliest_impact(moving.start, moving.end, apart); }));
  check_first();
  if (with_queries) {
    const Pairs pairs = collect_pairs(moving);
    measure_queries<VertexFace>(row, "vertex_face", moving, pairs.vertex_face, search, start, end);
    measure_queries<EdgeEdge>(row, "edge_edge", moving, pairs.edge_edge, search, start, end);
  }
  add("device_memory_bytes", static_cast<double>(search.memory()));
  add("replays", static_cast<double>(replays));
  add("wrong_answers", static_cast<double>(wrong));
  return row;
}

void print(const Row& row) {
  std::printf("%s\n", row.name.c_str());
  for (const auto& [key, value] : row.numbers) std::printf("  %-36s %.1f\n", key.c_str(), value);
  std::fflush(stdout);
}

void write(const char* file, const char* commit, const std::string& gpu, int repeats,
           const std::vector<Row>& rows) {
  std::ostringstream json;
  const std::time_t now = std::time(nullptr);
  char date[32];
  std::strftime(date, sizeof(date), "%Y-%m-%d", std::gmtime(&now));
  json << "{\n  \"date\": \"" << date << "\",\n  \"gpu\": \"" << gpu
       << "\",\n  \"host_threads\": " << std::thread::hardware_concurrency()
       << ",\n  \"commit\": \"" << commit << "\",\n  \"repeats\": " << repeats
       << ",\n  \"rows\": [";
  json.precision(12);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    json << (i ? ",\n" : "\n") << "    {\"scene\": \"" << rows[i].name << "\"";
    for (const auto& [key, value] : rows[i].numbers) json << ", \"" << key << "\": " << value;
    json << "}";
  }
  json << "\n  ]\n}\n";
  std::ofstream(file) << json.str();
}

double wrong_answers(const std::vector<Row>& rows) {
  double wrong = 0;
  for (const Row& row : rows)
    for (const auto& [key, value] : row.numbers)
      if (key.ends_with("wrong_answers")) wrong += value;
  return wrong;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::printf("usage: gpu_times OUTPUT.json COMMIT [REPEATS [LARGEST_CONE [SMALLEST_CONE]]]\n");
    return 2;
  }
  const int repeats = argc > 3 ? std::atoi(argv[3]) : 200;
  const std::size_t largest = argc > 4 ? std::strtoul(argv[4], nullptr, 10) : 0;
  const std::size_t smallest = argc > 5 ? std::strtoul(argv[5], nullptr, 10) : 1000;
  const gpu::Devices devices = gpu::devices();
  if (devices.list.empty()) {
    std::printf("gpu_times: %s\n", devices.outcome.message.c_str());
    return 1;
  }
  std::vector<Row> rows;
  // The file is written after every row: a run that is ended early leaves the rows so far.
  const auto add = [&](Row row) {
    print(row);
    rows.push_back(std::move(row));
    write(argv[1], argv[2], devices.list[0].name, repeats, rows);
  };
  const auto data = test::data_folder() / "scenes";
  const char* const scenes[][3] = {{"cloth-funnel", "227.ply", "228.ply"},
                                   {"armadillo-rollers", "326.ply", "327.ply"},
                                   {"cloth-ball", "cloth_ball92.ply", "cloth_ball93.ply"}};
  for (const auto& [name, first, second] : scenes) {
    if (!std::filesystem::is_directory(data / name)) continue;
    const io::MeshFrame start = io::read_mesh(data / name / "frames" / first),
                        end = io::read_mesh(data / name / "frames" / second);
    add(measure(name, {start.mesh, start.positions, end.positions}, repeats, true));
  }
  if (const generate::SceneRecipe* cone = generate::find_scene_recipe("cloth_on_cone"))
    for (std::size_t size = smallest; size <= largest;
         size = size < largest ? std::min(4 * size, largest) : largest + 1) {
      const generate::FrameSequence scene = cone->make(size, 3);
      const int fewer = size > 5000000 ? 5 : size > 500000 ? 20 : repeats;
      add(measure("cloth_on_cone " + std::to_string(scene.mesh.faces.size()), scene.step(1),
                  std::min(repeats, fewer), false));
    }
  return wrong_answers(rows) > 0;
}
