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

#include "bench/harness/measure.h"
#include "graze/mesh.h"
#include "graze/narrow/contact/exact_root.h"
#include "queries/query_sets.h"

namespace graze::bench {

template <class Query>
constexpr Kind kind_of_queries =
    std::is_same_v<Query, VertexFace> ? Kind::vertex_face : Kind::edge_edge;

// Queries in memory with their truth.
template <class Query>
struct Workload {
  std::string name;
  std::vector<Query> queries;
  // For the first queries or for all: the largest double not after the first contact; infinite
  // where there is no contact.
  std::vector<double> truth;
  const MovingMesh* moving = nullptr;  // the mesh of the queries and its pairs, where they have one
  std::span<const Pair> pairs;
};

// Returns the times of contact by the oracle. `contact` stores which queries have a contact; empty
// where that is not known. The oracle is called only where there may be a contact.
template <class Query>
std::vector<double> find_times(std::span<const Query> queries,
                               std::span<const std::uint8_t> contact, int threads);

// Returns `count` random queries with known truth, or all where there are fewer, without repetition
// and shuffled: the first ones are a random sample for any number.
template <class Query>
Workload<Query> shuffled(const Workload<Query>& set, std::size_t count, std::uint64_t seed);

// A whole set streamed from memory through `exact` in blocks with one buffer of impacts, on one
// thread: medians of processor time.
struct StreamResult {
  std::string set;
  Kind kind = Kind::vertex_face;
  std::size_t queries = 0, checked = 0;  // counts are those of the first `checked`
  // Nanoseconds per query. plain: a pass that sums the doubles of the queries.
  double plain_ns = 0, exact_ns = 0;
  double pairs_ns = 0;  // from the indices of pairs; NaN where there is no mesh
  double built_ns = 0;  // from the same indices, by building the queries of a block first
  Counts counts, pairs_counts;
  narrow::ExactTally tally;
};
template <class Query>
StreamResult measure_stream(const Workload<Query>& set, const Options& options, double seconds);

// Measures a method on as many queries of a shuffled sample as it answers in about `seconds`, in
// the same blocks: at least one run, at most five, as many as fit in twice that time.
template <class Query>
Row measure_sample(const Method& method, const Workload<Query>& sample, std::size_t set_size,
                   const Options& options, double seconds);

// `exact` by first_contact() on one and on two threads, all impacts in memory: medians of wall
// time.
struct ThreadsResult {
  std::string set;
  Kind kind = Kind::vertex_face;
  std::size_t queries = 0;
  double one_ns = 0, two_ns = 0;  // per query
  Counts counts;                  // of the answers on two threads, where the truth is known
};
template <class Query>
ThreadsResult measure_threads(const Workload<Query>& set, const Options& options, double seconds);

struct Stage {
  std::string_view name;
  std::uint64_t narrow::ExactTally::*count;
};
inline constexpr auto exact_stages = std::to_array<Stage>({
    {"axis", &narrow::ExactTally::axis},
    {"diagonal", &narrow::ExactTally::diagonal},
    {"coplanarity", &narrow::ExactTally::coplanarity},
    {"root, miss", &narrow::ExactTally::root_miss},
    {"root, contact", &narrow::ExactTally::root_contact},
    {"integer", &narrow::ExactTally::integer},
});

// Queries and their truth by the stage that decides them: [stage].
template <class Query>
using StageQueries = std::array<Workload<Query>, exact_stages.size()>;

// Returns at most `most` queries of each stage, in the order of the set.
template <class Query>
StageQueries<Query> divide_by_stage(const Workload<Query>& set, const Options& options,
                                    std::size_t most);

// Measures queries that one stage decides, in cache: in batches through `exact`, or (integer_alone)
// one by one through exact::first_contact.
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
