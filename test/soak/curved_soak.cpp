// Compares exact_curved and its integer stage alone with the curved oracle:
//   curved_soak generic|degenerate COUNT SEED   COUNT queries of each kind and curve; a tally for
//                                               each, exit 1 at a disagreement
// Query i is made by one of the families of that sort.

#include <time.h>

#include <cstdio>
#include <string>
#include <vector>

#include "graze/exact/judge/curved_oracle.h"
#include "graze/first_contact.h"
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

template <class Query>
void compare(const Query& query, const generate::CurvedFamily& family, unsigned long long index,
             Tally& tally) {
  const double begin = cpu_seconds();
  const Impact given = first_contact(query);
  const double middle = cpu_seconds();
  const Impact truth = exact::curved_oracle(query);
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

int run(bool degenerate, unsigned long long count, unsigned long long seed) {
  std::vector<const generate::CurvedFamily*> families;
  for (const generate::CurvedFamily& family : generate::curved_families())
    if (family.degenerate == degenerate) families.push_back(&family);
  unsigned long long wrong = 0;
  for (const Curve curve : test::curves)
    for (int kind = 0; kind < 4; ++kind) {
      Tally tally;
      for (unsigned long long i = 0; i < count; ++i) {
        const generate::CurvedFamily& family = *families[i % families.size()];
        const Curved<VertexFace> query = family.vertex_face(curve, seed, i);
        if (kind == 0) compare(query, family, i, tally);
        if (kind == 1) compare(family.edge_edge(curve, seed, i), family, i, tally);
        if (kind == 2) compare(generate::as_vertex_edge(query), family, i, tally);
        if (kind == 3) compare(generate::as_vertex_vertex(query), family, i, tally);
      }
      const double n = static_cast<double>(tally.queries) * 1e-6;
      std::printf(
          "%s %s curve %d seed %llu: %llu queries, %llu contacts, %llu disagreements; method %.2f "
          "us, at most %.0f us without mixed magnitudes, oracle %.1f us\n",
          degenerate ? "degenerate" : "generic", name(static_cast<Kind>(kind)),
          static_cast<int>(curve), seed, tally.queries, tally.contacts, tally.wrong,
          tally.method_s / n, 1e6 * tally.slowest_s, tally.oracle_s / n);
      std::fflush(stdout);
      wrong += tally.wrong;
    }
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
