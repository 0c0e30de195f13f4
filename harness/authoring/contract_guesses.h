// Conditions, initial values and arithmetic of an imported problem, once its shapes are known; internal to
// authoring.
#pragma once

#include <string>
#include <vector>

#include "authoring/import.h"
#include "authoring/shape_finder.h"

namespace kgrade::authoring {

void guess_contract(Imported& imported, const ShapeFinder& finder, const std::vector<std::string>& scalars);

}  // namespace kgrade::authoring
