#include "graze/rigid/advance.h"

#include "graze/rigid/model_advance.h"

namespace graze::rigid {

BodyImpact advance(const Body& a, const Motion& motion_a, const Body& b, const Motion& motion_b,
                   const AdvanceOptions& options, const MotionObserver& observer) {
  return advance(a.model(), motion_a, b.model(), motion_b, options, observer);
}

}  // namespace graze::rigid
