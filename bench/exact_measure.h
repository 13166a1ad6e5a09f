#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "bench/measure.h"
#include "bench/query_sets.h"
#include "graze/core/mesh.h"
#include "graze/narrow/exact_root.h"

namespace graze::bench {

template <class Query>
constexpr Kind kind_of_queries =
    std::is_same_v<Query, VertexFace> ? Kind::vertex_face : Kind::edge_edge;

// Queries in memory with what is known of them.
template <class Query>
struct Workload {
  std::string name;
  std::vector<Query> queries;
  // Of the first queries, or of all: the largest double not after the first contact, infinite where
  // there is none.
  std::vector<double> truth;
  const MovingMesh* moving = nullptr;  // where the queries are pairs of a mesh, and then which
  std::span<const Pair> pairs;
};

// The truth of queries whose contacts are known (from a file) or not (empty), by the oracle, which
// is asked only where there may be a contact.
template <class Query>
std::vector<double> find_times(std::span<const Query> queries,
                               std::span<const std::uint8_t> contact, int threads);

// `count` queries whose truth is known (or all, if there are fewer), drawn without repetition and
// shuffled: any number of the first ones is a sample.
template <class Query>
Workload<Query> shuffled(const Workload<Query>& set, std::size_t count, std::uint64_t seed);

// All of a set streamed from memory through `exact` in blocks with one buffer of impacts, on one
// thread: medians of processor time.
struct StreamResult {
  std::string set;
  Kind kind = Kind::vertex_face;
  std::size_t queries = 0, checked = 0;  // checked: counts tell of the first so many
  double plain_ns = 0,
         exact_ns = 0;  // per query; plain: a pass that sums the doubles of the queries
  double pairs_ns = 0;  // from the indices of pairs; NaN where there is no mesh
  double built_ns = 0;  // from the same, by building the queries of a block and answering those
  Counts counts, pairs_counts;
  ExactTally tally;
};
template <class Query>
StreamResult measure_stream(const Workload<Query>& set, const Options& options, double seconds);

// A method on as many queries of a shuffled sample as it answers in about `seconds`, in the same
// blocks: at least one run, at most five, as many as fit in twice that time.
template <class Query>
Row measure_sample(const Method& method, const Workload<Query>& sample, std::size_t set_size,
                   const Options& options, double seconds);

// `exact` by solve() on one and on two threads, all impacts in memory: medians of wall time.
struct ThreadsResult {
  std::string set;
  Kind kind = Kind::vertex_face;
  std::size_t queries = 0;
  double one_ns = 0, two_ns = 0;  // per query
  Counts counts;                  // of the answers by two threads, where the truth is known
};
template <class Query>
ThreadsResult measure_threads(const Workload<Query>& set, const Options& options, double seconds);

struct Stage {
  std::string_view name;
  std::uint64_t ExactTally::*count;
};
inline constexpr auto exact_stages = std::to_array<Stage>({
    {"axis", &ExactTally::axis},
    {"diagonal", &ExactTally::diagonal},
    {"coplanarity", &ExactTally::coplanarity},
    {"root, miss", &ExactTally::root_miss},
    {"root, contact", &ExactTally::root_contact},
    {"integer", &ExactTally::integer},
});

// Queries by the stage that settles them, and their truth: [stage].
template <class Query>
using StageQueries = std::array<Workload<Query>, exact_stages.size()>;

// At most `most` of each stage, in the order of the set.
template <class Query>
StageQueries<Query> divide_by_stage(const Workload<Query>& set, const Options& options,
                                    std::size_t most);

// Queries that all end in one stage, in cache: in batches through `exact`, or (integer_alone) one
// by one through exact::first_contact.
struct StageResult {
  std::string stage, set;
  Kind kind = Kind::vertex_face;
  std::size_t queries = 0;
  double ns = 0;
  Counts counts;
};
template <class Query>
StageResult measure_stage(const Workload<Query>& queries, const Options& options, double seconds);
template <class Query>
StageResult measure_integer_alone(const Workload<Query>& queries, const Options& options,
                                  double seconds);

}  // namespace graze::bench
