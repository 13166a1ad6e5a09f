#include "graze/io/queries/impact_npy.h"

#include "graze/io/queries/query_npy.h"

namespace graze::io {

std::string impact_npy_header(std::size_t impacts) {
  return npy_header(
      "[('toi', '<f8'), ('toi_hi', '<f8'), ('u', '<f8'), ('v', '<f8'), ('nx', '<f8'), ('ny', "
      "'<f8'), ('nz', '<f8'), ('reached_tol', '<f8'), ('checks', '<u4'), ('verdict', '|u1'), "
      "('kind', '|u1'), ('', '|V2')]",
      std::to_string(impacts) + ",");
}

std::vector<ImpactRecord> to_records(std::span<const Impact> impacts) {
  std::vector<ImpactRecord> records;
  records.reserve(impacts.size());
  for (const Impact& impact : impacts)
    records.push_back({impact.toi,
                       impact.toi_hi,
                       impact.u,
                       impact.v,
                       impact.normal[0],
                       impact.normal[1],
                       impact.normal[2],
                       impact.reached_tol,
                       impact.checks,
                       static_cast<std::uint8_t>(impact.verdict),
                       static_cast<std::uint8_t>(impact.kind),
                       {}});
  return records;
}

std::vector<Impact> from_records(std::span<const ImpactRecord> records) {
  std::vector<Impact> impacts(records.size());
  for (std::size_t i = 0; i < records.size(); ++i) {
    const ImpactRecord& record = records[i];
    Impact& impact = impacts[i];
    impact.verdict = static_cast<Verdict>(record.verdict);
    impact.kind = static_cast<ContactKind>(record.kind);
    impact.reached_tol = record.reached_tol;
    impact.checks = record.checks;
    impact.toi = record.toi;
    impact.toi_hi = record.toi_hi;
    impact.u = record.u;
    impact.v = record.v;
    impact.normal = {record.nx, record.ny, record.nz};
  }
  return impacts;
}

}  // namespace graze::io
