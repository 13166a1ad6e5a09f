#include "graze/narrow/method.h"

#include <tbb/blocked_range.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <array>

#include "graze/exact/oracle.h"
#include "graze/exact/separation_oracle.h"
#include "graze/narrow/area_inclusion.h"
#include "graze/narrow/batch.h"
#include "graze/narrow/cardano_edge.h"
#include "graze/narrow/exact_root.h"
#include "graze/narrow/rivals/additive_advancement.h"
#include "graze/narrow/rivals/bernstein_sign.h"
#include "graze/narrow/rivals/cubic_root.h"
#include "graze/narrow/rivals/interval_multivariate.h"
#include "graze/narrow/rivals/interval_univariate.h"
#include "graze/narrow/rivals/open_cubic.h"
#include "graze/narrow/rivals/rational_root_parity.h"
#include "graze/narrow/rivals/root_parity.h"
#include "graze/narrow/rivals/safe_cubic.h"
#include "graze/narrow/rivals/sextic_separation.h"
#include "graze/narrow/rivals/tight_bernstein.h"
#include "graze/narrow/separation_root.h"
#include "graze/narrow/tight_inclusion.h"

namespace graze {
namespace {

template <class Query, Norm norm>
void solve_oracle(std::span<const Query> queries, const Options& options,
                  std::span<Impact> impacts) {
  solve_each(queries, options, norm, impacts, [&](const Query& query) {
    if (options.min_separation == 0) return oracle(query, options);
    return norm == Norm::l2 ? oracle_l2(query, options) : oracle_linf(query, options);
  });
}

constexpr auto table = std::to_array<Method>({
    {"exact", "docs/methods/exact.md", Guarantee::exact, true, Norm::none, exact_root, exact_root},
    {"oracle", "docs/methods/oracle.md", Guarantee::exact, true, Norm::l2,
     solve_oracle<VertexFace, Norm::l2>, solve_oracle<EdgeEdge, Norm::l2>},
    {"oracle_linf", "docs/methods/separation.md", Guarantee::exact, true, Norm::linf,
     solve_oracle<VertexFace, Norm::linf>, solve_oracle<EdgeEdge, Norm::linf>},
    {"separation_root", "docs/methods/separation.md", Guarantee::exact, true, Norm::l2,
     separation_root, separation_root},
    {"separation_root_linf", "docs/methods/separation.md", Guarantee::exact, true, Norm::linf,
     separation_root_linf, separation_root_linf},
    {"tight_inclusion", "[Wang 2021] Sec. 5, 6", Guarantee::conservative, true, Norm::linf,
     tight_inclusion, tight_inclusion},
    {"area_inclusion", "[Huh 2014]", Guarantee::conservative, true, Norm::none, area_inclusion,
     area_inclusion},
    {"cardano_edge", "[Jansen]", Guarantee::heuristic, true, Norm::none, nullptr, cardano_edge},
    {"additive_advancement", "[Li 2021]", Guarantee::conservative, true, Norm::l2,
     additive_advancement, additive_advancement},
    {"root_parity", "[Brochu 2012]; [Wang 2021] Sec. 4.2", Guarantee::heuristic, false, Norm::none,
     root_parity, root_parity},
    {"rational_root_parity", "[Wang 2021] Sec. 4.2", Guarantee::heuristic, false, Norm::none,
     rational_root_parity, rational_root_parity},
    {"interval_multivariate", "[Wang 2021] Sec. 4.2, Alg. 1", Guarantee::conservative, true,
     Norm::none, interval_multivariate, interval_multivariate},
    {"interval_univariate", "[Wang 2021] Sec. 4.2", Guarantee::conservative, true, Norm::none,
     interval_univariate, interval_univariate},
    {"cubic_root", "[Wang 2021] Sec. 4.2 (FPRF)", Guarantee::heuristic, true, Norm::none,
     cubic_root, cubic_root},
    {"safe_cubic", "[Huh 2014] Sec. 2, 6 (safeCCD)", Guarantee::conservative, true, Norm::none,
     safe_cubic, safe_cubic},
    {"open_cubic", "[Huh 2014] Sec. 6 (openCCD)", Guarantee::heuristic, true, Norm::none,
     open_cubic, nullptr},
    {"sextic_separation", "[Wang 2021] Sec. 6 (MSRF)", Guarantee::heuristic, true, Norm::l2,
     sextic_separation, sextic_separation},
    {"tight_bernstein", "[Wang 2015]", Guarantee::conservative, false, Norm::none, tight_bernstein,
     tight_bernstein},
    {"bernstein_sign", "[Tang 2014]", Guarantee::conservative, false, Norm::none, bernstein_sign,
     bernstein_sign},
});

auto batch_of(const Method& method, const VertexFace&) {
  return method.vertex_face;
}
auto batch_of(const Method& method, const EdgeEdge&) {
  return method.edge_edge;
}

template <class Query>
Impact solve_one(const Method& method, const Query& query, const Options& options) {
  Impact impact;
  batch_of(method, query)({&query, 1}, options, {&impact, 1});
  return impact;
}

template <class Query>
void solve_parallel(const Method& method, std::span<const Query> queries, const Options& options,
                    std::span<Impact> impacts, int threads) {
  const auto batch = batch_of(method, Query{});
  if (threads == 1) return batch(queries, options, impacts);
  constexpr std::size_t grain = 256;
  const int cores = tbb::info::default_concurrency();  // TBB prints a warning when asked for more
  tbb::task_arena arena(threads > 0 ? std::min(threads, cores) : cores);
  arena.execute([&] {
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, queries.size(), grain), [&](auto range) {
      batch(queries.subspan(range.begin(), range.size()), options,
            impacts.subspan(range.begin(), range.size()));
    });
  });
}

}  // namespace

std::span<const Method> methods() {
  return table;
}

const Method* find_method(std::string_view name) {
  for (const Method& method : table)
    if (method.name == name) return &method;
  return nullptr;
}

Impact solve(const Method& method, const VertexFace& query, const Options& options) {
  return solve_one(method, query, options);
}
Impact solve(const Method& method, const EdgeEdge& query, const Options& options) {
  return solve_one(method, query, options);
}
void solve(const Method& method, std::span<const VertexFace> queries, const Options& options,
           std::span<Impact> impacts, int threads) {
  solve_parallel(method, queries, options, impacts, threads);
}
void solve(const Method& method, std::span<const EdgeEdge> queries, const Options& options,
           std::span<Impact> impacts, int threads) {
  solve_parallel(method, queries, options, impacts, threads);
}

}  // namespace graze
