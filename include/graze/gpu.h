#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "graze/find_pairs.h"
#include "graze/first_contact.h"
#include "graze/mesh.h"
#include "graze/options.h"
#include "graze/step.h"

// The exact method on a CUDA device: the functions of graze/step.h and graze/first_contact.h with
// the same answers, bit for bit. docs/gpu.md explains the stages.
//
// The component graze::gpu can be built without CUDA; all functions then answer
// Status::no_device. No function falls back to the CPU. If the status is not `ok`, the caller can
// call the function of the same name in namespace graze.
namespace graze::gpu {

// The outcome of a call on a device. Only `ok` comes with an answer.
enum class Status : std::uint8_t {
  ok,
  no_device,      // no usable device, no driver, or built without CUDA
  out_of_memory,  // the memory of the device, or the limit of StepSearch, is too small
  unsupported,    // the device cannot honour an option; `message` names it
  failed          // an error of the driver or the device
};

// Returns the name used by the command.
const char* name(Status status);

// The status of a call. `message` is a sentence for the user, empty if the status is `ok`.
struct Outcome {
  Status status = Status::ok;
  std::string message;

  // Returns whether the call has an answer.
  explicit operator bool() const { return status == Status::ok; }
};

// One CUDA device.
struct Device {
  int index = 0;           // of the CUDA runtime
  std::string name;        // as the driver reports it
  std::size_t memory = 0;  // bytes
};

// The devices that graze can use, in the order of the CUDA runtime; if there is none, the reason.
struct Devices {
  std::vector<Device> list;
  Outcome outcome;  // no_device if the list is empty
};
// Returns the devices of this machine.
Devices devices();

// Positions in the memory of the device: rows of three doubles, one per vertex. Not owned. They
// must not change until the call returns.
struct DevicePositions {
  const double* rows = nullptr;
  std::size_t count = 0;  // of vertices
};

// Threads and stream of a call. No field changes an answer.
struct RunOptions {
  int threads = 0;  // of the host, for queries that need integers and for the start check; 0: all
  // A cudaStream_t: the work of the call begins after the work of the stream so far, so that
  // positions written by kernels of that stream can be used. Null: positions on the device are
  // complete when the call is made. Not read where all arrays of the call are on the host.
  void* stream = nullptr;
};

// Copies positions on the device to the host. Precondition: rows.size() == positions.count.
Outcome copy_to_host(const DevicePositions& positions, std::span<Vec3> rows, int device = 0,
                     const RunOptions& run = {});

// The answer of earliest_impact(). In all answers, if the status is not `ok`, the verdict is
// `invalid` and toi is 0, which is a safe step.
struct FirstAnswer : FirstImpact {
  Outcome outcome;
};
// The answer of all_impacts(), with the contacts in the memory of the host.
struct AllAnswer : AllImpacts {
  Outcome outcome;
};
// The answer of collision_free_step(). If the status is not `ok`, the step is 0, which is safe.
struct FreeStepAnswer {
  Outcome outcome;
  double step = 0;
};
// All impacts in memory of the host that the StepSearch owns, valid until its next call:
// all_impacts() without the time to fill a vector. verdict and toi as there.
struct ViewAnswer {
  Outcome outcome;
  Verdict verdict = Verdict::invalid;
  double toi = 0;
  std::span<const StepImpact> impacts;
  StepWork work;
};
// All impacts in memory of the device, sorted by toi, kind, pair, as an array of `count` StepImpact
// objects in the layout of the host; verdict and toi as in graze::AllImpacts. Owned by the
// StepSearch, valid until its next call.
struct DeviceAnswer {
  Outcome outcome;
  Verdict verdict = Verdict::invalid;
  double toi = 0;
  const void* impacts = nullptr;  // address on the device
  std::size_t count = 0;
};
// The answer of find_pairs(), with the pairs in the memory of the host.
struct PairsAnswer : Pairs {
  Outcome outcome;
};
// The answer of a call that leaves times on the device.
struct TimesAnswer {
  Outcome outcome;
  std::size_t contacts = 0;  // queries with a contact
};

// Answers steps of one mesh on one device. Topology, spatial order and memory stay on the device
// between calls.
//
//   (1) earliest_impact(), all_impacts() and collision_free_step() give the bits of the functions
//       of the same name in graze/step.h with the same mesh, positions and options, whatever the
//       earlier calls were: verdicts, times, features, u, v, normals, order, the number of checks.
//       Only StepWork differs: its times are wall times of the call, and `pairs` counts the pairs
//       whose moving boxes meet, or those that the host finished.
//   (2) The same call gives the same bits at every repetition.
//   (3) The device finds the impacts of the default method without a separation, with every filter
//       but the callback. The host finishes, in integers, queries that rounding leaves undecided (a
//       few in a million) and pairs of points with rods and points. For min_separation > 0,
//       StartContacts::skip, PairFilter::admits, an observer, shared_vertices, stray_vertices =
//       false and other exact methods the device finds the pairs that may come close,
//       conservatively, and the host finishes them exactly; positions on the device are then copied
//       to the host. Status::unsupported, and no answer: a method that is not exact, radii, solids.
//   (4) The start check (StepOptions::start_check) runs on the device. The host decides exactly
//       where rounding hides the answer.
//   (5) Invalid positions or options give the answer that they give there.
//   (6) Lists of pairs that turn out too short are enlarged and the search is repeated, so no pair
//       is lost. A step that needs more memory than the device or Settings::memory_limit has is
//       answered in parts, one after the other, by this call and later ones until renew_order(). If
//       the memory is not enough for parts of a few features: out_of_memory, and later calls still
//       work.
// Memory: about 150 bytes per vertex, 60 per edge and face, and lists of pairs.
// Owns all that it keeps. One call at a time. A moved-from object may only be assigned to or
// destroyed.
class StepSearch {
 public:
  // The use of the device by a search. No field changes an answer.
  struct Settings {
    int device = 0;
    std::size_t memory_limit = 0;  // bytes on the device at a time, 0: what is free
    // For tests: the first lengths of lists, 0: by the size of the mesh.
    std::size_t first_packets = 0, first_pairs = 0, first_contacts = 0;
  };

  explicit StepSearch(Mesh mesh) : StepSearch(std::move(mesh), Settings()) {}
  StepSearch(Mesh mesh, const Settings& settings);
  ~StepSearch();
  StepSearch(StepSearch&&) noexcept;
  StepSearch& operator=(StepSearch&&) noexcept;

  const Mesh& mesh() const;
  // Returns whether the object can answer, or the reason why not.
  const Outcome& outcome() const;
  std::size_t memory() const;  // bytes on the device; 0 while steps are answered in parts

  // The same as the functions of this name in graze/step.h, for positions of the host or of the
  // device.
  FirstAnswer earliest_impact(const Positions& start, const Positions& end,
                              const StepOptions& options = {}, const RunOptions& run = {});
  FirstAnswer earliest_impact(const DevicePositions& start, const DevicePositions& end,
                              const StepOptions& options = {}, const RunOptions& run = {});
  FreeStepAnswer collision_free_step(const Positions& start, const Positions& end,
                                     double keep_distance, const StepOptions& options = {},
                                     const RunOptions& run = {});
  FreeStepAnswer collision_free_step(const DevicePositions& start, const DevicePositions& end,
                                     double keep_distance, const StepOptions& options = {},
                                     const RunOptions& run = {});
  AllAnswer all_impacts(const Positions& start, const Positions& end,
                        const StepOptions& options = {}, const RunOptions& run = {});
  AllAnswer all_impacts(const DevicePositions& start, const DevicePositions& end,
                        const StepOptions& options = {}, const RunOptions& run = {});
  // The same impacts as all_impacts() without a limit (options.max_contacts is not read), in memory
  // of this object.
  ViewAnswer view_all_impacts(const Positions& start, const Positions& end,
                              const StepOptions& options = {}, const RunOptions& run = {});
  ViewAnswer view_all_impacts(const DevicePositions& start, const DevicePositions& end,
                              const StepOptions& options = {}, const RunOptions& run = {});
  DeviceAnswer all_impacts_on_device(const DevicePositions& start, const DevicePositions& end,
                                     const StepOptions& options = {}, const RunOptions& run = {});
  // All pairs whose swept boxes overlap, sorted: the pairs of collect_pairs() with these options
  // and PairSet::overlapping. Positions that are not finite: unsupported.
  PairsAnswer find_pairs(const Positions& start, const Positions& end,
                         const PairOptions& options = {}, const RunOptions& run = {});

  // Sets times[i], on the device, to the toi of graze::first_contact() with the default method for
  // the i-th pair: infinite without a contact in [0, options.t_max]. `pairs`: two indices of
  // features for each pair, on the device, vertex and face or two edges by `kind`, which is
  // vertex_face or edge_edge; any other kind, min_separation > 0 and invalid options: unsupported.
  // Indices must be those of features of the mesh. Positions must be finite.
  TimesAnswer pair_times(Kind kind, const std::uint32_t* pairs, std::size_t count,
                         const DevicePositions& start, const DevicePositions& end, double* times,
                         const Options& options = {}, const RunOptions& run = {});

  // Computes the spatial order anew at the next call. Searches the whole mesh again where steps
  // were answered in parts. The order is computed at the first call and kept; it affects only the
  // time of a search. Useful after large changes of shape.
  void renew_order();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Answers the steps of a sequence on several devices at the same time: the i-th step on the device
// i mod n of the n given ones. A device may be given several times.
//   (1) Every answer is that of StepSearch::all_impacts().
//   (2) push() returns at once. pop() returns the answers in the order of push().
//   (3) The destructor waits for the steps that were begun.
// Owns copies of the mesh and of the positions of steps without an answer.
class StepQueue {
 public:
  // Precondition: at least one device.
  StepQueue(Mesh mesh, std::span<const int> devices);
  ~StepQueue();
  StepQueue(StepQueue&&) noexcept;
  StepQueue& operator=(StepQueue&&) noexcept;

  // Begins a step. Views in the options must last until its answer.
  void push(std::vector<Vec3> start, std::vector<Vec3> end, const StepOptions& options = {},
            const RunOptions& run = {});
  std::size_t size() const;  // steps without an answer
  // Waits for the answer of the first step without one. Precondition: size() > 0.
  AllAnswer pop();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// StepSearch::find_pairs() for one step.
PairsAnswer find_pairs(const MovingMesh& moving, const PairOptions& options = {},
                       const RunOptions& run = {}, const StepSearch::Settings& settings = {});

// Answers queries[i] in impacts[i] as graze::first_contact() with the default method, bit for bit.
// Both arrays are in the memory of the host. If the outcome is not `ok`, all impacts are `invalid`.
// options.min_separation > 0: unsupported.
Outcome first_contact(std::span<const VertexFace> queries, std::span<Impact> impacts,
                      const Options& options = {}, const RunOptions& run = {}, int device = 0);
// The same for edges.
Outcome first_contact(std::span<const EdgeEdge> queries, std::span<Impact> impacts,
                      const Options& options = {}, const RunOptions& run = {}, int device = 0);

// Answers queries in memory of the device, at nearly the speed at which they can be read. Owns
// memory on the device, which later calls use again. One call at a time. A moved-from object may
// only be assigned to or destroyed.
class QuerySearch {
 public:
  explicit QuerySearch(int device = 0);
  ~QuerySearch();
  QuerySearch(QuerySearch&&) noexcept;
  QuerySearch& operator=(QuerySearch&&) noexcept;

  // Sets times[i], on the device, to the toi of graze::first_contact() with the default method for
  // the i-th query: infinite without a contact in [0, options.t_max], 0 if a coordinate is not
  // finite. `queries`: 24 doubles each, on the device, in the layout of VertexFace or EdgeEdge by
  // `kind`, aligned to 16 bytes. Any other kind, min_separation > 0 and invalid options:
  // unsupported.
  TimesAnswer times(Kind kind, const double* queries, std::size_t count, double* times,
                    const Options& options = {}, const RunOptions& run = {});

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace graze::gpu
