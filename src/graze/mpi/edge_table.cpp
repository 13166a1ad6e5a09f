#include "graze/mpi/edge_table.h"

#include <algorithm>
#include <numeric>

namespace graze::mpi {
namespace {

// An edge: its larger vertex, and twice its smaller vertex plus 1 for a rod.
struct Entry {
  std::uint32_t larger, smaller_and_rod;
};

// Calls function(entry) for all sides of faces and all rods that join two different vertices.
template <class Function>
void for_each_entry(std::span<const Face> faces, std::span<const Edge> rods, Function&& function) {
  const auto add = [&](std::uint32_t a, std::uint32_t b, std::uint32_t rod) {
    if (a != b) function(Entry{std::max(a, b), 2 * std::min(a, b) + rod});
  };
  for (const Face& face : faces)
    for (std::size_t k = 0; k < 3; ++k) add(face[k], face[(k + 1) % 3], 0);
  for (const auto& [a, b] : rods) add(a, b, 1);
}

// Returns the elements in groups by rank, in their order within each group.
template <class T, class RankOf>
Packets<T> packed(std::span<const T> elements, std::size_t ranks, RankOf&& rank_of) {
  Packets<T> packets{std::vector<T>(elements.size()), std::vector<std::size_t>(ranks)};
  for (const T& element : elements) ++packets.counts[rank_of(element)];
  std::vector<std::size_t> next(ranks);
  std::exclusive_scan(packets.counts.begin(), packets.counts.end(), next.begin(), std::size_t{0});
  for (const T& element : elements) packets.items[next[rank_of(element)]++] = element;
  return packets;
}

}  // namespace

std::size_t VertexBlocks::owner(std::uint32_t vertex) const {
  return static_cast<std::size_t>(std::upper_bound(first.begin(), first.end(), vertex) -
                                  first.begin()) -
         1;
}

std::vector<std::size_t> VertexBlocks::counts(std::span<const std::uint32_t> ascending) const {
  std::vector<std::size_t> result;
  auto begin = ascending.begin();
  for (std::size_t r = 0; r + 1 < first.size(); ++r) {
    const auto end = std::lower_bound(begin, ascending.end(), first[r + 1]);
    result.push_back(static_cast<std::size_t>(end - begin));
    begin = end;
  }
  return result;
}

EdgeTable::EdgeTable(Communicator& communicator, const VertexBlocks& blocks,
                     std::span<const Face> faces, std::span<const Edge> rods)
    : blocks_(blocks) {
  const auto rank = static_cast<std::size_t>(communicator.rank());
  first_vertex_ = blocks.first[rank];
  const std::size_t vertices = blocks.first[rank + 1] - first_vertex_;

  Packets<Entry> entries{{}, std::vector<std::size_t>(communicator.ranks())};
  for_each_entry(faces, rods,
                 [&](const Entry& entry) { ++entries.counts[blocks.owner(entry.larger)]; });
  std::vector<std::size_t> next(communicator.ranks());
  std::exclusive_scan(entries.counts.begin(), entries.counts.end(), next.begin(), std::size_t{0});
  entries.items.resize(next.back() + entries.counts.back());
  for_each_entry(faces, rods, [&](const Entry& entry) {
    entries.items[next[blocks.owner(entry.larger)]++] = entry;
  });
  entries = communicator.exchange(entries);

  // Sorts by larger vertex with a counting sort, then sorts the few edges of each vertex.
  std::vector<std::uint32_t> end(vertices + 1);
  for (const Entry& entry : entries.items) ++end[entry.larger - first_vertex_];
  std::exclusive_scan(end.begin(), end.end(), end.begin(), std::uint32_t{0});
  begin_ = end;
  smaller_.resize(entries.items.size());
  for (const Entry& entry : entries.items)
    smaller_[end[entry.larger - first_vertex_]++] = entry.smaller_and_rod;
  entries = {};
  std::vector<bool> has_edge(vertices);
  std::vector<std::uint32_t> elsewhere;  // smaller vertices in blocks of other ranks
  const auto at = [&](std::size_t i) { return smaller_.begin() + static_cast<std::ptrdiff_t>(i); };
  std::size_t kept = 0;
  for (std::size_t v = 0; v < vertices; ++v) {
    const std::size_t from = begin_[v], to = end[v];
    begin_[v] = static_cast<std::uint32_t>(kept);
    std::sort(at(from), at(to));  // a side comes before the same edge as a rod
    for (std::size_t i = from; i < to; ++i) {
      const std::uint32_t smaller = smaller_[i] / 2;
      if (kept > begin_[v] && smaller_[kept - 1] == smaller) continue;
      if (smaller_[i] % 2)
        rods_.push_back({smaller, static_cast<std::uint32_t>(first_vertex_ + v)});
      smaller_[kept++] = smaller;
      has_edge[v] = true;
      if (smaller >= first_vertex_)
        has_edge[smaller - first_vertex_] = true;
      else
        elsewhere.push_back(smaller);
    }
  }
  begin_[vertices] = static_cast<std::uint32_t>(kept);
  smaller_.resize(kept);
  smaller_.shrink_to_fit();

  std::sort(elsewhere.begin(), elsewhere.end());
  elsewhere.erase(std::unique(elsewhere.begin(), elsewhere.end()), elsewhere.end());
  const std::vector<std::size_t> counts = blocks.counts(elsewhere);
  for (const std::uint32_t vertex :
       communicator.exchange(Packets<std::uint32_t>{std::move(elsewhere), counts}).items)
    has_edge[vertex - first_vertex_] = true;
  for (std::size_t v = 0; v < vertices; ++v)
    if (!has_edge[v]) points_.push_back(static_cast<std::uint32_t>(first_vertex_ + v));

  const auto [first_edge, all_edges] = communicator.sums(kept);
  first_edge_ = first_edge;
  all_edges_ = all_edges;
}

Edge EdgeTable::edge(std::uint64_t number) const {
  const std::size_t i = number - first_edge_;
  const auto larger = std::upper_bound(begin_.begin(), begin_.end(), i) - begin_.begin() - 1;
  return {smaller_[i],
          static_cast<std::uint32_t>(first_vertex_) + static_cast<std::uint32_t>(larger)};
}

std::uint32_t EdgeTable::number_of(const Edge& edge) const {
  const std::size_t v = edge[1] - first_vertex_;
  const auto begin = smaller_.begin() + begin_[v], end = smaller_.begin() + begin_[v + 1];
  return static_cast<std::uint32_t>(first_edge_) +
         static_cast<std::uint32_t>(std::lower_bound(begin, end, edge[0]) - smaller_.begin());
}

std::vector<std::uint32_t> EdgeTable::numbers(Communicator& communicator,
                                              std::span<const Edge> edges) const {
  if (!communicator.any(!edges.empty())) return {};
  const auto owner = [&](const Edge& edge) { return blocks_.owner(edge[1]); };
  const Packets<Edge> asked = packed(edges, communicator.ranks(), owner);
  const Packets<Edge> questions = communicator.exchange(asked);
  Packets<std::uint32_t> answers{{}, questions.counts};
  answers.items.reserve(questions.items.size());
  for (const Edge& edge : questions.items) answers.items.push_back(number_of(edge));
  answers = communicator.exchange(answers, asked.counts);
  std::vector<std::size_t> next(communicator.ranks());
  std::exclusive_scan(answers.counts.begin(), answers.counts.end(), next.begin(), std::size_t{0});
  std::vector<std::uint32_t> result;
  result.reserve(edges.size());
  for (const Edge& edge : edges) result.push_back(answers.items[next[owner(edge)]++]);
  return result;
}

}  // namespace graze::mpi
