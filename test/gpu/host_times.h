#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <vector>

#include "graze/gpu/certified_roots.h"
#include "graze/gpu/contact_place.h"
#include "graze/gpu/engine.h"
#include "graze/gpu/query_cull.h"

namespace graze::test {

// Loads a query of 24 doubles.
inline gpu::MovingCorners moving_corners(const double* x) {
  gpu::MovingCorners corners;
  for (int c = 0; c < 8; ++c) corners.at[c / 4][c % 4] = {x[3 * c], x[3 * c + 1], x[3 * c + 2]};
  return corners;
}

// The impacts of queries on one thread of the host (kernels/queries.cu): the same functions decide.
class HostQueries {
 public:
  struct Work {
    std::size_t culled = 0, by_step = 0, by_pieces = 0, located = 0, open = 0;
  };
  static Work& work() {
    static thread_local Work work;
    return work;
  }

  static gpu::Fault answer(int, std::uint32_t kind, const double* queries, std::size_t count,
                           double t_max, gpu::ImpactBody* impacts,
                           std::vector<std::uint64_t>& open) {
    if (count == 0) return {};
    for (int array = 0; array < 3; ++array)  // lists, queries, impacts
      if (gpu::allocation_fails())
        return {gpu::FaultKind::out_of_memory, "the host engine has too little memory"};
    for (std::size_t i = 0; i < count; ++i) {
      const gpu::MovingCorners x = moving_corners(queries + 24 * i);
      const bool answered = kind == gpu::edge_edge_query
                                ? answer_one<gpu::edge_edge_query>(x, t_max, impacts[i])
                                : answer_one<gpu::vertex_face_query>(x, t_max, impacts[i]);
      if (answered) continue;
      ++work().open;
      open.push_back(i);
    }
    return {};
  }

 private:
  static gpu::ImpactBody without_contact(bool invalid) {
    const double nan = std::nan("");
    return {static_cast<std::uint8_t>(invalid ? 3 : 0),
            0,
            0xffff,
            0,
            invalid ? 0 : HUGE_VAL,
            invalid ? nan : HUGE_VAL,
            nan,
            nan,
            {nan, nan, nan}};
  }
  // Returns false if the query needs integers.
  template <gpu::QueryKind kind>
  static bool answer_one(const gpu::MovingCorners& x, double t_max, gpu::ImpactBody& impact) {
    impact = without_contact(!gpu::is_finite(x));
    if (!gpu::is_finite(x)) return true;
    if (gpu::is_culled<kind>(x, t_max)) {
      ++work().culled;
      return true;
    }
    gpu::Bracket root{0, 0, 0};
    gpu::Stage stage = gpu::examine_step<kind>(x, t_max, root);
    const bool deep = stage == gpu::Stage::unknown;
    if (deep) stage = gpu::examine_pieces<kind>(x, t_max, root);
    if (stage == gpu::Stage::unknown) return false;
    ++(deep ? work().by_pieces : work().by_step);
    if (stage == gpu::Stage::miss) impact.checks = 1;
    if (stage != gpu::Stage::contact) return true;
    double toi = 0, toi_hi = 0;
    gpu::ContactPlace place{};
    if (!gpu::tightest_times<kind>(x, root, toi, toi_hi) ||
        !gpu::locate_contact<kind>(x, toi, place))
      return false;
    ++work().located;
    const gpu::Vec& n = place.normal;
    impact = {1, 1, 0xffff, 1, toi, toi_hi, place.first, place.second, {n.x, n.y, n.z}};
    return true;
  }
};

// The search for times of the device on one thread of the host (kernels/query_times.cu): the same
// functions decide. Addresses of the device are addresses of the host.
class HostTimes {
 public:
  struct Work {
    std::size_t by_axes = 0, by_directions = 0, examined = 0, open = 0;
  };
  static Work& work() {
    static thread_local Work work;
    return work;
  }

  static gpu::Fault run(const gpu::TimesQuestion& question, gpu::TimesResult& result) {
    if (gpu::allocation_fails()) return too_little();  // the lists
    return question.kind == gpu::edge_edge_query
               ? run_kind<gpu::edge_edge_query>(question, result)
               : run_kind<gpu::vertex_face_query>(question, result);
  }

  class QueryEngine final : public gpu::QueryEngine {
   public:
    gpu::Fault times(const gpu::TimesQuestion& question, gpu::TimesResult& result) override {
      return run(question, result);
    }
  };
  static gpu::Fault make(int, std::unique_ptr<gpu::QueryEngine>& engine) {
    engine = std::make_unique<QueryEngine>();
    return {};
  }

 private:
  static gpu::Fault too_little() {
    return {gpu::FaultKind::out_of_memory, "the host engine has too little memory"};
  }
  template <gpu::QueryKind kind>
  static gpu::Fault run_kind(const gpu::TimesQuestion& question, gpu::TimesResult& result) {
    result = {};
    std::vector<double> open_corners;
    std::vector<std::uint64_t> open;
    for (std::uint64_t i = 0; i < question.count; ++i) {
      double x[24];
      if (question.pairs)
        load_pair<kind>(question.mesh, question.pairs + 2 * i, x);
      else
        std::memcpy(x, question.queries + 24 * i, sizeof(x));
      double& time = question.times[i];
      time = HUGE_VAL;
      const gpu::Cull cull =
          question.pairs ? cull_pair<kind>(question, x) : gpu::cull_by_axes<kind>(x);
      if (cull == gpu::Cull::invalid) time = 0;
      work().by_axes += cull == gpu::Cull::apart;
      if (cull != gpu::Cull::open) continue;
      const bool apart = gpu::stays_apart_in_floats<kind>(x, question.t_max);
      work().by_directions += apart;
      if (apart) continue;
      ++work().examined;
      const gpu::MovingCorners corners = moving_corners(x);
      gpu::Bracket root{0, 0, 0};
      gpu::Stage stage = gpu::examine_step<kind>(corners, question.t_max, root);
      if (stage == gpu::Stage::unknown)
        stage = gpu::examine_pieces<kind>(corners, question.t_max, root);
      double toi_hi = 0, toi = 0;
      if (stage == gpu::Stage::contact && gpu::tightest_times<kind>(corners, root, toi, toi_hi)) {
        time = toi;
        ++result.contacts;
      } else if (stage == gpu::Stage::contact || stage == gpu::Stage::unknown) {
        open.push_back(i);
        open_corners.insert(open_corners.end(), x, x + 24);
      }
    }
    std::vector<double> times(open.size());
    work().open += open.size();
    if (!open.empty() && gpu::allocation_fails()) return too_little();  // the open queries
    if (!open.empty())
      result.contacts += question.answer_open(open_corners.data(), open.size(), times.data());
    for (std::size_t k = 0; k < open.size(); ++k) question.times[open[k]] = times[k];
    return {};
  }

  template <gpu::QueryKind kind>
  static void load_pair(const gpu::MeshView& mesh, const std::uint32_t* pair, double* x) {
    const std::uint32_t *const p = mesh.edges + 2 * pair[0], *const q = mesh.edges + 2 * pair[1],
                               *const f = mesh.faces + 3 * pair[1];
    std::uint32_t corner[4] = {pair[0], 0, 0, 0};
    if (kind == gpu::edge_edge_query) {
      std::copy_n(p, 2, corner);
      std::copy_n(q, 2, corner + 2);
    } else {
      std::copy_n(f, 3, corner + 1);
    }
    for (int c = 0; c < 4; ++c) {
      std::copy_n(mesh.start + 3 * corner[c], 3, x + 3 * c);
      std::copy_n(mesh.end + 3 * corner[c], 3, x + 12 + 3 * c);
    }
  }

  // Tests a pair by the moving boxes of its two features.
  template <gpu::QueryKind kind>
  static gpu::Cull cull_pair(const gpu::TimesQuestion& question, const double* x) {
    constexpr int split = kind == gpu::edge_edge_query ? 2 : 1;
    gpu::MovingBox box[2] = {gpu::empty_box(), gpu::empty_box()};
    for (int c = 0; c < 4; ++c) {
      gpu::FloatCorner corner;
      gpu::MovingBox codes;
      gpu::place_vertex(*question.frame, x + 3 * c, x + 12 + 3 * c, 0, question.t_max, 0, corner,
                        codes);
      gpu::extend(box[c >= split], codes);
    }
    return gpu::stay_apart(box[0], box[1]) ? gpu::Cull::apart : gpu::Cull::open;
  }
};

}  // namespace graze::test
