#include "graze/generate/families.h"

#include <algorithm>
#include <array>

#include "graze/generate/coplanar_recipes.h"
#include "graze/generate/generic_recipes.h"
#include "graze/generate/singular_recipes.h"

namespace graze::generate {
namespace generate {
namespace {

template <std::size_t length>
struct Name {
  char text[length];
  constexpr Name(const char (&literal)[length]) { std::copy_n(literal, length, text); }
  constexpr std::string_view view() const { return {text, length - 1}; }
};

enum class Kind : bool { generic, degenerate };

// Makes the row of a family. The name seeds the random stream, so two families that share a recipe
// produce different queries.
template <Name name, auto vertex_face, auto edge_edge>
constexpr Family row(Kind kind, std::string_view description) {
  return {name.view(), description, kind == Kind::degenerate,
          [](std::uint64_t seed, std::uint64_t index) {
            Random random(name.view(), 0, seed, index);
            return vertex_face(random);
          },
          [](std::uint64_t seed, std::uint64_t index) {
            Random random(name.view(), 1, seed, index);
            return edge_edge(random);
          }};
}

using VF = VertexFace;
using EE = EdgeEdge;

constexpr std::array table{
    row<"random", random_cube<VF>, random_cube<EE>>(
        Kind::generic, "uniform in the unit cube, the workload of Table 1 of [Huh 2014]"),
    row<"simulation_like", simulation_like<VF>, simulation_like<EE>>(
        Kind::generic, "small close primitives in a small motion, half of them float32"),
    row<"lattice1", lattice<VF, 1>, lattice<EE, 1>>(Kind::degenerate, "coordinates -1, 0, 1"),
    row<"lattice2", lattice<VF, 2>, lattice<EE, 2>>(Kind::degenerate, "integers from -2 to 2"),
    row<"lattice4", lattice<VF, 4>, lattice<EE, 4>>(Kind::degenerate, "integers from -4 to 4"),
    row<"touching", touching<VF>, touching<EE>>(
        Kind::degenerate, "contact by construction up to rounding, mostly at a border"),
    row<"near_ulp", near_ulp<VF>, near_ulp<EE>>(Kind::degenerate,
                                                "touching, then nudged by 1 to 4 ulps"),
    row<"lattice_contact", lattice_contact<VF>, lattice_contact<EE>>(
        Kind::degenerate, "exact contact of integers at a rational time"),
    row<"near_lattice", near_lattice<VF>, near_lattice<EE>>(
        Kind::degenerate, "lattice_contact, then nudged by 1 to 4 ulps"),
    row<"coplanar", coplanar<VF>, coplanar<EE>>(Kind::degenerate, "motion inside a fixed plane"),
    row<"rotating_plane", rotating_plane<VF>, rotating_plane<EE>>(
        Kind::degenerate, "motion inside a plane that turns"),
    row<"sliding", sliding<VF>, sliding<EE>>(
        Kind::degenerate, "one side slides along the plane, border or line of the other"),
    row<"parallel", parallel<VF>, parallel<EE>>(
        Kind::degenerate, "edges that stay parallel; a vertex moving parallel to the face"),
    row<"collinear", collinear<VF>, collinear<EE>>(Kind::degenerate, "all corners on one line"),
    row<"static", at_rest<VF>, at_rest<EE>>(Kind::degenerate, "nothing moves"),
    row<"translation", translation<VF>, translation<EE>>(Kind::degenerate,
                                                         "each side keeps its shape"),
    row<"collapsing", collapsing<VF>, collapsing<EE>>(
        Kind::degenerate, "shapes that shrink to or grow from a segment or a point"),
    row<"flipping", flipping<VF>, flipping<EE>>(
        Kind::degenerate, "shapes that pass through a segment or a point and turn over"),
    row<"hourglass", hourglass<VF>, hourglass<EE>>(
        Kind::degenerate, "half turns that pinch in the middle, as Appendix B of [Wang 2021]"),
    row<"double_root", multiple_root<VF, 2>, multiple_root<EE, 2>>(
        Kind::degenerate, "coplanarity cubic with an exact double root"),
    row<"near_double_root", near_double_root<VF>, near_double_root<EE>>(
        Kind::degenerate, "double_root, then nudged by 1 to 4 ulps"),
    row<"triple_root", multiple_root<VF, 3>, multiple_root<EE, 3>>(
        Kind::degenerate, "coplanarity cubic with an exact triple root"),
    row<"three_roots", three_roots<VF>, three_roots<EE>>(
        Kind::degenerate, "coplanar at three rational times of the step"),
    row<"contact_at_start", contact_at<VF, 0>, contact_at<EE, 0>>(
        Kind::degenerate, "contact exactly at t = 0 or not at all"),
    row<"contact_at_end", contact_at<VF, 1>, contact_at<EE, 1>>(
        Kind::degenerate, "contact exactly at t = 1 or not at all"),
    row<"near_start", near_contact_at<VF, 0>, near_contact_at<EE, 0>>(
        Kind::degenerate, "contact_at_start, then nudged by 1 to 4 ulps"),
    row<"near_end", near_contact_at<VF, 1>, near_contact_at<EE, 1>>(
        Kind::degenerate, "contact_at_end, then nudged by 1 to 4 ulps"),
    row<"shared_vertex", shared_vertex<VF>, shared_vertex<EE>>(
        Kind::degenerate, "the two sides share a corner, as mesh neighbours do"),
    row<"degenerate_primitive", degenerate_primitive<VF>, degenerate_primitive<EE>>(
        Kind::degenerate, "faces that are segments or points, edges that are points"),
    row<"offset_1e6", offset<VF, 6>, offset<EE, 6>>(Kind::degenerate,
                                                    "touching, a million away from the origin"),
    row<"offset_1e9", offset<VF, 9>, offset<EE, 9>>(Kind::degenerate,
                                                    "touching, 1e9 away from the origin"),
    row<"scale_1e-9", scale_nano<VF>, scale_nano<EE>>(Kind::degenerate, "touching, of size 1e-9"),
    row<"tiny_1e-300", tiny<VF>, tiny<EE>>(Kind::degenerate,
                                           "touching, of size 1e-300: products underflow"),
    row<"huge_1e300", huge<VF>, huge<EE>>(
        Kind::degenerate, "touching, of size 1e300 to the largest double: differences overflow"),
    row<"mixed_magnitudes", mixed_magnitudes<VF>, mixed_magnitudes<EE>>(
        Kind::degenerate, "touching, every axis and some coordinates at their own power of two"),
    row<"denormal", denormal<VF>, denormal<EE>>(Kind::degenerate,
                                                "small multiples of the smallest denormal"),
};

}  // namespace
}  // namespace generate

std::span<const Family> families() {
  return generate::table;
}

const Family* find_family(std::string_view name) {
  for (const Family& family : families())
    if (family.name == name) return &family;
  return nullptr;
}

std::vector<VertexFace> generate_vertex_face(const Family& family, std::size_t count,
                                             std::uint64_t seed) {
  std::vector<VertexFace> queries(count);
  for (std::size_t i = 0; i < count; ++i) queries[i] = family.vertex_face(seed, i);
  return queries;
}

std::vector<EdgeEdge> generate_edge_edge(const Family& family, std::size_t count,
                                         std::uint64_t seed) {
  std::vector<EdgeEdge> queries(count);
  for (std::size_t i = 0; i < count; ++i) queries[i] = family.edge_edge(seed, i);
  return queries;
}

}  // namespace graze::generate
