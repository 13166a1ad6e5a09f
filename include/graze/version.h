#pragma once

#include <string_view>

// The version of Graze. CMake's project version is read from these three lines.
#define GRAZE_VERSION_MAJOR 0
#define GRAZE_VERSION_MINOR 2
#define GRAZE_VERSION_PATCH 0

#define GRAZE_TEXT_OF(x) #x
#define GRAZE_VERSION_TEXT(major, minor, patch) \
  GRAZE_TEXT_OF(major) "." GRAZE_TEXT_OF(minor) "." GRAZE_TEXT_OF(patch)

// Stability. Versions follow semver.org. Before version 1.0 a minor version may change the public
// headers (everything in include/graze/); a patch version changes neither names nor answers of
// exact methods. There is no stable binary interface: compile the library and its user with the
// same headers and compiler.
//
// Thread safety. Every function may be called from any number of threads at the same time, as long
// as no thread writes an argument that another thread reads or writes. There is no hidden state.
// Objects that keep memory between calls (StepSearch and the states of simulations) belong to one
// thread at a time. Functions that take a `Run` start their own threads through oneTBB.
namespace graze {

// The version of the headers, "MAJOR.MINOR.PATCH".
inline constexpr std::string_view version =
    GRAZE_VERSION_TEXT(GRAZE_VERSION_MAJOR, GRAZE_VERSION_MINOR, GRAZE_VERSION_PATCH);

}  // namespace graze

#undef GRAZE_VERSION_TEXT
#undef GRAZE_TEXT_OF
