// Writes the queries and steps on which test/doors/agreement_test.py compares the interfaces, and
// the answers of two of them:
//   door inputs FOLDER           the inputs
//   door library FOLDER ANSWERS  the answers of graze/first_contact.h, graze/certificate.h,
//                                graze/separation.h and graze/step.h
//   door gpu FOLDER ANSWERS      those of graze/gpu.h, with loops of the host in place of kernels
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <string_view>

#include "graze/certificate.h"
#include "graze/first_contact.h"
#include "graze/generate/families.h"
#include "graze/generate/scenes.h"
#include "graze/gpu.h"
#include "graze/io/mesh_files.h"
#include "graze/io/meshes/step_files.h"
#include "graze/io/queries/impact_csv.h"
#include "graze/io/query_files.h"
#include "graze/separation.h"
#include "graze/step.h"
#include "test/gpu/host_engine.h"
#include "test/support/meshes.h"

namespace graze::test {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t queries_per_family = 12;

void write_text(const fs::path& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  if (!file.flush()) throw std::runtime_error("cannot write " + path.string());
}

// A step of the inputs: FOLDER/NAME-0.ply to FOLDER/NAME-1.ply with a minimum separation.
struct Step {
  std::string name;
  double min_separation = 0;  // length
};

// Reads FOLDER/steps.txt, which has a line for each step: name and separation.
std::vector<Step> read_steps(const fs::path& folder) {
  std::ifstream file(folder / "steps.txt");
  std::vector<Step> steps;
  for (Step step; file >> step.name >> step.min_separation;) steps.push_back(step);
  return steps;
}

void write_step(const fs::path& folder, std::string& list, const std::string& name,
                const Mesh& mesh, std::span<const Vec3> start, std::span<const Vec3> end,
                double min_separation = 0) {
  io::write_mesh(folder / (name + "-0.ply"), mesh, start);
  io::write_mesh(folder / (name + "-1.ply"), mesh, end);
  std::ostringstream line;
  line << name << " " << min_separation << "\n";
  list += line.str();
}

void write_inputs(const fs::path& folder) {
  std::vector<VertexFace> vertex_face;
  std::vector<EdgeEdge> edge_edge;
  for (const generate::Family& family : generate::families()) {
    std::ranges::copy(generate::generate_vertex_face(family, queries_per_family, 28),
                      std::back_inserter(vertex_face));
    std::ranges::copy(generate::generate_edge_edge(family, queries_per_family, 28),
                      std::back_inserter(edge_edge));
  }
  // The last query of each kind is invalid.
  vertex_face.push_back(vertex_face.front());
  vertex_face.back().end[2].y() = std::numeric_limits<double>::quiet_NaN();
  edge_edge.push_back(edge_edge.front());
  edge_edge.back().start[0].x() = std::numeric_limits<double>::infinity();
  io::write_queries(folder / "vertex-face.npy", vertex_face);
  io::write_queries(folder / "edge-edge.npy", edge_edge);

  std::string list;
  const generate::FrameSequence cloth = generate::find_scene_recipe("cloth_on_cone")->make(1000, 3);
  const auto& frames = cloth.frames;
  write_step(folder, list, "free", cloth.mesh, frames[0], frames[1]);
  write_step(folder, list, "contact", cloth.mesh, frames[1], frames[2]);
  write_step(folder, list, "separation", cloth.mesh, frames[1], frames[2], 0.01);
  // An edge of the one triangle pierces the other at the start.
  const std::vector<Vec3> crossing = {{-1, -1, 0}, {1, -1, 0}, {0, 1, 0},
                                      {0, 0, -1},  {0, 0, 1},  {9, 0, 0.5}};
  write_step(folder, list, "pierced", make_mesh(6, {{0, 1, 2}, {3, 4, 5}}), crossing, crossing);
  // A rod falls on a rod, a point on a face, a point on a rod and a point on a point.
  const std::vector<Vec3> above = {{-1, 0, 0}, {1, 0, 0},    {0, -1, 1}, {0, 1, 1},
                                   {4, 0, 0},  {6, 0, 0},    {4, 2, 0},  {4.5, 0.5, 1},
                                   {-8, 0, 0}, {-8, 0, 0.5}, {0.5, 0, 3}};
  std::vector<Vec3> below = above;
  for (const std::size_t v : {2u, 3u, 7u, 9u, 10u}) below[v].z() = -1;
  write_step(folder, list, "rods", make_mesh(11, {{4, 5, 6}}, {{0, 1}, {2, 3}}), above, below);
  for (const MeshFamily& family : mesh_families) {
    std::string name(family.name);
    std::erase_if(name, [](char c) { return c == ',' || c == '\''; });
    std::ranges::replace(name, ' ', '_');
    const OwnedMotion motion = random_mesh(family, 20, 28);
    write_step(folder, list, name, motion.mesh, motion.start, motion.end);
  }
  write_text(folder / "steps.txt", list);
}

std::string text_of(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

// Returns the first impact as JSON, with the keys of `graze step --json`.
std::string first_json(const StepImpact& first) {
  return std::string("{\"verdict\": \"") + name(first.impact.verdict) + "\", \"toi\": \"" +
         text_of(first.impact.toi) + "\"}\n";
}

void write_step_answers(const fs::path& answers, const Step& step, const Mesh& mesh,
                        const StepImpact& first, const AllImpacts& all) {
  write_text(answers / (step.name + ".json"), first_json(first));
  io::write_contacts(answers / (step.name + ".csv"), mesh, all.impacts);
}

template <class Q>
void answer_queries(const fs::path& folder, const fs::path& answers, const char* kind) {
  const io::QuerySet set = io::read_queries(folder / (std::string(kind) + ".npy"));
  std::vector<Impact> impacts(set.size());
  first_contact(set.as<Q>(), std::span(impacts));
  io::write_impacts(answers / (std::string(kind) + ".csv"), impacts);
}

// Writes contact times, closest points and certificates of the queries, one value per row. A list
// is written as its length and its elements.
template <class Q>
void answer_exactly(const fs::path& folder, const fs::path& answers, const char* kind) {
  const io::QuerySet set = io::read_queries(folder / (std::string(kind) + ".npy"));
  std::string text = "query,answer,value\n";
  std::string row;  // the beginning of the next rows
  const auto add = [&](std::string_view value) { (text += row).append(value) += '\n'; };
  const auto add_number = [&](double x) { add(text_of(x)); };
  const auto add_size = [&](const auto& list) { add(std::to_string(list.size())); };
  for (std::size_t i = 0; i < set.size(); ++i) {
    const Q& query = set.as<Q>()[i];
    row = std::to_string(i) + ",times,";
    const ContactTimes times = contact_times(query);
    add(name(times.verdict));
    for (const ContactInterval& interval : times.intervals)
      for (const double x : {interval.begin_lo, interval.begin_hi, interval.end_lo, interval.end_hi,
                             interval.instant ? 1.0 : 0.0})
        add_number(x);
    row = std::to_string(i) + ",closest points,";
    for (const Norm norm : {Norm::l2, Norm::linf}) {
      const ClosestPoints points = closest_points(query, 0.37, norm);
      for (const double x : {points.u, points.v, points.normal.x(), points.normal.y(),
                             points.normal.z(), points.distance})
        add_number(x);
    }
    row = std::to_string(i) + ",certificate,";
    const Certificate proof = certificate(query, {.max_checks = 50});
    add(name(proof.verdict));
    for (const CertificatePiece& piece : proof.pieces) {
      add_size(piece.end);
      for (const double x : piece.end) add_number(x);
      add_size(piece.direction);
      for (const std::vector<Vec3>& coefficient : piece.direction) {
        add_size(coefficient);
        for (const Vec3& term : coefficient)
          for (const double x : term) add_number(x);
      }
    }
  }
  write_text(answers / (std::string(kind) + "-exact.csv"), text);
}

// Writes the times alone, as a device gives them.
template <class Q>
void answer_queries_on_gpu(const fs::path& folder, const fs::path& answers, const char* kind) {
  const io::QuerySet set = io::read_queries(folder / (std::string(kind) + ".npy"));
  std::vector<double> times(set.size());
  gpu::QuerySearch search;
  const gpu::TimesAnswer answer =
      search.times(kind_of<Q>, set.coordinates().data(), set.size(), times.data());
  if (!answer.outcome) throw std::runtime_error(answer.outcome.message);
  std::string text = "index,toi\n";
  for (std::size_t i = 0; i < times.size(); ++i)
    text += std::to_string(i) + "," + text_of(times[i]) + "\n";
  write_text(answers / (std::string(kind) + ".csv"), text);
}

void answer(const fs::path& folder, const fs::path& answers, bool on_gpu) {
  fs::create_directories(answers);
  std::optional<HostEngine::Use> use;
  if (on_gpu) {
    use.emplace();
    answer_queries_on_gpu<VertexFace>(folder, answers, "vertex-face");
    answer_queries_on_gpu<EdgeEdge>(folder, answers, "edge-edge");
  } else {
    answer_queries<VertexFace>(folder, answers, "vertex-face");
    answer_queries<EdgeEdge>(folder, answers, "edge-edge");
    answer_exactly<VertexFace>(folder, answers, "vertex-face");
    answer_exactly<EdgeEdge>(folder, answers, "edge-edge");
  }
  for (const Step& step : read_steps(folder)) {
    const OwnedMotion motion =
        io::read_motion(folder / (step.name + "-0.ply"), folder / (step.name + "-1.ply"));
    StepOptions options;
    options.query.min_separation = step.min_separation;
    if (on_gpu) {
      gpu::StepSearch search(motion.mesh);
      const gpu::FirstAnswer first = search.earliest_impact(motion.start, motion.end, options);
      const gpu::AllAnswer all = search.all_impacts(motion.start, motion.end, options);
      if (!first.outcome || !all.outcome)
        throw std::runtime_error(first.outcome.message + all.outcome.message);
      write_step_answers(answers, step, motion.mesh, first, all);
    } else {
      write_step_answers(answers, step, motion.mesh, earliest_impact(motion.moving(), options),
                         all_impacts(motion.moving(), options));
    }
  }
}

}  // namespace
}  // namespace graze::test

int main(int argc, char** argv) {
  const std::vector<std::string_view> words(argv + 1, argv + argc);
  try {
    if (words.size() == 2 && words[0] == "inputs") {
      std::filesystem::create_directories(words[1]);
      graze::test::write_inputs(words[1]);
    } else if (words.size() == 3 && (words[0] == "library" || words[0] == "gpu")) {
      graze::test::answer(words[1], words[2], words[0] == "gpu");
    } else {
      std::fputs("usage: door inputs FOLDER | door library|gpu FOLDER ANSWERS\n", stderr);
      return 2;
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "door: %s\n", error.what());
    return 1;
  }
}
