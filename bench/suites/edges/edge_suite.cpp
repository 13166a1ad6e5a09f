#include "bench/suites/edges/edge_suite.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <stdexcept>
#include <utility>

#include "bench/harness/bar.h"
#include "bench/harness/timing.h"
#include "graze/generate/random.h"
#include "graze/sim/edges.h"
#include "graze/sim/edges/edge_scenes.h"
#include "terminal/machine.h"

namespace graze::bench {
namespace {

using Json = nlohmann::ordered_json;

constexpr double frame = 1.0 / 60;
constexpr int frames = 60;
// [Jansen]: 500 edges, 0.25 frames per second, all pairs compared.
constexpr double paper_edges = 500, paper_ns = 4e9;

sim::edges::Model scene(std::string_view name, std::size_t edges = 0) {
  const auto table = sim::edges::edge_scenes();
  const auto row =
      std::find_if(table.begin(), table.end(),
                   [&](const sim::edges::EdgeScene& found) { return found.name == name; });
  return row->make(edges > 0 ? edges : row->usual_edges);
}

// A model with its state and workspace, stepped on one thread.
struct Simulation {
  explicit Simulation(sim::edges::Model of)
      : model(std::move(of)), state(start(model)), workspace(model) {}

  sim::edges::Report step(double seconds) {
    const Run run{.threads = 1};
    sim::edges::Options options;
    options.seconds = seconds;
    if (monitor)
      options.monitor = [&](const sim::edges::State& before, const sim::edges::State& after) {
        crossings +=
            find_crossing(workspace.mesh(), before, after, run).verdict != Verdict::separated;
      };
    return sim::edges::step(model, state, workspace, options, run);
  }

  sim::edges::Model model;
  sim::edges::State state;
  sim::edges::Workspace workspace;
  bool monitor = true;
  std::size_t crossings = 0;  // found by the monitor
};

struct Size {
  std::size_t edges = 0;
  double frame_ns = 0, mean_ns = 0, share_of_contact = 0;  // frame_ns: the median
  std::size_t impulses = 0, on_whole_step = 0, crossings = 0;
};

// Measures the first second of a scene: of the hoop, in which the balls pass the nets; of the
// curtain, in which it is struck and falls together.
Size measure_scene(std::string_view name, std::size_t edges) {
  Simulation system(scene(name, edges));
  Size size;
  size.edges = system.workspace.mesh().edges.size();
  std::vector<double> seconds;
  double contact = 0, total = 0;
  for (int i = 0; i < frames; ++i) {
    const double begin = processor_seconds();
    const sim::edges::Report report = system.step(frame);
    seconds.push_back(processor_seconds() - begin);
    total += seconds.back();
    contact += report.contact_seconds;
    size.impulses += report.impulses;
    if (report.whole_step) size.on_whole_step += report.impulses;
  }
  size.crossings = system.crossings;
  size.frame_ns = 1e9 * median(seconds);
  size.mean_ns = 1e9 * total / frames;
  size.share_of_contact = std::min(1.0, contact / total);
  return size;
}

// Returns k in time ~ edges^k, by least squares.
double power(const std::vector<Size>& sizes, double Size::*time) {
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (const Size& size : sizes) {
    const double a = std::log(static_cast<double>(size.edges)), b = std::log(size.*time);
    n += 1, x += a, y += b, xx += a * a, xy += a * b;
  }
  return (n * xy - x * y) / (n * xx - x * x);
}

// Returns the first size with as many edges as the paper's, which has one published number.
std::vector<Size>::const_iterator first_of_paper_size(const std::vector<Size>& sizes) {
  return std::find_if(sizes.begin(), sizes.end(), [](const Size& size) {
    return static_cast<double>(size.edges) >= paper_edges;
  });
}

report::LogLines size_plot(const std::vector<Size>& sizes) {
  report::LogLines plot{"a frame of the hoop, by its edges",   "edges", report::Unit::nanoseconds,
                        {"Graze", "[Jansen], over 500 edges"}, {},      {{}, {}}};
  const auto paper = first_of_paper_size(sizes);
  for (const Size& size : sizes) {
    const bool here = paper != sizes.end() && &size == &*paper;
    plot.x.push_back(static_cast<double>(size.edges));
    plot.y[0].push_back(size.frame_ns);
    plot.y[1].push_back(here ? paper_ns : std::numeric_limits<double>::quiet_NaN());
  }
  return plot;
}

struct EnergyRun {
  report::TimeLines plot;
  // The largest growth of the energy since the start, over the largest kinetic or elastic energy.
  double growth = 0;
  std::size_t crossings = 0;
};

EnergyRun follow_energy(std::string_view name, double seconds, double step) {
  Simulation system(scene(name));
  EnergyRun run;
  run.plot = {fmt::format("{} at {:.0f} steps per second", name, 1 / step),
              "energy in joule",
              {"kinetic", "potential", "elastic", "all"},
              {},
              std::vector<std::vector<double>>(4)};
  const auto start = energy(system.model, system.state);
  double exchanged = 0, most = 0;
  const auto note = [&] {
    const auto energy = sim::edges::energy(system.model, system.state);
    const double potential = energy.gravity + energy.forces - start.gravity - start.forces;
    const double all = energy.total() - start.total();
    const double shown[] = {energy.kinetic, potential, energy.elastic,
                            energy.kinetic + potential + energy.elastic};
    run.plot.seconds.push_back(system.state.time);
    for (std::size_t i = 0; i < 4; ++i) run.plot.y[i].push_back(shown[i]);
    exchanged = std::max({exchanged, energy.kinetic, energy.elastic});
    most = std::max(most, all);
  };
  for (note(); system.state.time < seconds; note()) system.step(step);
  run.crossings = system.crossings;
  run.growth = most / exchanged;
  return run;
}

// Two turning cables that fly at each other without external forces.
sim::edges::Model free_cables() {
  sim::edges::Model model;
  model.margin = 0.005;
  model.law = {0.5, 0.3, 0};
  for (const double side : {-1.0, 1.0}) {
    sim::edges::Cable cable;
    cable.stretch = 500;
    cable.bend = 1e-3;
    for (int i = 0; i <= 20; ++i) {
      const double s = 0.05 * i - 0.5;
      cable.particles.push_back(static_cast<std::uint32_t>(model.positions.size()));
      model.positions.push_back(side > 0 ? Vec3(s, 0.1, 0.2) : Vec3(0.1, s, -0.2));
      model.velocities.push_back(Vec3(0.2, side * s, -side));
      model.masses.push_back(0.01);
      model.radii.push_back(0.01);
    }
    model.cables.push_back(cable);
  }
  return model;
}

// Edges without springs, friction and external forces that fly at each other. All impulses act at
// the positions of the impact.
sim::edges::Model free_edges() {
  sim::edges::Model model;
  model.margin = 0.005;
  model.law = {1, 0, 0};
  for (std::uint64_t i = 0; i < 12; ++i) {
    generate::Random random("free edges", 0, 1, i);
    const Vec3 middle = random.cube(-1, 1), along = random.cube(-0.6, 0.6);
    const Vec3 velocity = -4 * middle + random.cube(-1, 1);
    for (const double side : {-1.0, 1.0}) {
      model.positions.push_back(middle + side * along);
      model.velocities.push_back(velocity + random.cube(-1, 1));
      model.masses.push_back(random.uniform(0.2, 3));
      model.radii.push_back(0);
    }
    const auto last = static_cast<std::uint32_t>(model.positions.size() - 1);
    model.edges.push_back({last - 1, last});
  }
  return model;
}

struct MomentumRun {
  report::Trials plot;
  double worst = 0, worst_angular = 0;
  // The largest change of angular momentum by a step whose impulses act at the positions of the
  // impact, relative and divided by 1 more than their number.
  double worst_angular_at_impact = 0;
  std::size_t impulses = 0, at_impact = 0;
};

MomentumRun follow_momentum(std::string title, sim::edges::Model moving) {
  Simulation system(std::move(moving));
  system.monitor = false;
  const auto& model = system.model;
  double size = 0, angular_size = 0;
  for (std::size_t i = 0; i < model.positions.size(); ++i) {
    size += model.masses[i] * model.velocities[i].norm();
    angular_size += model.masses[i] * model.positions[i].norm() * model.velocities[i].norm();
  }
  const Vec3 momentum_before = momentum(system.model, system.state);
  const Vec3 angular_before = angular_momentum(system.model, system.state);
  MomentumRun run;
  run.plot = {std::move(title),
              report::Unit::ratio,
              {"momentum", "angular momentum"},
              std::vector<std::vector<double>>(2)};
  Vec3 angular = angular_before;
  for (int i = 0; i < 240; ++i) {
    const sim::edges::Report report = system.step(1.0 / 240);
    run.impulses += report.impulses;
    const Vec3 before = std::exchange(angular, angular_momentum(system.model, system.state));
    if (!report.whole_step && report.part == 1) {
      run.at_impact += report.impulses;
      run.worst_angular_at_impact =
          std::max(run.worst_angular_at_impact, (angular - before).norm() / angular_size /
                                                    static_cast<double>(1 + report.impulses));
    }
    const double off = (momentum(system.model, system.state) - momentum_before).norm() / size;
    const double off_angular = (angular - angular_before).norm() / angular_size;
    run.plot.values[0].push_back(off);
    run.plot.values[1].push_back(off_angular);
    run.worst = std::max(run.worst, off);
    run.worst_angular = std::max(run.worst_angular, off_angular);
  }
  return run;
}

std::string share_of(std::size_t part, std::size_t all) {
  return all == 0
             ? "-"
             : fmt::format("{:.1f} %", 100 * static_cast<double>(part) / static_cast<double>(all));
}

report::Table size_table(const std::vector<Size>& sizes) {
  report::Table table{
      "The hoop, 60 frames of 1/60 s, one thread, monitor on; published: [Jansen], over 500 edges, "
      "0.25 frames per second with rendering",
      {{"edges"},
       {"frame, median"},
       {"per edge"},
       {"contact"},
       {"impulses"},
       {"on the whole step"},
       {"crossings"},
       {"publ. frame"}},
      {}};
  const auto paper = first_of_paper_size(sizes);
  for (const Size& size : sizes) {
    table.rows.push_back(
        {{report::format_count(size.edges)},
         {report::format_nanoseconds(size.frame_ns)},
         {report::format_nanoseconds(size.frame_ns / static_cast<double>(size.edges))},
         {fmt::format("{:.0f} %", 100 * size.share_of_contact)},
         {report::format_count(size.impulses)},
         {share_of(size.on_whole_step, size.impulses)},
         {report::format_count(size.crossings),
          size.crossings > 0 ? report::Tone::bad : report::Tone::good}});
    if (paper != sizes.end() && &size == &*paper)
      table.rows.back().push_back({report::format_nanoseconds(paper_ns), report::Tone::faint});
  }
  return table;
}

// The deflection of a twisted cable from its straight line after ten seconds, by its torque.
struct Coil {
  double moment, deflection, theory;  // M L / (E I); of the length
};

// Returns the deflection of a twisted cable of length 1 between clamps, to the leading order above
// buckling; 0 below.
//
// With w = y + i z the energy of a slight deflection, whose ends are held and cannot turn, is
//     EI/2 S |w''|^2 + GJ/2 (Theta - S Im(conj(w') w'') / 2)^2 + EA/8 (S |w'|^2)^2,   S: integral,
// for bending, torsion less the writhe (Fuller), and stretching. The cable buckles at m = M/(EI)
// with tan(m/2) = m/2 in the mode w = -1 - i m s + i m (1 - e^(i m)) s^2 / 2 + e^(i m s), which
// meets w = w' = 0 at both ends. For A w with the largest |w| = 1, and with
//     B = EI S |w''|^2,  P = S Im(conj(w') w'') / 2,  D = S |w'|^2,
// the energy is B/2 A^2 + (Theta - P A^2)^2 GJ/2 + D^2 A^4 EA/8, which is least for
//     A^2 = (M P - B/2) / (GJ P^2 + EA D^2 / 4),   M = GJ Theta,
// and B/2 = M_c P at the moment M_c of buckling. The neglected quartic terms of bending are smaller
// than that of stretching by EI/EA.
double coil_in_theory(const sim::edges::Cable& cable, double moment) {
  using Complex = std::complex<double>;
  constexpr double m = sim::edges::buckling_moment;
  if (moment <= m) return 0;
  constexpr int parts = 1000;
  const Complex i(0, 1), c = 0.5 * i * m * (1.0 - std::exp(i * m));
  double most = 0, writhe = 0, stretch = 0;
  for (int k = 0; k <= parts; ++k) {
    const double s = static_cast<double>(k) / parts, weight = (k % parts == 0 ? 0.5 : 1.0) / parts;
    const Complex wave = std::exp(i * m * s);
    const Complex w = -1.0 - i * m * s + c * s * s + wave, w1 = -i * m + 2.0 * c * s + i * m * wave,
                  w2 = 2.0 * c - m * m * wave;
    most = std::max(most, std::norm(w));
    writhe += weight * 0.5 * (std::conj(w1) * w2).imag();
    stretch += weight * std::norm(w1);
  }
  writhe /= most, stretch /= most;
  return std::sqrt((moment - m) * cable.bend * writhe /
                   (cable.twist * writhe * writhe + cable.stretch * stretch * stretch / 4));
}

std::vector<Coil> measure_coils() {
  std::vector<Coil> coils;
  for (const double share : {0.6, 0.8, 0.9, 0.95, 1.05, 1.1, 1.25, 1.5}) {
    const double moment = share * sim::edges::buckling_moment;
    Simulation system(sim::edges::twisted_cable(40, moment));
    system.monitor = false;
    for (int i = 0; i < 10 * 60; ++i) system.step(frame);
    double most = 0;
    for (const Vec3& x : system.state.positions) most = std::max(most, std::hypot(x.y(), x.z()));
    coils.push_back({moment, most, coil_in_theory(system.model.cables[0], moment)});
  }
  return coils;
}

report::Table coils_table(const std::vector<Coil>& coils) {
  report::Table table{
      fmt::format(
          "A twisted cable of 40 elements between clamps, after 10 s; theory: straight up to "
          "M L / (E I) = {:.3f}, buckled above, the deflection to the leading order",
          sim::edges::buckling_moment),
      {{"M L / (E I)"}, {"theory", false}, {"deflection over length"}, {"in theory"}},
      {}};
  for (const auto& [moment, deflection, theory] : coils)
    table.rows.push_back({{fmt::format("{:.2f}", moment)},
                          {moment < sim::edges::buckling_moment ? "straight" : "buckled"},
                          {fmt::format("{:.2g}", deflection)},
                          {fmt::format("{:.2g}", theory)}});
  return table;
}

report::TimeLines coils_plot(const std::vector<Coil>& coils) {
  report::TimeLines plot{"a twisted cable between clamps, by its torque",
                         "deflection over length",
                         {"Graze, after 10 s", "theory"},
                         {},
                         {{}, {}},
                         "M L / (E I)"};
  for (const auto& [moment, deflection, theory] : coils) {
    plot.seconds.push_back(moment);
    plot.y[0].push_back(deflection);
    plot.y[1].push_back(theory);
  }
  return plot;
}

report::Table curtain_table(const std::vector<Size>& sizes) {
  report::Table table{"The curtain, 60 frames of 1/60 s, one thread, monitor on",
                      {{"edges"},
                       {"frame, mean"},
                       {"median"},
                       {"contact"},
                       {"impulses"},
                       {"on the whole step"},
                       {"crossings"}},
                      {}};
  for (const Size& size : sizes)
    table.rows.push_back({{report::format_count(size.edges)},
                          {report::format_nanoseconds(size.mean_ns)},
                          {report::format_nanoseconds(size.frame_ns)},
                          {fmt::format("{:.0f} %", 100 * size.share_of_contact)},
                          {report::format_count(size.impulses)},
                          {share_of(size.on_whole_step, size.impulses)},
                          {report::format_count(size.crossings),
                           size.crossings > 0 ? report::Tone::bad : report::Tone::good}});
  return table;
}

std::vector<std::size_t> sizes_up_to(std::size_t largest) {
  std::vector<std::size_t> sizes;
  for (const std::size_t size : {100u, 200u, 560u, 1120u, 2240u, 4480u, 8960u})
    if (size < largest) sizes.push_back(size);
  sizes.push_back(largest);
  return sizes;
}

}  // namespace

Result run_edges(const Request& request, const Progress& progress) {
  const std::size_t largest = request.count.value_or(20'000);
  if (largest == 0 || largest > 100'000)
    throw std::invalid_argument("--count must be in 1 .. 100,000 edges");
  const Machine where = machine();
  const auto tell = [&](std::string_view what, double part) {
    if (progress) progress(what, part);
  };

  std::vector<Size> sizes;
  for (const std::size_t edges : sizes_up_to(largest)) {
    tell("frames", 0.8 * static_cast<double>(edges) / static_cast<double>(largest));
    sizes.push_back(measure_scene("hoop", edges));
  }
  std::vector<Size> curtains;
  for (const std::size_t edges : {2500u, 4900u, 9900u})
    if (edges <= largest) curtains.push_back(measure_scene("curtain", edges));
  std::vector<EnergyRun> energies;
  for (const sim::edges::EdgeScene& scene : sim::edges::edge_scenes())
    for (const double step : {1.0 / 30, 1.0 / 240}) {
      tell("energy", 0.8 + 0.03 * static_cast<double>(energies.size()));
      energies.push_back(follow_energy(scene.name, request.seconds, step));
    }
  const MomentumRun momentum = follow_momentum(
      "relative change of the momentum of two colliding cables, by step", free_cables());
  const MomentumRun edge_momentum = follow_momentum(
      "relative change of the momentum of free edges without springs, by step", free_edges());
  const std::vector<Coil> coils = measure_coils();
  std::size_t against_theory = 0;
  double off_theory = 0;  // of the buckled cables
  for (const auto& [moment, deflection, theory] : coils) {
    against_theory += (deflection > 0.003) != (moment > sim::edges::buckling_moment);
    if (theory > 0) off_theory = std::max(off_theory, std::abs(deflection / theory - 1));
  }

  std::size_t crossings = 0;
  double growth = 0;
  for (const auto* measured : {&sizes, &curtains})
    for (const Size& size : *measured) crossings += size.crossings;
  for (const EnergyRun& run : energies) {
    crossings += run.crossings;
    growth = std::max(growth, run.growth);
  }
  std::vector<Bar> bars;
  const auto usual = first_of_paper_size(sizes);
  bars.push_back({"frames per second with 500 edges or more", "", 60, true, {}, {}});
  if (usual != sizes.end()) bars.back().measured = 1e9 / usual->frame_ns;
  bars.push_back({"time of a frame ~ edges^k", "", 1.1, false, {}, {}});
  if (sizes.size() > 2) bars.back().measured = power(sizes, &Size::frame_ns);
  bars.push_back({"mean frame of the curtain with 10,000 edges", "ns", 1e8, false, {}, {}});
  bars.push_back({"mean frame of the curtain ~ edges^k", "", 1.2, false, {}, {}});
  if (curtains.size() == 3) {
    bars[bars.size() - 2].measured = curtains.back().mean_ns;
    bars.back().measured = power(curtains, &Size::mean_ns);
  }
  bars.push_back({"crossings", "", 0, false, static_cast<double>(crossings), {}});
  bars.push_back(
      {"energy gained over the largest kinetic or elastic energy", "", 0.01, false, growth, {}});
  bars.push_back({"momentum gained or lost by free cables, relative", "", 1e-12, false,
                  momentum.worst, fmt::format("{} impulses", momentum.impulses)});
  bars.push_back({"angular momentum gained or lost by free edges in a step, relative, per impulse",
                  "", 1e-12, false, edge_momentum.worst_angular_at_impact,
                  fmt::format("{} of {} impulses act at the positions of the impact",
                              edge_momentum.at_impact, edge_momentum.impulses)});
  bars.push_back({"twisted cables that are not as theory says", "", 0, false,
                  static_cast<double>(against_theory), fmt::format("of {}", coils.size())});
  bars.push_back({"deflection of buckled cables, relative error to theory", "", 0.15, false,
                  off_theory, "theory to the leading order"});

  Result result{
      .suite = "edges",
      .machine = where,
      .bars = bars,
      .tables = {size_table(sizes), curtain_table(curtains), coils_table(coils),
                 bars_table(bars, where)},
      .report = report::Report("Edges and cables: cost and conservation", describe(where))};
  const auto rows_of = [](const std::vector<Size>& measured) {
    Json rows = Json::array();
    for (const Size& size : measured)
      rows.push_back({{"edges", size.edges},
                      {"frame_ns", size.frame_ns},
                      {"mean_ns", size.mean_ns},
                      {"contact_share", size.share_of_contact},
                      {"impulses", size.impulses},
                      {"impulses_on_whole_step", size.on_whole_step},
                      {"crossings", size.crossings}});
    return rows;
  };
  const auto momentum_json = [](const MomentumRun& run) {
    return Json{{"linear", run.worst},
                {"angular", run.worst_angular},
                {"angular_per_impulse_at_impact", run.worst_angular_at_impact},
                {"impulses", run.impulses},
                {"impulses_at_impact", run.at_impact}};
  };
  result.measurements = {{"rows", rows_of(sizes)},
                         {"curtain", rows_of(curtains)},
                         {"momentum", momentum_json(momentum)},
                         {"edge_momentum", momentum_json(edge_momentum)}};
  for (const auto& [moment, deflection, theory] : coils)
    result.measurements["twist"].push_back(
        {{"moment", moment}, {"deflection", deflection}, {"theory", theory}});
  for (const report::Table& table : result.tables) result.report.table(table);
  result.report.heading("Time");
  result.report.lines({size_plot(sizes)});
  result.report.heading("Energy");
  result.report.paragraph(
      "Implicit steps and impacts lose energy; nothing adds energy. The potential energy of "
      "gravity "
      "and of constant forces is relative to the start.");
  std::vector<report::TimeLines> plots;
  for (const EnergyRun& run : energies) plots.push_back(run.plot);
  result.report.lines(plots);
  result.report.heading("Momentum");
  result.report.paragraph(
      "Without gravity and drag. Impulses keep linear momentum. Impulses without friction that act "
      "at the positions of the impact keep angular momentum too: all impulses of the edges. "
      "Cables have implicit steps, and impulses that act on the whole step where springs would "
      "gain energy; both change the angular momentum.");
  result.report.trials({momentum.plot, edge_momentum.plot});
  result.report.heading("Torsion");
  result.report.paragraph(
      "[Jansen] 3.7 leaves torsion out. The cable is straight in theory below the torque of "
      "Greenhill. Above, it bends until the stretch of its length, and the writhe that relieves "
      "the torsion, balance the torque.");
  result.report.lines({coils_plot(coils)});
  return result;
}

}  // namespace graze::bench
