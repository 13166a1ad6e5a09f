#include "graze/sim/elastic/material/elastic_body.h"

#include <Eigen/Geometry>
#include <cmath>

#include "graze/sim/block_matrix.h"

namespace graze::sim::soft {
namespace {

template <std::size_t N>
std::array<std::uint32_t, N> shifted(std::array<std::uint32_t, N> corners, std::uint32_t by) {
  for (std::uint32_t& corner : corners) corner += by;
  return corners;
}

double area_of(std::span<const Vec3> positions, const Face& face) {
  const Vec3& x = positions[face[0]];
  return (positions[face[1]] - x).cross(positions[face[2]] - x).norm() / 2;
}

template <int N, class Corners>
void add_to(const LocalModel<N>& model, const Corners& corners, Eigen::VectorXd& gradient,
            BlockMatrix& curvature) {
  for (int i = 0; i < N; ++i) {
    const std::uint32_t a = corners[static_cast<std::size_t>(i)];
    gradient.segment<3>(3 * static_cast<Eigen::Index>(a)) +=
        model.gradient.template segment<3>(3 * i);
    for (int j = 0; j < N; ++j)
      curvature.add(a, corners[static_cast<std::size_t>(j)],
                    model.hessian.template block<3, 3>(3 * i, 3 * j));
  }
}

bool is_positive(double value) {
  return value > 0 && std::isfinite(value);
}

std::string number(std::size_t i) {
  return std::to_string(i);
}

// Returns a sentence that names the first index out of range, or nothing.
template <class Lists>
std::string index_problem(const Lists& lists, const char* what, std::size_t vertices) {
  for (std::size_t i = 0; i < lists.size(); ++i)
    for (const std::uint32_t vertex : lists[i])
      if (vertex >= vertices)
        return std::string(what) + " " + number(i) + " names vertex " + number(vertex) + " of " +
               number(vertices);
  return "";
}

std::string vector_problem(std::span<const Vec3> vectors, const char* what, std::size_t count) {
  if (vectors.size() != count)
    return "there are " + number(vectors.size()) + " " + what + " of " + number(count) +
           " vertices";
  for (std::size_t i = 0; i < vectors.size(); ++i)
    if (!vectors[i].allFinite()) return number(i) + " of the " + what + " is not finite";
  return "";
}

std::string material_problem(const Body& body) {
  const auto& [density, young, poisson] = body.solid;
  const SheetMaterial& cloth = body.cloth;
  if (!is_positive(density) || !is_positive(cloth.density)) return "a density must be above 0";
  if (!is_positive(young) || !is_positive(cloth.young)) return "Young's modulus must be above 0";
  if (!(poisson >= 0 && poisson < 0.5)) return "Poisson's ratio of a solid must be in [0, 0.5)";
  if (!(cloth.poisson >= 0 && cloth.poisson < 1))
    return "Poisson's ratio of a sheet must be in [0, 1)";
  if (!is_positive(cloth.thickness)) return "the thickness of a sheet must be above 0";
  return "";
}

std::string skin_problem(const Body& body) {
  const Skin& skin = body.skin;
  for (std::size_t i = 0; i < skin.vertices.size(); ++i) {
    const auto& [tet, weights] = skin.vertices[i];
    if (tet >= body.tets.size())
      return "vertex " + number(i) + " of the skin names tetrahedron " + number(tet) + " of " +
             number(body.tets.size());
    if (!(std::abs(weights[0] + weights[1] + weights[2] + weights[3] - 1) < 1e-9))
      return "the weights of vertex " + number(i) + " of the skin do not add up to 1";
  }
  return index_problem(skin.faces, "face of the skin", skin.vertices.size());
}

std::string hold_problem(const Body& body) {
  for (std::size_t i = 0; i < body.holds.size(); ++i) {
    const Drive& drive = body.holds[i].drive;
    if (!drive.velocity.allFinite() || !drive.spin.allFinite() || !drive.center.allFinite() ||
        !(drive.until >= 0))
      return "hold " + number(i) +
             " has a velocity, spin or center that is not finite, or an end before 0";
  }
  return "";
}

}  // namespace

Vec3 Drive::place(const Vec3& at_start, double time) const {
  const double seconds = std::min(time, until), angle = spin.norm() * seconds;
  const Vec3 offset = at_start - center;
  const Vec3 axis = spin.isZero(0) ? Vec3::UnitX() : spin.normalized();
  return center + seconds * velocity + Eigen::AngleAxisd(angle, axis) * offset;
}

std::string problem(const Body& body) {
  const std::size_t count = body.rest.size();
  if (count == 0) return "a body needs vertices";
  std::vector<std::vector<std::uint32_t>> held;
  for (const Hold& hold : body.holds) held.push_back(hold.vertices);
  for (const std::string& wrong :
       {vector_problem(body.rest, "positions at rest", count),
        body.positions.empty() ? "" : vector_problem(body.positions, "positions", count),
        body.velocities.empty() ? "" : vector_problem(body.velocities, "velocities", count),
        index_problem(body.tets, "tetrahedron", count),
        index_problem(body.sheet, "triangle", count), index_problem(held, "hold", count),
        material_problem(body), skin_problem(body), hold_problem(body)})
    if (!wrong.empty()) return wrong;
  for (std::size_t i = 0; i < body.tets.size(); ++i)
    if (!is_positive(volume_of(body.rest, body.tets[i])))
      return "the volume of tetrahedron " + number(i) + " is not above 0";
  for (std::size_t i = 0; i < body.sheet.size(); ++i)
    if (!is_positive(area_of(body.rest, body.sheet[i])))
      return "the area of triangle " + number(i) + " is not above 0";
  const std::vector<double> masses = masses_of(body);
  for (std::size_t i = 0; i < count; ++i)
    if (!is_positive(masses[i]))
      return "vertex " + number(i) + " belongs to no tetrahedron and to no triangle";
  return "";
}

std::vector<double> masses_of(const Body& body) {
  std::vector<double> masses(body.rest.size());
  for (const Tetrahedron& tet : body.tets)
    for (const std::uint32_t corner : tet)
      masses[corner] += body.solid.density * volume_of(body.rest, tet) / 4;
  for (const Face& face : body.sheet)
    for (const std::uint32_t corner : face)
      masses[corner] += body.cloth.density * body.cloth.thickness * area_of(body.rest, face) / 3;
  return masses;
}

void ElasticEnergy::add(const Body& body, std::uint32_t first) {
  std::vector<Vec3> rest(first, Vec3::Zero());
  rest.insert(rest.end(), body.rest.begin(), body.rest.end());
  const Lame solid = lame_of_solid(body.solid.young, body.solid.poisson);
  for (const Tetrahedron& tet : body.tets) tets_.emplace_back(rest, shifted(tet, first), solid);
  const SheetMaterial& cloth = body.cloth;
  const Lame sheet = lame_of_sheet(cloth.young, cloth.poisson);
  for (const Face& face : body.sheet)
    membranes_.emplace_back(rest, shifted(face, first), sheet, cloth.thickness);
  const double bending = bending_stiffness(cloth.young, cloth.poisson, cloth.thickness);
  for (const auto& hinge : hinges_of(body.sheet))
    hinges_.emplace_back(rest, shifted(hinge, first), bending);
}

double ElasticEnergy::energy(std::span<const Vec3> positions) const {
  double sum = 0;
  for (const TetEnergy& tet : tets_) sum += tet.energy(positions);
  for (const MembraneEnergy& membrane : membranes_) sum += membrane.energy(positions);
  for (const BendingEnergy& hinge : hinges_) sum += hinge.energy(positions);
  return sum;
}

void ElasticEnergy::linearize(std::span<const Vec3> positions, Eigen::VectorXd& gradient,
                              BlockMatrix& curvature) const {
  for (const TetEnergy& tet : tets_)
    add_to(tet.linearize(positions, Curvature::projected), tet.corners(), gradient, curvature);
  for (const MembraneEnergy& membrane : membranes_)
    add_to(membrane.linearize(positions, Curvature::projected), membrane.corners(), gradient,
           curvature);
  for (const BendingEnergy& hinge : hinges_)
    add_to(hinge.linearize(positions), hinge.corners(), gradient, curvature);
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> ElasticEnergy::pairs() const {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  const auto add_all = [&](const auto& elements) {
    for (const auto& element : elements)
      for (const std::uint32_t a : element.corners())
        for (const std::uint32_t b : element.corners())
          if (a < b) pairs.emplace_back(a, b);
  };
  add_all(tets_);
  add_all(membranes_);
  add_all(hinges_);
  return pairs;
}

}  // namespace graze::sim::soft
