#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "graze/io/query_files.h"
#include "graze/options.h"
#include "queries/query_sets.h"
#include "scenes/json_reader.h"

namespace graze::command {

// Writes a proof for every separated query (docs/formats/path-proof.md). Returns their number.
std::size_t write_query_proofs(const std::string& file, std::span<const queries::NamedSet> sets,
                               const Options& options);

// The result of checking all proofs of a file.
struct QueryProofCheck {
  std::size_t proofs = 0;
  std::string problem;  // the first proof that fails; "" if none does
};
QueryProofCheck verify_query_proofs(const JsonReader& reader);

}  // namespace graze::command
