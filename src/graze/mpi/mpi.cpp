#include "graze/mpi.h"

#include <algorithm>
#include <ctime>
#include <limits>
#include <optional>
#include <thread>

#include "graze/core/numeric/float_environment.h"
#include "graze/mpi/best_time.h"
#include "graze/mpi/communicator.h"
#include "graze/mpi/distributed_mesh.h"
#include "graze/mpi/sort_impacts.h"

namespace graze::mpi {
namespace {

using spine::before, spine::Wanted;

// Returns, on every rank, whether the parts and options of all ranks are valid. Vertex indices must
// be below the number of vertices of all parts.
bool is_valid(Communicator& communicator, const MeshPart& part, const StepOptions& options) {
  Mesh mesh;
  mesh.vertex_count = part.start.size();
  PairOptions pairs = options.pairs;
  pairs.separation = options.query.min_separation;
  const auto finite = [](const Vec3& x) { return x.allFinite(); };
  const std::uint64_t vertices = communicator.sum(part.start.size());
  const auto known = [&](const auto& feature) {
    return std::all_of(feature.begin(), feature.end(),
                       [&](std::uint32_t vertex) { return vertex < vertices; });
  };
  const bool mine = part.start.size() == part.end.size() && vertices <= Mesh::max_vertices &&
                    !options.observer && !options.pairs.filter.admits && options.radii.empty() &&
                    options.solids.empty() && is_sensible(options.query) &&
                    is_sensible(pairs, mesh) &&
                    std::all_of(part.start.begin(), part.start.end(), finite) &&
                    std::all_of(part.end.begin(), part.end.end(), finite) &&
                    std::all_of(part.faces.begin(), part.faces.end(), known) &&
                    std::all_of(part.rods.begin(), part.rods.end(), known);
  return !communicator.any(!mine);
}

// An impact with the place of its contact.
struct Placed {
  StepImpact found;  // separated: none
  Vec3 position = Vec3::Constant(Impact::nan);
};

// The search of a step by all ranks.
class Search {
 public:
  Search(MPI_Comm comm, const MeshPart& part, const StepOptions& options, const Run& run)
      : communicator_(comm), options_(options), run_(run) {
    if (!is_valid(communicator_, part, options)) return;
    mesh_.emplace(communicator_, part, options.pairs.filter);
    if (!spine::can_answer(options_, mesh_->kinds())) mesh_.reset();
  }

  FirstImpact earliest() {
    FirstImpact first;
    if (!mesh_) {
      first.impact = Impact::invalid();
      return first;
    }
    for (const broad::Slab& slab : slabs(Wanted::first)) {
      const RegionMesh region = region_of(slab);
      graze::FirstImpact mine;
      const bool stopped = search(slab, [&](const Run& run, const spine::Known& known) {
        mine = spine::earliest_impact(region.moving(), region.options(options_), run, known);
        add(mine.work);
      });
      if (stopped) {
        first.impact = Impact::undecided(slab.begin, options_.query.t_max);
        break;
      }
      place_first(region, mine);
      if (first_of_all(first)) break;
    }
    first.work = work_of_all();
    finish(first);
    return first;
  }

  AllImpacts all() {
    AllImpacts all;
    if (!mesh_) {
      all.verdict = Verdict::invalid;
      all.toi = 0;
      all.complete = false;
      all.first.impact = Impact::invalid();
      return all;
    }
    // One more than are returned shows that the answer is incomplete.
    const std::size_t limit =
        options_.max_contacts == 0
            ? 0
            : std::min(options_.max_contacts, std::numeric_limits<std::size_t>::max() / 4) + 1;
    double searched = Impact::inf;  // no impact before this time is missing
    for (const broad::Slab& slab : slabs(Wanted::all)) {
      if (limit > 0 && communicator_.sum(count_before(all.impacts, slab.begin)) >= limit) break;
      const RegionMesh region = region_of(slab);
      graze::AllImpacts mine;
      const bool stopped = search(slab, [&](const Run& run, const spine::Known& known) {
        StepOptions options = region.options(options_);
        options.max_contacts = limit;
        mine = spine::all_impacts(region.moving(), options, run, known);
        add(mine.work);
      });
      if (!mine.impacts.empty()) {
        const Vec3 position = contact_position(region.moving(), mine.impacts[0]);
        region.renumber(communicator_, mesh_->edges(), mine.impacts);
        keep_first({mine.impacts[0], position});
      } else {
        region.renumber(communicator_, mesh_->edges(), {});
      }
      all.impacts.insert(all.impacts.end(), mine.impacts.begin(), mine.impacts.end());
      if (!stopped) continue;
      searched = slab.begin;
      break;
    }
    sort_impacts(communicator_, all.impacts);
    first_of_all(all.first);
    all.verdict = all.first.impact.verdict;
    all.toi = all.first.impact.toi;
    if (options_.max_contacts > 0) {
      const auto [earlier, found] = communicator_.sums(all.impacts.size());
      const std::uint64_t room =
          options_.max_contacts - std::min<std::uint64_t>(earlier, options_.max_contacts);
      if (found > options_.max_contacts) all.complete = false;
      if (all.impacts.size() > room) all.impacts.resize(room);
    }
    if (searched < Impact::inf) {
      all.complete = false;
      all.verdict = Verdict::undecided;
      all.toi = std::min(all.toi, searched);
    }
    const auto is_contact = [](const StepImpact& found) {
      return found.impact.verdict == Verdict::contact;
    };
    const auto contacts = static_cast<std::uint64_t>(
        std::count_if(all.impacts.begin(), all.impacts.end(), is_contact));
    std::array<std::uint64_t, 2> counts = {contacts, all.impacts.size() - contacts};
    communicator_.sum(counts);
    all.contacts = counts[0];
    all.undecided = counts[1];
    all.work = work_of_all();
    finish(all.first);
    all.first.work = all.work;
    return all;
  }

 private:
  std::vector<broad::Slab> slabs(Wanted wanted) const {
    const FloatEnvironment environment;
    return spine::slabs_of_search(wanted, options_, mesh_->scale().motion);
  }

  RegionMesh region_of(const broad::Slab& slab) {
    const FloatEnvironment environment;
    return mesh_->region(slab, options_.query.min_separation, share_);
  }

  // Runs body(run, known), which searches the region of this rank, in a thread of its own, and
  // waits for all ranks. Returns whether the search was stopped.
  template <class Body>
  bool search(const broad::Slab& slab, Body&& body) {
    BestTime best(communicator_, run_);
    const spine::PartOf part{slab, mesh_->scale(), [&](double toi) { return best.exchange(toi); }};
    const Run run{run_.threads, &best.stopped(), {}};
    spine::Known known;
    known.part = &part;
    std::exception_ptr error;
    const auto run_body = [&] {
      const std::clock_t begin = std::clock();
      try {
        body(run, known);
      } catch (...) {
        error = std::current_exception();
        best.stop();
      }
      share_.search_seconds += static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
      best.end_search();
    };
    std::thread searcher;
    try {
      searcher = std::thread(run_body);
    } catch (...) {  // the system has no further thread
      error = std::current_exception();
      best.stop();
      best.end_search();
    }
    const bool stopped = best.serve();
    if (searcher.joinable()) searcher.join();
    communicator_.agree(error);
    return stopped;
  }

  void add(const StepWork& work) {
    share_.pairs += work.pairs;
    work_.start_contacts += work.start_contacts;
    work_.slabs += work.slabs;
    work_.broad_seconds += work.broad_seconds;
    work_.narrow_seconds += work.narrow_seconds;
  }

  StepWork work_of_all() {
    StepWork work = work_;
    std::array<std::uint64_t, 2> counts = {share_.pairs, work.start_contacts};
    communicator_.sum(counts);
    work.pairs = counts[0];
    work.start_contacts = counts[1];
    std::array<double, 2> seconds = {work.broad_seconds, work.narrow_seconds};
    communicator_.largest(seconds);
    work.broad_seconds = seconds[0];
    work.narrow_seconds = seconds[1];
    return work;
  }

  void place_first(const RegionMesh& region, const StepImpact& found) {
    Placed placed{found, {}};
    const bool is_found = found.impact.verdict != Verdict::separated;
    if (is_found) placed.position = contact_position(region.moving(), found);
    region.renumber(communicator_, mesh_->edges(), {&placed.found, is_found ? 1u : 0u});
    if (is_found) keep_first(placed);
  }

  void keep_first(const Placed& placed) {
    if (before(placed.found, first_.found)) first_ = placed;
  }

  // Sets the first impact of all ranks. Returns whether there is one.
  bool first_of_all(FirstImpact& first) {
    for (const Placed& placed : communicator_.gather_one(first_))
      if (placed.found.impact.verdict != Verdict::separated && before(placed.found, first)) {
        static_cast<StepImpact&>(first) = placed.found;
        first.position = placed.position;
      }
    return first.impact.verdict != Verdict::separated;
  }

  void finish(FirstImpact& first) {
    first.counts = mesh_->counts();
    share_.traffic = communicator_.traffic();
    first.share = share_;
  }

  static std::uint64_t count_before(const std::vector<StepImpact>& impacts, double time) {
    return static_cast<std::uint64_t>(
        std::count_if(impacts.begin(), impacts.end(),
                      [&](const StepImpact& found) { return found.impact.toi < time; }));
  }

  Communicator communicator_;
  StepOptions options_;
  const Run& run_;
  std::optional<DistributedMesh> mesh_;  // none: invalid
  Share share_;
  StepWork work_;
  Placed first_;  // of this rank
};

}  // namespace

FirstImpact earliest_impact(MPI_Comm comm, const MeshPart& part, const StepOptions& options,
                            const Run& run) {
  return Search(comm, part, options, run).earliest();
}

AllImpacts all_impacts(MPI_Comm comm, const MeshPart& part, const StepOptions& options,
                       const Run& run) {
  return Search(comm, part, options, run).all();
}

}  // namespace graze::mpi
