#pragma once

#include "commands/step.h"
#include "ranks.h"

namespace graze::command {

// Answers one step on all ranks and returns the exit code. Throws on every rank.
int run_step(const SingleStepArguments& arguments, Ranks& ranks);

}  // namespace graze::command
