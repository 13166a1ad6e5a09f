#pragma once

#include <string_view>

namespace graze::command {

// The page that web/ builds, with places for what is shown; empty in a build without Node.js.
std::string_view viewer_template();

}  // namespace graze::command
