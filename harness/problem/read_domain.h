// Reads the limits that an author sets to families of inputs (draw/input_families.h): the numbers that an
// input may hold, and the families that it must not have.
#pragma once

#include "base/draw_kind.h"
#include "problem/problem.h"

namespace kgrade {

class Keys;

// Reads `domain`, a map from inputs to "LO..HI", and `without`, a map from inputs to maps from names of
// families, or `all`, to the reason why the input never has them. The problem must have all of its
// parameters.
void read_domains(Keys& keys, Problem& problem);

}  // namespace kgrade
