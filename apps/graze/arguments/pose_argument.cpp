#include "arguments/pose_argument.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <numbers>

#include "commands/command.h"

namespace graze::command {

std::vector<double> parse_numbers(const char* flag, const std::string& text) {
  std::vector<double> numbers;
  const char *at = text.data(), *end = at + text.size();
  const auto is_gap = [](char c) { return c == ' ' || c == ',' || c == '\t'; };
  for (;;) {
    while (at != end && is_gap(*at)) ++at;
    if (at == end) return numbers;
    double number;
    const auto [next, error] = std::from_chars(*at == '+' ? at + 1 : at, end, number);
    if (error != std::errc() || (next != end && !is_gap(*next)) || !std::isfinite(number))
      throw UsageError(
          fmt::format("{}: '{}' has no number at position {}", flag, text, at - text.data() + 1));
    numbers.push_back(number);
    at = next;
  }
}

Pose parse_pose(const char* flag, const std::string& text) {
  const std::vector<double> numbers = parse_numbers(flag, text);
  if (numbers.size() != 3 && numbers.size() != 6 && numbers.size() != 7)
    throw UsageError(fmt::format("{}: '{}' has {} numbers; a pose is {}", flag, text,
                                 numbers.size(), pose_format));
  Pose pose;
  pose.translation = {numbers[0], numbers[1], numbers[2]};
  if (numbers.size() == 6) {
    const Vec3 turn(numbers[3], numbers[4], numbers[5]);
    pose =
        Pose::from_axis_angle(turn, turn.stableNorm() / 180 * std::numbers::pi, pose.translation);
  } else if (numbers.size() == 7) {
    pose = Pose::from_quaternion(numbers[3], numbers[4], numbers[5], numbers[6], pose.translation);
    if (!(pose.rotation.squaredNorm() > 0))
      throw UsageError(fmt::format("{}: '{}': the quaternion is 0", flag, text));
  }
  return pose;
}

}  // namespace graze::command
