#pragma once

#include "commands/query.h"
#include "ranks.h"

namespace graze::command {

// Answers queries on all ranks, which share blocks of them. Throws on every rank.
//
// With --out the answers of a block are stored in OUT.part as soon as they are there, and
// OUT.journal lists the blocks, so that a later run with the same arguments and files continues.
// Both files are removed at the end.
void run_query(const QueryArguments& arguments, Ranks& ranks);

}  // namespace graze::command
