#include <graze/mpi.h>

#include <cstdio>

// A program of MPI without a launcher is one rank.
int main(int argc, char** argv) {
  using graze::Vec3;
  MPI_Init(&argc, &argv);
  graze::mpi::OwnedPart part;
  part.faces = {{0, 1, 2}};
  part.start = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0.25, 0.25, 1)};
  part.end = part.start;
  part.end[3][2] = -1;
  const graze::mpi::FirstImpact first = graze::mpi::earliest_impact(MPI_COMM_WORLD, part.part());
  std::printf("toi %g of %zu faces\n", first.impact.toi, first.counts.faces);
  const bool right = first.impact.verdict == graze::Verdict::contact && first.impact.toi == 0.5;
  MPI_Finalize();
  return right ? 0 : 1;
}
