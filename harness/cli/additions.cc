#include "cli/additions.h"

#include <utility>

namespace kgrade::cli {
namespace {

Additions& added() {
  static Additions all;
  return all;
}

}  // namespace

void add_second_look(SecondLook look) { added().second_look = std::move(look); }
void add_needs(std::vector<Need> (*needs)(const Layout&)) { added().needs.push_back(needs); }
const Additions& additions() { return added(); }

}  // namespace kgrade::cli
