#include "graze/rigid/advance_methods.h"

#include "graze/rigid/rivals/advance_rivals.h"
#include "graze/rigid/rivals/screw_interval.h"

namespace graze::rigid {
namespace {

BodyImpact certified(const Body& a, const Motion& motion_a, const Body& b, const Motion& motion_b,
                     const AdvanceOptions& options) {
  return advance(a, motion_a, b, motion_b, options);
}
BodyImpact fast(const Body& a, const Motion& motion_a, const Body& b, const Motion& motion_b,
                const AdvanceOptions& options) {
  return advance_hierarchical(a.model(), motion_a, b.model(), motion_b, options);
}
BodyImpact undirected(const Body& a, const Motion& motion_a, const Body& b, const Motion& motion_b,
                      const AdvanceOptions& options) {
  return advance_undirected(a.model(), motion_a, b.model(), motion_b, options);
}
BodyImpact screw_interval(const Body& a, const Motion& motion_a, const Body& b,
                          const Motion& motion_b, const AdvanceOptions& options) {
  return advance_intervals(a.model(), motion_a, b.model(), motion_b, options);
}

constexpr AdvanceMethod methods[] = {
    {"certified", "search in space and time with a bound for each pair of nodes", certified},
    {"fast", "[Zhang 2006] Alg. 2: distances by the hull trees, directed motion bound", fast},
    {"undirected", "the dynamic checker of [Schwarzer 2002]: undirected motion bound", undirected},
    {"screw_interval", "[Redon 2002] (CONTACT): boxes in interval arithmetic over pieces of time",
     screw_interval},
};

}  // namespace

std::span<const AdvanceMethod> advance_methods() {
  return methods;
}

const AdvanceMethod* find_advance_method(std::string_view name) {
  for (const AdvanceMethod& row : methods)
    if (row.name == name) return &row;
  return nullptr;
}

}  // namespace graze::rigid
