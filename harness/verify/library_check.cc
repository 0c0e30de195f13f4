#include "verify/library_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/defences.h"
#include "device/allowed_libraries.h"

namespace kgrade {

std::optional<std::string> forbidden_library(Libraries allowed, const LibraryUse& used) {
  if (allowed == Libraries::any || !is_on(Defence::declared_libraries)) return std::nullopt;
  for (const auto& [names, verb] : {std::pair{&used.linked, "links"}, std::pair{&used.opened, "opens"}}) {
    const auto forbidden = std::find_if_not(names->begin(), names->end(), [](const std::string& name) {
      return is_allowed_without_libraries(name);
    });
    if (forbidden != names->end())
      return fmt::format("{} {}, and the problem allows no libraries", verb, *forbidden);
  }
  return std::nullopt;
}

}  // namespace kgrade
