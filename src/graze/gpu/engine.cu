#include "graze/gpu/engine.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <tuple>
#include <utility>

#include "graze/gpu/kernels/memory.h"
#include "graze/gpu/kernels/query_times.h"
#include "graze/gpu/kernels/stages.h"

namespace graze::gpu {
namespace {

using namespace device;

constexpr uint64_t most_extra = 4096;  // open queries that are answered during a search

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
    GRAZE_PASS(stream_.make());
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
    on_host_ = false;
    if (a_.vertices == 0) return {};
    while (true) {
      if (question.to_host && host_records_.size() < a_.capacity[record_list]) {
        forget_graphs();
        GRAZE_PASS(host_records_.make(a_.capacity[record_list], "the contacts on the host"));
        a_.host_records = host_records_.device();
      }
      parameters_->host_answers = question.wanted == Wanted::all && question.answer_open;
      GRAZE_PASS(launch(question));
      GRAZE_PASS(wait(question.answer_open));
      const Control& state = *report_.host();
      if (state.not_finite) {
        answer.finite = false;
        return {};
      }
      bool enough = true;
      for (int list = 0; list < list_count; ++list)
        if (state.count[list] > a_.capacity[list]) {
          wanted_[list] = state.count[list] + state.count[list] / 4;
          enough = false;
        }
      if (enough) break;
      GRAZE_PASS(grow());
    }
    return read_answer(question, answer);
  }

  Fault set_filter(const VertexFilter& filter) override {
    if (!filter.active && !a_.filter.active) return {};
    GRAZE_TRY(cudaSetDevice(device_), "choosing the device");
    forget_graphs();
    a_.filter = {};
    parameters_->free_start = nullptr;
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

  void keep_free_start() override {
    const std::size_t count = 3 * std::size_t{a_.vertices};
    parameters_->free_start = nullptr;
    if (count == 0 || free_start_.resize(count, use_, "a free start")) return;
    if (cudaMemcpyAsync(free_start_.data(), parameters_->start, count * sizeof(double),
                        cudaMemcpyDeviceToDevice, stream_) == cudaSuccess)
      parameters_->free_start = free_start_.data();
  }

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
    return to_host(records, sorted_.data(), count);
  }
  const ImpactRecord* contacts_on_host() const override {
    return on_host_ ? host_records_.host() : nullptr;
  }
  const ImpactRecord* contacts_on_device() const override { return sorted_.data(); }
  Fault store_contacts(const ImpactRecord* records, uint64_t count) override {
    if (sorted_.size() < count) {
      wanted_[record_list] = count;
      GRAZE_PASS(grow());
    }
    GRAZE_TRY(cudaMemcpyAsync(sorted_.data(), records, count * sizeof(ImpactRecord),
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
      device::start(on(stream_));
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
    for (int list = packets_vf; list <= deep_ee; ++list) {
      if (wanted_[list] == a_.capacity[list]) continue;
      a_.capacity[list] = 0;
      GRAZE_PASS(lists_[list].resize(wanted_[list], use_, "the list of pairs"));
      a_.list[list] = lists_[list].data();
      a_.capacity[list] = wanted_[list];
    }
    if (wanted_[crossing_packets] != a_.capacity[crossing_packets]) {
      a_.capacity[crossing_packets] = 0;
      GRAZE_PASS(
          crossing_packets_.resize(wanted_[crossing_packets], use_, "the crossings at the start"));
      a_.crossing_packets = crossing_packets_.data();
      a_.capacity[crossing_packets] = wanted_[crossing_packets];
    }
    if (wanted_[crossings] != a_.capacity[crossings]) {
      a_.capacity[crossings] = 0;
      GRAZE_PASS(crossings_.make(wanted_[crossings], "the crossings at the start"));
      a_.crossings = crossings_.device();
      a_.capacity[crossings] = wanted_[crossings];
    }
    for (int list = found_vf; list <= found_ee; ++list) {
      if (wanted_[list] == a_.capacity[list]) continue;
      a_.capacity[list] = 0;
      GRAZE_PASS(found_[list - found_vf].resize(wanted_[list], use_, "the list of roots"));
      a_.found[list - found_vf] = found_[list - found_vf].data();
      a_.capacity[list] = wanted_[list];
    }
    if (wanted_[open_list] != a_.capacity[open_list]) {
      a_.capacity[open_list] = 0;
      GRAZE_PASS(open_.make(wanted_[open_list], "the undecided queries"));
      a_.open = open_.device();
      a_.capacity[open_list] = wanted_[open_list];
    }
    if (wanted_[record_list] != a_.capacity[record_list]) {
      const uint64_t count = wanted_[record_list];
      a_.capacity[record_list] = 0;
      GRAZE_PASS(records_.resize(count, use_, "the contacts"));
      GRAZE_PASS(sorted_.resize(count, use_, "the contacts"));
      GRAZE_PASS(ranks_.resize(2 * count, use_, "the contacts"));
      GRAZE_PASS(slots_.resize(count, use_, "the contacts"));
      a_.records = records_.data();
      a_.sorted = sorted_.data();
      a_.bucket_of = ranks_.data();
      a_.rank = a_.bucket_of + count;
      a_.slot = slots_.data();
      a_.capacity[record_list] = count;
    }
    return {};
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
  // an array has moved.
  Fault launch(const SlabQuestion& question) {
    parameters_->call = ++call_;
    const bool ordering = !ordered_ || question.new_order;
    const int kind = question.to_host ? 4 : static_cast<int>(question.wanted);
    cudaGraphExec_t& graph = graphs_[4 * kind + 2 * question.crossings + ordering];
    if (!graph) {
      cudaGraph_t recorded = nullptr;
      GRAZE_ALLOCATE(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal),
                     "recording");
      const Fault fault = enqueue(question, ordering);
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

  Fault enqueue(const SlabQuestion& question, bool ordering) {
    const Launch at = on(stream_);
    start(at);
    if (ordering) GRAZE_PASS(make_order());
    const bool first = question.wanted == Wanted::first;
    bound(at, question.wanted == Wanted::overlapping);
    Stream& beside = side_stream_[0];
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
    } else {
      find_times(at, first);
      if (!first) sort_contacts(at, question.to_host);
    }
    return {};
  }

  // Waits for the report. Meanwhile answers the open queries, if the device leaves some.
  Fault wait(const AnswerOpen& answer_open) {
    const volatile uint32_t* const done = &report_->done;
    bool answered = !parameters_->host_answers;
    std::vector<ImpactRecord> extra;
    uint64_t answers = 0;
    // Answers the queries up to `count`, if there are not too many.
    const auto answer = [&](uint64_t count) {
      std::atomic_thread_fence(std::memory_order_acquire);
      if (count <= most_extra) answer_open(open_.host() + answers, count - answers, extra);
      answers = count;
    };
    for (uint64_t spins = 0; *done != call_; ++spins) {
      const volatile Exchange& exchange = *exchange_.host();
      if (!answered && answers == 0 && exchange.left_call == call_) answer(exchange.left);
      if (!answered && exchange.last_call == call_) {
        answer(exchange.all_left);
        return_contacts(answers <= most_extra ? extra : std::vector<ImpactRecord>());
        answered = true;
      }
      if (spins % 4096 != 4095) continue;
      const cudaError_t state = cudaStreamQuery(stream_);
      if (state == cudaErrorNotReady) continue;
      GRAZE_TRY(state, "the search");
      if (*done != call_) return {FaultKind::failed, "the GPU ended a search without a report"};
    }
    std::atomic_thread_fence(std::memory_order_acquire);
    return {};
  }

  // Gives the device the contacts of the open queries.
  void return_contacts(const std::vector<ImpactRecord>& contacts) {
    std::copy(contacts.begin(), contacts.end(), extra_.host());
    exchange_->extra = static_cast<uint32_t>(contacts.size());
    std::atomic_thread_fence(std::memory_order_release);
    *const_cast<volatile uint32_t*>(&exchange_->extra_call) = call_;
  }

  Fault read_answer(const SlabQuestion& question, SlabAnswer& answer) {
    const Control& state = *report_.host();
    const uint32_t stride = a_.edges / motion_sample + 1,
                   sampled = (a_.edges + stride - 1) / stride;
    answer.motion = sampled > 0 ? state.motion_sum / sampled : 0;
    answer.tested = state.count[met_vf] + state.count[met_ee];
    if (question.crossings)
      answer.crossings.assign(crossings_.host(), crossings_.host() + state.count[crossings]);
    if (question.crossings && state.pierced != ~Counter{0}) {
      answer.crossings.push_back({static_cast<uint32_t>(state.pierced >> 32),
                                  static_cast<uint32_t>(state.pierced),
                                  1,
                                  0,
                                  {}});
      std::copy_n(state.pierced_corners, 15, answer.crossings.back().corners);
    }
    answer.start_is_free = question.crossings && !state.start_differs;
    if (question.wanted == Wanted::overlapping || question.wanted == Wanted::candidates) {
      answer.vertex_face = state.count[left_vf];
      answer.edge_edge = state.count[left_ee];
      return {};
    }
    if (!(parameters_->host_answers && state.extra_taken && state.count[open_list] <= most_extra))
      answer.open.assign(open_.host(), open_.host() + state.count[open_list]);
    if (question.wanted == Wanted::first) {
      std::memcpy(&answer.best, &state.best, sizeof(double));
      answer.has_winner = state.winner != ~Counter{0};
      answer.kind = static_cast<uint32_t>(state.winner >> 62);
      answer.a = static_cast<uint32_t>(state.winner >> 31 & 0x7fffffffu);
      answer.b = static_cast<uint32_t>(state.winner & 0x7fffffffu);
      std::copy(std::begin(state.corners), std::end(state.corners), answer.corners);
      return {};
    }
    answer.contacts = state.count[record_list];
    if (state.most_in_bucket > largest_bucket) return sort_on_host(answer);
    if (answer.contacts > 0) answer.first_toi = state.first_toi;
    on_host_ = question.to_host;
    return {};
  }

  Fault sort_on_host(SlabAnswer& answer) {
    const uint64_t count = answer.contacts;
    std::vector<ImpactRecord> records(count);
    GRAZE_PASS(to_host(records.data(), a_.records, count));
    std::sort(records.begin(), records.end(), [](const ImpactRecord& p, const ImpactRecord& q) {
      return std::tie(p.impact.toi, p.kind, p.a, p.b) < std::tie(q.impact.toi, q.kind, q.a, q.b);
    });
    answer.first_toi = records[0].impact.toi;
    return store_contacts(records.data(), count);
  }

  int device_ = 0, processors_ = 1;
  uint32_t call_ = 0;
  bool ordered_ = false, on_host_ = false;  // there is an order; contacts are in host_records_
  cudaGraphExec_t graphs_[20] = {};
  MemoryUse use_;
  Arrays a_{};
  uint64_t wanted_[list_count] = {};
  Array<Control> control_;
  Array<Frame> frame_;
  Array<uint32_t> mesh_edges_, mesh_faces_, order_, keys_, buckets_, ranks_;
  Array<Slot> slots_;
  Array<VertexRecord> record_;
  Array<FloatCorner> corner_;
  Array<Feature> feature_;
  Array<MovingBox> box_, nodes_;
  Array<double> motions_, positions_, free_start_;
  Array<unsigned char> sort_memory_[3];
  Array<std::uint8_t> is_point_, is_static_, meets_;  // of the filter, but for the points
  Array<uint32_t> group_, masks_;
  Array<uint64_t> listed_;
  Array<uint2> lists_[deep_ee + 1];
  Array<FoundContact> found_[2];
  SharedArray<OpenQuery> open_;
  Array<ImpactRecord> records_, sorted_;
  SharedArray<Parameters> parameters_;
  SharedArray<Control> report_;
  SharedArray<Exchange> exchange_;
  SharedArray<ImpactRecord> extra_;
  SharedArray<ImpactRecord> host_records_;
  Array<uint2> crossing_packets_;
  SharedArray<Crossing> crossings_;
  TimesSearch pair_search_;
  Stream stream_, side_stream_[2];
};

}  // namespace

Fault list_devices(std::vector<DeviceName>& devices) {
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error != cudaSuccess) {
    cudaGetLastError();
    return {FaultKind::no_device, std::string("no usable GPU: ") + cudaGetErrorString(error)};
  }
  for (int i = 0; i < count; ++i) {
    cudaDeviceProp properties;
    if (cudaGetDeviceProperties(&properties, i) == cudaSuccess &&
        properties.major * 10 + properties.minor >= 75)
      devices.push_back({i, properties.name, properties.totalGlobalMem});
  }
  if (devices.empty())
    return {FaultKind::no_device, "no GPU of compute capability 7.5 or newer was found"};
  return {};
}

Fault make_engine(const EngineSettings& settings, const Topology& mesh,
                  std::unique_ptr<Engine>& engine) {
  auto made = std::make_unique<CudaEngine>();
  GRAZE_PASS(made->make(settings, mesh));
  engine = std::move(made);
  return {};
}

Fault fetch_positions(int device, const double* from, std::size_t count, double* to, void* stream) {
  GRAZE_TRY(cudaSetDevice(device), "choosing the device");
  GRAZE_TRY(cudaStreamSynchronize(static_cast<cudaStream_t>(stream)), "the work of the caller");
  GRAZE_TRY(cudaMemcpy(to, from, count * sizeof(double), cudaMemcpyDeviceToHost),
            "copying positions");
  return {};
}

}  // namespace graze::gpu
