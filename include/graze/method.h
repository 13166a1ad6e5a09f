#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "graze/impact.h"
#include "graze/options.h"
#include "graze/query.h"

namespace graze {

struct MovingMesh;  // mesh.h
struct Pair;

// The guarantee of a method.
enum class Guarantee : std::uint8_t {
  exact,         // verdict and times are exact
  conservative,  // never misses a contact, never reports it late
  heuristic      // may miss a contact, may report it late
};

// The parts of a call that a method reads: its options and the stop flag of its run. If the flag is
// set, queries that take long end soon: `undecided` with a safe toi.
struct MethodOptions : Options {
  const std::atomic<bool>* stop = nullptr;  // Run::stop; not owned, may be null
};

// Batch functions of a method, by kind of query; the comment of Method has their contract.
using SolveVertexFace = void (*)(std::span<const VertexFace>, const MethodOptions&,
                                 std::span<Impact>);
// The same for edges.
using SolveEdgeEdge = void (*)(std::span<const EdgeEdge>, const MethodOptions&, std::span<Impact>);
// The same for corners that move on curves.
using SolveCurvedVertexFace = void (*)(std::span<const Curved<VertexFace>>, const MethodOptions&,
                                       std::span<Impact>);
// The same for edges whose ends move on curves.
using SolveCurvedEdgeEdge = void (*)(std::span<const Curved<EdgeEdge>>, const MethodOptions&,
                                     std::span<Impact>);

// The answer to the pair at `index` of a span of pairs.
struct IndexedImpact {
  std::size_t index;
  Impact impact;
};

// Answers pairs of a mesh of any kind without a copy of their coordinates. Appends the impacts that
// are not `separated`, in any order. `culled`: all positions are finite and the pairs have already
// been tested for separating axes, so the method may skip these tests.
using SolvePairs = void (*)(const MovingMesh&, Kind, std::span<const Pair>, const MethodOptions&,
                            bool culled, std::vector<IndexedImpact>&);

// One row of the table of methods: its name, the reference of the paper and its guarantee.
// first_contact.h calls a method; a row describes it.
//
// The batch functions (vertex_face, edge_edge, curved_vertex_face, curved_edge_edge) answer
// queries[i] in impacts[i]; the spans have equal length. They are re-entrant and keep no state
// between calls, and an answer does not depend on the other queries of the batch. A null function
// means that the method does not answer this kind.
struct Method {
  std::string_view name, reference;
  Guarantee guarantee;
  bool gives_time;  // false: toi is 0 on contact
  Norm norm;        // of Options::min_separation; none: the method takes no separation
  SolveVertexFace vertex_face;
  SolveEdgeEdge edge_edge;
  SolvePairs pairs = nullptr;  // optional; same answers as the batch functions
  // Optional: queries whose corners move on curves. Lines have the answers of straight queries.
  SolveCurvedVertexFace curved_vertex_face = nullptr;
  SolveCurvedEdgeEdge curved_edge_edge = nullptr;

  // Returns whether the method takes a separation.
  bool min_separation() const { return norm != Norm::none; }

  // Returns whether the method answers queries of this kind. Vertex-edge and vertex-vertex queries
  // are answered by vertex_face, as a face without area.
  bool has(Kind kind) const {
    return kind == Kind::edge_edge ? edge_edge != nullptr : vertex_face != nullptr;
  }

  // Returns whether the method answers queries of this kind whose corners move on curves.
  bool has_curved(Kind kind) const {
    return kind == Kind::edge_edge ? curved_edge_edge != nullptr : curved_vertex_face != nullptr;
  }

  // Returns whether the method can honour these options.
  bool takes(const Options& options) const {
    return is_sensible(options) &&
           (options.min_separation == 0 ||
            (norm != Norm::none && (options.norm == Norm::none || options.norm == norm)));
  }
};

// Returns the table. The first row is the default method. The table is constant and lives as long
// as the program.
std::span<const Method> methods();

// Returns the method with this name; null if there is none.
const Method* find_method(std::string_view name);

// Returns the exact method for these options: without a separation the first row, with one the
// exact method of its norm, L2 if the options do not choose.
const Method& default_method(const Options& options = {});

// Returns the exact method for queries whose corners move on curves. It takes no separation.
const Method& default_curved_method();

// Returns the name used by the command and in files.
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

}  // namespace graze
