#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "graze/earliest_impact.h"
#include "graze/io/atomic_file.h"
#include "graze/io/file_error.h"

namespace graze::io {

inline constexpr std::string_view contact_csv_header = "kind,a,b,toi,toi_hi,u,v,nx,ny,nz\n";

// One row per impact whose verdict is contact, in the order given. Features are numbered as Mesh
// says; numbers are the shortest that read back to the same double, or "nan".
std::string format_contacts(const Mesh& mesh, std::span<const StepImpact> impacts);

// Header and rows. Throws FileError and then leaves no file behind.
void write_contacts(const std::filesystem::path& path, const Mesh& mesh,
                    std::span<const StepImpact> impacts);

// Writes the queries of pairs, motion after motion, as FOLDER/vertex-face.npy and
// FOLDER/edge-edge.npy; in the first, those of each motion are followed by its vertex-edge and
// vertex-vertex pairs as faces without area. Makes the folder where there is none. Without a commit
// no file is left behind. Memory does not grow with what is written. All members throw FileError.
class PairQueryFiles {
 public:
  explicit PairQueryFiles(const std::filesystem::path& folder);

  void add(const MovingMesh& moving, const Pairs& pairs);
  void commit();

  std::size_t vertex_faces() const { return vertex_faces_; }
  std::size_t edge_edges() const { return edge_edges_; }

 private:
  AtomicFile vertex_face_, edge_edge_;
  std::size_t vertex_faces_ = 0, edge_edges_ = 0;
};

// The queries of one motion.
void write_pair_queries(const std::filesystem::path& folder, const MovingMesh& moving,
                        const Pairs& pairs);

}  // namespace graze::io
