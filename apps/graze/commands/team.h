#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace graze::command {

// The processes that run a command together. This class is the team of one process.
class Team {
 public:
  Team() = default;
  virtual ~Team() = default;
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  // Returns whether there is no other process.
  virtual bool is_alone() const { return true; }

  // Returns whether this process prints and writes files.
  virtual bool leads() const { return true; }

  // Calls answer(j) for each job j of the leader's list, in one of the processes, and passes the
  // results to done(j, result) in the leader, in any order.
  virtual void share(const std::vector<std::size_t>& jobs,
                     const std::function<std::string(std::size_t)>& answer,
                     const std::function<void(std::size_t, const std::string&)>& done) {
    for (const std::size_t job : jobs) done(job, answer(job));
  }

  // Returns the name of this process' copy of a file or folder.
  virtual std::string own_copy(const std::string& name) const { return name; }

  // Throws in all processes unless all have the same files with the same contents.
  virtual void require_same(const std::vector<std::string>& files) const { (void)files; }

  // Returns the leader's number.
  virtual int same_for_all(int number) { return number; }
};

}  // namespace graze::command
