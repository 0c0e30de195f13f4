#include "soundness/scalar_use.h"

#include <fmt/format.h>

#include <utility>

namespace kgrade {

std::optional<Error> ScalarUse::try_case(ReferenceRunner& runner, const Case& bound, const Draw& draw,
                                         CallOutputs& base) {
  // Several values are tried, because some values may really make no difference.
  constexpr std::size_t most_other_values = 3;
  const std::set<std::string> names = unused_;
  for (const std::string& name : names) {
    for (const Case& changed : with_other_values(problem_, bound, name, most_other_values)) {
      varied_.insert(name);
      const auto changes = changes_output(runner, changed, draw, base);
      if (!changes) {
        Error error = changes.error();
        const auto value = changed.integers.find(name);
        if (value != changed.integers.end())
          error.message =
              fmt::format("with {} = {}, which `require` allows: {}", name, value->second, error.message);
        return error;
      }
      if (!*changes) continue;
      unused_.erase(name);
      break;
    }
  }
  return std::nullopt;
}

Result<bool> ScalarUse::changes_output(ReferenceRunner& runner, const Case& changed, const Draw& draw,
                                       CallOutputs& base) {
  if (auto error = runner.set_case(changed)) return *std::move(error);
  const auto outputs = runner.call_oracle(draw);
  if (!outputs) return outputs.errors();
  return !(*outputs)->equals(base);
}

void ScalarUse::conclude(LintFindings& findings) const {
  for (const std::string& name : unused_) {
    if (!varied_.contains(name)) continue;
    findings.add("unused-parameter", fmt::format("the parameter '{}' changes no output on any case", name),
                 "remove it, or use it in the reference");
  }
}

std::vector<std::string> ScalarUse::not_varied() const {
  std::vector<std::string> names;
  for (const std::string& name : unused_) {
    if (!varied_.contains(name)) names.push_back(name);
  }
  return names;
}

}  // namespace kgrade
