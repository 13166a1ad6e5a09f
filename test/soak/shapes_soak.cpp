// Compares advance() and distance() of every pair of shapes with the judge of
// test/support/shape_judge.h.
//
//   shapes_soak [COUNT [SEED [FIRST [LAST]]]]   COUNT cases for each of the pairs FIRST to LAST;
//                                               default: 20000, seed 1, all pairs, from 1 on
//
// The cases of a pair depend on the seed, not on FIRST. Prints a line per pair, with its number;
// noticed: contacts after the start that the judge would miss from an answer `separated`. Exit code
// 0: no fault; 1: some; 2: usage.

#include <array>
#include <charconv>
#include <cstdio>
#include <string_view>

#include "test/support/shape_cases.h"

namespace graze {
namespace {

bool parse(std::string_view text, std::uint64_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && number > 0;
}

int run(std::uint64_t count, std::uint64_t seed, std::uint64_t first, std::uint64_t last) {
  const auto number = [](std::uint64_t n) { return static_cast<unsigned long long>(n); };
  std::uint64_t faults = 0, cases = 0, later = 0, noticed = 0, pair_number = 0;
  std::printf("%3s %-26s %8s %8s %8s %9s %5s %5s %5s %8s %9s\n", "", "pair", "cases", "contact",
              "at start", "undecided", "late", "far", "wrong", "noticed", "hi - lo");
  for (std::size_t i = 0; i < test::shape_names.size(); ++i)
    for (std::size_t j = i; j < test::shape_names.size(); ++j) {
      ++pair_number;
      if (pair_number < first || pair_number > last) continue;
      test::ShapeTally tally;
      for (std::uint64_t k = 0; k < count; ++k)
        test::judge_case(test::shape_names[i], test::shape_names[j], seed, k, 16, tally);
      const std::string pair =
          std::string(test::shape_names[i]) + ", " + std::string(test::shape_names[j]);
      std::printf("%3llu %-26s %8llu %8llu %8llu %9llu %5llu %5llu %5llu %8llu %9.1e\n",
                  number(pair_number), pair.c_str(), number(tally.cases), number(tally.contacts),
                  number(tally.at_start), number(tally.undecided), number(tally.late),
                  number(tally.far), number(tally.wrong_distance), number(tally.noticed),
                  tally.loosest);
      if (!tally.first_fault.empty()) std::printf("  %s\n", tally.first_fault.c_str());
      std::fflush(stdout);
      faults += tally.faults();
      cases += tally.cases;
      later += tally.later;
      noticed += tally.noticed;
    }
  std::printf(
      "%llu contacts after the start, of which the judge notices %llu if they are left out\n",
      number(later), number(noticed));
  std::printf("%llu cases, %llu faults\n", number(cases), number(faults));
  return faults == 0 ? 0 : 1;
}

}  // namespace
}  // namespace graze

int main(int argc, char** argv) {
  constexpr std::size_t names = graze::test::shape_names.size();
  constexpr std::uint64_t pairs = names * (names + 1) / 2;
  std::array<std::uint64_t, 4> numbers = {20'000, 1, 1, pairs};  // as in the usage
  const auto given = static_cast<std::size_t>(argc - 1);
  bool usable = given <= numbers.size();
  for (std::size_t i = 0; usable && i < given; ++i) usable = graze::parse(argv[i + 1], numbers[i]);
  const auto [count, seed, first, last] = numbers;
  if (!usable || first > last || last > pairs) {
    std::fprintf(stderr, "usage: shapes_soak [COUNT [SEED [FIRST [LAST]]]]\nPairs are 1 to %llu.\n",
                 static_cast<unsigned long long>(pairs));
    return 2;
  }
  return graze::run(count, seed, first, last);
}
