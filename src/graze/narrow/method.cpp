#include "graze/method.h"

#include <array>

#include "graze/exact/judge/curved_oracle.h"
#include "graze/exact/judge/oracle.h"
#include "graze/exact/judge/separation_oracle.h"
#include "graze/narrow/batch.h"
#include "graze/narrow/contact/area_inclusion.h"
#include "graze/narrow/contact/cardano_edge.h"
#include "graze/narrow/contact/exact_curved.h"
#include "graze/narrow/contact/exact_pairs.h"
#include "graze/narrow/contact/exact_root.h"
#include "graze/narrow/contact/tight_inclusion.h"
#include "graze/narrow/rivals/additive_advancement.h"
#include "graze/narrow/rivals/bernstein_sign.h"
#include "graze/narrow/rivals/cubic_root.h"
#include "graze/narrow/rivals/cubic_root_published.h"
#include "graze/narrow/rivals/interval_multivariate.h"
#include "graze/narrow/rivals/interval_univariate.h"
#include "graze/narrow/rivals/open_cubic.h"
#include "graze/narrow/rivals/rational_root_parity.h"
#include "graze/narrow/rivals/root_parity.h"
#include "graze/narrow/rivals/safe_cubic.h"
#include "graze/narrow/rivals/safe_cubic_published.h"
#include "graze/narrow/rivals/sextic_separation.h"
#include "graze/narrow/rivals/tight_bernstein.h"
#include "graze/narrow/separation/separation_root.h"

namespace graze {
namespace {

template <class Query, Norm norm>
void solve_oracle(std::span<const Query> queries, const MethodOptions& options,
                  std::span<Impact> impacts) {
  narrow::solve_each(queries, options, norm, impacts, [&](const Query& query) {
    if (options.min_separation == 0) return exact::oracle(query, options);
    return norm == Norm::l2 ? exact::oracle_l2(query, options) : exact::oracle_linf(query, options);
  });
}

template <class Query>
void solve_curved_oracle(std::span<const Query> queries, const MethodOptions& options,
                         std::span<Impact> impacts) {
  narrow::solve_each(queries, options, Norm::none, impacts,
                     [&](const Query& query) { return exact::curved_oracle(query, options); });
}

constexpr auto table = std::to_array<Method>({
    {"exact", "docs/methods/exact.md", Guarantee::exact, true, Norm::none, narrow::exact_root,
     narrow::exact_root, narrow::exact_pairs},
    {"oracle", "docs/methods/oracle.md", Guarantee::exact, true, Norm::l2,
     solve_oracle<VertexFace, Norm::l2>, solve_oracle<EdgeEdge, Norm::l2>, nullptr,
     solve_curved_oracle<Curved<VertexFace>>, solve_curved_oracle<Curved<EdgeEdge>>},
    {"oracle_linf", "docs/methods/separation.md", Guarantee::exact, true, Norm::linf,
     solve_oracle<VertexFace, Norm::linf>, solve_oracle<EdgeEdge, Norm::linf>},
    {"separation_root", "docs/methods/separation.md", Guarantee::exact, true, Norm::l2,
     narrow::separation_root, narrow::separation_root},
    {"separation_root_linf", "docs/methods/separation.md", Guarantee::exact, true, Norm::linf,
     narrow::separation_root_linf, narrow::separation_root_linf},
    {"exact_curved", "docs/methods/curved.md", Guarantee::exact, true, Norm::none,
     narrow::exact_curved, narrow::exact_curved, nullptr, narrow::exact_curved,
     narrow::exact_curved},
    {"tight_inclusion", "[Wang 2021] Sec. 5, 6", Guarantee::conservative, true, Norm::linf,
     narrow::tight_inclusion, narrow::tight_inclusion},
    {"area_inclusion", "[Huh 2014]", Guarantee::conservative, true, Norm::none,
     narrow::area_inclusion, narrow::area_inclusion},
    {"cardano_edge", "[Jansen]", Guarantee::heuristic, true, Norm::none, nullptr,
     narrow::cardano_edge},
    {"additive_advancement", "[Li 2021]", Guarantee::conservative, true, Norm::l2,
     narrow::additive_advancement, narrow::additive_advancement},
    {"root_parity", "[Brochu 2012]; [Wang 2021] Sec. 4.2", Guarantee::heuristic, false, Norm::none,
     narrow::root_parity, narrow::root_parity},
    {"rational_root_parity", "[Wang 2021] Sec. 4.2", Guarantee::heuristic, false, Norm::none,
     narrow::rational_root_parity, narrow::rational_root_parity},
    {"interval_multivariate", "[Wang 2021] Sec. 4.2, Alg. 1", Guarantee::conservative, true,
     Norm::none, narrow::interval_multivariate, narrow::interval_multivariate},
    {"interval_univariate", "[Wang 2021] Sec. 4.2", Guarantee::conservative, true, Norm::none,
     narrow::interval_univariate, narrow::interval_univariate},
    {"cubic_root", "[Wang 2021] Sec. 4.2 (FPRF)", Guarantee::heuristic, true, Norm::none,
     narrow::cubic_root, narrow::cubic_root},
    {"safe_cubic", "[Huh 2014] Sec. 2, 6 (safeCCD)", Guarantee::conservative, true, Norm::none,
     narrow::safe_cubic, narrow::safe_cubic},
    {"open_cubic", "[Huh 2014] Sec. 6 (openCCD)", Guarantee::heuristic, true, Norm::none,
     narrow::open_cubic, nullptr},
    {"sextic_separation", "[Wang 2021] Sec. 6 (MSRF)", Guarantee::heuristic, true, Norm::l2,
     narrow::sextic_separation, narrow::sextic_separation},
    {"tight_bernstein", "[Wang 2015]", Guarantee::conservative, false, Norm::none,
     narrow::tight_bernstein, narrow::tight_bernstein},
    {"bernstein_sign", "[Tang 2014]", Guarantee::conservative, false, Norm::none,
     narrow::bernstein_sign, narrow::bernstein_sign},
    {"cubic_root_published", "[Wang 2021] Sec. 4.2 (FPRF), as published", Guarantee::heuristic,
     true, Norm::none, narrow::cubic_root_published, narrow::cubic_root_published},
    {"safe_cubic_published", "[Huh 2014] Sec. 6 (safeCCD), as published", Guarantee::heuristic,
     true, Norm::none, narrow::safe_cubic_published, narrow::safe_cubic_published},
    {"root_parity_published", "[Brochu 2012], as published", Guarantee::heuristic, false,
     Norm::none, narrow::root_parity_published, narrow::root_parity_published},
    {"tight_bernstein_published", "[Wang 2015], as published", Guarantee::heuristic, false,
     Norm::none, narrow::tight_bernstein_published, narrow::tight_bernstein_published},
    {"bernstein_sign_published", "[Tang 2014], as published", Guarantee::heuristic, false,
     Norm::none, narrow::bernstein_sign_published, narrow::bernstein_sign_published},
});

}  // namespace

std::span<const Method> methods() {
  return table;
}

const Method* find_method(std::string_view name) {
  for (const Method& method : table)
    if (method.name == name) return &method;
  return nullptr;
}

const Method& default_method(const Options& options) {
  if (options.min_separation == 0) return table.front();
  return *find_method(options.norm == Norm::linf ? "separation_root_linf" : "separation_root");
}

const Method& default_curved_method() {
  return *find_method("exact_curved");
}

}  // namespace graze
