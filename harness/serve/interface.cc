#include "serve/interface.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace kgrade {
namespace {

using Json = nlohmann::json;

// "{id}" fits each text that is not empty, and "{name}.csv" each that ends with ".csv".
bool fits_segment(std::string_view pattern, std::string_view segment) {
  if (!pattern.starts_with('{')) return pattern == segment;
  const std::string_view end = pattern.substr(pattern.find('}') + 1);
  return segment.size() > end.size() && segment.ends_with(end);
}

bool fits(std::string_view pattern, std::string_view path) {
  for (;;) {
    const std::size_t pattern_end = pattern.find('/'), path_end = path.find('/');
    if (!fits_segment(pattern.substr(0, pattern_end), path.substr(0, path_end))) return false;
    if (pattern_end == pattern.npos || path_end == path.npos) return pattern_end == path_end;
    pattern.remove_prefix(pattern_end + 1);
    path.remove_prefix(path_end + 1);
  }
}

// Adds the names of the query's parameters from a list of parameters.
void add_parameters(const Json& document, const Json& list, std::vector<std::string>& names) {
  for (const Json& each : list) {
    const auto reference = each.find("$ref");
    const Json& parameter =
        reference == each.end()
            ? each
            : document.at(Json::json_pointer(reference->get<std::string>().substr(1)));  // "#/components/..."
    if (parameter.at("in") == "query") names.push_back(parameter.at("name").get<std::string>());
  }
}

}  // namespace

const Interface::Operation* Interface::Path::operation(const std::string& method) const {
  const auto at = operations.find(method);
  return at == operations.end() ? nullptr : &at->second;
}

std::string Interface::Path::methods() const {
  std::string names;
  for (const auto& [method, operation] : operations)
    names += (names.empty() ? "" : ", ") + method + (method == "GET" ? ", HEAD" : "");
  return names;
}

Interface::Interface(std::string_view description) {
  const Json document = Json::parse(description);
  for (const auto& [pattern, item] : document.at("paths").items()) {
    Path& path = paths_.emplace_back(Path{pattern, {}});
    for (const char* const method : {"get", "post", "put", "patch", "delete"}) {
      const auto at = item.find(method);
      if (at == item.end()) continue;
      Operation operation;
      operation.needs_token = at->value("security", document.at("security")) != Json::array();
      operation.has_body = at->contains("requestBody");
      for (const Json& from : {item, *at})
        add_parameters(document, from.value("parameters", Json::array()), operation.parameters);
      path.operations.emplace(upper_case(method), std::move(operation));
    }
  }
  std::stable_partition(paths_.begin(), paths_.end(),
                        [](const Path& path) { return path.pattern.find('{') == std::string::npos; });
}

const Interface::Path* Interface::find(std::string_view path) const {
  const auto at = std::find_if(paths_.begin(), paths_.end(),
                               [&](const Path& known) { return fits(known.pattern, path); });
  return at == paths_.end() ? nullptr : &*at;
}

}  // namespace kgrade
