// answer_hashes [COUNT]: prints hashes of the answers to COUNT queries of each family and kind
// (default 2000): first contacts, all times of contact, closest points and, for every tenth query,
// certificates; then hashes of the pairs and impacts of generated steps. The queries have the same
// bits on every machine, and so must have the answers: scripts/test_arm compares two instruction
// sets.

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "graze/certificate.h"
#include "graze/first_contact.h"
#include "graze/generate/families.h"
#include "graze/generate/random.h"
#include "graze/separation.h"
#include "graze/step.h"

namespace graze {
namespace {

class Hash {
 public:
  void add(std::uint64_t bits) { value_ = (value_ ^ bits) * 0x100000001b3 ^ (value_ >> 29); }
  // The sign and the payload of a NaN depend on the machine, so all NaNs count as one.
  void add(double x) { add(std::isnan(x) ? 1 : std::bit_cast<std::uint64_t>(x)); }
  void add(const Impact& impact) {
    add(static_cast<std::uint64_t>(impact.verdict));
    for (const double x : {impact.toi, impact.toi_hi, impact.u, impact.v}) add(x);
    for (const double x : impact.normal) add(x);
    add(std::uint64_t{impact.checks});
  }
  void add(const ContactTimes& times) {
    add(static_cast<std::uint64_t>(times.verdict));
    for (const ContactInterval& interval : times.intervals) {
      for (const double x :
           {interval.begin_lo, interval.begin_hi, interval.end_lo, interval.end_hi})
        add(x);
      add(std::uint64_t{interval.instant});
    }
  }
  void add(const ClosestPoints& points) {
    for (const double x : {points.u, points.v, points.distance}) add(x);
    for (const double x : points.normal) add(x);
  }
  void add(const Certificate& proof) {
    add(static_cast<std::uint64_t>(proof.verdict));
    for (const CertificatePiece& piece : proof.pieces) {
      for (const double x : piece.end) add(x);
      for (const std::vector<Vec3>& coefficient : piece.direction)
        for (const Vec3& term : coefficient)
          for (const double x : term) add(x);
    }
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325;
};

void print(const std::string& name, const Hash& hash) {
  std::printf("%-56s %016llx\n", name.c_str(), static_cast<unsigned long long>(hash.value()));
}

// Answers by `exact`, for the whole step and a part of it, and the first queries by three slower
// methods.
template <class Query>
void print_hash(const std::string& name, const std::vector<Query>& queries) {
  Hash hash;
  std::vector<Impact> impacts(queries.size());
  for (const double t_max : {1.0, 0.37}) {
    first_contact<Query>(queries, impacts, {.t_max = t_max});
    for (const Impact& impact : impacts) hash.add(impact);
  }
  for (const char* method : {"tight_inclusion", "area_inclusion", "separation_root"})
    for (std::size_t i = 0; i < queries.size() && i < 20; ++i) {
      Options options;
      options.max_checks = 20000;
      if (find_method(method)->takes(Options{.min_separation = 0.01}))
        options.min_separation = 0.01;
      hash.add(first_contact(queries[i], options, *find_method(method)));
    }
  print(name, hash);
}

// Prints hashes of the other answers to queries. Certificates have a small budget.
template <class Query>
void print_other_hashes(const std::string& name, const std::vector<Query>& queries) {
  Hash of_times, of_points, of_proofs;
  std::vector<ContactTimes> times(queries.size());
  contact_times<Query>(queries, times, {.t_max = 0.93});
  for (const ContactTimes& answer : times) of_times.add(answer);
  std::vector<ClosestPoints> points(queries.size());
  for (const Norm norm : {Norm::l2, Norm::linf}) {
    closest_points<Query>(queries, 0.37, points, norm);
    for (const ClosestPoints& answer : points) of_points.add(answer);
  }
  for (std::size_t i = 0; i < queries.size(); i += 10) {
    const Certificate proof = certificate(queries[i], {.max_checks = 20});
    of_proofs.add(proof);
    if (proof.verdict == Verdict::separated)
      of_proofs.add(std::uint64_t{verify(proof, queries[i])});
  }
  print(name + ", times", of_times);
  print(name + ", closest points", of_points);
  print(name + ", certificates", of_proofs);
}

// Prints the hash of a step of triangles of one size that move through each other.
void print_step_hash(std::uint32_t triangles, double size, double speed) {
  generate::Random random("triangles", triangles, 1, 0);
  std::vector<Face> faces;
  std::vector<Vec3> start, end;
  for (std::uint32_t i = 0; i < triangles; ++i) {
    faces.push_back({3 * i, 3 * i + 1, 3 * i + 2});
    const Vec3 middle = random.cube(-1, 1);
    const Vec3 way = speed * random.cube(-1, 1);
    for (int corner = 0; corner < 3; ++corner) {
      start.push_back(middle + size * random.cube(-1, 1));
      end.push_back(start.back() + way + 0.1 * speed * random.cube(-1, 1));
    }
  }
  const Mesh mesh = make_mesh(start.size(), faces);
  const MovingMesh moving{mesh, start, end};
  Hash hash;
  for (const PairStrategy& strategy : pair_strategies()) {
    if (strategy.set != PairSet::overlapping) continue;
    // Every pair of many triangles would take most of the time of the program.
    if (strategy.name == "brute_force" && triangles > 5000) continue;
    const Pairs pairs = collect_pairs(moving, {}, {}, strategy);
    for (const auto* list : {&pairs.vertex_face, &pairs.edge_edge})
      for (const Pair& pair : *list) hash.add(std::uint64_t{pair.a} << 32 | pair.b);
  }
  const AllImpacts all = all_impacts(moving);
  for (const StepImpact& impact : all.impacts) {
    hash.add(static_cast<std::uint64_t>(impact.kind));
    hash.add(std::uint64_t{impact.pair.a} << 32 | impact.pair.b);
    hash.add(impact.impact);
  }
  hash.add(earliest_impact(moving).impact);
  print("step of " + std::to_string(triangles) + " triangles, " +
            std::to_string(all.impacts.size()) + " impacts",
        hash);
}

}  // namespace
}  // namespace graze

int main(int argc, char** argv) {
  const long count = argc > 1 ? std::atol(argv[1]) : 2000;
  if (count < 1 || argc > 2) {
    std::fprintf(stderr, "usage: answer_hashes [COUNT]\n");
    return 2;
  }
  for (const graze::generate::Family& family : graze::generate::families()) {
    const std::string name(family.name);
    const auto size = static_cast<std::size_t>(count);
    const auto vertex_face = graze::generate::generate_vertex_face(family, size, 1);
    graze::print_hash(name + " vertex-face", vertex_face);
    graze::print_other_hashes(name + " vertex-face", vertex_face);
    const auto edge_edge = graze::generate::generate_edge_edge(family, size, 1);
    graze::print_hash(name + " edge-edge", edge_edge);
    graze::print_other_hashes(name + " edge-edge", edge_edge);
    std::fflush(stdout);
  }
  graze::print_step_hash(3000, 0.05, 0.1);
  graze::print_step_hash(20000, 0.01, 0.01);
}
