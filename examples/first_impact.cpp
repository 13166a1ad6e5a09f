#include <graze/graze.h>

#include <iostream>

// A triangle falls onto a tetrahedron: when and where does the mesh first touch itself?
int main() {
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::RowMajor>;
  const graze::Mesh mesh =
      graze::make_mesh(7, {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}, {4, 5, 6}});
  Matrix start(7, 3), end;
  start << -1, -1, 0, 1, -1, 0, 0, 1, 0, 0, 0, 1,  // the tetrahedron
      -1, -1, 3, 2, -1, 2, 0, 2, 2;                // the triangle
  end = start;
  end.bottomRows(3).col(2).array() -= 2;

  // Row-major matrices are used where they lie.
  const graze::FirstImpact first = graze::earliest_impact(mesh, start, end);
  const graze::AllImpacts all = graze::all_impacts(mesh, start, end);
  const graze::MovingMesh moving{mesh, graze::Positions(start).rows(),
                                 graze::Positions(end).rows()};
  std::cout << name(first.impact.verdict) << " at t = " << first.impact.toi << " at "
            << graze::contact_position(moving, first).transpose() << "; " << all.impacts.size()
            << " pairs touch during the step\n";
  return first.impact.verdict == graze::Verdict::contact ? 0 : 1;
}
