#include "graze/io/queries/query_csv.h"

#include <algorithm>
#include <array>
#include <bit>
#include <boost/multiprecision/cpp_int.hpp>
#include <cassert>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "graze/io/append_number.h"
#include "graze/io/excerpt.h"

namespace graze::io {
namespace {

using boost::multiprecision::cpp_int;
using u128 = unsigned __int128;

constexpr std::size_t max_digits = 5000;
constexpr std::size_t u128_digits = 38;  // 10^38 < 2^128
constexpr std::size_t u64_digits = 19;   // 10^19 < 2^64

int trailing_zeros(u128 value) {
  const auto low = static_cast<std::uint64_t>(value);
  return low != 0 ? std::countr_zero(low)
                  : 64 + std::countr_zero(static_cast<std::uint64_t>(value >> 64));
}
int bit_length(u128 value) {
  const auto high = static_cast<std::uint64_t>(value >> 64);
  return high != 0 ? 64 + static_cast<int>(std::bit_width(high))
                   : static_cast<int>(std::bit_width(static_cast<std::uint64_t>(value)));
}
int trailing_zeros(const cpp_int& value) {
  return static_cast<int>(lsb(value));
}
int bit_length(const cpp_int& value) {
  return static_cast<int>(msb(value)) + 1;
}

template <class Int>
Int decimal(std::string_view digits) {
  Int value = 0;
  while (!digits.empty()) {
    std::uint64_t chunk = 0, scale = 1;
    for (const char digit : digits.substr(0, u64_digits)) {
      chunk = 10 * chunk + static_cast<std::uint64_t>(digit - '0');
      scale *= 10;
    }
    value *= scale;
    value += chunk;
    digits.remove_prefix(std::min(digits.size(), u64_digits));
  }
  return value;
}

enum class Inexact { not_a_double, too_large };

// Returns the double n / d, for d > 0.
//
// Without their powers of two n and d are odd; n / d has a finite binary expansion if and only if
// the odd d then divides the odd n. The quotient is m 2^e with m odd, so it is a double if and only
// if m has at most 53 bits, e >= -1074, and its leading bit is below 2^1024. The double is
// assembled from its bits, so that neither the rounding mode nor flush-to-zero affects it.
template <class Int>
std::variant<double, Inexact> exact_quotient(Int n, Int d) {
  if (n == 0) return 0.0;
  const int n_twos = trailing_zeros(n), d_twos = trailing_zeros(d);
  const int e = n_twos - d_twos;
  n >>= n_twos;
  d >>= d_twos;
  if (d != 1) {
    if (n % d != 0) return Inexact::not_a_double;
    n /= d;
  }
  const int bits = bit_length(n);
  if (bits + e > 1024) return Inexact::too_large;
  if (bits > 53 || e < -1074) return Inexact::not_a_double;
  const auto m = static_cast<std::uint64_t>(n);
  const int leading = bits - 1 + e;
  if (leading < -1022) return std::bit_cast<double>(m << (e + 1074));
  const std::uint64_t hidden_bit = std::uint64_t{1} << 52;
  return std::bit_cast<double>((m << (53 - bits)) - hidden_bit +
                               (static_cast<std::uint64_t>(leading + 1023) << 52));
}

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

struct Integer {
  bool negative;
  std::string_view digits;  // without leading zeros
};

class CsvReader {
 public:
  CsvReader(std::string_view bytes, std::string_view name) : rest_(bytes), name_(name) {}

  QuerySet read() {
    while (!rest_.empty() &&
           (is_blank(rest_.back()) || rest_.back() == '\r' || rest_.back() == '\n'))
      rest_.remove_suffix(1);
    // A row has at least 12 characters; a file of line ends must not take more memory than that.
    const auto rows = static_cast<std::size_t>(std::count(rest_.begin(), rest_.end(), '\n')) + 1;
    coordinates_.reserve(3 * std::min(rows, rest_.size() / 12 + 1));
    while (!rest_.empty()) read_row();
    if (row_ % 8 != 0)
      fail("the file ends after " + std::to_string(row_ % 8) + " of the 8 rows of a query");
    return QuerySet(std::move(coordinates_), std::move(truth_));
  }

 private:
  [[noreturn]] void fail(const std::string& reason) const { throw FileError(name_, row_, reason); }

  void read_row() {
    const std::size_t length = std::min(rest_.find('\n'), rest_.size());
    std::string_view line = rest_.substr(0, length);
    rest_.remove_prefix(std::min(length + 1, rest_.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    const bool first_of_query = row_ % 8 == 0;
    ++row_;
    split(line);
    for (std::size_t axis = 0; axis < 3; ++axis) coordinates_.push_back(read_quotient(2 * axis));
    if (columns_ == 6) return;
    const std::string_view truth = fields_[6];
    if (truth != "0" && truth != "1") fail("the truth is " + excerpt(truth) + ", not 0 or 1");
    const auto value = static_cast<std::uint8_t>(truth == "1");
    if (first_of_query) truth_.push_back(value);
    if (value != truth_.back()) fail("the truth differs from that of the query's first row");
  }

  void split(std::string_view line) {
    if (trim(line).empty()) fail("a blank line between rows");
    std::size_t columns = 0;
    for (std::size_t begin = 0; begin <= line.size(); ++columns) {
      const std::size_t end = std::min(line.find(',', begin), line.size());
      if (columns < fields_.size()) fields_[columns] = trim(line.substr(begin, end - begin));
      begin = end + 1;
    }
    if (columns != 6 && columns != 7)
      fail(std::to_string(columns) + " columns, not 6 or (with the truth) 7");
    if (columns_ == 0) columns_ = columns;
    if (columns != columns_)
      fail(std::to_string(columns) + " columns where the first row has " +
           std::to_string(columns_));
  }

  double read_quotient(std::size_t column) const {
    const Integer n = read_integer(column), d = read_integer(column + 1);
    if (d.digits.empty())
      fail("column " + std::to_string(column + 2) + ": the denominator is zero");
    const auto quotient =
        std::max(n.digits.size(), d.digits.size()) <= u128_digits
            ? exact_quotient(decimal<u128>(n.digits), decimal<u128>(d.digits))
            : exact_quotient(decimal<cpp_int>(n.digits), decimal<cpp_int>(d.digits));
    if (const auto* inexact = std::get_if<Inexact>(&quotient))
      fail("column " + std::to_string(column + 1) + ": " + excerpt(fields_[column]) + " / " +
           excerpt(fields_[column + 1]) +
           (*inexact == Inexact::too_large ? " is larger than any double"
                                           : " is not exactly a double"));
    const double value = std::get<double>(quotient);
    return n.negative != d.negative && !n.digits.empty() ? -value : value;
  }

  Integer read_integer(std::size_t column) const {
    std::string_view text = fields_[column];
    const bool negative = text.starts_with('-');
    if (negative || text.starts_with('+')) text.remove_prefix(1);
    if (text.empty() ||
        !std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; }))
      fail("column " + std::to_string(column + 1) + ": " + excerpt(fields_[column]) +
           " is not an integer");
    if (text.size() > max_digits)
      fail("column " + std::to_string(column + 1) + ": an integer of " +
           std::to_string(text.size()) + " digits; at most " + std::to_string(max_digits) +
           " are read");
    return {negative, text.substr(std::min(text.find_first_not_of('0'), text.size()))};
  }

  std::string_view rest_, name_;
  std::array<std::string_view, 7> fields_;
  std::size_t row_ = 0, columns_ = 0;
  std::vector<double> coordinates_;
  std::vector<std::uint8_t> truth_;
};

// Powers of two in decimal, up to the denominator of the smallest double.
const std::string& power_of_two(int exponent) {
  static const std::vector<std::string> powers = [] {
    std::vector<std::string> table;
    for (cpp_int power = 1; table.size() <= 1074; power *= 2) table.push_back(power.str());
    return table;
  }();
  return powers[static_cast<std::size_t>(exponent)];
}

// Appends numerator and denominator in lowest terms. As in exact_quotient the value is m 2^e, m
// odd.
void append_quotient(std::string& text, double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const int exponent_field = static_cast<int>(bits >> 52 & 0x7ff);
  std::uint64_t m = bits & ((std::uint64_t{1} << 52) - 1);
  if (exponent_field > 0) m += std::uint64_t{1} << 52;
  if (m == 0) {
    text += "0,1";
    return;
  }
  const int twos = std::countr_zero(m);
  const int e = std::max(exponent_field, 1) - 1075 + twos;
  if (e > 0) {
    char digits[320];  // the largest double has 309 digits
    text.append(digits, std::to_chars(std::begin(digits), std::end(digits), value,
                                      std::chars_format::fixed, 0)
                            .ptr);
    text += ",1";
    return;
  }
  if (bits >> 63) text += '-';
  append_number(text, m >> twos);
  text += ',';
  text += power_of_two(-e);
}

}  // namespace

QuerySet parse_query_csv(std::string_view bytes, std::string_view name) {
  return CsvReader(bytes, name).read();
}

std::string format_query_csv(std::span<const double> coordinates,
                             std::span<const std::uint8_t> truth) {
  assert(truth.empty() || 24 * truth.size() == coordinates.size());
  std::string text;
  for (std::size_t i = 0; i < coordinates.size(); ++i) {
    assert(std::isfinite(coordinates[i]));
    append_quotient(text, coordinates[i]);
    if (i % 3 == 2 && !truth.empty()) text += truth[i / 24] ? ",1" : ",0";
    text += i % 3 == 2 ? '\n' : ',';
  }
  return text;
}

}  // namespace graze::io
