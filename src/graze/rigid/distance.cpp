#include "graze/rigid/distance.h"

#include <cmath>

#include "graze/rigid/distance/model_contacts.h"
#include "graze/rigid/distance/model_distance.h"

namespace graze::rigid {
namespace {

bool is_finite(const Placement& placement) {
  return placement.rotation.allFinite() && placement.offset.allFinite();
}

bool are_usable(const Body& a, const Placement& at_a, const Body& b, const Placement& at_b) {
  return a.status() == Status::ok && b.status() == Status::ok && is_finite(at_a) && is_finite(at_b);
}

}  // namespace

BodyDistance distance(const Body& a, const Placement& at_a, const Body& b, const Placement& at_b,
                      const DistanceOptions& options) {
  if (!are_usable(a, at_a, b, at_b) || std::isnan(options.enough) ||
      !(options.tol >= 0 && options.tol < 1))
    return {};
  return distance(a.model(), at_a, b.model(), at_b, options);
}

SurfaceContacts contacts_within(const Body& a, const Placement& at_a, const Body& b,
                                const Placement& at_b, double within, std::size_t max_contacts) {
  SurfaceContacts result;
  if (!are_usable(a, at_a, b, at_b) || !(within >= 0 && std::isfinite(within))) return result;
  result.list = contacts_within(a.model(), at_a, b.model(), at_b, within, max_contacts);
  result.verdict = result.list.size() >= max_contacts ? Verdict::undecided
                   : result.list.empty()              ? Verdict::separated
                                                      : Verdict::contact;
  return result;
}

}  // namespace graze::rigid
