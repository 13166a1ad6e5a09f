#include "graze/io/queries/impact_csv.h"

#include <algorithm>

#include "graze/io/append_number.h"
#include "graze/io/atomic_file.h"
#include "graze/io/queries/impact_npy.h"

namespace graze::io {
namespace {

const char* name_of(ContactKind kind) {
  switch (kind) {
    case ContactKind::unknown:
      return "unknown";
    case ContactKind::interior:
      return "interior";
    case ContactKind::edge:
      return "edge";
    case ContactKind::vertex:
      return "vertex";
    case ContactKind::coplanar:
      return "coplanar";
  }
  return "?";
}

}  // namespace

std::string format_impacts(std::span<const Impact> impacts, std::size_t first_index) {
  std::string text;
  for (const Impact& impact : impacts) {
    append_number(text, first_index++);
    text += ',';
    text += name(impact.verdict);
    for (const double number : {impact.toi, impact.toi_hi, impact.u, impact.v, impact.normal[0],
                                impact.normal[1], impact.normal[2]})
      append_number(text += ',', number);
    text += ',';
    text += name_of(impact.kind);
    append_number(text += ',', impact.reached_tol);
    text += ',';
    append_number(text, impact.checks);
    text += '\n';
  }
  return text;
}

void write_impacts(const std::filesystem::path& path, std::span<const Impact> impacts) {
  constexpr std::size_t piece = 8192;
  AtomicFile file(path);
  const bool records = path.extension() == ".npy";
  file.write(records ? impact_npy_header(impacts.size()) : std::string(impact_csv_header));
  for (std::size_t i = 0; i < impacts.size(); i += piece) {
    const auto part = impacts.subspan(i, std::min(piece, impacts.size() - i));
    if (records) {
      const std::vector<ImpactRecord> rows = to_records(part);
      file.write({reinterpret_cast<const char*>(rows.data()), rows.size() * sizeof rows[0]});
    } else {
      file.write(format_impacts(part, i));
    }
  }
  file.commit();
}

}  // namespace graze::io
