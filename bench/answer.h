#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "bench/measure.h"
#include "bench/query_sets.h"
#include "graze/core/impact.h"
#include "graze/core/options.h"
#include "graze/narrow/method.h"

namespace graze::bench {

// The answers to all sets in a row, on `threads` threads (0: all cores). The method must have the
// primitives.
std::vector<Impact> answer(const Method& method, const std::vector<NamedSet>& sets,
                           const Options& options, int threads, const Progress& progress = {});

// What answers say together.
struct Summary {
  std::array<std::size_t, 4> verdicts{};  // by Verdict
  std::optional<std::size_t> earliest;    // index of the contact with the least toi, the first such
};

Summary summarize(std::span<const Impact> impacts);

}  // namespace graze::bench
