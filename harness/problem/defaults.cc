#include "problem/defaults.h"

#include <fmt/format.h>

#include "problem/fields.h"
#include "problem/quote.h"

namespace kgrade {

Defaults read_defaults(const YamlNode& node, const std::vector<Parameter>& parameters,
                       Diagnostics& diagnostics) {
  Defaults defaults;
  if (!expect_map(node, "'defaults'", "a map: `stride_h: 1`, and so on", 100, diagnostics)) return defaults;
  for (const YamlNode& entry : node.children) {
    const Parameter* parameter = find_parameter(parameters, entry.key);
    if (parameter == nullptr || parameter->pointer) {
      diagnostics.add(entry.key_location,
                      fmt::format("'defaults' names no scalar parameter: {}", in_quotes(entry.key)),
                      suggestion_of_known(entry.key, scalar_names(parameters)));
      continue;
    }
    defaults.named.insert(entry.key);
    read_scalar(entry, *parameter, defaults.values, diagnostics);
  }
  return defaults;
}

}  // namespace kgrade
