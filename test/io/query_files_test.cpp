#include "graze/io/query_files.h"

#include <gtest/gtest.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>

#include "graze/io/atomic_file.h"
#include "graze/io/mapped_file.h"
#include "graze/io/queries/query_npy.h"
#include "test/support/data.h"
#include "test/support/scratch_folder.h"

namespace graze::io::query_files_test {
namespace {

using test::ScratchFolder;
using Limits = std::numeric_limits<double>;

class QueryFiles : public ScratchFolder {};
class QueryNpy : public ScratchFolder {};

template <class Function>
std::string error_of(Function&& function) {
  try {
    function();
  } catch (const FileError& error) {
    return error.what();
  }
  return "no error";
}

bool same_bits(std::span<const double> a, std::span<const double> b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

// Returns finite queries: extremes, neighbours of powers of two, integers beyond 2^53, random bits.
QuerySet extreme_queries() {
  std::vector<double> numbers = {0.0, 1.0, 0.1, Limits::max(), Limits::min(), Limits::denorm_min()};
  for (int e = -1074; e < 1024; e += 7) {
    const double power = std::ldexp(1.0, e);
    for (const double x : {std::nextafter(power, 0.0), power, std::nextafter(power, Limits::max())})
      numbers.push_back(x);
  }
  std::mt19937_64 random(11);
  while (numbers.size() < 24 * 400) {
    const auto x = std::bit_cast<double>(random());
    if (std::isfinite(x)) numbers.push_back(x);
  }
  for (std::size_t i = 1; i < numbers.size(); i += 2)
    if (numbers[i] != 0) numbers[i] = -numbers[i];
  std::vector<std::uint8_t> truth(numbers.size() / 24);
  for (auto& value : truth) value = random() % 2;
  return QuerySet(std::move(numbers), std::move(truth));
}

TEST_F(QueryFiles, AreReadBackBitForBitInBothFormats) {
  const QuerySet set = extreme_queries();
  for (const char* file : {"a.csv", "a.npy"}) {
    write_queries(folder / file, set);
    const QuerySet back = read_queries(folder / file);
    EXPECT_TRUE(same_bits(back.coordinates(), set.coordinates())) << file;
    EXPECT_EQ(std::vector(back.truth().begin(), back.truth().end()),
              std::vector(set.truth().begin(), set.truth().end()));
  }
  EXPECT_EQ(files(), 3u);
}

#if defined(__x86_64__)
TEST_F(QueryFiles, KeepSubnormalNumbersWhereTheHostFlushesThemToZero) {
  const QuerySet set = extreme_queries();
  const unsigned saved = _mm_getcsr();
  _mm_setcsr(saved | 0x8040);  // results and operands to zero
  write_queries(folder / "a.csv", set);
  const QuerySet back = read_queries(folder / "a.csv");
  _mm_setcsr(saved);
  EXPECT_TRUE(same_bits(back.coordinates(), set.coordinates()));
}
#endif

TEST_F(QueryFiles, AreReadBackWithoutTruth) {
  const QuerySet set = extreme_queries().with_truth({});
  for (const char* file : {"a.csv", "a.npy"}) {
    write_queries(folder / file, set.as<EdgeEdge>());
    const QuerySet back = read_queries(folder / file);
    EXPECT_TRUE(same_bits(back.coordinates(), set.coordinates())) << file;
    EXPECT_TRUE(back.truth().empty());
  }
  EXPECT_EQ(files(), 2u);
}

TEST_F(QueryFiles, MayBeEmpty) {
  for (const char* file : {"a.csv", "a.npy"}) {
    write_queries(folder / file, QuerySet());
    EXPECT_EQ(read_queries(folder / file).size(), 0u) << file;
  }
}

TEST_F(QueryFiles, MinusZeroBecomesZeroInCsvOnly) {
  const QuerySet set(std::vector<double>(24, -0.0), {});
  for (const char* file : {"a.csv", "a.npy"}) {
    write_queries(folder / file, set);
    const double back = read_queries(folder / file).coordinates()[0];
    EXPECT_EQ(back, 0);
    EXPECT_EQ(std::signbit(back), file == std::string("a.npy"));
  }
}

TEST_F(QueryFiles, NonFiniteNumbersGoToNpyOnly) {
  for (const double bad : {Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN()}) {
    std::vector<double> numbers(72, 1.0);
    numbers[50] = bad;
    const QuerySet set(std::move(numbers), {});
    write_queries(folder / "a.npy", set);
    EXPECT_TRUE(same_bits(read_queries(folder / "a.npy").coordinates(), set.coordinates()));
    const auto csv = folder / "a.csv";
    EXPECT_EQ(error_of([&] { write_queries(csv, set); }),
              csv.string() + ": query 2 has NaN or infinity, which .csv cannot hold (.npy can)");
  }
  EXPECT_EQ(files(), 1u);
}

TEST_F(QueryFiles, SharedDataIsWrittenBackToTheByte) {
  GRAZE_SKIP_WITHOUT_DATA();
  std::size_t compared = 0;
  for (const char* part : {"queries", "scenes/cloth-funnel/queries"})
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(test::data_folder() / part))
      if (entry.is_regular_file()) {
        write_queries(folder / "copy.csv", read_queries(entry.path()));
        const MappedFile copy(folder / "copy.csv"), original(entry.path());
        const std::string end = original.bytes().ends_with('\n') ? "" : "\n";
        EXPECT_TRUE(copy.bytes() == std::string(original.bytes()) + end) << entry.path();
        ++compared;
      }
  EXPECT_EQ(compared, 22u);
}

TEST_F(QueryFiles, ASetWithoutTruthRemovesTheOldTruth) {
  const QuerySet set = extreme_queries();
  write_queries(folder / "a.npy", set);
  EXPECT_EQ(files(), 2u);
  write_queries(folder / "a.npy", set.with_truth({}));
  EXPECT_EQ(files(), 1u);
  EXPECT_TRUE(read_queries(folder / "a.npy").truth().empty());
}

TEST_F(QueryFiles, MayReplaceTheFileTheyWereMappedFrom) {
  write_queries(folder / "a.npy", extreme_queries());
  const QuerySet mapped = read_queries(folder / "a.npy");
  write_queries(folder / "a.npy", mapped);
  const QuerySet again = read_queries(folder / "a.npy");
  EXPECT_TRUE(same_bits(mapped.coordinates(), extreme_queries().coordinates()));
  EXPECT_TRUE(same_bits(again.coordinates(), extreme_queries().coordinates()));
}

TEST_F(QueryFiles, CopiesShareTheMapping) {
  write_queries(folder / "a.npy", extreme_queries());
  auto first = std::make_unique<QuerySet>(read_queries(folder / "a.npy"));
  const QuerySet copy = *first;
  EXPECT_EQ(copy.coordinates().data(), first->coordinates().data());
  first.reset();
  EXPECT_TRUE(same_bits(copy.coordinates(), extreme_queries().coordinates()));
}

TEST_F(QueryFiles, UnusablePathsAreErrorsWithNameAndReason) {
  const auto at = [&](const char* name) { return (folder / name).string(); };
  std::filesystem::create_directory(folder / "d.csv");
  const QuerySet set;
  EXPECT_EQ(error_of([&] { read_queries(at("none.csv")); }),
            at("none.csv") + ": No such file or directory");
  EXPECT_EQ(error_of([&] { read_queries(at("d.csv")); }), at("d.csv") + ": is a directory");
  EXPECT_EQ(error_of([&] { read_queries(at("a.txt")); }),
            at("a.txt") + ": query files end in .csv or .npy");
  EXPECT_EQ(error_of([&] { write_queries(at("a.txt"), set); }),
            at("a.txt") + ": query files end in .csv or .npy");
  EXPECT_EQ(error_of([&] { write_queries(at("d.csv"), set); }), at("d.csv") + ": is a directory");
  EXPECT_EQ(error_of([&] { write_queries(at("no/a.npy"), set); }),
            at("no/a.npy") + ": cannot be written: No such file or directory");
  EXPECT_EQ(files(), 1u);
}

// Returns an .npy file with any header.
std::string npy(const std::string& dictionary, const std::string& data, char version = 1) {
  const std::string text = dictionary + "\n";
  std::string length(version == 1 ? 2 : 4, '\0');
  length[0] = static_cast<char>(text.size() & 0xff);
  length[1] = static_cast<char>(text.size() >> 8);
  return std::string("\x93NUMPY") + version + '\0' + length + text + data;
}

std::string dictionary(const std::string& type, const std::string& order,
                       const std::string& shape) {
  return "{'descr': " + type + ", 'fortran_order': " + order + ", 'shape': " + shape + ", }";
}

std::string one_query() {
  std::string data(192, '\0');
  for (std::size_t i = 0; i < 24; ++i) {
    const double number = static_cast<double>(i) + 0.5;
    std::memcpy(data.data() + 8 * i, &number, 8);
  }
  return data;
}

TEST_F(QueryNpy, IsMappedWithoutACopy) {
  write_queries(folder / "a.npy", extreme_queries());
  const auto file = std::make_shared<const MappedFile>(folder / "a.npy");
  const QuerySet set = parse_query_npy(file, file->bytes(), "a.npy");
  EXPECT_EQ(reinterpret_cast<const char*>(set.coordinates().data()), file->bytes().data() + 128);
  EXPECT_EQ(file.use_count(), 2);
}

TEST_F(QueryNpy, IsWrittenAsNumPyWritesIt) {
  write_queries(folder / "a.npy", extreme_queries());
  EXPECT_EQ(MappedFile(folder / "a.npy").bytes().substr(0, 128),
            std::string("\x93NUMPY\x01\x00\x76\x00", 10) +
                "{'descr': '<f8', 'fortran_order': False, 'shape': (400, 8, 3), }" +
                std::string(53, ' ') + "\n");
  const auto truth = MappedFile(folder / "a.truth.npy");
  EXPECT_EQ(truth.bytes().substr(10, 61),
            "{'descr': '|u1', 'fortran_order': False, 'shape': (400,), }  ");
  EXPECT_EQ(truth.bytes().size(), 128u + 400u);
}

TEST_F(QueryNpy, ReadsEveryVersionShapeAndAlignment) {
  for (const char version : {'\1', '\2', '\3'})
    for (const char* shape : {"(1, 8, 3)", "(1,24)", "( 1 , 24 , )"})
      for (std::size_t blanks = 0; blanks < 8; ++blanks) {
        const std::string bytes = npy(
            dictionary("\"<f8\"", "False", shape) + std::string(blanks, ' '), one_query(), version);
        const QuerySet set = parse_query_npy(nullptr, bytes, "f");
        ASSERT_EQ(set.size(), 1u);
        EXPECT_EQ(set.as<VertexFace>()[0].end[3], Vec3(21.5, 22.5, 23.5));
      }
}

TEST_F(QueryNpy, ErrorsNameFileAndReason) {
  const std::string data = one_query();
  const std::string good = npy(dictionary("'<f8'", "False", "(1, 8, 3)"), data);
  const std::string no_array = "the NumPy header does not describe a plain array";
  const auto with = [&](const char* type, const char* order, const char* shape) {
    return npy(dictionary(type, order, shape), data);
  };
  const struct {
    std::string bytes, reason;
  } bad[] = {
      {"", "is not a NumPy file"},
      {"0,1,0,1,0,1\n", "is not a NumPy file"},
      {good.substr(0, 5), "is not a NumPy file"},
      {good.substr(0, 6), "ends within the NumPy header"},
      {good.substr(0, 11), "ends within the NumPy header"},
      {good.substr(0, 40), "ends within the NumPy header"},
      {npy("{}", data, 4), "NumPy format 4.0; 1.0, 2.0 and 3.0 are read"},
      {npy("{}", data, 0), "NumPy format 0.0; 1.0, 2.0 and 3.0 are read"},
      {std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff{}", 14), "ends within the NumPy header"},
      {npy("", data), no_array},
      {npy("{}", data), no_array},
      {npy("{'descr': '<f8', 'shape': (1, 24)}", data), no_array},
      {npy("{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (1, 24)}", data),
       no_array},
      {npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1, 24), 'x': 1}", data), no_array},
      {npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1, 24)", data), no_array},
      {npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1, 24)} x", data), no_array},
      {npy("{'descr': '<f8' 'fortran_order': False, 'shape': (1, 24)}", data), no_array},
      {npy("{'descr': '<f8, 'fortran_order': False, 'shape': (1, 24)}", data), no_array},
      {with("[('x', '<f8')]", "False", "(1, 24)"), no_array},
      {with("'<f8'", "0", "(1, 24)"), no_array},
      {with("'<f8'", "False", "(-1, 24)"), no_array},
      {with("'<f8'", "False", "(1, 24"), no_array},
      {with("'<f8'", "False", "(1 24)"), no_array},
      {with("'<f8'", "False", "(99999999999999999999, 24)"), no_array},
      {with("'<f8'", "False",
            "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)"),
       no_array},
      {with("'>f8'", "False", "(1, 24)"), "the type is '>f8', not little-endian float64 '<f8'"},
      {with("'<f4'", "False", "(1, 24)"), "the type is '<f4', not little-endian float64 '<f8'"},
      {with("'|O'", "False", "(1, 24)"), "the type is '|O', not little-endian float64 '<f8'"},
      {with("'<f8'", "True", "(1, 24)"), "the array is in Fortran order, not in C order"},
      {with("'<f8'", "False", "()"), "the shape is (), not (N, 8, 3) or (N, 24)"},
      {with("'<f8'", "False", "(24,)"), "the shape is (24,), not (N, 8, 3) or (N, 24)"},
      {with("'<f8'", "False", "(8, 3)"), "the shape is (8, 3), not (N, 8, 3) or (N, 24)"},
      {with("'<f8'", "False", "(1, 3, 8)"), "the shape is (1, 3, 8), not (N, 8, 3) or (N, 24)"},
      {with("'<f8'", "False", "(1, 8, 3, 1)"),
       "the shape is (1, 8, 3, 1), not (N, 8, 3) or (N, 24)"},
      {with("'<f8'", "False", "(0, 24)"), "the header claims 0 x 192 bytes, the file has 192"},
      {with("'<f8'", "False", "(2, 24)"), "the header claims 2 x 192 bytes, the file has 192"},
      {with("'<f8'", "False", "(96076792050570582, 24)"),  // x 192 = 128 modulo 2^64
       "the header claims 96076792050570582 x 192 bytes, the file has 192"},
      {with("'<f8'", "False", "(18446744073709551615, 24)"),
       "the header claims 18446744073709551615 x 192 bytes, the file has 192"},
      {good.substr(0, good.size() - 1), "the header claims 1 x 192 bytes, the file has 191"},
      {good + "x", "the header claims 1 x 192 bytes, the file has 193"},
  };
  for (const auto& file : bad)
    EXPECT_EQ(error_of([&] { parse_query_npy(nullptr, file.bytes, "bad.npy"); }),
              "bad.npy: " + file.reason);
}

TEST_F(QueryNpy, TruthMayBeBytesOrBooleans) {
  for (const char* type : {"'|u1'", "'|b1'"})
    EXPECT_EQ(
        parse_truth_npy(npy(dictionary(type, "False", "(3,)"), std::string("\1\0\1", 3)), "f"),
        (std::vector<std::uint8_t>{1, 0, 1}));
}

TEST_F(QueryNpy, ErrorsInTruthNameFileAndReason) {
  const struct {
    std::string bytes, reason;
  } bad[] = {
      {npy(dictionary("'|i1'", "False", "(2,)"), "\1\1"),
       "the type is '|i1', not bytes '|u1' or booleans '|b1'"},
      {npy(dictionary("'|u1'", "False", "(2, 1)"), "\1\1"), "the shape is (2, 1), not (N,)"},
      {npy(dictionary("'|u1'", "False", "(3,)"), "\1\1"),
       "the header claims 3 x 1 bytes, the file has 2"},
      {npy(dictionary("'|u1'", "False", "(3,)"), "\1\1\2"),
       "the truth of query 2 is 2, not 0 or 1"},
  };
  for (const auto& file : bad)
    EXPECT_EQ(error_of([&] { parse_truth_npy(file.bytes, "bad.npy"); }), "bad.npy: " + file.reason);
}

TEST_F(QueryNpy, TruthOfAnotherNumberOfQueriesIsAnError) {
  write_queries(folder / "a.npy", extreme_queries());
  write_queries(folder / "b.npy", QuerySet(std::vector<double>(24), {1}));
  std::filesystem::rename(folder / "b.truth.npy", folder / "a.truth.npy");
  EXPECT_EQ(error_of([&] { read_queries(folder / "a.npy"); }),
            (folder / "a.truth.npy").string() + ": the truth of 1 queries, but " +
                (folder / "a.npy").string() + " has 400");
}

}  // namespace
}  // namespace graze::io::query_files_test
