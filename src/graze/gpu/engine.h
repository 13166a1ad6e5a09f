#pragma once

#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "graze/gpu/vertex_filter.h"

// The work that runs on the device. Plain C++ without Eigen: engine.cu implements it with CUDA,
// engine_stub.cpp without.
namespace graze::gpu {

enum class FaultKind : std::uint8_t { none, no_device, out_of_memory, failed };

// The outcome of a call; `message` is a sentence for the user.
struct Fault {
  FaultKind kind = FaultKind::none;
  std::string message;

  explicit operator bool() const { return kind != FaultKind::none; }
};

// A graze::Impact and a graze::StepImpact as the device writes them; gpu.cpp checks the layout.
struct ImpactBody {
  std::uint8_t verdict, contact_kind;
  std::uint16_t reached_tol;
  std::uint32_t checks;
  double toi, toi_hi, u, v, normal[3];
};
struct ImpactRecord {
  std::uint8_t kind, unused[3];
  std::uint32_t a, b, unused_too;
  ImpactBody impact;
};

// The first stage of the exact method that may decide an open query in the time of its search:
// any stage, the examination of monotone pieces, or integers.
enum class OpenStage : std::uint32_t { any, pieces, integers };

// A pair of the mesh that floating-point stages left undecided.
struct OpenQuery {
  std::uint32_t kind, a, b;
  OpenStage stage;
  double earliest;     // no contact before this time
  double corners[24];  // of a pair: the coordinates of graze::VertexFace or graze::EdgeEdge
};

// An edge that may pierce a face at the start.
struct Crossing {
  std::uint32_t edge, face;
  std::uint32_t certain;  // 0: rounding hides whether it does
  std::uint32_t unused;
  double corners[15];  // the start of both ends of the edge and of the corners of the face
};

// The result of a search: the first contact; all contacts; the pairs whose swept boxes overlap; the
// pairs that are not proven to stay further apart than the separation.
enum class Wanted : std::uint32_t { first, all, overlapping, candidates };

// Appends the contacts of open queries to the records.
using AnswerOpen = std::function<void(const OpenQuery* open, std::uint64_t count,
                                      std::vector<ImpactRecord>& contacts)>;

struct SlabQuestion {
  const double *start = nullptr, *end = nullptr;  // 3 doubles per vertex, on the host or the device
  bool on_device = false;
  bool new_positions = true;  // false: those of the call before
  double begin = 0, until = 1;
  double separation = 0;  // overlapping, candidates: length
  Wanted wanted = Wanted::first;
  bool to_host = false;    // all: the sorted contacts are written to memory of the host, too
  bool crossings = false;  // edges that may pierce faces at the start are sought, too
  bool new_order = false;  // the spatial order is made anew; it is at the first call in any case
  // all: answers open queries while the device goes on, so that their contacts are sorted among the
  // others. May be empty, and may be called several times for one search.
  AnswerOpen answer_open;
  // Called after the search has been started, while the device works. May be empty.
  std::function<void()> started;
  // With answer_open: if the first certified stage leaves at most this many queries, they become
  // open queries at once, because the host answers a few queries faster than the next stages.
  std::uint32_t most_deep = 0;
  // A stream of the caller after whose work the positions are ready. Null: they are ready.
  void* stream = nullptr;
};

// The contents of a slab.
struct SlabAnswer {
  bool finite = true;        // false: a position is NaN or infinite, and nothing else is set
  double motion = 0;         // of broad::relative_motion(), up to rounding
  std::uint64_t tested = 0;  // pairs whose moving boxes meet
  double best = 2;           // first: some contact is certified up to this time; 2: none is
  bool has_winner = false;   // first: a certified contact at `best`
  std::uint32_t kind = 0, a = 0, b = 0;
  double corners[24] = {};      // of the winner
  std::uint64_t contacts = 0;   // all: sorted records on the device
  double first_toi = HUGE_VAL;  // all: of the first of them
  std::vector<OpenQuery> open;  // queries that `answer_open` did not answer in time
  // All edges that pierce faces at the start are among these; if the first impact is wanted, the
  // first of them is.
  std::vector<Crossing> crossings;
  bool start_is_free = false;  // crossings were not sought: they were found before to be none
  bool static_moves = false;   // with crossings: a static vertex does
  std::uint64_t vertex_face = 0, edge_edge = 0;  // overlapping, candidates: the number of pairs
};

// The first lengths of lists, in elements, for tests: lists that are too short are enlarged and the
// search is repeated.
struct Capacities {
  std::uint64_t packets = 0, pairs = 0, contacts = 0;  // 0: by the size of the mesh
};

struct Frame;

// A mesh and its positions in memory of the device.
struct MeshView {
  const std::uint32_t *edges = nullptr, *faces = nullptr;
  std::uint32_t vertices = 0, edge_count = 0, face_count = 0;
  const double *start = nullptr, *end = nullptr;
};

// Queries of one kind in memory of the device: 24 doubles each, or pairs of features of a mesh.
struct TimesQuestion {
  std::uint32_t kind = 0;
  const double* queries = nullptr;       // or null
  const std::uint32_t* pairs = nullptr;  // two indices each, or null
  std::uint64_t count = 0;
  double t_max = 1;
  double* times = nullptr;  // on the device, one per query
  void* stream = nullptr;   // of the caller: its work is done before
  // Sets the times of queries that need integers, with 24 coordinates each, infinite without a
  // contact. Returns the number of contacts.
  std::function<std::uint64_t(const double* corners, std::uint64_t count, double* times)>
      answer_open;
  MeshView mesh;                 // set by the engine
  const Frame* frame = nullptr;  // set by the engine
};
struct TimesResult {
  std::uint64_t contacts = 0;
};

class Engine {
 public:
  virtual ~Engine() = default;

  // Sets the filter of the pairs of later searches. The arrays are of the host and are copied.
  virtual Fault set_filter(const VertexFilter& filter) = 0;
  virtual Fault search(const SlabQuestion& question, SlabAnswer& answer) = 0;
  // Keep the positions at the start or at the end of the last search that sought crossings: no edge
  // pierces a face there. Later searches that start there do not seek crossings. The end is kept
  // after the start, if that was not known to be free. None is kept if memory does not suffice.
  virtual void keep_free_start() = 0;
  virtual void keep_free_end() = 0;
  // Copies the motions of the sampled edges of the last positions to the host, in the order of
  // broad::relative_motion().
  virtual Fault sampled_motions(std::vector<double>& motions) = 0;
  // Copies the last positions to the host.
  virtual Fault positions(double* start, double* end) = 0;
  // Copies the sorted contacts of the last search for all to the host, or returns their address on
  // the device.
  virtual Fault contacts(ImpactRecord* records, std::uint64_t count) = 0;
  virtual const ImpactRecord* contacts_on_device() const = 0;
  // Returns the contacts of the last search, if its question had to_host; null if they are on the
  // device alone.
  virtual const ImpactRecord* contacts_on_host() const = 0;
  // Replaces the contacts on the device.
  virtual Fault store_contacts(const ImpactRecord* records, std::uint64_t count) = 0;
  // Copies the pairs of the last search for overlapping boxes or candidates to the host, as two
  // indices each, in any order. A face without area has an index from true_face_count on.
  virtual Fault pairs(std::uint32_t* vertex_face, std::uint32_t* edge_edge) = 0;
  // Finds the times of pairs of the mesh; positions are on the device.
  virtual Fault pair_times(TimesQuestion question, const double* start, const double* end,
                           TimesResult& result) = 0;
  virtual std::size_t memory() const = 0;  // bytes
};

struct DeviceName {
  int index = 0;
  std::string name;
  std::size_t memory = 0;
};
// Lists the devices. The fault is the reason if there is none.
Fault list_devices(std::vector<DeviceName>& devices);

struct Topology {
  std::size_t vertices = 0;
  const std::uint32_t* edges = nullptr;  // two vertices each
  std::size_t edge_count = 0;
  const std::uint32_t* faces = nullptr;  // three vertices each
  std::size_t face_count = 0;
  // Faces from this index on have no area: rods (a, b, b) with a < b, and points (a, a, a). They
  // meet only vertices that are points, and of two points the smaller vertex comes first. All pairs
  // with them are left to the host.
  std::size_t true_face_count = 0;
  const std::uint8_t* is_point = nullptr;  // one per vertex, or null
};
struct EngineSettings {
  int device = 0;
  Capacities capacities;
  std::size_t memory_limit = 0;  // bytes, 0: what the device has
};
Fault make_engine(const EngineSettings& settings, const Topology& mesh,
                  std::unique_ptr<Engine>& engine);

// The function that makes the engines of StepSearch: make_engine(). Tests without a device replace
// it by one whose engine runs on the host.
using EngineMaker = Fault (*)(const EngineSettings&, const Topology&, std::unique_ptr<Engine>&);
inline EngineMaker engine_maker = make_engine;

// Answers queries in memory of the device and keeps its own memory between calls.
class QueryEngine {
 public:
  virtual ~QueryEngine() = default;
  virtual Fault times(const TimesQuestion& question, TimesResult& result) = 0;
};
Fault make_query_engine(int device, std::unique_ptr<QueryEngine>& engine);
// The function that answers queries. Tests replace it together with engine_maker.
using QueryEngineMaker = Fault (*)(int, std::unique_ptr<QueryEngine>&);
inline QueryEngineMaker query_engine_maker = make_query_engine;

// Copies doubles of the device to the host after the work of the stream so far, which may be null.
Fault fetch_positions(int device, const double* from, std::size_t count, double* to, void* stream);
// The function that answers queries. Tests replace it together with engine_maker.
using PositionFetcher = Fault (*)(int, const double*, std::size_t, double*, void*);
inline PositionFetcher position_fetcher = fetch_positions;

// For tests: the number of allocations that succeed before one fails, negative: none fails. Counts
// memory of the device, memory of the host that the device uses, streams and graphs.
inline std::atomic<long> allocations_before_failure{-1};
// Counts an allocation. Returns whether it has to fail.
inline bool allocation_fails() {
  return allocations_before_failure.load() >= 0 && allocations_before_failure.fetch_sub(1) == 0;
}

// Answers queries of one kind, 24 doubles each. Queries and impacts are on the host. Appends to
// `open` the indices of queries that have no answer yet.
Fault answer_queries(int device, std::uint32_t kind, const double* queries, std::size_t count,
                     double t_max, ImpactBody* impacts, std::vector<std::uint64_t>& open);
// The function that answers queries. Tests replace it together with engine_maker.
using QueryAnswerer = Fault (*)(int, std::uint32_t, const double*, std::size_t, double, ImpactBody*,
                                std::vector<std::uint64_t>&);
inline QueryAnswerer query_answerer = answer_queries;

}  // namespace graze::gpu
