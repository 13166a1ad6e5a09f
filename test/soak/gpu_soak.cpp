// gpu_soak SECONDS [SEED]: answers random queries on the GPU and on all cores of the CPU for about
// SECONDS seconds and compares all fields of every impact, bit for bit. Half of the queries are
// uniform in a cube; the others are of primitives that nearly touch at a random time. Prints the
// numbers of queries, contacts and differences, and a hash of all answers. Exits 1 at a difference.

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "graze/first_contact.h"
#include "graze/gpu.h"

namespace {

using namespace graze;

// Returns a number of 64 bits from a counter, by SplitMix64.
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

// Sets the coordinates of the query with this number.
void make_query(std::uint64_t seed, std::uint64_t number, bool edges, double* x) {
  const auto uniform = [&](std::uint64_t k) {
    return static_cast<double>(mixed(seed ^ mixed(32 * number + k)) >> 11) * 0x1p-53;
  };
  for (std::uint64_t k = 0; k < 24; ++k) x[k] = uniform(k);
  if (number % 2 == 0) return;
  // At time t corner 0 is moved next to a point of the other primitive.
  const double t = uniform(24), u = uniform(25), v = uniform(26) * (1 - u),
               off = (uniform(27) - 0.5) * 0x1p-30;
  for (int k = 0; k < 3; ++k) {
    const auto at = [&](int corner) {
      return (1 - t) * x[3 * corner + k] + t * x[12 + 3 * corner + k];
    };
    const double target =
        edges ? (1 - u) * at(2) + u * at(3) : (1 - u - v) * at(1) + u * at(2) + v * at(3);
    const double now = edges ? 0.5 * (at(0) + at(1)) : at(0);
    const double shift = target - now + off;
    for (int corner = 0; corner < (edges ? 2 : 1); ++corner) {
      x[3 * corner + k] += shift;
      x[12 + 3 * corner + k] += shift;
    }
  }
}

// The bits of an impact; all values that are not numbers count as one.
struct ImpactWords {
  std::uint64_t word[8];

  explicit ImpactWords(const Impact& impact) {
    std::memcpy(word, &impact, sizeof(word));
    for (int i = 1; i < 8; ++i)
      if ((word[i] & 0x7fffffffffffffff) > 0x7ff0000000000000) word[i] = 0x7ff8000000000000;
  }
  bool operator==(const ImpactWords&) const = default;
};

template <class Work>
void in_threads(std::size_t count, Work&& work) {
  const std::size_t threads = std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::thread> running;
  for (std::size_t t = 0; t < threads; ++t)
    running.emplace_back([&, t] { work(count * t / threads, count * (t + 1) / threads); });
  for (std::thread& thread : running) thread.join();
}

struct Tally {
  std::uint64_t queries = 0, hash = 0;
  std::atomic<std::uint64_t> contacts = 0, differences = 0;
};

// Answers the queries with these numbers on both. Returns false if the GPU cannot.
template <class Query>
bool compare(std::uint64_t seed, std::uint64_t first, std::vector<Query>& queries,
             std::vector<Impact>& on_gpu, std::vector<Impact>& on_cpu, Tally& tally) {
  constexpr bool edges = kind_of<Query> == Kind::edge_edge;
  static_assert(sizeof(Query) == 24 * sizeof(double) && sizeof(Impact) == 64);
  in_threads(queries.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      make_query(seed, first + i, edges, queries[i].start[0].data());
  });
  const gpu::Outcome outcome =
      gpu::first_contact(std::span<const Query>(queries), std::span(on_gpu));
  if (!outcome) {
    std::printf("gpu_soak: %s\n", outcome.message.c_str());
    return false;
  }
  in_threads(queries.size(), [&](std::size_t begin, std::size_t end) {
    first_contact(std::span<const Query>(queries).subspan(begin, end - begin),
                  std::span(on_cpu).subspan(begin, end - begin), {}, {.threads = 1});
  });
  std::atomic<std::uint64_t> sum = 0;
  in_threads(queries.size(), [&](std::size_t begin, std::size_t end) {
    std::uint64_t hash = 0, contacts = 0, differences = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const ImpactWords answer(on_gpu[i]);
      differences += answer != ImpactWords(on_cpu[i]);
      contacts += on_cpu[i].verdict == Verdict::contact;
      std::uint64_t own = mixed(first + i);
      for (const std::uint64_t word : answer.word) own = mixed(own ^ word);
      hash += own;
    }
    sum += hash;
    tally.contacts += contacts;
    tally.differences += differences;
  });
  tally.hash += sum;
  tally.queries += queries.size();
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::printf("usage: gpu_soak SECONDS [SEED]\n");
    return 2;
  }
  const double seconds = std::atof(argv[1]);
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  constexpr std::size_t chunk = std::size_t{1} << 21;
  const auto begin = std::chrono::steady_clock::now();
  std::vector<VertexFace> vertex_face(chunk);
  std::vector<EdgeEdge> edge_edge(chunk);
  std::vector<Impact> on_gpu(chunk), on_cpu(chunk);
  Tally tally;
  do {
    const std::uint64_t first = tally.queries;
    if (!compare(seed, first, vertex_face, on_gpu, on_cpu, tally) ||
        !compare(~seed, first, edge_edge, on_gpu, on_cpu, tally))
      return 1;
  } while (std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() <
           seconds);
  std::printf("%llu queries, %llu contacts, %llu differences, hash %016llx\n",
              static_cast<unsigned long long>(tally.queries),
              static_cast<unsigned long long>(tally.contacts.load()),
              static_cast<unsigned long long>(tally.differences.load()),
              static_cast<unsigned long long>(tally.hash));
  return tally.differences > 0;
}
