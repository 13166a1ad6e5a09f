// Compares exact_curved and its integer stage alone with the curved oracle:
//   curved_soak generic|degenerate COUNT SEED   COUNT queries of each kind and curve, and of each
//                                               kind that turns; a tally for each, exit 1 at a
//                                               disagreement
// Query i is made by one of the families of that sort.

#include <time.h>

#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include "graze/exact/judge/curved_oracle.h"
#include "graze/exact/judge/turning_oracle.h"
#include "graze/first_contact.h"
#include "graze/generate/turning_families.h"
#include "test/support/curved.h"

namespace graze {
namespace {

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Tally {
  unsigned long long queries = 0, contacts = 0, wrong = 0;
  double method_s = 0, oracle_s = 0, slowest_s = 0;
};

template <Query Q>
Impact judged(const Curved<Q>& query) {
  return exact::curved_oracle(query);
}
template <Query Q>
Impact judged(const Turning<Q>& query) {
  return exact::turning_oracle(query);
}

template <class AnyQuery, class Family>
void compare(const AnyQuery& query, const Family& family, unsigned long long index, Tally& tally) {
  const double begin = cpu_seconds();
  const Impact given = first_contact(query);
  const double middle = cpu_seconds();
  const Impact truth = judged(query);
  tally.method_s += middle - begin;
  tally.oracle_s += cpu_seconds() - middle;
  if (!family.mixed) tally.slowest_s = std::max(tally.slowest_s, middle - begin);
  ++tally.queries;
  tally.contacts += truth.verdict == Verdict::contact;
  const std::string difference = test::time_difference(given, truth);
  if (difference.empty()) return;
  ++tally.wrong;
  std::printf("%s query %llu: %s\n", std::string(family.name).c_str(), index, difference.c_str());
}

// Returns the families of one sort.
template <class Family>
std::vector<const Family*> of_sort(std::span<const Family> all, bool degenerate) {
  std::vector<const Family*> families;
  for (const Family& family : all)
    if (family.degenerate == degenerate) families.push_back(&family);
  return families;
}

// Compares `count` queries of a kind; vertex_face(family, i) and edge_edge(family, i) make them.
template <class Family, class VertexFaces, class EdgeEdges>
unsigned long long run_kind(const std::vector<const Family*>& families, int kind,
                            unsigned long long count, const std::string& title,
                            VertexFaces&& vertex_face, EdgeEdges&& edge_edge) {
  Tally tally;
  for (unsigned long long i = 0; i < count; ++i) {
    const Family& family = *families[i % families.size()];
    const auto query = vertex_face(family, i);
    if (kind == 0) compare(query, family, i, tally);
    if (kind == 1) compare(edge_edge(family, i), family, i, tally);
    if (kind == 2) compare(generate::as_vertex_edge(query), family, i, tally);
    if (kind == 3) compare(generate::as_vertex_vertex(query), family, i, tally);
  }
  const double n = static_cast<double>(tally.queries) * 1e-6;
  std::printf(
      "%s %s: %llu queries, %llu contacts, %llu disagreements; method %.2f us, at most %.0f us "
      "without mixed magnitudes, oracle %.1f us\n",
      title.c_str(), name(static_cast<Kind>(kind)), tally.queries, tally.contacts, tally.wrong,
      tally.method_s / n, 1e6 * tally.slowest_s, tally.oracle_s / n);
  std::fflush(stdout);
  return tally.wrong;
}

int run(bool degenerate, unsigned long long count, unsigned long long seed) {
  const std::string sort = degenerate ? "degenerate" : "generic";
  unsigned long long wrong = 0;
  const auto curved = of_sort(generate::curved_families(), degenerate);
  for (const Curve curve : test::curves)
    for (int kind = 0; kind < 4; ++kind)
      wrong += run_kind(
          curved, kind, count, sort + " curve " + std::to_string(static_cast<int>(curve)),
          [&](const auto& family, auto i) { return family.vertex_face(curve, seed, i); },
          [&](const auto& family, auto i) { return family.edge_edge(curve, seed, i); });
  const auto turning = of_sort(generate::turning_families(), degenerate);
  for (int kind = 0; kind < 4; ++kind)
    wrong += run_kind(
        turning, kind, count, sort + " turning",
        [&](const auto& family, auto i) { return family.vertex_face(seed, i); },
        [&](const auto& family, auto i) { return family.edge_edge(seed, i); });
  return wrong > 0 ? 1 : 0;
}

}  // namespace
}  // namespace graze

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const std::string sort = argv[1];
  if (sort != "generic" && sort != "degenerate") return 2;
  return graze::run(sort == "degenerate", std::stoull(argv[2]), std::stoull(argv[3]));
}
