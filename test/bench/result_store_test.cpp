#include "bench/harness/result_store.h"

#include <fstream>

#include "test/support/generated.h"
#include "test/support/scratch_folder.h"

namespace graze::bench::result_store_test {
namespace {

NamedSet lattice(std::uint64_t seed = 1) {
  NamedSet set = generate_sets(5, seed, Kind::vertex_face)[2];
  EXPECT_EQ(set.name, "lattice1");
  return set;
}

const Method& some_method() {
  return *find_method("exact");
}

class Store : public test::ScratchFolder {
 protected:
  std::filesystem::path file() const { return folder / "deep" / "measured.jsonl"; }

  // Returns how often the truth was computed.
  int measure_through(const NamedSet& set, const Options& options = {}, double seconds = 0.001,
                      const Method& method = some_method()) {
    int asked = 0;
    std::optional<Truth> truth;
    ResultStore store(file());
    recall_or_measure(
        store, method, set,
        [&]() -> const Truth& {
          ++asked;
          truth = find_truth(set, options, 1);
          return *truth;
        },
        options, seconds);
    return asked;
  }
};

TEST_F(Store, ReusesResultsOfUnchangedSets) {
  EXPECT_EQ(measure_through(lattice()), 1);
  EXPECT_EQ(measure_through(lattice()), 0);
}

TEST_F(Store, MeasuresAnewAfterAnyChange) {
  EXPECT_EQ(measure_through(lattice()), 1);
  EXPECT_EQ(measure_through(lattice(2)), 1);
  EXPECT_EQ(measure_through(lattice(), {.max_checks = 7}), 1);
  EXPECT_EQ(measure_through(lattice(), {}, 0.002), 1);
  EXPECT_EQ(measure_through(lattice(), {}, 0.001, *find_method("oracle")), 1);
  NamedSet told = lattice();
  told.data = told.data.with_truth(std::vector<std::uint8_t>(told.size()));
  EXPECT_EQ(measure_through(told), 1);
  EXPECT_EQ(measure_through(lattice()), 0);
}

TEST_F(Store, KeepsNothingWithoutAFile) {
  ResultStore store;
  store.add("key", 1);
  EXPECT_EQ(store.find("key"), nlohmann::json(1));
  EXPECT_EQ(files(), 0u);
}

TEST_F(Store, SkipsATornLineAndGoesOnAfterIt) {
  {
    ResultStore store(file());
    store.add("a", 1);
    store.add("b", 2);
  }
  std::filesystem::resize_file(file(), std::filesystem::file_size(file()) - 4);
  {
    ResultStore store(file());
    EXPECT_TRUE(store.find("a"));
    EXPECT_FALSE(store.find("b"));
    store.add("c", 3);
  }
  std::ofstream(file(), std::ios::app) << "not json\n{\"key\":1,\"value\":2}\n";
  ResultStore store(file());
  EXPECT_TRUE(store.find("a"));
  EXPECT_EQ(store.find("c"), nlohmann::json(3));
  EXPECT_EQ(store.recalled(), 2u);
}

TEST_F(Store, MeasuresEditedRowsAgain) {
  const NamedSet set = lattice();
  {
    ResultStore store(file());
    store.add(result_key(some_method(), set, {}, 0.001), {{"method", 7}});
  }
  EXPECT_EQ(measure_through(set), 1);
  EXPECT_EQ(measure_through(set), 0);
}

TEST_F(Store, NamesTheFolderThatItCannotCreate) {
  std::ofstream(folder / "deep").flush();  // a file in the place of the folder
  ResultStore store(file());
  try {
    store.add("a", 1);
    FAIL() << "no exception";
  } catch (const io::FileError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("deep: cannot be created: "), std::string::npos) << text;
    EXPECT_EQ(text.find("No such file"), std::string::npos) << text;
  }
}

TEST(StoredRow, IsReadBackWithAllFields) {
  const NamedSet set = generate_sets(40, 1, Kind::edge_edge)[20];
  const Row row = measure(*find_method("cardano_edge"), set, find_truth(set, {}, 1), {}, 0.01);
  Row changed = row;
  changed.counts.false_positives.reset();
  changed.p99_ns = Impact::nan;
  changed.note = "a \"note\"";
  changed.worst = {{3, Fault::missed, 0.5, Impact::separated(), Impact::contact(0.5, 0.5)},
                   {4, Fault::late, 0.1, Impact::undecided(0.3, 1), Impact::contact(0.2, 0.25)}};
  for (const Row& each : {row, changed}) {
    const auto json = row_to_json(each);
    const Row back = row_from_json(nlohmann::json::parse(json.dump()));
    EXPECT_EQ(row_to_json(back), json);
    EXPECT_EQ(back.ns_per_query, each.ns_per_query);
    EXPECT_EQ(back.hit_times.counts, each.hit_times.counts);
    EXPECT_EQ(back.worst.size(), each.worst.size());
  }
  const Row back = row_from_json(row_to_json(changed));
  EXPECT_EQ(back.worst[0].answer.toi, Impact::inf);
  EXPECT_EQ(back.worst[1].truth.toi_hi, 0.25);
  EXPECT_FALSE(back.counts.false_positives.has_value());
}

}  // namespace
}  // namespace graze::bench::result_store_test
