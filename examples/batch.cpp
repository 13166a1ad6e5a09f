#include <graze/generate/families.h>
#include <graze/graze.h>

#include <algorithm>
#include <iostream>
#include <vector>

// Answers many queries on all cores and takes the longest step that is safe for all of them.
int main() {
  const auto queries = graze::generate_edge_edge(*graze::find_family("random"), 1000, 7);
  std::vector<graze::Impact> impacts(queries.size());
  graze::solve(*graze::find_method("exact"), std::span(queries), {}, std::span(impacts), 0);

  double safe_step = 1;  // toi is safe whatever the verdict
  std::size_t contacts = 0;
  for (const graze::Impact& impact : impacts) {
    safe_step = std::min(safe_step, impact.toi);
    contacts += impact.verdict == graze::Verdict::contact;
  }
  std::cout << contacts << " of " << queries.size() << " pairs touch; a step of " << safe_step
            << " is safe\n";
  return contacts > 0 ? 0 : 1;
}
