#include "base/defences.h"

namespace kgrade {

bool is_on(Defence /*defence*/) { return true; }

std::vector<std::string> environment_of_defences() { return {}; }

}  // namespace kgrade
