#include "graze/gpu/engine.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <tuple>
#include <utility>

#include "graze/gpu/kernels/free_positions.h"
#include "graze/gpu/kernels/lists.h"
#include "graze/gpu/kernels/memory.h"
#include "graze/gpu/kernels/query_times.h"
#include "graze/gpu/kernels/stages.h"

namespace graze::gpu {
namespace {

using namespace device;

constexpr uint64_t most_extra = 4096;  // open queries that are answered during a search

bool comes_before(const ImpactRecord& p, const ImpactRecord& q) {
  return std::tie(p.impact.toi, p.kind, p.a, p.b) < std::tie(q.impact.toi, q.kind, q.a, q.b);
}

class CudaEngine final : public Engine {
 public:
  ~CudaEngine() override { forget_graphs(); }

  Fault make(const EngineSettings& settings, const Topology& mesh) {
    device_ = settings.device;
    use_.limit = settings.memory_limit;
    GRAZE_TRY(cudaSetDevice(device_), "choosing the device");
    GRAZE_TRY(cudaDeviceGetAttribute(&processors_, cudaDevAttrMultiProcessorCount, device_),
              "reading its properties");
    if (mesh.vertices >= (1u << 30) || mesh.edge_count >= 0x7fffffffu ||
        mesh.face_count >= 0x7fffffffu)
      return {FaultKind::out_of_memory, "the mesh has more features than the device can number"};
    GRAZE_PASS(stream_.make(true));
    for (Stream& stream : side_stream_) GRAZE_PASS(stream.make());
    GRAZE_PASS(parameters_.make(1, "its parameters"));
    GRAZE_PASS(report_.make(1, "its report"));
    GRAZE_PASS(exchange_.make(1, "its report"));
    GRAZE_PASS(extra_.make(most_extra, "its report"));
    a_.vertices = static_cast<uint32_t>(mesh.vertices);
    a_.edges = static_cast<uint32_t>(mesh.edge_count);
    a_.faces = static_cast<uint32_t>(mesh.face_count);
    a_.true_faces = static_cast<uint32_t>(mesh.true_face_count);
    const char* const what = "the mesh";
    GRAZE_PASS(control_.resize(1, use_, what));
    GRAZE_TRY(cudaMemset(control_.data(), 0, sizeof(Control)), what);
    GRAZE_PASS(frame_.resize(1, use_, what));
    GRAZE_PASS(mesh_edges_.resize(2 * mesh.edge_count, use_, what));
    GRAZE_PASS(mesh_faces_.resize(3 * mesh.face_count, use_, what));
    GRAZE_PASS(order_.resize(2 * mesh.vertices, use_, what));
    GRAZE_PASS(record_.resize(mesh.vertices, use_, what));
    GRAZE_PASS(corner_.resize(mesh.vertices, use_, what));
    GRAZE_PASS(feature_.resize(mesh.edge_count + mesh.face_count, use_, what));
    GRAZE_PASS(box_.resize(mesh.vertices + mesh.edge_count + mesh.face_count, use_, what));
    const std::size_t counts[3] = {mesh.vertices, mesh.edge_count, mesh.face_count};
    GRAZE_PASS(keys_.resize(4 * (counts[0] + counts[1] + counts[2]), use_, what));
    uint32_t* keys = keys_.data();
    for (int kind = 0; kind < 3; ++kind)
      for (uint32_t** array :
           {&a_.keys[kind], &a_.keys_out[kind], &a_.ids[kind], &a_.ids_out[kind]})
        *array = std::exchange(keys, keys + counts[kind]);
    GRAZE_PASS(motions_.resize(motion_sample, use_, what));
    GRAZE_PASS(buckets_.resize(2 * bucket_count + 1024, use_, what));
    for (int kind = 0; kind < 3; ++kind) {
      std::size_t bytes = 0;
      if (counts[kind] > 0) GRAZE_TRY(sort_keys(on(stream_), kind, nullptr, bytes), "sorting");
      GRAZE_PASS(sort_memory_[kind].resize(bytes, use_, what));
    }
    if (mesh.is_point) {
      GRAZE_PASS(is_point_.resize(mesh.vertices, use_, what));
      GRAZE_TRY(cudaMemcpyAsync(is_point_.data(), mesh.is_point, mesh.vertices,
                                cudaMemcpyHostToDevice, stream_),
                "copying the mesh");
      a_.is_point = is_point_.data();
    }
    a_.control = control_.data();
    a_.parameters = parameters_.device();
    a_.report = report_.device();
    a_.exchange = exchange_.device();
    a_.extra = extra_.device();
    a_.mesh_edges = mesh_edges_.data();
    a_.mesh_faces = mesh_faces_.data();
    a_.order = order_.data();
    a_.place = order_.data() + mesh.vertices;
    a_.record = record_.data();
    a_.corner = corner_.data();
    a_.edge = feature_.data();
    a_.face = feature_.data() + mesh.edge_count;
    a_.vertex_box = box_.data();
    a_.edge_box = a_.vertex_box + mesh.vertices;
    a_.face_box = a_.edge_box + mesh.edge_count;
    a_.frame = frame_.data();
    a_.motions = motions_.data();
    a_.bucket = buckets_.data();
    a_.bucket_begin = a_.bucket + bucket_count;
    a_.block_sum = a_.bucket_begin + bucket_count;
    std::size_t nodes = 0;
    for (int pass = 0; pass < 2; ++pass) {
      MovingBox* next = nodes_.data();
      nodes = 0;
      const auto lay_out = [&](TreeLevels& tree, std::size_t features) {
        tree.levels = 0;
        std::size_t count = (features + leaf_size - 1) / leaf_size;
        while (true) {
          tree.count[tree.levels] = static_cast<uint32_t>(count);
          tree.box[tree.levels++] = next + (pass == 1 ? nodes : 0);
          nodes += count;
          if (count <= (features < large_mesh ? most_at_top : most_at_top_of_large) &&
              tree.levels > 1)
            break;
          count = (count + fan_out - 1) / fan_out;
        }
      };
      lay_out(a_.vertex_tree, mesh.vertices);
      lay_out(a_.edge_tree, mesh.edge_count);
      lay_out(a_.face_tree, mesh.face_count);
      if (pass == 0) GRAZE_PASS(nodes_.resize(nodes, use_, what));
    }
    GRAZE_TRY(
        cudaMemcpyAsync(mesh_edges_.data(), mesh.edges, 2 * mesh.edge_count * sizeof(uint32_t),
                        cudaMemcpyHostToDevice, stream_),
        "copying the mesh");
    GRAZE_TRY(
        cudaMemcpyAsync(mesh_faces_.data(), mesh.faces, 3 * mesh.face_count * sizeof(uint32_t),
                        cudaMemcpyHostToDevice, stream_),
        "copying the mesh");
    // With a limit lists begin short: they grow to what a search needs.
    const Capacities& capacities = settings.capacities;
    const uint64_t features =
        (mesh.edge_count + mesh.face_count + mesh.vertices) / (settings.memory_limit > 0 ? 16 : 1);
    for (const int list : {packets_vf, packets_ee, crossing_packets})
      wanted_[list] = capacities.packets ? capacities.packets : 2 * features + 1024;
    for (int list = met_vf; list <= deep_ee; ++list)
      wanted_[list] = capacities.pairs ? capacities.pairs : 4 * features + 1024;
    for (const int list : {found_vf, found_ee, open_list, record_list, crossings})
      wanted_[list] = capacities.contacts ? capacities.contacts : features + 1024;
    if (!capacities.contacts) wanted_[open_list] = 4096;
    wanted_[crossings] = capacities.contacts ? capacities.contacts : 4096;
    return grow();
  }

  Fault search(const SlabQuestion& question, SlabAnswer& answer) override {
    answer = {};
    GRAZE_TRY(cudaSetDevice(device_), "choosing the device");
    GRAZE_PASS(take_positions(question));
    parameters_->begin = question.begin;
    parameters_->until = question.until;
    parameters_->separation = question.separation;
    if (!ordered_ || question.new_order) free_positions_.forget();
    on_host_ = nullptr;
    merged_ = false;
    if (a_.vertices == 0) return {};
    const bool few = question.wanted == Wanted::all && expects_few_;
    while (true) {
      if (question.to_host && host_records_.size() < a_.capacity[record_list]) {
        forget_graphs();
        GRAZE_PASS(host_records_.make(a_.capacity[record_list], "the contacts on the host"));
        a_.host_records = host_records_.device();
      }
      parameters_->host_answers = question.wanted == Wanted::all && question.answer_open;
      parameters_->most_deep = parameters_->host_answers ? question.most_deep : 0;
      free_positions_.pass_to(*parameters_.host(), question.crossings);
      parameters_->host_sorts = few && parameters_->host_answers && !question.to_host;
      from_host_.clear();
      answered_ = 0;
      GRAZE_PASS(launch(question, few));
      if (question.started) question.started();
      GRAZE_PASS(wait(question.answer_open));
      const Control& state = *report_.host();
      bool enough = true;
      for (int list = 0; list < list_count; ++list)
        if (state.count[list] > a_.capacity[list]) {
          wanted_[list] = state.count[list] + state.count[list] / 4;
          enough = false;
        }
      if (state.waits && (state.not_finite || !enough)) return_contacts(0);
      if (state.not_finite) {
        answer.finite = false;
        return {};
      }
      if (enough) break;
      GRAZE_PASS(grow());
    }
    if (few && report_->few_sorted)
      GRAZE_PASS(merge_few(question));
    else if (few)
      GRAZE_PASS(sort_many(question.to_host));
    return read_answer(question, answer);
  }

  Fault set_filter(const VertexFilter& filter) override {
    if (!filter.active && !a_.filter.active) return {};
    GRAZE_TRY(cudaSetDevice(device_), "choosing the device");
    forget_graphs();
    a_.filter = {};
    free_positions_.forget();
    VertexFilter on_device = filter;
    const std::size_t vertices = a_.vertices, groups = filter.groups;
    GRAZE_PASS(copy(filter.is_static, vertices, is_static_, on_device.is_static));
    GRAZE_PASS(copy(filter.group, vertices, group_, on_device.group));
    GRAZE_PASS(copy(filter.meets, groups * groups, meets_, on_device.meets));
    GRAZE_PASS(copy(filter.masks, 2 * vertices, masks_, on_device.masks));
    GRAZE_PASS(copy(filter.listed, filter.listed_count, listed_, on_device.listed));
    GRAZE_TRY(cudaStreamSynchronize(stream_), "copying the filter");
    a_.filter = on_device;
    return {};
  }

  void keep_free_start() override { free_positions_.keep_start(a_.vertices, use_); }
  void keep_free_end() override { free_positions_.keep_end(); }

  Fault sampled_motions(std::vector<double>& motions) override {
    const uint32_t stride = a_.edges / motion_sample + 1;
    motions.resize((a_.edges + stride - 1) / stride);
    return to_host(motions.data(), motions_.data(), motions.size());
  }

  Fault positions(double* start, double* end) override {
    const std::size_t count = 3 * std::size_t{a_.vertices};
    if (start) GRAZE_PASS(to_host(start, parameters_->start, count));
    if (end) GRAZE_PASS(to_host(end, parameters_->end, count));
    return {};
  }

  Fault contacts(ImpactRecord* records, uint64_t count) override {
    return to_host(records, lists_.sorted.data(), count);
  }
  const ImpactRecord* contacts_on_host() const override { return on_host_; }
  const ImpactRecord* contacts_on_device() const override { return lists_.sorted.data(); }
  Fault store_contacts(const ImpactRecord* records, uint64_t count) override {
    if (lists_.sorted.size() < count) {
      wanted_[record_list] = count;
      GRAZE_PASS(grow());
    }
    GRAZE_TRY(cudaMemcpyAsync(lists_.sorted.data(), records, count * sizeof(ImpactRecord),
                              cudaMemcpyHostToDevice, stream_),
              "copying contacts");
    GRAZE_TRY(cudaStreamSynchronize(stream_), "copying contacts");
    return {};
  }

  Fault pairs(uint32_t* vertex_face, uint32_t* edge_edge) override {
    GRAZE_PASS(
        to_host(reinterpret_cast<uint2*>(vertex_face), a_.list[left_vf], report_->count[left_vf]));
    return to_host(reinterpret_cast<uint2*>(edge_edge), a_.list[left_ee], report_->count[left_ee]);
  }

  Fault pair_times(TimesQuestion question, const double* start, const double* end,
                   TimesResult& result) override {
    GRAZE_TRY(cudaSetDevice(device_), "choosing the device");
    if (!ordered_) {
      // Any frame gives the right times; that of the first search is kept.
      if (question.stream) GRAZE_PASS(stream_.wait_for(static_cast<cudaStream_t>(question.stream)));
      parameters_->start = start;
      parameters_->end = end;
      device::start(on(stream_), false);
      find_frame(on(stream_));
      GRAZE_TRY(cudaStreamSynchronize(stream_), "the queries");
    }
    question.mesh = {a_.mesh_edges, a_.mesh_faces, a_.vertices, a_.edges, a_.faces, start, end};
    question.frame = a_.frame;
    return pair_search_.run(device_, question, result);
  }

  std::size_t memory() const override { return use_.used; }

 private:
  template <class T>
  Fault to_host(T* to, const T* from, std::size_t count) {
    GRAZE_TRY(cudaMemcpyAsync(to, from, count * sizeof(T), cudaMemcpyDeviceToHost, stream_),
              "copying an answer");
    GRAZE_TRY(cudaStreamSynchronize(stream_), "copying an answer");
    return {};
  }
  // Copies an array of the filter, if there is one, and sets its address on the device.
  template <class T>
  Fault copy(const T* from, std::size_t count, Array<T>& memory, const T*& address) {
    address = nullptr;
    if (!from) return {};
    GRAZE_PASS(memory.resize(count, use_, "the filter"));
    GRAZE_TRY(
        cudaMemcpyAsync(memory.data(), from, count * sizeof(T), cudaMemcpyHostToDevice, stream_),
        "copying the filter");
    address = memory.data();
    return {};
  }

  Fault grow() {
    forget_graphs();
    return lists_.grow(wanted_, a_, use_);
  }

  Fault take_positions(const SlabQuestion& question) {
    if (!question.new_positions) return {};
    if (question.on_device) {
      parameters_->start = question.start;
      parameters_->end = question.end;
      return question.stream ? stream_.wait_for(static_cast<cudaStream_t>(question.stream))
                             : Fault{};
    }
    const std::size_t count = 3 * std::size_t{a_.vertices};
    if (positions_.size() < 2 * count)
      GRAZE_PASS(positions_.resize(2 * count, use_, "the positions"));
    GRAZE_TRY(cudaMemcpyAsync(positions_.data(), question.start, count * sizeof(double),
                              cudaMemcpyHostToDevice, stream_),
              "copying positions");
    GRAZE_TRY(cudaMemcpyAsync(positions_.data() + count, question.end, count * sizeof(double),
                              cudaMemcpyHostToDevice, stream_),
              "copying positions");
    parameters_->start = positions_.data();
    parameters_->end = positions_.data() + count;
    return {};
  }

  Launch on(const Stream& stream) const { return {a_, processors_, stream}; }

  // Sorts vertices, edges and faces side by side: each sort is too small to fill the device.
  Fault make_order() {
    find_frame(on(stream_));
    const Stream* const streams[3] = {&stream_, &side_stream_[0], &side_stream_[1]};
    const uint32_t counts[3] = {a_.vertices, a_.edges, a_.faces};
    for (Stream& side : side_stream_) GRAZE_PASS(side.wait_for(stream_));
    for (int kind = 0; kind < 3; ++kind) {
      if (counts[kind] == 0) continue;
      const Launch at = on(*streams[kind]);
      std::size_t bytes = sort_memory_[kind].size();
      make_keys(at, kind);
      GRAZE_TRY(sort_keys(at, kind, sort_memory_[kind].data(), bytes), "sorting");
    }
    place(on(stream_), 0);
    for (Stream& side : side_stream_) GRAZE_PASS(stream_.wait_for(side));
    for (int kind = 1; kind < 3; ++kind)
      if (counts[kind] > 0) place(on(stream_), kind);
    return {};
  }

  // Starts the kernels of a search: a graph per kind of search, recorded at its first use and after
  // an array has moved. `few`: few contacts are expected.
  Fault launch(const SlabQuestion& question, bool few) {
    parameters_->call = ++call_;
    const bool ordering = !ordered_ || question.new_order;
    const int kind = question.to_host ? 4 : static_cast<int>(question.wanted);
    cudaGraphExec_t& graph = graphs_[8 * kind + 4 * few + 2 * question.crossings + ordering];
    if (!graph) {
      cudaGraph_t recorded = nullptr;
      GRAZE_ALLOCATE(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal),
                     "recording");
      const Fault fault = enqueue(question, ordering, few);
      const cudaError_t ended = cudaStreamEndCapture(stream_, &recorded);
      if (fault) {
        if (recorded) cudaGraphDestroy(recorded);
        return fault;
      }
      GRAZE_TRY(ended, "recording");
      const cudaError_t made = cudaGraphInstantiate(&graph, recorded, 0);
      cudaGraphDestroy(recorded);
      if (made != cudaSuccess) graph = nullptr;
      GRAZE_TRY(made, "recording");
    }
    GRAZE_TRY(cudaGraphLaunch(graph, stream_), "starting the search");
    ordered_ = true;
    return {};
  }

  void forget_graphs() {
    for (cudaGraphExec_t& graph : graphs_)
      if (graph) cudaGraphExecDestroy(std::exchange(graph, nullptr));
  }

  Fault enqueue(const SlabQuestion& question, bool ordering, bool few) {
    const Launch at = on(stream_);
    const bool first = question.wanted == Wanted::first;
    Stream& beside = side_stream_[0];
    start(at, question.crossings && first);
    if (ordering) GRAZE_PASS(make_order());
    bound(at, question.wanted == Wanted::overlapping, question.crossings);
    if (question.crossings) {
      GRAZE_PASS(beside.wait_for(stream_));
      find_crossings(on(beside), first);
    }
    find_pairs(at);
    const bool by_boxes = question.wanted == Wanted::overlapping,
               candidates = question.wanted == Wanted::candidates;
    if (!by_boxes) try_directions(at);
    if (!by_boxes && !candidates) find_roots(at, first);
    if (question.crossings) GRAZE_PASS(stream_.wait_for(beside));
    if (by_boxes) {
      keep_overlapping(at);
    } else if (candidates) {
      name_candidates(at);
    } else if (few) {
      find_few_times(at);
    } else {
      find_times(at, first);
      if (!first) sort_contacts(at, question.to_host);
    }
    return {};
  }

  // Sorts the contacts of a search that expected few and found many.
  Fault sort_many(bool to_host) {
    *const_cast<volatile uint32_t*>(&report_->done) = 0;
    sort_contacts(on(stream_), to_host);
    GRAZE_TRY(cudaGetLastError(), "sorting the contacts");
    return wait({});
  }

  // Answers the open queries that are left after a search with few contacts, and adds the contacts
  // of all open queries to the sorted ones. Does nothing if they are too many.
  Fault merge_few(const SlabQuestion& question) {
    const uint64_t open = report_->count[open_list], few = report_->count[record_list];
    on_host_ = extra_.host();
    if (open == 0 || open > most_extra || !question.answer_open) return stop_waiting();
    answer_up_to(open, question.answer_open);
    const uint64_t all = few + from_host_.size();
    if (all > std::min(most_extra, a_.capacity[record_list])) return stop_waiting();
    std::vector<const ImpactRecord*> more;
    for (const ImpactRecord& record : from_host_) more.push_back(&record);
    std::sort(more.begin(), more.end(),
              [](const auto* p, const auto* q) { return comes_before(*p, *q); });
    ImpactRecord* const records = extra_.host();
    uint64_t left = few;  // sorted records that have no place yet
    for (uint64_t to = all; to-- > left;) {
      const bool is_last = left > 0 && comes_before(*more[to - left], records[left - 1]);
      records[to] = is_last ? records[--left] : *more[to - left];
    }
    merged_ = true;
    if (question.to_host) return {};
    return report_->waits ? let_device_store(all) : store_contacts(records, all);
  }

  // Ends the wait of the device for sorted contacts, if it waits.
  Fault stop_waiting() {
    if (report_->waits) return_contacts(0);
    return {};
  }

  // Lets the device copy the sorted contacts of extra_, which is faster than a copy by the driver.
  Fault let_device_store(uint64_t count) {
    return_contacts(count);
    const volatile Exchange& exchange = *exchange_.host();
    for (uint64_t spins = 0; exchange.stored_call != call_; ++spins) {
      if (spins % 65536 != 65535) continue;
      const cudaError_t state = cudaStreamQuery(stream_);
      if (state == cudaErrorNotReady) continue;
      GRAZE_TRY(state, "copying contacts");
      if (exchange.stored_call != call_) return store_contacts(extra_.host(), count);
    }
    std::atomic_thread_fence(std::memory_order_acquire);
    return {};
  }

  // Answers the open queries up to this number, if they are not too many.
  void answer_up_to(uint64_t count, const AnswerOpen& answer_open) {
    std::atomic_thread_fence(std::memory_order_acquire);
    if (count <= most_extra && count > answered_)
      answer_open(lists_.open.host() + answered_, count - answered_, from_host_);
    answered_ = count;
  }

  // Waits for the report. Meanwhile answers the open queries, if the device leaves some.
  Fault wait(const AnswerOpen& answer_open) {
    const volatile uint32_t* const done = &report_->done;
    bool answered = !parameters_->host_answers || !answer_open;
    for (uint64_t spins = 0; *done != call_; ++spins) {
      const volatile Exchange& exchange = *exchange_.host();
      if (!answered && answered_ == 0 && exchange.left_call == call_)
        answer_up_to(exchange.left, answer_open);
      if (!answered && exchange.last_call == call_) {
        answer_up_to(exchange.all_left, answer_open);
        if (answered_ > most_extra) from_host_.clear();
        std::copy(from_host_.begin(), from_host_.end(), extra_.host());
        return_contacts(from_host_.size());
        answered = true;
      }
      if (spins % 65536 != 65535) continue;  // a query of the stream takes some microseconds
      const cudaError_t state = cudaStreamQuery(stream_);
      if (state == cudaErrorNotReady) continue;
      GRAZE_TRY(state, "the search");
      if (*done != call_) return {FaultKind::failed, "the GPU ended a search without a report"};
    }
    std::atomic_thread_fence(std::memory_order_acquire);
    return {};
  }

  // Passes the number of contacts in extra_ to the device, which waits for it.
  void return_contacts(uint64_t count) {
    std::atomic_thread_fence(std::memory_order_release);
    *const_cast<volatile uint64_t*>(&exchange_->extra) = count << 32 | call_;
  }

  Fault read_answer(const SlabQuestion& question, SlabAnswer& answer) {
    const Control& state = *report_.host();
    const uint32_t stride = a_.edges / motion_sample + 1,
                   sampled = (a_.edges + stride - 1) / stride;
    answer.motion = sampled > 0 ? state.motion_sum / sampled : 0;
    answer.tested = state.count[met_vf] + state.count[met_ee];
    if (question.crossings) {
      const Crossing* const pierced = lists_.pierced.host();
      answer.crossings.assign(pierced, pierced + state.count[crossings]);
      answer.start_is_free = free_positions_.read(state);
      answer.static_moves = state.static_moves;
    }
    if (question.crossings && state.pierced != ~Counter{0}) {
      answer.crossings.push_back({static_cast<uint32_t>(state.pierced >> 32),
                                  static_cast<uint32_t>(state.pierced),
                                  1,
                                  0,
                                  {}});
      std::copy_n(state.pierced_corners, 15, answer.crossings.back().corners);
    }
    if (question.wanted == Wanted::overlapping || question.wanted == Wanted::candidates) {
      answer.vertex_face = state.count[left_vf];
      answer.edge_edge = state.count[left_ee];
      return {};
    }
    const bool taken = parameters_->host_answers && state.extra_taken;
    if (!merged_ && !(taken && state.count[open_list] <= most_extra))
      answer.open.assign(lists_.open.host(), lists_.open.host() + state.count[open_list]);
    if (question.wanted == Wanted::first) {
      std::memcpy(&answer.best, &state.best, sizeof(double));
      answer.has_winner = state.winner != ~Counter{0};
      answer.kind = static_cast<uint32_t>(state.winner >> 62);
      answer.a = static_cast<uint32_t>(state.winner >> 31 & 0x7fffffffu);
      answer.b = static_cast<uint32_t>(state.winner & 0x7fffffffu);
      std::copy(std::begin(state.corners), std::end(state.corners), answer.corners);
      return {};
    }
    answer.contacts = state.count[record_list] + (merged_ ? from_host_.size() : 0);
    expects_few_ = answer.contacts <= few_contacts;
    if (state.most_in_bucket > largest_bucket) return sort_on_host(answer);
    if (answer.contacts > 0) answer.first_toi = merged_ ? on_host_->impact.toi : state.first_toi;
    if (!on_host_ && question.to_host) on_host_ = host_records_.host();
    return {};
  }

  Fault sort_on_host(SlabAnswer& answer) {
    const uint64_t count = answer.contacts;
    std::vector<ImpactRecord> records(count);
    GRAZE_PASS(to_host(records.data(), a_.records, count));
    std::sort(records.begin(), records.end(), comes_before);
    answer.first_toi = records[0].impact.toi;
    return store_contacts(records.data(), count);
  }

  int device_ = 0, processors_ = 1;
  uint32_t call_ = 0;
  bool ordered_ = false;      // there is an order
  bool expects_few_ = false;  // the last search for all found few contacts
  // Of the last search:
  const ImpactRecord* on_host_ = nullptr;  // its contacts in memory of the host, or null
  std::vector<ImpactRecord> from_host_;    // the contacts of open queries
  uint64_t answered_ = 0;                  // open queries that were answered
  bool merged_ = false;                    // the sorted contacts include from_host_
  cudaGraphExec_t graphs_[40] = {};
  MemoryUse use_;
  Arrays a_{};
  uint64_t wanted_[list_count] = {};
  SearchLists lists_;
  Array<Control> control_;
  Array<Frame> frame_;
  Array<uint32_t> mesh_edges_, mesh_faces_, order_, keys_, buckets_;
  Array<VertexRecord> record_;
  Array<FloatCorner> corner_;
  Array<Feature> feature_;
  Array<MovingBox> box_, nodes_;
  Array<double> motions_, positions_;
  FreePositions free_positions_;
  Array<unsigned char> sort_memory_[3];
  Array<std::uint8_t> is_point_, is_static_, meets_;  // is_point_: of the mesh
  Array<uint32_t> group_, masks_;
  Array<uint64_t> listed_;
  SharedArray<Parameters> parameters_;
  SharedArray<Control> report_;
  SharedArray<Exchange> exchange_;
  SharedArray<ImpactRecord> extra_, host_records_;
  TimesSearch pair_search_;
  Stream stream_, side_stream_[2];
};

}  // namespace

Fault make_engine(const EngineSettings& settings, const Topology& mesh,
                  std::unique_ptr<Engine>& engine) {
  auto made = std::make_unique<CudaEngine>();
  GRAZE_PASS(made->make(settings, mesh));
  engine = std::move(made);
  return {};
}

}  // namespace graze::gpu
