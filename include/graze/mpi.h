#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "graze/mesh.h"
#include "graze/step.h"

// Steps, jobs and files on many processes (ranks of MPI). Every function is collective: all ranks
// of the communicator call it, with the same options. MPI must be initialized, with
// MPI_THREAD_FUNNELED or more; the functions communicate on the calling thread alone, through a
// duplicate of the communicator. If a rank dies, the launcher of MPI ends all ranks.
namespace graze::mpi {

// Thrown on all other ranks if a call fails on one rank, where the error itself is thrown.
class Failure : public std::runtime_error {
 public:
  Failure(int rank, const std::string& message) : std::runtime_error(message), rank_(rank) {}
  int rank() const { return rank_; }  // the first rank on which the call failed

 private:
  int rank_;
};

// The part of a mesh that one rank has. Vertices and faces are numbered consecutively over all
// ranks: those of rank 0 first, then those of rank 1, and so on. Faces and rods refer to vertices
// of any rank by these numbers. A part may be empty. Views: not owned.
struct MeshPart {
  std::span<const Vec3> start, end;  // one position per vertex of this rank
  std::span<const Face> faces;
  std::span<const Edge> rods = {};  // in any order and on any rank, also repeated (make_mesh)
};

// A part of a mesh with its storage: the fields of MeshPart (start, end, faces, rods). part() is a
// view of it.
struct OwnedPart {
  std::vector<Vec3> start, end;
  std::vector<Face> faces;
  std::vector<Edge> rods;

  MeshPart part() const { return {start, end, faces, rods}; }
};

// The numbers of bytes and messages that a rank has sent to other ranks. A message to all ranks
// counts once.
struct Traffic {
  std::uint64_t bytes = 0, messages = 0;
};

// The share of one rank in a search.
struct Share {
  std::size_t faces = 0;      // the largest number of faces in its region in a slab
  std::uint64_t pairs = 0;    // tested by this rank
  double search_seconds = 0;  // processor time of its own searches, all threads
  Traffic traffic;
};

// The first impact of a step, the same on every rank but for `share`. Features have the numbers of
// the whole mesh: edges are numbered as in Mesh.
struct FirstImpact : graze::FirstImpact {
  Vec3 position = Vec3::Constant(Impact::nan);  // contact_position()
  FeatureCounts counts;                         // of the whole mesh
  Share share;                                  // of this rank
};

// All impacts of a step. verdict, toi and complete are those of graze::AllImpacts.
struct AllImpacts {
  Verdict verdict = Verdict::separated;
  double toi = Impact::inf;
  bool complete = true;
  FirstImpact first;  // the first impact of all; its verdict is separated without impacts
  // This rank's part: the impacts of rank 0, then those of rank 1 and so on, are those of
  // graze::all_impacts(), in its order.
  std::vector<StepImpact> impacts;
  std::uint64_t contacts = 0, undecided = 0;  // numbers of impacts of all ranks
  StepWork work;                              // of all ranks; seconds are those of the slowest
};

// The functions of graze/step.h for a mesh of which each rank has a part.
//
// For each slab of time, space is divided among the ranks along a Morton curve into pieces of about
// equal work. A face is sent to every rank whose region its swept box touches. The rank whose
// region contains the lower corner of the intersection of two swept boxes tests the pair, so each
// pair is tested by exactly one rank. The ranks exchange the best time so far while they search.
//
//   (1) Verdict, times, features, places and normals have the bits of the function of the same name
//       in graze/step.h for the whole mesh, for any number of ranks and any division of the mesh
//       into parts. The numbers of pairs, skipped start contacts and slabs in `work` agree too.
//   (2) No rank stores the whole mesh: memory is that of the part, of the features that touch the
//       rank's region with their trees, and up to 4 bytes per vertex of the whole mesh if the
//       numbers of vertices are not coherent in space.
//   (3) `invalid` on every rank: as in graze/step.h, on any rank; a face or a rod that names a
//       vertex that no rank has; more than Mesh::max_vertices vertices; an observer or
//       pairs.filter.admits, which cannot be called with numbers of the whole mesh; radii or
//       solids. The spans of the filter have one element per vertex of the part.
//   (4) If run.stop is set on any rank, all ranks stop: `undecided` as in graze/step.h.
// run.threads is the number of threads of each rank that search; the calling thread communicates
// meanwhile. run.progress is not called.
FirstImpact earliest_impact(MPI_Comm comm, const MeshPart& part, const StepOptions& options = {},
                            const Run& run = {});
// The same for all impacts of the step; each rank gets a part of them, in order over the ranks.
AllImpacts all_impacts(MPI_Comm comm, const MeshPart& part, const StepOptions& options = {},
                       const Run& run = {});

// Reads this rank's part of two frames of one mesh: about as many vertices and faces on each rank.
// The files are binary PLY files of triangles and rods whose rows have a fixed size, so that each
// rank reads its own rows alone. Throws io::FileError or Failure on every rank, also if the meshes
// differ, if a position is NaN or infinite, and if another kind of mesh file is named.
OwnedPart read_motion(MPI_Comm comm, const std::filesystem::path& start,
                      const std::filesystem::path& end);

// Throws io::FileError or Failure on every rank if a file differs between ranks, in its size or
// in a hash of its contents. A name that contains "{rank}" is that of a copy of each rank, which
// reads all of it; ranks of one machine read a file of any other name together, each a part of it.
void require_same_files(MPI_Comm comm, std::span<const std::filesystem::path> paths);

// Returns the path with each "{rank}" replaced by the number of this rank.
std::filesystem::path path_of_rank(MPI_Comm comm, const std::filesystem::path& path);

// Writes the contacts of all ranks as `graze step --all` does, each rank its own part, by MPI-IO.
// Throws io::FileError or Failure on every rank and then leaves no file behind.
void write_contacts(MPI_Comm comm, const std::filesystem::path& path, const AllImpacts& all);

// Writes one text that consists of pieces of the ranks, in their order, by MPI-IO. piece(i) for i
// below `pieces` is called twice on this rank and returns the same text both times. Throws as
// write_contacts() does.
void write_text(MPI_Comm comm, const std::filesystem::path& path, std::size_t pieces,
                const std::function<std::string(std::size_t)>& piece);

// Shares jobs among the ranks: a rank that has finished a job receives another one, which is a
// neighbour of its last job in the list if one is left.
//   (1) answer(j) is called once for each j in `jobs`, on one of the ranks, in a thread that makes
//       no call to MPI. done(j, result) is called once for each on rank 0, in the calling thread,
//       as soon as the result has arrived, in any order.
//   (2) If a call throws on any rank, every rank ends its current job and throws: the error itself
//       where it was thrown, Failure elsewhere. Results that arrived before have been passed to
//       done().
//   (3) If *stop becomes true on rank 0, no further job begins, and all ranks return false.
// Only the list of rank 0 is read. Rank 0 does jobs too. Returns true if all jobs are done.
bool share_jobs(MPI_Comm comm, std::span<const std::size_t> jobs,
                const std::function<std::string(std::size_t)>& answer,
                const std::function<void(std::size_t, const std::string&)>& done,
                const std::atomic<bool>* stop = nullptr);

}  // namespace graze::mpi
