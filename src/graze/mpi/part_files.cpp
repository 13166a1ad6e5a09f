#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "graze/core/numeric/float_environment.h"
#include "graze/io/file_error.h"
#include "graze/io/mapped_file.h"
#include "graze/io/meshes/mesh_formats.h"
#include "graze/mpi.h"
#include "graze/mpi/communicator.h"

namespace graze::mpi {
namespace {

constexpr std::string_view placeholder = "{rank}";

// Returns a hash of the bytes, eight at a time.
std::uint64_t hash_of(std::string_view bytes, std::uint64_t seed) {
  constexpr std::uint64_t factor = 0x9e3779b97f4a7c15;
  std::uint64_t hash = seed * factor ^ bytes.size();
  while (!bytes.empty()) {
    std::uint64_t word = 0;
    const std::size_t count = std::min(bytes.size(), sizeof word);
    std::memcpy(&word, bytes.data(), count);
    hash = std::rotl(hash ^ word, 29) * factor;
    bytes.remove_prefix(count);
  }
  return hash ^ hash >> 32;
}

// Returns the sum of the hashes of this part's blocks, so that the sum over all parts is the same
// for any number of parts.
std::uint64_t hash_of_part(std::string_view bytes, std::size_t part, std::size_t parts) {
  constexpr std::size_t block = std::size_t{1} << 20;
  const std::size_t blocks = (bytes.size() + block - 1) / block;
  std::uint64_t sum = 0;
  for (std::size_t i = blocks * part / parts; i < blocks * (part + 1) / parts; ++i)
    sum += hash_of(bytes.substr(i * block, block), i + 1);
  return sum;
}

// The size and the hash of a file as a rank sees it.
struct Contents {
  std::uint64_t size = 0, hash = 0;
};

void require_finite(const std::filesystem::path& path, std::span<const Vec3> positions,
                    std::uint64_t first) {
  for (std::size_t v = 0; v < positions.size(); ++v)
    if (!positions[v].allFinite())
      throw io::FileError(path.string(), "vertex " + std::to_string(first + v) +
                                             " (counted from 0) has a coordinate that is NaN or "
                                             "infinite");
}

io::PlyPart read_part(const Communicator& communicator, const std::filesystem::path& path) {
  if (path.extension() != ".ply")
    throw io::FileError(path.string(), "only binary .ply files can be read in parts; convert it: " +
                                           io::conversion_of(path));
  const io::MappedFile file(path);
  const auto part = static_cast<std::size_t>(communicator.rank());
  return io::parse_ply_part(file.bytes(), path.string(), part, communicator.ranks());
}

}  // namespace

std::filesystem::path path_of_rank(MPI_Comm comm, const std::filesystem::path& path) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  std::string name = path.string();
  for (std::size_t at = 0; (at = name.find(placeholder, at)) != std::string::npos;)
    name.replace(at, placeholder.size(), std::to_string(rank));
  return name;
}

void require_same_files(MPI_Comm comm, std::span<const std::filesystem::path> paths) {
  Communicator communicator(comm);
  MPI_Comm machine = MPI_COMM_NULL;
  MPI_Comm_split_type(communicator.get(), MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
  Communicator neighbours(machine);
  MPI_Comm_free(&machine);
  std::vector<Contents> mine(paths.size());
  // Hashes of the parts that this rank reads of files which the ranks of this machine share.
  std::vector<std::uint64_t> parts(paths.size());
  std::exception_ptr error;
  for (std::size_t i = 0; i < paths.size() && !error; ++i) try {
      const std::filesystem::path path = path_of_rank(comm, paths[i]);
      const io::MappedFile file(path);
      mine[i].size = file.bytes().size();
      if (path != paths[i])
        mine[i].hash = hash_of_part(file.bytes(), 0, 1);
      else
        parts[i] = hash_of_part(file.bytes(), static_cast<std::size_t>(neighbours.rank()),
                                neighbours.ranks());
    } catch (...) {
      error = std::current_exception();
    }
  neighbours.sum(parts);
  for (std::size_t i = 0; i < paths.size(); ++i) mine[i].hash += parts[i];
  communicator.agree(error);
  const std::vector<Contents> all = communicator.gather(mine);  // those of rank 0 come first
  for (std::size_t r = 1; r < communicator.ranks(); ++r)
    for (std::size_t i = 0; i < paths.size(); ++i) {
      const Contents &first = all[i], &other = all[r * paths.size() + i];
      const std::string rank = std::to_string(r);
      if (other.size != first.size)
        throw io::FileError(paths[i].string(),
                            "differs between ranks: " + std::to_string(first.size) +
                                " bytes on rank 0, " + std::to_string(other.size) + " on rank " +
                                rank);
      if (other.hash != first.hash)
        throw io::FileError(paths[i].string(), "differs between ranks: rank " + rank +
                                                   " has other contents than rank 0");
    }
}

OwnedPart read_motion(MPI_Comm comm, const std::filesystem::path& start,
                      const std::filesystem::path& end) {
  Communicator communicator(comm);
  OwnedPart part;
  std::exception_ptr error;
  try {
    const FloatEnvironment environment;
    io::PlyPart first = read_part(communicator, start), second = read_part(communicator, end);
    if (first.vertices == 0) throw io::FileError(start.string(), "holds no vertex");
    const std::uint64_t vertex =
        first.vertices * static_cast<std::size_t>(communicator.rank()) / communicator.ranks();
    require_finite(start, first.positions, vertex);
    require_finite(end, second.positions, vertex);
    if (first.vertices != second.vertices)
      throw io::FileError(end.string(),
                          std::to_string(second.vertices) + " vertices where the first frame has " +
                              std::to_string(first.vertices) + " (" + start.string() + ")");
    if (first.faces_of_all != second.faces_of_all || first.faces != second.faces ||
        first.rods != second.rods)
      throw io::FileError(end.string(),
                          "has other faces or rods than the first frame (" + start.string() + ")");
    part = {std::move(first.positions), std::move(second.positions), std::move(first.faces),
            std::move(first.rods)};
  } catch (...) {
    error = std::current_exception();
  }
  communicator.agree(error);
  return part;
}

}  // namespace graze::mpi
