#pragma once

#include <CLI/CLI.hpp>

#include "ranks.h"

namespace graze::command {

// Adds the command `bench`: the methods are measured by graze-bench on the ranks, one method at a
// time on each, into folders of their own. Rank 0 then runs graze-bench for all methods, which
// finds their rows measured and writes and prints the result.
void add_shared_bench(CLI::App& app, int& exit_code, Ranks& ranks);

}  // namespace graze::command
