#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "graze/step.h"

namespace graze::spine {

// Returns whether StepOptions::radii fits a mesh.
inline bool radii_fit(const StepOptions& options, const Mesh& mesh) {
  return options.radii.empty() ||
         (options.radii.size() == mesh.vertex_count &&
          std::all_of(options.radii.begin(), options.radii.end(),
                      [](double radius) { return radius >= 0 && radius < Impact::inf; }));
}

// Returns the largest distance at which two features can be in contact: promise (7) of
// earliest_impact() for two vertices of the largest radius. Rounded sums are monotone, so no pair
// exceeds it.
inline double largest_separation(const StepOptions& options) {
  double radius = 0;
  for (const double r : options.radii) radius = std::max(radius, r);
  return options.query.min_separation + (radius + radius);
}

// Returns the method of a step: that of the options, or the default for the largest separation.
inline const Method& method_of(const StepOptions& options) {
  if (options.method) return *options.method;
  Options query = options.query;
  query.min_separation = largest_separation(options);
  return default_method(query);
}

// The separations of pairs, and the pairs of a block grouped by them.
class PairRadii {
 public:
  PairRadii(const Mesh& mesh, const StepOptions& options)
      : mesh_(mesh), radii_(options.radii), kept_(options.query.min_separation) {}

  double separation(Kind kind, const Pair& pair) const {
    const auto edge = [&](std::uint32_t e) { return largest(mesh_.edges[e]); };
    const double a = kind == Kind::edge_edge ? edge(pair.a) : radii_[pair.a];
    const double b = kind == Kind::vertex_face     ? largest(mesh_.faces[pair.b])
                     : kind == Kind::vertex_vertex ? radii_[pair.b]
                                                   : edge(pair.b);
    return kept_ + (a + b);
  }

  // Calls function(separation, pairs) for all pairs of one separation, for each separation.
  template <class Function>
  void for_each(Kind kind, std::span<const Pair> pairs, Function&& function) const {
    if (radii_.empty()) return function(kept_, pairs);
    std::vector<std::pair<double, Pair>> keyed;
    keyed.reserve(pairs.size());
    for (const Pair& pair : pairs) keyed.emplace_back(separation(kind, pair), pair);
    std::sort(keyed.begin(), keyed.end());
    std::vector<Pair> group;
    for (std::size_t i = 0; i < keyed.size();) {
      const double here = keyed[i].first;
      for (group.clear(); i < keyed.size() && keyed[i].first == here; ++i)
        group.push_back(keyed[i].second);
      function(here, std::span<const Pair>(group));
    }
  }

 private:
  template <class Feature>
  double largest(const Feature& vertices) const {
    double radius = 0;
    for (const std::uint32_t vertex : vertices) radius = std::max(radius, radii_[vertex]);
    return radius;
  }

  const Mesh& mesh_;
  std::span<const double> radii_;
  double kept_;
};

}  // namespace graze::spine
