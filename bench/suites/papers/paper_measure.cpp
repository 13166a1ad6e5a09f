#include "bench/suites/papers/paper_measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "bench/suites/papers/paper_published.h"
#include "bench/suites/papers/paper_scenes.h"

namespace graze::bench {
namespace {

class PaperRun {
 public:
  PaperRun(const PaperSets& sets, const Request& request, const std::vector<const Method*>& methods,
           const Progress& progress)
      : sets_(sets),
        request_(request),
        methods_(methods),
        progress_(progress),
        store_(request.store) {}

  PaperMeasurements run() {
    // The fractions of the progress are proportional to the time of the phases.
    phase(0, 0.45, [&] { table_1(); });
    phase(0.45, 0.72, [&] { table_2(); });
    phase(0.72, 0.9, [&] { figures(); });
    phase(0.9, 1, [&] { huh(); });
    all_.recalled = store_.recalled();
    return std::move(all_);
  }

 private:
  using TruthMaker = std::function<const Truth&()>;

  template <class F>
  void phase(double from, double to, F&& f) {
    from_ = from, to_ = to, done_ = 0;
    f();
  }
  // Reports progress. `share`: the part of the phase that the next step takes.
  void tell(const std::string& doing, double share) {
    if (progress_) progress_(doing, from_ + (to_ - from_) * std::min(done_, 1.0));
    done_ += share;
  }

  Row measure_row(const Method& method, const NamedSet& set, const TruthMaker& truth,
                  const Options& options, double seconds) {
    return recall_or_measure(store_, method, set, truth, options, seconds);
  }

  // Returns a function that computes the truth on its first call.
  TruthMaker lazy(const NamedSet& set, const Options& options, Norm norm = Norm::l2) {
    auto known = std::make_shared<std::optional<Truth>>();
    return [this, known, &set, options, norm]() -> const Truth& {
      if (!*known) *known = find_truth(set, options, request_.threads, {}, norm);
      return **known;
    };
  }

  void table_1() {
    const double steps = static_cast<double>(sets_.wang.size() * methods_.size());
    for (const NamedSet& set : sets_.wang) {
      const auto truth = lazy(set, {});
      for (const Method* method : methods_) {
        tell(fmt::format("Table 1: {}, {} {}", method->name, set.name, name(set.kind)), 1 / steps);
        if (method->has(set.kind))
          all_.table_1.push_back(
              measure_row(*method, set, truth, table_1_options(*method), request_.seconds));
      }
    }
  }

  void table_2() {
    for (const NamedSet& whole : sets_.wang) {
      const NamedSet set = first_of(whole, separation_sample(request_.seconds));
      for (const auto& published : published::wang_table_2[0])
        measure_separation(all_.table_2, "Table 2", set, published.separation,
                           1 / (5.0 * static_cast<double>(sets_.wang.size())));
    }
  }

  // Measures all methods that support a separation, each against the truth of its norm.
  void measure_separation(std::vector<VariedRow>& rows, const char* what, const NamedSet& set,
                          double separation, double share) {
    const Options options{.min_separation = separation};
    std::map<Norm, TruthMaker> truths;
    for (const Norm norm : {Norm::l2, Norm::linf}) truths[norm] = lazy(set, options, norm);
    for (const Method* method : methods_) {
      if (!method->min_separation() || !method->has(set.kind)) continue;
      tell(fmt::format("{}: {}, d = {}", what, method->name, separation), 0);
      rows.push_back({separation, measure_row(*method, set, truths[method->norm], options,
                                              request_.seconds / 4)});
    }
    done_ += share;
  }

  void figures() {
    const Method* method = find_method("tight_inclusion");
    for (const NamedSet& whole : sets_.wang) {
      if (whole.group != "simulation") continue;
      const NamedSet set = first_of(whole, figure_sample);
      const auto truth = lazy(set, {});
      for (int decade = -1; decade >= -8; --decade) {
        const Options options{.distance_tol = std::pow(10, decade)};
        tell(fmt::format("Figure 6: tolerance 1e{}", decade), 1 / 40.0);
        all_.tolerances.push_back({options.distance_tol, measure_row(*method, set, truth, options,
                                                                     request_.seconds / 4)});
      }
      for (const std::uint32_t checks : {10u, 100u, 1000u, 10'000u, 100'000u, 1'000'000u, 0u}) {
        const Options options{.max_checks = checks};
        tell(checks > 0 ? fmt::format("Figure 7: {} checks", checks)
                        : std::string("Figure 7: no limit on checks"),
             1 / 40.0);
        const Row row = measure_row(*method, set, truth, options, request_.seconds / 4);
        all_.budgets.push_back({double(checks), row, reached_tol(*method, set, row, options)});
      }
      const NamedSet few = first_of(whole, separation_sample(request_.seconds));
      for (int decade = -1; decade >= -10; decade -= 3)
        measure_separation(all_.separations, "Figure 8", few, std::pow(10, decade), 1 / 20.0);
    }
  }

  double reached_tol(const Method& method, const NamedSet& set, const Row& row,
                     const Options& options) {
    if (row.counts.undecided == 0) return 0;
    const std::string key = "reached " + result_key(method, set, options, request_.seconds / 4);
    if (const auto found = store_.find(key); found && found->is_number()) return *found;
    double reached = 0;
    visit(set.kind, set.data, [&](auto queries) {
      constexpr std::size_t most = 200;  // of the undecided queries
      std::size_t seen = 0;
      for (const auto& query : queries.first(row.queries)) {
        if (seen == most || first_contact(query, options, method).verdict != Verdict::undecided)
          continue;
        ++seen;
        double tol = options.distance_tol;
        for (Options looser = options;
             first_contact(query, looser, method).verdict == Verdict::undecided;) {
          looser.distance_tol *= std::pow(10, 0.25);
          tol = looser.distance_tol < 1e3 ? looser.distance_tol
                                          : std::numeric_limits<double>::quiet_NaN();
          if (std::isnan(tol)) break;
        }
        if (!(tol <= reached)) reached = tol;
        if (std::isnan(reached)) return;
      }
    });
    if (!std::isnan(reached)) store_.add(key, reached);
    return reached;
  }

  void huh() {
    AreaInclusionSetup setup;
    setup.seed = request_.seed;
    setup.queries = std::max<std::size_t>(
        1000, static_cast<std::size_t>(250'000 * std::min(request_.seconds, 40.0)));
    setup.sample = std::min<std::uint64_t>(setup.queries, 20'000);
    tell("[Huh 2014] Figure 1", 0.3);
    all_.area_inclusion = measure_area_inclusion(setup);
    const char* const compared[] = {"area_inclusion", "root_parity_published",
                                    "root_parity",    "safe_cubic_published",
                                    "safe_cubic",     "open_cubic",
                                    "exact"};
    const double steps = static_cast<double>(std::size(compared) * sets_.huh.size());
    for (const NamedSet& set : sets_.huh) {
      if (set.group == "scenes") {
        SceneShares shares{set.name, set.size(), 0, 0};
        for (const VertexFace& query : set.data.as<VertexFace>()) {
          const CubicShape shape = cubic_shape(query);
          shares.degenerate += shape.degenerate;
          shares.zero_a += shape.zero_a;
        }
        all_.shares.push_back(shares);
      }
      const auto truth = lazy(set, {});
      for (const char* name : compared) {
        tell(fmt::format("[Huh 2014] Table 2: {} on {}", name, set.name), 0.7 / steps);
        const auto method =
            std::find_if(methods_.begin(), methods_.end(),
                         [&](const Method* candidate) { return candidate->name == name; });
        if (method != methods_.end())
          all_.scenes.push_back(measure_row(**method, set, truth, {}, request_.seconds / 2));
      }
    }
  }

  const PaperSets& sets_;
  const Request& request_;
  const std::vector<const Method*>& methods_;
  const Progress& progress_;
  ResultStore store_;
  double from_ = 0, to_ = 1, done_ = 0;
  PaperMeasurements all_;
};

}  // namespace

std::size_t separation_sample(double seconds) {
  return static_cast<std::size_t>(std::clamp(250 * seconds, 10.0, 1000.0));
}

Options table_1_options(const Method& method) {
  Options options;
  if (method.name == "sextic_separation")
    options.min_separation = published::wang_table_1_separation;
  return options;
}

PaperMeasurements measure_paper(const PaperSets& sets, const Request& request,
                                const std::vector<const Method*>& methods,
                                const Progress& progress) {
  return PaperRun(sets, request, methods, progress).run();
}

}  // namespace graze::bench
