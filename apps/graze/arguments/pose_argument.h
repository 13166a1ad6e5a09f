#pragma once

#include <string>
#include <vector>

#include "graze/pose.h"

namespace graze::command {

inline constexpr const char* pose_format =
    "\"x y z\", \"x y z rx ry rz\" (axis times degrees) or \"x y z qw qx qy qz\"";

// Returns the finite numbers of the text, separated by spaces and commas. Throws UsageError with
// the flag for anything else.
std::vector<double> parse_numbers(const char* flag, const std::string& text);
Pose parse_pose(const char* flag, const std::string& text);

}  // namespace graze::command
