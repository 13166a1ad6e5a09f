#pragma once

#include <string_view>

namespace graze::command {

// Returns the page that web/ builds, with placeholders for its content; empty in a build without
// Node.js.
std::string_view viewer_template();

}  // namespace graze::command
