#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "graze/first_contact.h"
#include "graze/gpu.h"
#include "graze/impact.h"
#include "graze/options.h"
#include "queries/query_sets.h"

namespace graze::queries {

// Is called from time to time with the name of the job and the finished fraction, in [0, 1]. May be
// empty.
using Progress = std::function<void(std::string_view job, double fraction)>;

// Returns the answers to `count` queries from `first` on, counted through all sets, computed on
// `threads` threads (0: all cores).
std::vector<Impact> answer(const Method& method, const std::vector<NamedSet>& sets,
                           const Options& options, int threads, std::size_t first,
                           std::size_t count, const Progress& progress = {});

// Returns the answers to all queries, set after set.
// Of a vertex-edge contact u is the place along the edge and v is NaN; of a vertex-vertex contact
// both are NaN. The method must answer the kinds of the sets.
std::vector<Impact> answer(const Method& method, const std::vector<NamedSet>& sets,
                           const Options& options, int threads, const Progress& progress = {});

// The same on a GPU. If the outcome is not `ok`, the GPU cannot answer, and the reason is there.
struct GpuAnswers {
  gpu::Outcome outcome;
  std::vector<Impact> impacts;
};
GpuAnswers answer_on_gpu(int device, const Method& method, const std::vector<NamedSet>& sets,
                         const Options& options, int threads);

struct Summary {
  std::array<std::size_t, 4> verdicts{};  // number of answers by Verdict
  // The index of the contact with the least toi, the first of equals, and its times.
  std::optional<std::size_t> earliest;
  double toi = Impact::inf, toi_hi = Impact::inf;

  std::size_t size() const { return verdicts[0] + verdicts[1] + verdicts[2] + verdicts[3]; }
  void add(const Summary& other);
};

// `first_index`: the index of the first impact.
Summary summarize(std::span<const Impact> impacts, std::size_t first_index = 0);

}  // namespace graze::queries
