// Every time at which a vertex touches a face, not only the first.

#include <graze/graze.h>

#include <iostream>

int main() {
  // The vertex slides over the face in its plane: in at one border, out at another.
  const graze::VertexFace query{
      {graze::Vec3(-1, 1, 0), {0, 0, 0}, {4, 0, 0}, {0, 4, 0}},
      {graze::Vec3(7, 1, 0), {0, 0, 0}, {4, 0, 0}, {0, 4, 0}},
  };
  const graze::ContactTimes times = graze::contact_times(query);
  for (const graze::ContactInterval& i : times.intervals)
    std::cout << "contact from t = " << i.begin_lo << " to t = " << i.end_hi << "\n";
  return times.intervals.size() == 1 ? 0 : 1;
}
