#pragma once

#include <memory>
#include <span>

#include "graze/rigid/model/parts.h"

namespace graze::rigid {

// Returns the surface of make_height_field() as parts: blocks of 2^k x 2^k cells, bounded by boxes,
// over single cells, over triangles. The arguments are in the ranges of body.h.
std::shared_ptr<const Parts> height_grid(std::size_t columns, std::size_t rows, double spacing_x,
                                         double spacing_y, std::span<const double> heights);

}  // namespace graze::rigid
