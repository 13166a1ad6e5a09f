#include <graze/graze.h>

#include <algorithm>
#include <iostream>
#include <random>
#include <vector>

// Answers many queries on all cores and takes the longest step that is safe for all of them.
int main() {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> coordinate(-1, 1);
  std::vector<graze::EdgeEdge> queries(1000);
  for (graze::EdgeEdge& query : queries)
    for (auto* corners : {&query.start, &query.end})
      for (graze::Vec3& corner : *corners)
        for (double& x : corner) x = coordinate(random);
  std::vector<graze::Impact> impacts(queries.size());
  graze::first_contact(queries, impacts);

  double safe_step = 1;  // toi is safe for every verdict
  std::size_t contacts = 0;
  for (const graze::Impact& impact : impacts) {
    safe_step = std::min(safe_step, impact.toi);
    contacts += impact.verdict == graze::Verdict::contact;
  }
  std::cout << contacts << " of " << queries.size() << " pairs touch; a step of " << safe_step
            << " is safe\n";
  return contacts > 0 ? 0 : 1;
}
