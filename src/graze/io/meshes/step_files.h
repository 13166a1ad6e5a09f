#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graze/io/atomic_file.h"
#include "graze/io/file_error.h"
#include "graze/step.h"

namespace graze::io {

inline constexpr std::string_view contact_csv_header = "kind,a,b,toi,toi_hi,u,v,nx,ny,nz\n";

// Returns one row per impact whose verdict is contact, in the order given. Features are numbered as
// in Mesh. Numbers are the shortest that read back as the same double, or "nan".
std::string format_contacts(const FeatureCounts& counts, std::span<const StepImpact> impacts);

// Writes header and rows. Throws FileError and then leaves no file behind.
void write_contacts(const std::filesystem::path& path, const Mesh& mesh,
                    std::span<const StepImpact> impacts);

// Reads one vector per vertex from a NumPy array (.npy) of little-endian float64, shape (N, 3).
// Throws FileError if the file breaks its format or has not `count` vectors.
std::vector<Vec3> read_vectors(const std::filesystem::path& path, std::size_t count);

// Writes the queries of pairs as FOLDER/vertex-face.npy and FOLDER/edge-edge.npy. The first file
// also has the vertex-edge and vertex-vertex pairs of each motion, as faces without area, after its
// vertex-face pairs. Creates the folder. Without a commit no file is left behind. Memory does not
// grow with the number of queries. All members throw FileError.
class PairQueryFiles {
 public:
  explicit PairQueryFiles(const std::filesystem::path& folder);

  // Appends the queries of the pairs of one motion.
  void add(const MovingMesh& moving, const Pairs& pairs);
  void commit();

  std::size_t vertex_faces() const { return vertex_faces_; }
  std::size_t edge_edges() const { return edge_edges_; }

 private:
  AtomicFile vertex_face_, edge_edge_;
  std::size_t vertex_faces_ = 0, edge_edges_ = 0;
};

// Writes the queries of one motion.
void write_pair_queries(const std::filesystem::path& folder, const MovingMesh& moving,
                        const Pairs& pairs);

}  // namespace graze::io
