#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "graze/gpu/certified_roots.h"
#include "graze/gpu/contact_place.h"
#include "graze/gpu/engine.h"
#include "graze/gpu/moving_codes.h"
#include "graze/gpu/separating_direction.h"
#include "graze/gpu/start_side.h"
#include "test/gpu/host_times.h"

namespace graze::test {

// The engine of the device on one thread of the host: the same functions decide, and loops take the
// place of kernels. Addresses of the device are addresses of the host. Memory is counted as on the
// device, up to constants, so that limits have an effect.
class HostEngine final : public gpu::Engine {
 public:
  struct Work {
    std::size_t met = 0, left = 0, deep = 0, open = 0, engines = 0, free_starts = 0, free_ends = 0,
                answered_open = 0, opened_at_once = 0;
  };
  static Work& work() {
    static thread_local Work work;
    return work;
  }

  static gpu::Fault make(const gpu::EngineSettings& settings, const gpu::Topology& mesh,
                         std::unique_ptr<gpu::Engine>& engine) {
    ++work().engines;
    auto made = std::make_unique<HostEngine>();
    made->limit_ = settings.memory_limit;
    if (gpu::Fault fault =
            made->allocate(150 * mesh.vertices + 60 * (mesh.edge_count + mesh.face_count)))
      return fault;
    made->vertices_ = mesh.vertices;
    made->edges_.assign(reinterpret_cast<const Edge*>(mesh.edges),
                        reinterpret_cast<const Edge*>(mesh.edges) + mesh.edge_count);
    made->faces_.assign(reinterpret_cast<const Face*>(mesh.faces),
                        reinterpret_cast<const Face*>(mesh.faces) + mesh.face_count);
    made->true_faces_ = mesh.true_face_count;
    made->is_point_.resize(mesh.vertices);
    if (mesh.is_point) made->is_point_.assign(mesh.is_point, mesh.is_point + mesh.vertices);
    engine = std::move(made);
    return {};
  }
  static gpu::Fault fetch(int, const double* from, std::size_t count, double* to, void*) {
    if (gpu::allocation_fails()) return too_little();
    std::copy_n(from, count, to);
    return {};
  }

  // While this object lives, searches use the engine of the host.
  class Use {
   public:
    Use() {
      gpu::engine_maker = HostEngine::make;
      gpu::position_fetcher = HostEngine::fetch;
      gpu::query_engine_maker = HostTimes::make;
      gpu::query_answerer = HostQueries::answer;
    }
    ~Use() {
      gpu::engine_maker = gpu::make_engine;
      gpu::position_fetcher = gpu::fetch_positions;
      gpu::query_engine_maker = gpu::make_query_engine;
      gpu::query_answerer = gpu::answer_queries;
    }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;
  };

  gpu::Fault set_filter(const gpu::VertexFilter& filter) override {
    filter_ = {};
    free_[0].clear();
    free_[1].clear();
    if (gpu::Fault fault = allocate(filter.active ? vertices_ : 0)) return fault;
    const auto copy = [](auto& to, const auto* from, std::size_t count) {
      if (from) to.assign(from, from + count);
      return from ? to.data() : nullptr;
    };
    filter_ = filter;
    filter_.is_static = copy(is_static_, filter.is_static, vertices_);
    filter_.group = copy(group_, filter.group, vertices_);
    filter_.meets = copy(meets_, filter.meets, std::size_t{filter.groups} * filter.groups);
    filter_.masks = copy(masks_, filter.masks, 2 * vertices_);
    filter_.listed = copy(listed_, filter.listed, filter.listed_count);
    return {};
  }

  gpu::Fault search(const gpu::SlabQuestion& question, gpu::SlabAnswer& answer) override {
    answer = {};
    asked_ = question;
    answer_ = &answer;
    if (question.started) question.started();
    if (question.new_positions) {
      start_ = question.start;
      end_ = question.end;
    }
    used_lists_ = 0;
    records_.clear();
    pairs_[0].clear();
    pairs_[1].clear();
    found_.clear();
    deep_.clear();
    if (gpu::Fault fault = allocate(0)) return fault;
    if (vertices_ == 0) return {};
    for (std::size_t i = 0; i < 3 * vertices_; ++i)
      if (!std::isfinite(start_[i]) || !std::isfinite(end_[i])) {
        answer.finite = false;
        return {};
      }
    measure_motion();
    bound();
    match<gpu::vertex_face_query>(of_vertices_, of_faces_);
    match<gpu::edge_edge_query>(of_edges_, of_edges_);
    if (question.crossings) seek_crossings();
    finish();
    answer.vertex_face = pairs_[0].size() / 2;
    answer.edge_edge = pairs_[1].size() / 2;
    return allocate(8 * used_lists_ + 80 * (records_.size() + found_.size()), false);
  }

  void keep_free_start() override { free_[0].assign(start_, start_ + 3 * vertices_); }
  void keep_free_end() override {
    if (starts_at_end_) free_[0].swap(free_[1]);
    free_[1].assign(end_, end_ + 3 * vertices_);
  }
  gpu::Fault sampled_motions(std::vector<double>& motions) override {
    motions = motions_;
    return {};
  }
  gpu::Fault positions(double* start, double* end) override {
    if (start) std::copy_n(start_, 3 * vertices_, start);
    if (end) std::copy_n(end_, 3 * vertices_, end);
    return {};
  }
  gpu::Fault contacts(gpu::ImpactRecord* records, std::uint64_t count) override {
    std::copy_n(records_.data(), count, records);
    return {};
  }
  const gpu::ImpactRecord* contacts_on_device() const override { return records_.data(); }
  const gpu::ImpactRecord* contacts_on_host() const override {
    return asked_.to_host ? records_.data() : nullptr;
  }
  gpu::Fault store_contacts(const gpu::ImpactRecord* records, std::uint64_t count) override {
    if (gpu::allocation_fails()) return too_little();
    std::vector<gpu::ImpactRecord> copy(records, records + count);
    records_ = std::move(copy);
    return {};
  }
  gpu::Fault pairs(std::uint32_t* vertex_face, std::uint32_t* edge_edge) override {
    std::copy(pairs_[0].begin(), pairs_[0].end(), vertex_face);
    std::copy(pairs_[1].begin(), pairs_[1].end(), edge_edge);
    return {};
  }
  gpu::Fault pair_times(gpu::TimesQuestion question, const double* start, const double* end,
                        gpu::TimesResult& result) override {
    start_ = start;
    end_ = end;
    const gpu::Frame frame = sampled_frame();
    question.mesh = {edges_.empty() ? nullptr : edges_[0].data(),
                     faces_.empty() ? nullptr : faces_[0].data(),
                     static_cast<std::uint32_t>(vertices_),
                     static_cast<std::uint32_t>(edges_.size()),
                     static_cast<std::uint32_t>(faces_.size()),
                     start,
                     end};
    question.frame = &frame;
    return HostTimes::run(question, result);
  }
  std::size_t memory() const override { return base_ + lists_; }

 private:
  using Edge = std::array<std::uint32_t, 2>;
  using Face = std::array<std::uint32_t, 3>;
  static constexpr std::size_t leaf_size = 16;

  static gpu::Fault too_little() {
    return {gpu::FaultKind::out_of_memory, "the host engine has too little memory"};
  }
  // Counts an allocation: of the mesh, or of lists that live for one search.
  gpu::Fault allocate(std::size_t bytes, bool keep = true) {
    if (gpu::allocation_fails() || (limit_ > 0 && base_ + bytes > limit_)) return too_little();
    if (keep) base_ += bytes;
    if (!keep) lists_ = std::max(lists_, bytes);
    return {};
  }

  // Features in spatial order with their boxes, and boxes of leaves.
  struct Features {
    std::vector<std::uint32_t> id;
    std::vector<gpu::MovingBox> box, leaf;

    void add(std::uint32_t feature, const gpu::MovingBox& bounds) {
      id.push_back(feature);
      box.push_back(bounds);
    }
    void sort(std::size_t vertices) {
      std::vector<std::pair<std::uint32_t, std::uint32_t>> keyed(id.size());
      for (std::uint32_t i = 0; i < id.size(); ++i)
        keyed[i] = {gpu::curve_code(box[i], gpu::curve_bits(vertices)), i};
      std::sort(keyed.begin(), keyed.end());
      const std::vector<gpu::MovingBox> unsorted = box;
      for (std::size_t i = 0; i < id.size(); ++i) {
        id[i] = keyed[i].second;
        box[i] = unsorted[id[i]];
        if (i % leaf_size == 0) leaf.push_back(gpu::empty_box());
        gpu::extend(leaf.back(), box[i]);
      }
    }
  };

  gpu::Frame sampled_frame() const {
    double middle[3], reach = 0, extent = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      std::vector<double> values;
      for (std::size_t i = 0; i < vertices_; i += vertices_ / 1024 + 1)
        values.push_back(start_[3 * i + k]);
      std::sort(values.begin(), values.end());
      middle[k] = values[values.size() / 2];
      for (double& x : values) x = std::abs(x / 2 - middle[k] / 2);
      std::sort(values.begin(), values.end());
      reach = std::max(reach, values[values.size() / 2]);
      extent = std::max(extent, 2 * values.back());
    }
    return gpu::make_frame(middle, reach, extent);
  }

  void measure_motion() {
    motions_.clear();
    double sum = 0;
    for (std::size_t e = 0; e < edges_.size(); e += edges_.size() / 4096 + 1) {
      const auto extent = [](const double* p, const double* q) {
        double most = 0;
        for (int k = 0; k < 3; ++k) most = std::max(most, std::abs(p[k] / 2 - q[k] / 2));
        return most;
      };
      const double *s0 = start_ + 3 * edges_[e][0], *s1 = start_ + 3 * edges_[e][1];
      const double moved =
          std::max(extent(s0, end_ + 3 * edges_[e][0]), extent(s1, end_ + 3 * edges_[e][1]));
      motions_.push_back(std::min(moved > 0 ? moved / extent(s0, s1) : 0, 16.0));
      sum += motions_.back();
    }
    answer_->motion = motions_.empty() ? 0 : sum / static_cast<double>(motions_.size());
  }

  void bound() {
    const gpu::Frame frame = sampled_frame();
    corner_.resize(vertices_);
    std::vector<gpu::MovingBox> codes(vertices_);
    for (std::size_t v = 0; v < vertices_; ++v) {
      gpu::place_vertex(frame, start_ + 3 * v, end_ + 3 * v, asked_.begin, asked_.until,
                        asked_.separation, corner_[v], codes[v]);
      if (asked_.wanted != gpu::Wanted::overlapping) continue;
      for (int k = 0; k < 3; ++k) {  // the same box at both ends
        const std::uint32_t lo = std::min(codes[v].lo[k] & 0xffffu, codes[v].lo[k] >> 16);
        const std::uint32_t hi = std::max(codes[v].hi[k] & 0xffffu, codes[v].hi[k] >> 16);
        codes[v].lo[k] = lo | lo << 16;
        codes[v].hi[k] = hi | hi << 16;
      }
    }
    of_vertices_ = of_edges_ = of_faces_ = {};
    for (std::uint32_t v = 0; v < vertices_; ++v) of_vertices_.add(v, codes[v]);
    const auto add = [&](Features& features, const auto& lists) {
      for (std::uint32_t i = 0; i < lists.size(); ++i) {
        gpu::MovingBox box = codes[lists[i][0]];
        for (const std::uint32_t v : lists[i]) gpu::extend(box, codes[v]);
        features.add(i, box);
      }
    };
    add(of_edges_, edges_);
    add(of_faces_, faces_);
    for (Features* features : {&of_vertices_, &of_edges_, &of_faces_}) features->sort(vertices_);
  }

  template <gpu::QueryKind kind>
  void match(const Features& a, const Features& b) {
    constexpr bool edges = kind == gpu::edge_edge_query;
    for (std::size_t p = 0; p < a.leaf.size(); ++p)
      for (std::size_t q = edges ? p : 0; q < b.leaf.size(); ++q) {
        if (gpu::stay_apart(a.leaf[p], b.leaf[q])) continue;
        for (std::size_t i = leaf_size * p; i < std::min(leaf_size * (p + 1), a.id.size()); ++i)
          for (std::size_t j = leaf_size * q; j < std::min(leaf_size * (q + 1), b.id.size()); ++j) {
            if ((edges && p == q && i >= j) || gpu::stay_apart(a.box[i], b.box[j])) continue;
            const std::uint32_t x = a.id[i], y = b.id[j];
            examine<kind>(edges ? std::min(x, y) : x, edges ? std::max(x, y) : y);
          }
      }
  }

  template <gpu::QueryKind kind>
  std::array<std::uint32_t, 4> corners_of(std::uint32_t a, std::uint32_t b) const {
    if (kind == gpu::edge_edge_query)
      return {edges_[a][0], edges_[a][1], edges_[b][0], edges_[b][1]};
    return {a, faces_[b][0], faces_[b][1], faces_[b][2]};
  }

  template <gpu::QueryKind kind>
  bool may_pair(std::uint32_t a, std::uint32_t b, const std::array<std::uint32_t, 4>& x) const {
    constexpr std::size_t split = kind == gpu::edge_edge_query ? 2 : 1;
    for (std::size_t i = 0; i < split; ++i)
      for (std::size_t j = split; j < 4; ++j)
        if (x[i] == x[j]) return false;
    if (kind == gpu::vertex_face_query && b >= true_faces_ &&
        !(is_point_[a] && (x[1] != x[2] || a < x[1])))
      return false;
    return !filter_.active ||
           gpu::admits(filter_, x.data(), split, x.data() + split, static_cast<int>(4 - split));
  }

  gpu::MovingCorners load(const std::array<std::uint32_t, 4>& corner) const {
    gpu::MovingCorners x;
    for (std::size_t c = 0; c < 4; ++c) {
      const double *s = start_ + 3 * corner[c], *e = end_ + 3 * corner[c];
      x.at[0][c] = {s[0], s[1], s[2]};
      x.at[1][c] = {e[0], e[1], e[2]};
    }
    return x;
  }

  bool swept_boxes_overlap(const std::array<std::uint32_t, 4>& corner, std::size_t split) const {
    for (std::size_t k = 0; k < 3; ++k) {
      double lo[2] = {HUGE_VAL, HUGE_VAL}, hi[2] = {-HUGE_VAL, -HUGE_VAL};
      for (std::size_t c = 0; c < 4; ++c) {
        const double s = start_[3 * corner[c] + k], e = end_[3 * corner[c] + k];
        const auto swept = gpu::widened({std::min(s, e), std::max(s, e)}, asked_.separation);
        lo[c >= split] = std::min(lo[c >= split], swept.lo);
        hi[c >= split] = std::max(hi[c >= split], swept.hi);
      }
      if (lo[0] > hi[1] || lo[1] > hi[0]) return false;
    }
    return true;
  }

  double last_time() const {
    return asked_.wanted == gpu::Wanted::first
               ? std::min(asked_.until, std::nextafter(answer_->best, HUGE_VAL))
               : asked_.until;
  }

  void leave_open(std::uint32_t kind, std::uint32_t a, std::uint32_t b, gpu::OpenStage stage,
                  double earliest, const gpu::MovingCorners& x) {
    ++work().open;
    gpu::OpenQuery query{kind, a, b, stage, earliest, {}};
    for (std::size_t c = 0; c < 8; ++c) {
      const gpu::Vec& p = x.at[c / 4][c % 4];
      query.corners[3 * c] = p.x;
      query.corners[3 * c + 1] = p.y;
      query.corners[3 * c + 2] = p.z;
    }
    answer_->open.push_back(query);
  }

  struct Found {
    std::uint32_t kind, a, b;
    gpu::Bracket root;
  };

  template <gpu::QueryKind kind>
  void examine(std::uint32_t a, std::uint32_t b) {
    constexpr bool edges = kind == gpu::edge_edge_query;
    const auto corner = corners_of<kind>(a, b);
    if (!may_pair<kind>(a, b, corner)) return;
    ++work().met;
    ++answer_->tested;
    ++used_lists_;
    const auto keep = [&] { pairs_[edges].insert(pairs_[edges].end(), {a, b}); };
    if (asked_.wanted == gpu::Wanted::overlapping) {
      if (swept_boxes_overlap(corner, edges ? 2 : 1)) keep();
      return;
    }
    gpu::FloatPair<kind> floats;
    for (int c = 0; c < 4; ++c) floats.set(c, corner_[corner[static_cast<std::size_t>(c)]]);
    if (floats.stays_apart()) return;
    ++work().left;
    ++used_lists_;
    if (asked_.wanted == gpu::Wanted::candidates) return keep();
    const gpu::MovingCorners x = load(corner);
    gpu::Bracket root{0, 0, 0};
    gpu::Stage stage = gpu::Stage::unknown;
    if (edges || b < true_faces_) {
      stage = gpu::examine_step<kind>(x, last_time(), root);
      if (stage == gpu::Stage::unknown) {
        ++work().deep;
        if (asked_.most_deep > 0) {
          deep_.push_back({kind, a, b, root});
          return;
        }
        stage = gpu::examine_pieces<kind>(x, last_time(), root);
      }
    }
    settle<kind>(a, b, x, stage, root, gpu::OpenStage::integers);
  }

  // Examines a query that examine_step() left, or leaves it to the host at once.
  template <gpu::QueryKind kind>
  void examine_deep(const Found& query, bool at_once) {
    const gpu::MovingCorners x = load(corners_of<kind>(query.a, query.b));
    gpu::Bracket root{0, 0, 0};
    const gpu::Stage stage =
        at_once ? gpu::Stage::unknown : gpu::examine_pieces<kind>(x, last_time(), root);
    settle<kind>(query.a, query.b, x, stage, root,
                 at_once ? gpu::OpenStage::pieces : gpu::OpenStage::integers);
  }

  template <gpu::QueryKind kind>
  void settle(std::uint32_t a, std::uint32_t b, const gpu::MovingCorners& x, gpu::Stage stage,
              const gpu::Bracket& root, gpu::OpenStage next) {
    if (stage == gpu::Stage::unknown) leave_open(kind, a, b, next, root.lo, x);
    if (stage != gpu::Stage::contact) return;
    if (asked_.wanted == gpu::Wanted::first) answer_->best = std::min(answer_->best, root.hi);
    found_.push_back({kind, a, b, root});
  }

  template <gpu::QueryKind kind>
  void tighten(const Found& found) {
    const gpu::MovingCorners x = load(corners_of<kind>(found.a, found.b));
    const bool first = asked_.wanted == gpu::Wanted::first;
    if (first && found.root.lo > last_time()) return;
    double toi = 0, toi_hi = 0;
    gpu::ContactPlace place{};
    if (!gpu::tightest_times<kind>(x, found.root, toi, toi_hi) ||
        (!first && !gpu::locate_contact<kind>(x, toi, place)))
      return leave_open(kind, found.a, found.b, gpu::OpenStage::any, found.root.lo, x);
    if (first) answer_->best = std::min(answer_->best, toi);
    records_.push_back({static_cast<std::uint8_t>(kind),
                        {0, 0, 0},
                        found.a,
                        found.b,
                        0,
                        {1,
                         1,
                         0xffff,
                         1,
                         toi,
                         toi_hi,
                         place.first,
                         place.second,
                         {place.normal.x, place.normal.y, place.normal.z}}});
  }

  void finish() {
    const bool at_once = deep_.size() <= asked_.most_deep;
    for (const Found& query : deep_) {
      if (query.kind == gpu::edge_edge_query)
        examine_deep<gpu::edge_edge_query>(query, at_once);
      else
        examine_deep<gpu::vertex_face_query>(query, at_once);
      work().opened_at_once += at_once;
    }
    for (const Found& found : found_) {
      if (found.kind == gpu::edge_edge_query)
        tighten<gpu::edge_edge_query>(found);
      else
        tighten<gpu::vertex_face_query>(found);
    }
    if (asked_.wanted == gpu::Wanted::all && asked_.answer_open && !answer_->open.empty()) {
      asked_.answer_open(answer_->open.data(), answer_->open.size(), records_);
      answer_->open.clear();
      ++work().answered_open;
    }
    std::sort(records_.begin(), records_.end(), [](const auto& p, const auto& q) {
      return std::tie(p.impact.toi, p.kind, p.a, p.b) < std::tie(q.impact.toi, q.kind, q.a, q.b);
    });
    answer_->contacts = records_.size();
    if (!records_.empty()) answer_->first_toi = records_[0].impact.toi;
    if (asked_.wanted != gpu::Wanted::first || records_.empty() ||
        records_[0].impact.toi != answer_->best)
      return;
    const gpu::ImpactRecord& winner = records_[0];
    answer_->has_winner = true;
    answer_->kind = winner.kind;
    answer_->a = winner.a;
    answer_->b = winner.b;
    const auto corner = winner.kind ? corners_of<gpu::edge_edge_query>(winner.a, winner.b)
                                    : corners_of<gpu::vertex_face_query>(winner.a, winner.b);
    for (std::size_t c = 0; c < 4; ++c)
      for (std::size_t k = 0; k < 3; ++k) {
        answer_->corners[3 * c + k] = start_[3 * corner[c] + k];
        answer_->corners[3 * (c + 4) + k] = end_[3 * corner[c] + k];
      }
  }

  // Finds crossings unless the start is known to be free, as a search of the device does.
  void seek_crossings() {
    const auto starts_at = [&](const std::vector<double>& positions) {
      return !positions.empty() && std::equal(positions.begin(), positions.end(), start_);
    };
    starts_at_end_ = !starts_at(free_[0]) && starts_at(free_[1]);
    answer_->start_is_free = starts_at(free_[0]) || starts_at_end_;
    for (std::size_t i = 0; i < 3 * vertices_; ++i)
      if (filter_.is_static && filter_.is_static[i / 3] && start_[i] != end_[i])
        answer_->static_moves = true;
    work().free_starts += answer_->start_is_free;
    work().free_ends += starts_at_end_;
    if (!answer_->start_is_free) find_crossings();
  }

  void find_crossings() {
    for (std::size_t i = 0; i < of_edges_.id.size(); ++i)
      for (std::size_t j = 0; j < of_faces_.id.size(); ++j) {
        if (j % leaf_size == 0 &&
            gpu::stay_apart<gpu::begin_guard>(of_edges_.box[i], of_faces_.leaf[j / leaf_size])) {
          j += leaf_size - 1;
          continue;
        }
        if (gpu::stay_apart<gpu::begin_guard>(of_edges_.box[i], of_faces_.box[j])) continue;
        test_crossing(of_edges_.id[i], of_faces_.id[j]);
      }
  }

  void test_crossing(std::uint32_t e, std::uint32_t f) {
    const Edge& edge = edges_[e];
    const Face& face = faces_[f];
    if (f >= true_faces_) return;
    for (const std::uint32_t v : face)
      if (v == edge[0] || v == edge[1]) return;
    if (filter_.active && !gpu::admits(filter_, edge.data(), 2, face.data(), 3)) return;
    gpu::Crossing crossing{e, f, 0, 0, {}};
    gpu::Vec at[5];
    for (std::size_t c = 0; c < 5; ++c) {
      const double* const x = start_ + 3 * (c < 2 ? edge[c] : face[c - 2]);
      at[c] = {x[0], x[1], x[2]};
      std::copy_n(x, 3, crossing.corners + 3 * c);
    }
    const gpu::Piercing piercing = gpu::pierces(at[0], at[1], at[2], at[3], at[4]);
    if (piercing == gpu::Piercing::no) return;
    crossing.certain = piercing == gpu::Piercing::yes;
    answer_->crossings.push_back(crossing);
  }

  std::size_t vertices_ = 0, true_faces_ = 0, limit_ = 0, base_ = 0, lists_ = 0;
  std::size_t used_lists_ = 0;  // elements, in the last search
  std::vector<Edge> edges_;
  std::vector<Face> faces_;
  std::vector<std::uint8_t> is_point_, is_static_, meets_;
  std::vector<std::uint32_t> group_, masks_;
  std::vector<std::uint64_t> listed_;
  gpu::VertexFilter filter_;
  gpu::SlabQuestion asked_;
  gpu::SlabAnswer* answer_ = nullptr;
  const double *start_ = nullptr, *end_ = nullptr;
  std::vector<double> motions_, free_[2];
  bool starts_at_end_ = false;
  std::vector<gpu::FloatCorner> corner_;
  Features of_vertices_, of_edges_, of_faces_;
  std::vector<Found> found_, deep_;
  std::vector<gpu::ImpactRecord> records_;
  std::vector<std::uint32_t> pairs_[2];
};

}  // namespace graze::test
