#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>

namespace graze::command {

// The checks of a run of rigid bodies. Each returns what is wrong, or "".

// The energy may grow by a millionth of the energy put in, in joules.
inline std::string energy_failure(double growth, double put_in) {
  const double most = 1e-6 * put_in;
  if (growth <= most) return {};
  return fmt::format("the energy grew by {:.3g} J, more than the {:.3g} J allowed", growth, most);
}

// A hundredth of the body-steps may be stopped within a step.
inline std::string stopped_failure(std::uint64_t stopped, std::size_t bodies, std::uint64_t steps) {
  const double most = 0.01 * static_cast<double>(bodies) * static_cast<double>(steps);
  if (static_cast<double>(stopped) <= most) return {};
  return fmt::format("{} bodies were stopped within steps, more than the {:.4g} allowed", stopped,
                     most);
}

// No body may move after `seconds`.
inline std::string rest_failure(double last_motion, double seconds) {
  if (last_motion <= seconds) return {};
  return fmt::format("a body still moved after {:.4g} s, but {:.4g} s are allowed", last_motion,
                     seconds);
}

// Joints may open by five times the gap, in metres.
inline std::string joint_failure(double opening, double gap) {
  const double most = 5 * gap;
  if (opening <= most) return {};
  return fmt::format("a joint opened by {:.3g} m, more than the {:.3g} m allowed", opening, most);
}

// A brick may move by a tenth of a millimetre before the first shot.
inline std::string drift_failure(double drift) {
  constexpr double most = 1e-4;  // metres
  if (drift <= most) return {};
  return fmt::format(
      "a brick moved by {:.3g} m before the first shot, more than the {:.3g} m allowed", drift,
      most);
}

}  // namespace graze::command
