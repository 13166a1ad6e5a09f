#include "queries/disagreement.h"

#include <algorithm>

namespace graze::queries {

Fault fault_of(const Impact& answer, const Impact& truth, Guarantee guarantee) {
  if (truth.verdict == Verdict::invalid) return Fault::none;
  const bool contact = truth.verdict == Verdict::contact;
  const bool late = contact && !(answer.toi <= truth.toi);
  switch (answer.verdict) {
    case Verdict::separated:
      return contact ? Fault::missed : Fault::none;
    case Verdict::contact:
      if (!contact) return Fault::alarm;
      if (late) return Fault::late;
      return guarantee == Guarantee::exact &&
                     (answer.toi != truth.toi || answer.toi_hi != truth.toi_hi)
                 ? Fault::inexact
                 : Fault::none;
    case Verdict::undecided:
      return late ? Fault::late : Fault::undecided;
    case Verdict::invalid:
      return Fault::invalid;
  }
  return Fault::none;
}

std::vector<Failure> worst_failures(std::span<const Impact> answers, std::span<const Impact> truth,
                                    Guarantee guarantee, double t_max, std::size_t most,
                                    Fault mildest) {
  std::vector<Failure> failures;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const Fault fault = fault_of(answers[i], truth[i], guarantee);
    if (fault > mildest || fault == Fault::none) continue;
    const double harm = fault == Fault::missed ? t_max - truth[i].toi
                        : fault == Fault::late ? answers[i].toi - truth[i].toi
                                               : 0;
    failures.push_back({i, fault, harm, answers[i], truth[i]});
  }
  std::stable_sort(failures.begin(), failures.end());
  failures.resize(std::min(most, failures.size()));
  return failures;
}

}  // namespace graze::queries
