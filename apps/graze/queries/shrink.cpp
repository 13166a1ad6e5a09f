#include "queries/shrink.h"

#include <fmt/format.h>

#include "graze/io/queries/corpus_file.h"

namespace graze::queries {
namespace {

template <class Query>
Fault fault_on(const Query& query, const Dispute& dispute) {
  return fault_of(first_contact(query, dispute.options, dispute.method),
                  first_contact(query, dispute.options, dispute.judge), dispute.method.guarantee);
}

// Returns the flags of all options that differ from their defaults: the fault may depend on them.
std::string unusual(const Options& options) {
  const Options usual;
  std::string text;
  const auto add = [&](const char* flag, auto value, auto default_) {
    if (value != default_) text += fmt::format(" --{} {}", flag, value);
  };
  add("t-max", options.t_max, usual.t_max);
  add("distance-tol", options.distance_tol, usual.distance_tol);
  add("time-tol", options.time_tol, usual.time_tol);
  add("max-checks", options.max_checks, usual.max_checks);
  add("min-separation", options.min_separation, usual.min_separation);
  if (options.no_zero_toi) text += " --no-zero-toi";
  return text;
}

}  // namespace

template <class Query>
Shrunk<Query> shrink(const Query& query, const Dispute& dispute, const MinimizeLimits& limits) {
  const Fault fault = fault_on(query, dispute);
  Shrunk<Query> shrunk{{query, 0, true}, fault, {}, {}};
  if (fault != Fault::none)
    shrunk.minimal = minimize<Query>(
        query,
        [&](const Query& candidate) {
          return is_finite(candidate) && fault_on(candidate, dispute) == fault;
        },
        limits);
  shrunk.answer = first_contact(shrunk.minimal.query, dispute.options, dispute.method);
  shrunk.truth = first_contact(shrunk.minimal.query, dispute.options, dispute.judge);
  return shrunk;
}

template <class Query>
std::string corpus_entry(const Shrunk<Query>& shrunk, const Dispute& dispute) {
  const std::string options = unusual(dispute.options);
  return fmt::format("# {}{} answers {} ({}).\n{}", dispute.method.name, options,
                     describe(shrunk.answer), name(shrunk.fault),
                     io::corpus_text(shrunk.minimal.query, shrunk.truth));
}

std::string describe(const Impact& impact) {
  if (impact.verdict == Verdict::contact || impact.verdict == Verdict::undecided)
    return fmt::format("{} at {}", name(impact.verdict), impact.toi);
  return name(impact.verdict);
}

template Shrunk<VertexFace> shrink(const VertexFace&, const Dispute&, const MinimizeLimits&);
template Shrunk<EdgeEdge> shrink(const EdgeEdge&, const Dispute&, const MinimizeLimits&);
template std::string corpus_entry(const Shrunk<VertexFace>&, const Dispute&);
template std::string corpus_entry(const Shrunk<EdgeEdge>&, const Dispute&);

}  // namespace graze::queries
