#include "graze/io/queries/impact_csv.h"

#include <gtest/gtest.h>

#include <vector>

#include "graze/io/mapped_file.h"
#include "test/support/scratch_folder.h"

namespace graze::io::impact_csv_test {
namespace {

class ImpactCsv : public test::ScratchFolder {};

TEST_F(ImpactCsv, WritesOneRowPerImpactWithShortestNumbers) {
  Impact contact = Impact::contact(0.1, 1.0 / 3, 7);
  contact.u = 5e-324;
  contact.v = -Impact::nan;
  contact.normal = {0, -1, 0.5};
  contact.kind = ContactKind::edge;
  contact.reached_tol = 0x1p-20;
  write_impacts(folder / "r.csv",
                std::vector{contact, Impact::separated(2), Impact::undecided(1e-9, 1, 4294967295),
                            Impact::invalid()});
  EXPECT_EQ(MappedFile(folder / "r.csv").bytes(),
            "index,verdict,toi,toi_hi,u,v,nx,ny,nz,kind,reached_tol,checks\n"
            "0,contact,0.1,0.3333333333333333,5e-324,nan,0,-1,0.5,edge,9.5367431640625e-07,7\n"
            "1,separated,inf,inf,nan,nan,nan,nan,nan,unknown,nan,2\n"
            "2,undecided,1e-09,1,nan,nan,nan,nan,nan,unknown,nan,4294967295\n"
            "3,invalid,0,nan,nan,nan,nan,nan,nan,unknown,nan,0\n");
}

TEST_F(ImpactCsv, NumbersRowsAcrossPieces) {
  constexpr std::size_t count = 20000;
  write_impacts(folder / "r.csv", std::vector<Impact>(count));
  const MappedFile file(folder / "r.csv");
  std::string expected(impact_csv_header);
  for (std::size_t i = 0; i < count; ++i)
    expected += std::to_string(i) + ",separated,inf,inf,nan,nan,nan,nan,nan,unknown,nan,0\n";
  EXPECT_EQ(file.bytes(), expected);
  EXPECT_EQ(files(), 1u);
}

}  // namespace
}  // namespace graze::io::impact_csv_test
