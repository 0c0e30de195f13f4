#include "record/confinement.h"

#include <fmt/format.h>

namespace kgrade {

std::string confinement_text(const SandboxRecord& sandbox, const Style& style) {
  if (sandbox.confined) return "";
  return fmt::format("{} {} (kgrade doctor)\n", style(Colour::yellow, "not confined:"),
                     sandbox.layers.empty() ? "there is no sandbox" : "namespaces are missing");
}

}  // namespace kgrade
