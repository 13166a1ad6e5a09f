// mpi_scale T0.ply T1.ply: answers a step on all ranks and prints one line of CSV for each rank:
// ranks, rank, faces of the mesh, faces of the region, pairs, bytes and messages sent, processor
// seconds of the search, processor seconds in all, peak memory in MiB.
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <ctime>

#include "graze/mpi.h"

namespace {

struct Line {
  double values[8];
};

double processor_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace graze;
  MPI_Init(&argc, &argv);
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc != 3) {
    std::fprintf(stderr, "usage: mpi_scale T0.ply T1.ply\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  const double begin = processor_seconds();
  const mpi::OwnedPart part = mpi::read_motion(MPI_COMM_WORLD, argv[1], argv[2]);
  const mpi::AllImpacts all = mpi::all_impacts(MPI_COMM_WORLD, part.part(), {}, {.threads = 1});
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const mpi::Share& share = all.first.share;
  const Line mine{{static_cast<double>(all.first.counts.faces), static_cast<double>(share.faces),
                   static_cast<double>(share.pairs), static_cast<double>(share.traffic.bytes),
                   static_cast<double>(share.traffic.messages), share.search_seconds,
                   processor_seconds() - begin, static_cast<double>(usage.ru_maxrss) / 1024}};
  std::vector<Line> lines(static_cast<std::size_t>(size));
  MPI_Gather(&mine, sizeof mine, MPI_BYTE, lines.data(), sizeof mine, MPI_BYTE, 0, MPI_COMM_WORLD);
  for (int r = 0; rank == 0 && r < size; ++r) {
    const double* v = lines[static_cast<std::size_t>(r)].values;
    std::printf("%d,%d,%.0f,%.0f,%.0f,%.0f,%.0f,%.4f,%.4f,%.1f\n", size, r, v[0], v[1], v[2], v[3],
                v[4], v[5], v[6], v[7]);
  }
  MPI_Finalize();
  return 0;
}
