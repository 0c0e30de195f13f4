// What guests add to commands of the core.
#pragma once

#include <vector>

#include "device/registry.h"
#include "grade/grade.h"

namespace kgrade::cli {

struct Additions {
  // `kgrade grade` lets this function examine accepted candidates again. Null: there is none.
  SecondLook second_look;
  // `kgrade doctor` says what these functions find, after what the core needs.
  std::vector<std::vector<Need> (*)(const Layout& layout)> needs;
};

// The guests' commands fill them in when they are added to the command line.
inline Additions& additions() {
  static Additions all;
  return all;
}

}  // namespace kgrade::cli
