#pragma once

#include <span>
#include <string_view>

#include "graze/core/impact.h"
#include "graze/core/options.h"
#include "graze/core/query.h"

namespace graze {

enum class Guarantee : std::uint8_t {
  exact,         // verdict and times exact
  conservative,  // never misses, never late
  heuristic      // may miss, may be late
};

enum class Norm : std::uint8_t { none, l2, linf };  // of min_separation; none: not supported

using SolveVertexFace = void (*)(std::span<const VertexFace>, const Options&, std::span<Impact>);
using SolveEdgeEdge = void (*)(std::span<const EdgeEdge>, const Options&, std::span<Impact>);

// One row of the table of narrow-phase methods. A batch function answers queries[i] in impacts[i];
// the spans have equal length. It is re-entrant, keeps no state between calls, and its answers do
// not depend on the batch around a query. A null function: the method has no such primitive.
struct Method {
  std::string_view name, reference;
  Guarantee guarantee;
  bool gives_time;  // false: toi is 0 on contact
  Norm norm;        // norm in which options.min_separation is understood
  SolveVertexFace vertex_face;
  SolveEdgeEdge edge_edge;

  bool min_separation() const { return norm != Norm::none; }
};

std::span<const Method> methods();

// Null when no row has that name.
const Method* find_method(std::string_view name);

// The readable one-query form. The method must have the primitive.
Impact solve(const Method& method, const VertexFace& query, const Options& options = {});
Impact solve(const Method& method, const EdgeEdge& query, const Options& options = {});

// A batch over `threads` threads (0: all cores); the answers do not depend on the number.
void solve(const Method& method, std::span<const VertexFace> queries, const Options& options,
           std::span<Impact> impacts, int threads);
void solve(const Method& method, std::span<const EdgeEdge> queries, const Options& options,
           std::span<Impact> impacts, int threads);

constexpr const char* name(Guarantee guarantee) {
  switch (guarantee) {
    case Guarantee::exact:
      return "exact";
    case Guarantee::conservative:
      return "conservative";
    case Guarantee::heuristic:
      return "heuristic";
  }
  return "?";
}

constexpr const char* name(Norm norm) {
  switch (norm) {
    case Norm::none:
      return "";
    case Norm::l2:
      return "L2";
    case Norm::linf:
      return "Linf";
  }
  return "?";
}

}  // namespace graze
