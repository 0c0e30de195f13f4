// What guests add to commands of the core.
#pragma once

#include <vector>

#include "device/registry.h"
#include "grade/grade.h"

namespace kgrade::cli {

// `kgrade grade` lets this function examine accepted candidates again.
void add_second_look(SecondLook look);
// `kgrade doctor` says what this function finds, after what the core needs.
void add_needs(std::vector<Need> (*needs)(const Layout& layout));

// What was added.
struct Additions {
  SecondLook second_look;  // null: none
  std::vector<std::vector<Need> (*)(const Layout&)> needs;
};
const Additions& additions();

}  // namespace kgrade::cli
