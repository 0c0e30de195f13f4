// Which families of inputs (draw/family.h) a case can have, and which of them a call has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "draw/draws.h"
#include "draw/family.h"
#include "problem/case.h"

namespace kgrade {

// The families of one tensor, without its own distribution. Only inputs of problems that compare exactly have
// families: there, no rounding can make an honest answer wrong. Inputs that the case, the file or the
// reference decides have none.
std::vector<Family> families_of(const Problem& problem, const Case& bound, std::size_t tensor);

// How many numbers Draw::family has in this case: each family of each input has one of them. 0: inputs have
// no families.
std::uint32_t count_families(const Problem& problem, const Case& bound);

// What a draw makes of a tensor. Its inputs have different families, whose combination is drawn.
Variation variation_of(const Problem& problem, const Case& bound, std::size_t tensor, const Draw& draw);

// "image: all elements are equal". Empty if the draw has no family.
std::string families_text(const Problem& problem, const Case& bound, const Draw& draw);

}  // namespace kgrade
