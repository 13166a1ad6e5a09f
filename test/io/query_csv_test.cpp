#include "graze/io/queries/query_csv.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>

#include "graze/io/query_files.h"
#include "test/support/data.h"

namespace graze::io::query_csv_test {
namespace {

using boost::multiprecision::cpp_int;

// Returns a file of one query whose first row is `row` and whose other rows are zeros.
std::string query_of(const std::string& row, const std::string& others = "0,1,0,1,0,1") {
  std::string csv = row;
  for (int i = 0; i < 7; ++i) csv += "\n" + others;
  return csv + "\n";
}

double first_coordinate(const std::string& numerator, const std::string& denominator) {
  return parse_query_csv(query_of(numerator + "," + denominator + ",0,1,0,1"), "f")
      .coordinates()[0];
}

std::string power(int base, unsigned exponent) {
  return cpp_int(pow(cpp_int(base), exponent)).str();
}

std::string error_of(const std::string& csv) {
  try {
    parse_query_csv(csv, "bad.csv");
  } catch (const FileError& error) {
    return error.what();
  }
  return "no error";
}

TEST(QueryCsv, ReadsPointsInTheOrderOfTheirRows) {
  std::string csv;
  for (int row = 0; row < 8; ++row)
    csv += std::to_string(3 * row) + ",2," + std::to_string(3 * row + 1) + ",2," +
           std::to_string(3 * row + 2) + ",2,1\n";
  const QuerySet set = parse_query_csv(csv, "f");
  ASSERT_EQ(set.size(), 1u);
  const VertexFace query = set.as<VertexFace>()[0];
  for (std::size_t point = 0; point < 4; ++point)
    for (int axis = 0; axis < 3; ++axis) {
      EXPECT_EQ(query.start[point][axis], (3 * static_cast<double>(point) + axis) / 2);
      EXPECT_EQ(query.end[point][axis], (3 * static_cast<double>(point + 4) + axis) / 2);
    }
  EXPECT_EQ(set.as<EdgeEdge>()[0].end[3], query.end[3]);
  ASSERT_EQ(set.truth().size(), 1u);
  EXPECT_EQ(set.truth()[0], 1);
}

TEST(QueryCsv, TruthIsUnknownWithoutTheSeventhColumn) {
  const QuerySet set = parse_query_csv(query_of("1,1,2,1,3,1"), "f");
  EXPECT_EQ(set.size(), 1u);
  EXPECT_TRUE(set.truth().empty());
}

TEST(QueryCsv, ReadsQuotientsThatAreNotInLowestTerms) {
  EXPECT_EQ(first_coordinate("6", "4"), 1.5);
  EXPECT_EQ(first_coordinate("21", "7"), 3);
  EXPECT_EQ(first_coordinate("3", "12"), 0.25);
  EXPECT_EQ(first_coordinate("0", "7"), 0);
  EXPECT_EQ(first_coordinate(power(3, 200), power(3, 199)), 3);
  EXPECT_EQ(first_coordinate(power(6, 900), power(3, 900)), std::ldexp(1.0, 900));
}

// Promises (1) and (2).
TEST(QueryCsv, ReadsSignsOnEitherSide) {
  EXPECT_EQ(first_coordinate("-3", "2"), -1.5);
  EXPECT_EQ(first_coordinate("3", "-2"), -1.5);
  EXPECT_EQ(first_coordinate("-3", "-2"), 1.5);
  EXPECT_EQ(first_coordinate("+3", "+2"), 1.5);
  EXPECT_FALSE(std::signbit(first_coordinate("-0", "1")));
  EXPECT_FALSE(std::signbit(first_coordinate("0", "-1")));
}

TEST(QueryCsv, LeadingZerosDoNotMakeANumberOctal) {
  EXPECT_EQ(first_coordinate("010", "0008"), 1.25);
  EXPECT_EQ(first_coordinate(std::string(400, '0') + "10", std::string(60, '0') + "8"), 1.25);
}

// Promise (1).
TEST(QueryCsv, ReadsTheEndsOfTheRangeOfDoubles) {
  using Limits = std::numeric_limits<double>;
  const std::string largest = ((cpp_int(1) << 1024) - (cpp_int(1) << 971)).str();
  EXPECT_EQ(first_coordinate(largest, "1"), Limits::max());
  EXPECT_EQ(first_coordinate("-" + largest, "1"), Limits::lowest());
  EXPECT_EQ(first_coordinate("1", power(2, 1074)), Limits::denorm_min());
  EXPECT_EQ(first_coordinate("2", power(2, 1075)), Limits::denorm_min());
  EXPECT_EQ(first_coordinate("1", power(2, 1022)), Limits::min());
  EXPECT_EQ(first_coordinate(((cpp_int(1) << 52) - 1).str(), power(2, 1074)),
            std::nextafter(Limits::min(), 0.0));
}

// Promise (1). Every double is m / 2^k or m 2^k; multiplied by a random odd number the
// fraction is not in lowest terms.
TEST(QueryCsv, ReadsRandomBitPatternsExactly) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 20000; ++i) {
    // Half of the exponents are near 1, where both integers fit 128 bits.
    std::uint64_t bits = random();
    if (i % 2 == 0) bits = (bits & ~(std::uint64_t{0x7ff} << 52)) | ((970 + bits % 90) << 52);
    const auto value = std::bit_cast<double>(bits);
    if (!std::isfinite(value)) continue;
    int exponent;
    const auto mantissa = static_cast<std::int64_t>(std::ldexp(std::frexp(value, &exponent), 53));
    const int shift = exponent - 53;
    const cpp_int numerator = cpp_int(mantissa) << std::max(shift, 0);
    const cpp_int denominator = cpp_int(1) << std::max(-shift, 0);
    const std::uint64_t odd = i % 3 == 0 ? (random() >> 44) | 1 : 1;
    const cpp_int n = numerator * odd, d = denominator * odd;
    ASSERT_EQ(std::bit_cast<std::uint64_t>(first_coordinate(n.str(), d.str())), bits) << value;
  }
}

// Promise (2).
TEST(QueryCsv, AcceptsBlanksCrlfAndBlankLinesAtTheEnd) {
  std::string csv = query_of(" 3 ,\t2,0,1 , 0,1", "0,1,0,1,0,1");
  std::string crlf;
  for (const char c : csv) crlf += c == '\n' ? std::string("\r\n") : std::string(1, c);
  for (const auto& text :
       {csv, csv + "\n", csv + "  \n\n", crlf, crlf + "\r\n", csv.substr(0, csv.size() - 1)}) {
    const QuerySet set = parse_query_csv(text, "f");
    ASSERT_EQ(set.size(), 1u);
    EXPECT_EQ(set.coordinates()[0], 1.5);
  }
}

// Promise (2).
TEST(QueryCsv, AFileWithoutRowsIsAnEmptySet) {
  EXPECT_EQ(parse_query_csv("", "f").size(), 0u);
  EXPECT_EQ(parse_query_csv("\n \r\n", "f").size(), 0u);
}

// Promise (3).
TEST(QueryCsv, ErrorsNameFileLineAndReason) {
  const std::string row = "0,1,0,1,0,1", with_truth = row + ",0";
  const std::string long_integer(5001, '7');
  const struct {
    std::string csv, message;
  } bad[] = {
      {query_of("1,2,3,4,5"), "bad.csv:1: 5 columns, not 6 or (with the truth) 7"},
      {query_of("1,2,3,4,5,6,0,0"), "bad.csv:1: 8 columns, not 6 or (with the truth) 7"},
      {query_of("no commas"), "bad.csv:1: 1 columns, not 6 or (with the truth) 7"},
      {query_of(row, with_truth), "bad.csv:2: 7 columns where the first row has 6"},
      {query_of(with_truth, row), "bad.csv:2: 6 columns where the first row has 7"},
      {query_of("x,1,0,1,0,1"), "bad.csv:1: column 1: 'x' is not an integer"},
      {query_of("0,1,0,1,,1"), "bad.csv:1: column 5: '' is not an integer"},
      {query_of("0,1,-,1,0,1"), "bad.csv:1: column 3: '-' is not an integer"},
      {query_of("0,1,--1,1,0,1"), "bad.csv:1: column 3: '--1' is not an integer"},
      {query_of("0,1,0.5,1,0,1"), "bad.csv:1: column 3: '0.5' is not an integer"},
      {query_of("0,1,1e3,1,0,1"), "bad.csv:1: column 3: '1e3' is not an integer"},
      {query_of("0,1,1 2,1,0,1"), "bad.csv:1: column 3: '1 2' is not an integer"},
      {query_of("0,1,nan,1,0,1"), "bad.csv:1: column 3: 'nan' is not an integer"},
      {query_of("0,1,0,1,0," + std::string("1\0", 2)),
       "bad.csv:1: column 6: '1?' is not an integer"},
      {query_of("\xef\xbb\xbf" + row), "bad.csv:1: column 1: '???0' is not an integer"},
      {query_of("0,1,0,0,0,1"), "bad.csv:1: column 4: the denominator is zero"},
      {query_of("0,-000,0,1,0,1"), "bad.csv:1: column 2: the denominator is zero"},
      {query_of("1,3,0,1,0,1"), "bad.csv:1: column 1: '1' / '3' is not exactly a double"},
      {query_of("0,1,9007199254740993,1,0,1"),
       "bad.csv:1: column 3: '9007199254740993' / '1' is not exactly a double"},
      {query_of("0,1,0,1,1," + power(2, 1075)), "bad.csv:1: column 5: '1' / '" +
                                                    power(2, 1075).substr(0, 40) +
                                                    "...' is not exactly a double"},
      {query_of("0,1,0,1," + power(2, 1024) + ",-1"), "bad.csv:1: column 5: '" +
                                                          power(2, 1024).substr(0, 40) +
                                                          "...' / '-1' is larger than any double"},
      {query_of(power(3, 300) + "," + power(3, 299) + "0,0,1,0,1"),
       "bad.csv:1: column 1: '" + power(3, 300).substr(0, 40) + "...' / '" +
           power(3, 299).substr(0, 40) + "...' is not exactly a double"},
      {query_of("0," + long_integer + ",0,1,0,1"),
       "bad.csv:1: column 2: an integer of 5001 digits; at most 5000 are read"},
      {row + "\n" + row + "\n", "bad.csv:2: the file ends after 2 of the 8 rows of a query"},
      {query_of(row) + row, "bad.csv:9: the file ends after 1 of the 8 rows of a query"},
      {query_of(row + "\n"), "bad.csv:2: a blank line between rows"},
      {"\n" + query_of(row), "bad.csv:1: a blank line between rows"},
      {query_of(row + ",2", with_truth), "bad.csv:1: the truth is '2', not 0 or 1"},
      {query_of(row + ",", with_truth), "bad.csv:1: the truth is '', not 0 or 1"},
      {query_of(row + ",true", with_truth), "bad.csv:1: the truth is 'true', not 0 or 1"},
      {query_of(row + ",1", with_truth),
       "bad.csv:2: the truth differs from that of the query's first row"},
      {query_of("0,1,0,1,0,1\r" + row), "bad.csv:1: 11 columns, not 6 or (with the truth) 7"},
  };
  for (const auto& [csv, message] : bad) EXPECT_EQ(error_of(csv), message);
}

TEST(QueryCsv, ReadsAllSharedQueriesWithTheirTruth) {
  GRAZE_SKIP_WITHOUT_DATA();
  std::size_t sets = 0, vertex_face = 0, edge_edge = 0, contacts = 0;
  for (const auto& folder : std::filesystem::directory_iterator(test::data_folder() / "queries")) {
    ++sets;
    for (const char* kind : {"vertex-face", "edge-edge"}) {
      const QuerySet set = read_queries(folder.path() / (std::string(kind) + ".csv"));
      ASSERT_EQ(set.truth().size(), set.size());
      (kind[0] == 'v' ? vertex_face : edge_edge) += set.size();
      contacts += static_cast<std::size_t>(std::count(set.truth().begin(), set.truth().end(), 1));
    }
  }
  EXPECT_EQ(sets, 10u);
  EXPECT_EQ(vertex_face, 1250u);
  EXPECT_EQ(edge_edge, 1179u);
  EXPECT_EQ(contacts, 216u);
}

TEST(QueryCsv, ReadsSceneQueriesWithoutTruth) {
  GRAZE_SKIP_WITHOUT_DATA();
  const auto folder = test::data_folder() / "scenes/cloth-funnel/queries";
  const QuerySet vertex_face = read_queries(folder / "227vf.csv");
  const QuerySet edge_edge = read_queries(folder / "227ee.csv");
  EXPECT_EQ(vertex_face.size(), 92u);
  EXPECT_EQ(edge_edge.size(), 263u);
  EXPECT_TRUE(vertex_face.truth().empty());
  EXPECT_TRUE(edge_edge.truth().empty());
}

}  // namespace
}  // namespace graze::io::query_csv_test
