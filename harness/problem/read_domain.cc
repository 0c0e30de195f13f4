#include "problem/read_domain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "problem/keys.h"

namespace kgrade {
namespace {

// The names without the first one, which stands for no family.
constexpr auto names_of_families = std::span(enum_words<Family>).subspan<1>();

constexpr std::string_view all_families = "all";

bool draws_outside(const Init& init, const Domain& domain) {
  constexpr double deviations = 2;  // of normal(): nearly all values lie within them
  if (init.kind == Init::Kind::normal && init.expressions.empty())
    return init.first - deviations * init.second < domain.least ||
           init.first + deviations * init.second > domain.largest;
  if (init.kind != Init::Kind::uniform && init.kind != Init::Kind::integers) return false;
  return init.expressions.empty() && (init.first < domain.least || init.second > domain.largest);
}

std::optional<double> float_from(const std::string& text) {
  const auto value = parse_real(trimmed(text));
  return value && std::fabs(*value) <= std::numeric_limits<float>::max() ? value : std::nullopt;
}

std::optional<Domain> domain_from(const YamlNode& node, const std::optional<Init>& init,
                                  Diagnostics& diagnostics) {
  const auto text = read_text(node, fmt::format("'domain' of '{}'", node.key), diagnostics);
  if (!text) return std::nullopt;
  const std::size_t dots = text->find("..");
  const bool has_two = dots != text->npos && !text->substr(dots).starts_with("...");
  const auto least = has_two ? float_from(text->substr(0, dots)) : std::nullopt;
  const auto largest = has_two ? float_from(text->substr(dots + 2)) : std::nullopt;
  if (!least || !largest || *least >= *largest) {
    diagnostics.add(node.place(),
                    fmt::format("'domain' of '{}' is {}{}", node.key, in_quotes(*text),
                                least && largest ? ": the first number must be less than the second" : ""),
                    "write the least and the largest number that the input may hold, as in \"-90..90\"; "
                    "expressions and numbers that float cannot hold are not allowed");
    return std::nullopt;
  }
  Domain domain{*least, *largest, *text};
  if (!init || !draws_outside(*init, domain)) return domain;
  diagnostics.add(node.place(),
                  fmt::format("'domain' of '{}' is {}, and 'init' draws numbers outside of it", node.key,
                              in_quotes(*text)),
                  "widen `domain`, or narrow `init`");
  return std::nullopt;
}

std::map<Family, LeftOut> families_from(const YamlNode& node, Diagnostics& diagnostics) {
  std::map<Family, LeftOut> without;
  const std::string what = fmt::format("'without' of '{}'", node.key);
  if (!expect_map(node, what, "`{shifted: why}`", families_of_inputs, diagnostics)) return without;
  for (const YamlNode& entry : node.children) {
    const auto reason = read_text(entry, fmt::format("'{}'", entry.key), diagnostics);
    if (!reason) continue;
    bool is_known = false;
    for (std::int32_t i = 1; i < families_of_inputs; ++i) {
      const auto family = static_cast<Family>(i);
      if (entry.key != to_string(family) && entry.key != all_families) continue;
      is_known = true;
      without.emplace(family, LeftOut{*reason, entry.key_location});
    }
    if (!is_known)
      diagnostics.add(entry.key_location, fmt::format("unknown family of inputs {}", in_quotes(entry.key)),
                      suggestion_of_known(entry.key, {names_of_families.begin(), names_of_families.end()}));
  }
  return without;
}

Schema families_schema(SchemaDefinitions& definitions) {
  const WordForm<std::string_view> names = {{names_of_families.begin(), names_of_families.end()}};
  Schema schema = MapForm{names, any_text, families_of_inputs, ""}.schema(definitions);
  schema["propertyNames"]["enum"].push_back(all_families);
  return schema;
}

// The inputs that a map names, with their entries.
std::vector<std::pair<Parameter*, const YamlNode*>> entries_of_inputs(std::string_view key,
                                                                      const std::vector<YamlNode>* entries,
                                                                      Problem& problem,
                                                                      Diagnostics& diagnostics) {
  std::vector<std::pair<Parameter*, const YamlNode*>> found;
  if (entries == nullptr) return found;
  std::vector<std::string> inputs;
  for (const Parameter& parameter : problem.parameters) {
    if (parameter.is_input()) inputs.push_back(parameter.name);
  }
  for (const YamlNode& entry : *entries) {
    const auto input = std::find_if(problem.parameters.begin(), problem.parameters.end(),
                                    [&](const Parameter& p) { return p.is_input() && p.name == entry.key; });
    if (input != problem.parameters.end()) {
      found.emplace_back(&*input, &entry);
    } else {
      diagnostics.add(entry.key_location,
                      fmt::format("'{}' names {}, which is no input", key, in_quotes(entry.key)),
                      suggestion_of_known(entry.key, inputs));
    }
  }
  return found;
}

}  // namespace

void read_domains(Keys& keys, Problem& problem) {
  Diagnostics& diagnostics = keys.diagnostics();
  const PatternForm range = {fmt::format(R"({0}\s*\.\.\s*{0})", number_pattern)};
  const auto* const domains =
      keys.children("domain", MapForm{name_form, range, max_parameters, "`domain: {x: \"-90..90\"}`"},
                    "The numbers that inputs may hold, by input, both ends included. The grader draws "
                    "families of inputs from all of it. Without it they stay near what `init` draws.",
                    R"([{"input": "-90..90"}])");
  for (const auto& [input, entry] : entries_of_inputs("domain", domains, problem, diagnostics))
    input->domain = domain_from(*entry, input->init, diagnostics);
  const auto* const without = keys.children(
      "without", MapForm{name_form, families_schema, max_parameters, "`without: {x: {shifted: why}}`"},
      "Families of inputs that the grader never draws, by input, each with the reason; `all` names all of "
      "them.",
      R"([{"input": {"shifted": "differences of prefix sums are honest"}}])");
  for (const auto& [input, entry] : entries_of_inputs("without", without, problem, diagnostics))
    input->without = families_from(*entry, diagnostics);
}

}  // namespace kgrade
