#pragma once

#include <tbb/parallel_for.h>

#include <atomic>
#include <cstdint>
#include <vector>

#include "graze/certificate.h"
#include "graze/first_contact.h"
#include "graze/generate/families.h"
#include "test/support/generated.h"
#include "test/support/proof.h"

namespace graze::test {

// The number of separated queries by the exact method, and the number of those without a
// certificate that both verify() and proves() accept.
struct CertifiedMisses {
  std::size_t misses = 0, unproven = 0;
};

// Certifies at least `wanted` misses of the exact method. Half of the queries are random, half come
// from all families in turn.
template <class Query>
CertifiedMisses certified_misses(std::size_t wanted, std::uint64_t first_seed = 1) {
  std::atomic<std::size_t> misses = 0, unproven = 0;
  std::vector<const generate::Family*> half(generate::families().size(),
                                            generate::find_family("random"));
  for (const generate::Family& family : generate::families()) half.push_back(&family);
  for (std::uint64_t seed = first_seed; misses < wanted; ++seed)
    tbb::parallel_for(std::size_t{0}, half.size(), [&](std::size_t i) {
      const auto queries = generated<Query>(*half[i], 250, 1000 * seed + i);
      std::vector<Impact> impacts(queries.size());
      first_contact(queries, impacts, {}, {.threads = 1});
      for (std::size_t k = 0; k < queries.size(); ++k) {
        if (impacts[k].verdict != Verdict::separated) continue;
        ++misses;
        const Certificate proof = certificate(queries[k]);
        unproven += !verify(proof, queries[k]) || !proves(proof, Differences(queries[k]), 1);
      }
    });
  return {misses, unproven};
}

}  // namespace graze::test
