#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace graze::command {

// The answers of a run that a later run can continue. They are lines of a text file, in the order
// in which they were found, after a line with the question: all that the answers depend on.
class Journal {
 public:
  // Reads the answers that the file has for this question: none if the file is absent or has
  // another question. A last line that was cut off is dropped. Lines must not contain '\n'.
  Journal(std::filesystem::path file, std::string question);

  const std::vector<std::string>& before() const { return before_; }

  // Creates the file with the answers of before(). Throws io::FileError.
  void begin();
  // Appends an answer to the file, at once. Precondition: begin() was called. Throws io::FileError.
  void add(const std::string& answer);
  // Closes and removes the file.
  void remove();

 private:
  std::filesystem::path file_;
  std::string question_;
  std::vector<std::string> before_;
  std::ofstream stream_;
};

}  // namespace graze::command
