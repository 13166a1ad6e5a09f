#pragma once

#include <mpi.h>

#include <exception>
#include <functional>

#include "commands/team.h"

namespace graze::command {

// All ranks of MPI_COMM_WORLD as the team of a command. Rank 0 leads.
class Ranks : public Team {
 public:
  Ranks();

  int rank() const { return rank_; }
  int size() const { return size_; }

  bool is_alone() const override { return false; }
  bool leads() const override { return rank_ == 0; }
  void share(const std::vector<std::size_t>& jobs,
             const std::function<std::string(std::size_t)>& answer,
             const std::function<void(std::size_t, const std::string&)>& done) override;
  std::string own_copy(const std::string& name) const override;
  void require_same(const std::vector<std::string>& files) const override;
  int same_for_all(int number) override;

  // Runs the body on every rank. If it throws on some rank, every rank throws mpi::Failure with the
  // message of the first such rank. Precondition: the body does not communicate.
  void together(const std::function<void()>& body) const;

  // Returns the number of threads of this rank: for 0, the cores of its machine divided among the
  // ranks there.
  int threads(int given) const;

 private:
  int rank_ = 0, size_ = 1, ranks_here_ = 1;
};

}  // namespace graze::command
