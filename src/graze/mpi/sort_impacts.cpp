#include "graze/mpi/sort_impacts.h"

#include <algorithm>

#include "graze/spine/search_step.h"

namespace graze::mpi {

void sort_impacts(Communicator& communicator, std::vector<StepImpact>& impacts) {
  constexpr std::size_t sample_size = 64;  // of each rank
  std::sort(impacts.begin(), impacts.end(), spine::before);
  if (communicator.size() == 1) return;
  std::vector<StepImpact> sample;
  for (std::size_t i = 0; i < std::min(sample_size, impacts.size()); ++i)
    sample.push_back(impacts[impacts.size() * i / std::min(sample_size, impacts.size())]);
  sample = communicator.gather(sample);
  std::sort(sample.begin(), sample.end(), spine::before);
  Packets<StepImpact> packets{{}, {}};
  auto begin = impacts.begin();
  for (std::size_t rank = 1; rank <= communicator.ranks(); ++rank) {
    const std::size_t i = sample.size() * rank / communicator.ranks();
    const auto end = i == sample.size()
                         ? impacts.end()
                         : std::lower_bound(begin, impacts.end(), sample[i], spine::before);
    packets.counts.push_back(static_cast<std::size_t>(end - begin));
    begin = end;
  }
  packets.items = std::move(impacts);
  impacts = communicator.exchange(packets).items;
  std::sort(impacts.begin(), impacts.end(), spine::before);
}

}  // namespace graze::mpi
