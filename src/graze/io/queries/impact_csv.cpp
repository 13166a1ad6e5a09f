#include "graze/io/queries/impact_csv.h"

#include <algorithm>

#include "graze/io/append_number.h"
#include "graze/io/atomic_file.h"

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
  file.write(impact_csv_header);
  for (std::size_t i = 0; i < impacts.size(); i += piece)
    file.write(format_impacts(impacts.subspan(i, std::min(piece, impacts.size() - i)), i));
  file.commit();
}

}  // namespace graze::io
