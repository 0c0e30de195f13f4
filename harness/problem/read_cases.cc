// Reads the values of scalar parameters: `defaults` and `cases`.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "base/text.h"
#include "problem/keys.h"
#include "problem/module_case.h"
#include "problem/problem_reader.h"
#include "problem/read_init.h"
#include "problem/scalar_type.h"

namespace kgrade {

std::vector<std::string> scalar_names(const Problem& problem) {
  std::vector<std::string> names;
  for (const Parameter& parameter : problem.parameters) {
    if (!parameter.pointer) names.push_back(parameter.name);
  }
  return names;
}

bool check_scalar_range(const YamlNode& entry, std::int64_t value, const ScalarType& type,
                        Diagnostics& diagnostics) {
  if (value >= type.low && value <= type.high) return true;
  diagnostics.add(entry.place(),
                  fmt::format("{} is outside of the type {} of '{}'", value, type.name, entry.key),
                  fmt::format("write an integer from {} to {}", type.low, type.high));
  return false;
}

namespace {

constexpr std::size_t most_cases = 1'000;

struct ScalarValues {
  Bindings integers;
  std::map<std::string, double, std::less<>> reals;
};

// What cases need not give: values of scalar parameters, and the rule of the problem's set.
struct Defaults {
  ScalarValues values;
  std::set<std::string, std::less<>> named;  // includes parameters whose value could not be read
  std::optional<SetRule> by_set;
};

// A number from 0 to `most`.
struct ToleranceForm {
  double most = std::numeric_limits<double>::max();
  std::optional<double> read(const YamlNode& node, std::string_view what, Diagnostics& diagnostics) const {
    const auto value = read_real(node, what, diagnostics);
    if (!value || (*value >= 0 && *value <= most)) return value;
    diagnostics.add(node.place(), fmt::format("{} is {}", what, *value),
                    most == 1 ? "write a number from 0 to 1" : "write 0 or a positive number, as in 1e-2");
    return std::nullopt;
  }
  Schema schema(SchemaDefinitions&) const {
    Schema schema = {{"type", {"number", "string"}}, {"minimum", 0}};
    if (most == 1) schema["maximum"] = 1;
    return schema;
  }
};

// A tolerance, or null for no limit.
struct CapForm {
  std::optional<std::optional<double>> read(const YamlNode& node, std::string_view what,
                                            Diagnostics& diagnostics) const {
    if (node.kind == YamlNode::Kind::null) return std::optional<double>();
    const auto value = ToleranceForm{}.read(node, what, diagnostics);
    return value ? std::optional<std::optional<double>>(value) : std::nullopt;
  }
  Schema schema(SchemaDefinitions& definitions) const {
    Schema schema = ToleranceForm{}.schema(definitions);
    schema["type"].push_back("null");
    return schema;
  }
};

struct FlagForm {
  std::optional<bool> read(const YamlNode& node, std::string_view what, Diagnostics& diagnostics) const {
    return read_bool(node, what, diagnostics);
  }
  Schema schema(SchemaDefinitions& definitions) const { return bool_schema(definitions); }
};

// Nothing after a complaint.
std::optional<SetRule> read_rule(Keys& keys) {
  constexpr const char* about_tolerance =
      "An element passes if |out - expected| <= absolute + relative * |expected|.";
  SetRule rule;
  const bool has_absolute =
      keys.read_required("absolute", "absolute: 1e-2", rule.absolute, ToleranceForm{}, about_tolerance);
  const bool has_relative =
      keys.read_required("relative", "relative: 1e-2", rule.relative, ToleranceForm{}, about_tolerance);
  const bool is_shared = keys.read("matched", rule.matched, ToleranceForm{1},
                                   "The share of an output's elements that have to pass. 1 without it.");
  const bool is_capped =
      keys.read("largest", rule.largest, CapForm{},
                "The largest |out - expected| of any element. Null, or without it: there is no limit.");
  const bool is_told =
      keys.read("either", rule.either, FlagForm{},
                "The limit of an element is the larger of `absolute` and `relative` * |expected|, "
                "instead of their sum; false without it.");
  const bool is_sound = has_absolute && has_relative && is_shared && is_capped && is_told;
  return is_sound ? std::optional(rule) : std::nullopt;
}

// Reads the key `by_set` of a frontmatter or a case into `rule`. False after a complaint.
bool read_by_set(Keys& keys, std::optional<SetRule>& rule, const char* description) {
  const YamlNode* const node =
      keys.find("by_set", MappingForm{"setRule", [](Keys& rule_keys) { read_rule(rule_keys); }}, description,
                R"([{"absolute": 0.01, "relative": 0.01}])");
  if (node == nullptr) return true;
  if (!expect_map(*node, "'by_set'", "a map: `{absolute: 1e-2, relative: 1e-2}`", 10, keys.diagnostics()))
    return false;
  Keys own(*node, "'by_set'", keys.diagnostics());
  rule = read_rule(own);
  own.nothing_else();
  return rule.has_value();
}

// Accepts 0 and 1 as well as false and true.
std::optional<std::int64_t> read_flag(const YamlNode& entry, const std::string& what,
                                      Diagnostics& diagnostics) {
  if (entry.is_scalar() && parse_integer(entry.value)) return parse_integer(entry.value);
  const auto value = read_bool(entry, what, diagnostics);
  return value ? std::optional<std::int64_t>(*value ? 1 : 0) : std::nullopt;
}

// Reads the value of a scalar parameter into `values`. Reports a value that does not fit the type, and
// returns false.
bool read_scalar(const YamlNode& entry, const Parameter& parameter, ScalarValues& values,
                 Diagnostics& diagnostics) {
  const ScalarType* type = find_scalar_type(parameter.type);
  const std::string what = in_quotes(parameter.name);
  if (!type->is_integer()) {
    const auto value = read_real(entry, what, diagnostics);
    if (value) values.reals[parameter.name] = *value;
    return value.has_value();
  }
  const auto value =
      type->name == "bool" ? read_flag(entry, what, diagnostics) : read_integer(entry, what, diagnostics);
  if (!value || !check_scalar_range(entry, *value, *type, diagnostics)) return false;
  values.integers[parameter.name] = *value;
  return true;
}

Defaults read_defaults(Keys& keys, const Problem& problem) {
  Diagnostics& diagnostics = keys.diagnostics();
  Defaults defaults;
  const auto* const entries = keys.children(
      "defaults", MapForm{name_form, ScalarForm{}, 100, "a map: `stride_h: 1`, and so on"},
      "Values of scalar parameters for cases that do not give them.", R"([{"stride_h": 1, "groups": 1}])");
  if (entries == nullptr) return defaults;
  for (const YamlNode& entry : *entries) {
    const Parameter* parameter = problem.find_parameter(entry.key);
    if (parameter == nullptr || parameter->pointer) {
      diagnostics.add(entry.key_location,
                      fmt::format("'defaults' names no scalar parameter: {}", in_quotes(entry.key)),
                      suggestion_of_known(entry.key, scalar_names(problem)));
      continue;
    }
    defaults.named.insert(entry.key);
    read_scalar(entry, *parameter, defaults.values, diagnostics);
  }
  return defaults;
}

class CaseReader {
 public:
  CaseReader(Keys& keys, const Problem& problem, const Defaults& defaults)
      : node_(keys.map()),
        keys_(keys),
        what_(keys.what()),
        problem_(problem),
        defaults_(defaults),
        diagnostics_(keys.diagnostics()) {}

  std::optional<CaseSpec> read() {
    spec_.location = node_.location;
    spec_.by_set = defaults_.by_set;
    const bool named = read_name();
    const bool in_role = read_role();
    const bool valued = read_values();
    const bool drawn = read_inits();
    const bool weighed = read_weight();
    const bool hurried = read_quick();
    const bool ruled =
        read_by_set(keys_, spec_.by_set,
                    "The rule by which the set that the problem is from accepts an output; its "
                    "verdict stands beside the grader's own.");
    const bool formed = read_module();
    refuse_unknown_entries();
    const bool is_sound = named && in_role && valued && drawn && weighed && hurried && ruled && formed;
    return is_sound ? std::optional(std::move(spec_)) : std::nullopt;
  }

 private:
  bool read_name() {
    const TextForm form = slug_form("{} cannot name a case");
    const YamlNode* const entry =
        keys_.require("name", "name: tiny", form, "Unique among the cases.", R"(["stride-2x3"])");
    if (entry == nullptr) return false;
    if (!trimmed(entry->value).empty()) keys_.call("case " + in_quotes(entry->value));
    const auto name = form.read(*entry, "'name' of a case", diagnostics_);
    spec_.name = name.value_or("");
    return name.has_value();
  }

  bool read_role() {
    const WordForm<CaseRole> form = {{CaseRole::sample, CaseRole::test, CaseRole::bench},
                                     {"", "unknown role {}"}};
    const YamlNode* const entry = keys_.require("role", "role: test", form,
                                                "sample: small and shown to authors of kernels. test: checks "
                                                "answers. bench: checked and measured, on a GPU.");
    if (entry == nullptr) return false;
    if (entry->value == to_string(CaseRole::hidden)) {
      diagnostics_.add(entry->location, "the role 'hidden' is for cases that no file holds",
                       "write sample, test or bench; hidden cases are drawn from the ranges of `fuzz`");
      return false;
    }
    const auto role = form.read(*entry, "'role'", diagnostics_);
    spec_.role = role.value_or(spec_.role);
    return role.has_value();
  }

  // Reads the case's weight in scores. Only a bench case may have one, because only its times are compared.
  bool read_weight() {
    const YamlNode* const entry =
        keys_.find("weight", ScalarForm{},
                   "How much a bench case counts in scores over cases, from 0.001 to 1000; 1 without it.");
    if (entry == nullptr || is_scalar("weight")) return true;
    const auto weight = read_real(*entry, "'weight' of a case", diagnostics_);
    if (!weight) return false;
    spec_.weight = *weight;
    constexpr double least = 1e-3;
    constexpr double most = 1e3;
    const bool is_compared = spec_.role == CaseRole::bench;
    if (*weight >= least && *weight <= most && is_compared) return true;
    diagnostics_.add(
        entry->place(),
        is_compared ? fmt::format("{} has a weight of {}", what_, *weight)
                    : fmt::format("{} has a weight, and no times that count", what_),
        is_compared ? "write a number from 0.001 to 1000" : "remove it: only bench cases are compared");
    return false;
  }

  // Reads whether --quick includes the case. Only a bench case may say so.
  bool read_quick() {
    const YamlNode* const entry =
        keys_.find("quick", ScalarForm{},
                   "Of a bench case: whether `kgrade grade --quick` has it, too; true without it.");
    if (entry == nullptr || is_scalar("quick")) return true;
    const auto quick = read_bool(*entry, "'quick' of a case", diagnostics_);
    if (!quick) return false;
    spec_.quick = *quick;
    if (spec_.role == CaseRole::bench) return true;
    diagnostics_.add(entry->place(),
                     fmt::format("{} says 'quick', and --quick leaves out bench cases alone", what_),
                     "remove it");
    return false;
  }

  // Reads what a case of a generated text has of its own (problem/module_file.h).
  bool read_module() {
    const YamlNode* const entry =
        keys_.find("module", any_text, "Of a case of a Python file: its own tensors and arguments, in JSON.");
    if (entry == nullptr || is_scalar("module")) return true;
    auto module = module_case_of(entry->value, problem_);
    if (!module) {
      for (const Error& error : module.errors())
        diagnostics_.add(entry->place(), fmt::format("{}: {}", what_, error.message), error.remedy);
      return false;
    }
    spec_.module = *std::move(module);
    return true;
  }

  bool is_scalar(std::string_view name) const {
    const Parameter* const parameter = problem_.find_parameter(name);
    return parameter != nullptr && !parameter->pointer;
  }

  bool read_values() {
    bool complete = true;
    std::vector<std::string> missing;
    ScalarValues values = defaults_.values;
    for (const Parameter& parameter : problem_.parameters) {
      if (parameter.pointer) continue;
      if (const YamlNode* entry = node_.find(parameter.name)) {
        complete = read_scalar(*entry, parameter, values, diagnostics_) && complete;
      } else if (!defaults_.named.contains(parameter.name)) {
        missing.push_back(parameter.name);
      }
    }
    spec_.integers = std::move(values.integers);
    spec_.reals = std::move(values.reals);
    if (missing.empty()) return complete;
    diagnostics_.add(node_.location, fmt::format("{} gives no value for {}", what_, listed(missing)),
                     fmt::format("add `{}: 1`", missing.front()));
    return false;
  }

  // A key that names an input gives the distribution of the input in this case. Reads all keys of this kind.
  bool read_inits() {
    bool valid = true;
    for (const YamlNode& entry : node_.children) {
      const Parameter* const parameter = problem_.find_parameter(entry.key);
      if (parameter == nullptr || !parameter->is_input() || is_own_key(entry.key)) continue;
      valid = read_own_init(entry, *parameter) && valid;
    }
    return valid;
  }

  bool read_own_init(const YamlNode& entry, const Parameter& input) {
    const auto refuse = [&](const std::string& message, const std::string& remedy) {
      diagnostics_.add(entry.place(), fmt::format("{}: {}", what_, message), remedy);
      return false;
    };
    auto init = read_init(entry, diagnostics_);
    if (!init) return false;
    const bool is_drawn = input.init && input.init->has_single_elements();
    const bool are_graphs = input.init && input.init->kind == Init::Kind::adjacency &&
                            init->kind == Init::Kind::adjacency && init->structure == input.init->structure;
    if (!are_graphs && (!is_drawn || !init->has_single_elements() || !init->expressions.empty()))
      return refuse(
          fmt::format("'{}' cannot be drawn from {} here", input.name, in_quotes(init->text)),
          is_drawn
              ? "write uniform(lo, hi), normal(mean, sd), integers(lo, hi), choice(a, b) or constant(value)"
              : "remove it: only inputs whose elements are drawn one by one, and graphs, can differ in a "
                "case");
    const std::string complaint = complaint_about(*init, *find_scalar_type(input.type));
    if (!complaint.empty())
      return refuse(fmt::format("{} of '{}' {}", in_quotes(init->text), input.name, complaint),
                    "write numbers that the type holds");
    spec_.inits.emplace(input.name, *std::move(init));
    return true;
  }

  // Keys of a case that are neither values nor distributions.
  static bool is_own_key(std::string_view key) {
    return key == "name" || key == "role" || key == "weight" || key == "quick" || key == "by_set" ||
           key == "module";
  }

  void refuse_unknown_entries() {
    std::vector<std::string> known = scalar_names(problem_);
    for (const YamlNode& entry : node_.children) {
      const Parameter* parameter = problem_.find_parameter(entry.key);
      if (parameter == nullptr || !parameter->pointer || is_own_key(entry.key)) continue;
      known.push_back(entry.key);
      if (parameter->is_input()) continue;
      diagnostics_.add(entry.key_location,
                       fmt::format("'{}' is an output and has no value in a case", entry.key), "remove it");
    }
    keys_.nothing_else(known);
  }

  const YamlNode& node_;
  Keys& keys_;
  const std::string& what_;  // changes as the name is read
  const Problem& problem_;
  const Defaults& defaults_;
  Diagnostics& diagnostics_;
  CaseSpec spec_;
};

Schema case_schema(SchemaDefinitions& definitions) {
  Schema schema = {{"description",
                    "Values for one call; keys besides `name`, `role`, `weight`, `quick` and `by_set` are "
                    "scalar parameters, and inputs that this case draws in another way, as `init` has it."},
                   {"examples", {{{"name", "tiny"}, {"role", "sample"}, {"rows", 2}, {"columns", 3}}}}};
  Keys keys(schema, definitions);
  CaseReader(keys, {}, {}).read();
  schema["additionalProperties"] = ScalarForm{}.schema(definitions);
  return definitions.reference_to("case", schema);
}

std::vector<CaseSpec> read_list_of_cases(Keys& frontmatter, const Problem& problem,
                                         const Defaults& defaults) {
  Diagnostics& diagnostics = frontmatter.diagnostics();
  std::vector<CaseSpec> cases;
  const auto* const items = frontmatter.children(
      "cases", ListForm{case_schema, most_cases, "a list: `- {name: tiny, role: test, ...}`"},
      "A value for every scalar parameter, a name and a role. At least one `test` and one `bench`.");
  if (items == nullptr) return cases;
  std::map<std::string, int> lines;
  for (const YamlNode& child : *items) {
    if (diagnostics.full()) break;
    if (!expect_map(child, "a case", "`{name: tiny, role: test, ...}` with a value for each scalar parameter",
                    200, diagnostics))
      continue;
    Keys keys(child, "a case", diagnostics);
    auto spec = CaseReader(keys, problem, defaults).read();
    if (!spec) continue;
    const auto [first, fresh] = lines.emplace(spec->name, spec->location.line);
    if (!fresh) {
      diagnostics.add(spec->location, fmt::format("the case name {} is taken", in_quotes(spec->name)),
                      fmt::format("choose another name; the first is on line {}", first->second));
    }
    cases.push_back(*std::move(spec));
  }
  return cases;
}

// The values that a written case (--case n=1000) starts from. They are those of the problem's first case of
// the role `sample`, or of `test` or `bench` if there is none. `defaults` take precedence over them.
CaseSpec base_of_written_case(const Problem& problem) {
  CaseSpec base;
  for (const CaseRole role : {CaseRole::bench, CaseRole::test, CaseRole::sample}) {
    const auto found = std::find_if(problem.cases.begin(), problem.cases.end(),
                                    [role](const CaseSpec& spec) { return spec.role == role; });
    if (found != problem.cases.end()) base = *found;
  }
  for (const auto& [name, value] : problem.defaults.integers) base.integers[name] = value;
  for (const auto& [name, value] : problem.defaults.reals) base.reals[name] = value;
  return base;
}

// Reads "n=1000" of a written case into `values`.
void read_written_value(std::string_view text, const Problem& problem, std::set<std::string>& named,
                        ScalarValues& values, Diagnostics& diagnostics) {
  const std::size_t equals = text.find('=');
  YamlNode entry;
  entry.kind = YamlNode::Kind::scalar;
  entry.key = std::string(text.substr(0, equals));
  entry.value = equals == text.npos ? "" : std::string(text.substr(equals + 1));
  const Parameter* parameter = problem.find_parameter(entry.key);
  if (entry.value.empty()) {
    diagnostics.add({}, fmt::format("{} is not NAME=VALUE", in_quotes(text)),
                    "write it as in --case n=1000,m=3");
  } else if (parameter == nullptr || parameter->pointer) {
    diagnostics.add({}, fmt::format("the problem has no scalar parameter {}", in_quotes(entry.key)),
                    suggestion_of_known(entry.key, scalar_names(problem)));
  } else if (!named.insert(entry.key).second) {
    diagnostics.add({}, fmt::format("{} has two values", in_quotes(entry.key)), "give it one");
  } else {
    read_scalar(entry, *parameter, values, diagnostics);
  }
}

}  // namespace

std::string to_string(const SetRule& rule) {
  std::string text = fmt::format("{} {} {}", rule.absolute, rule.either ? "or" : "/", rule.relative);
  if (rule.matched < 1) text += fmt::format(", {:g} % of the elements", 100 * rule.matched);
  if (rule.largest) text += fmt::format(", none off by more than {}", *rule.largest);
  return text;
}

bool is_written_case(std::string_view text) { return text.find('=') != text.npos; }

Result<CaseSpec> parse_written_case(std::string_view text, const Problem& problem) {
  constexpr std::size_t longest = 200;
  CaseSpec spec = base_of_written_case(problem);
  // The file makes the tensors of its cases, so that other numbers would not fit them.
  if (spec.module)
    return Error{
        fmt::format("--case {}: the cases of this problem are those of its file, with their own tensors",
                    in_quotes(text)),
        fmt::format("name one of them, as in --case {}; `kgrade show` lists them", problem.cases[0].name),
        {}};
  spec.name = replace_all(std::string(trimmed(text)), " ", "");
  spec.role = CaseRole::test;
  spec.location = {};
  Diagnostics diagnostics;
  if (spec.name.size() > longest)
    diagnostics.add({}, fmt::format("it has more than {} characters", longest), "name fewer parameters");
  ScalarValues values{std::move(spec.integers), std::move(spec.reals)};
  std::set<std::string> named;
  for (std::size_t begin = 0; diagnostics.empty() && begin <= spec.name.size();) {
    const std::size_t end = std::min(spec.name.find(',', begin), spec.name.size());
    read_written_value(std::string_view(spec.name).substr(begin, end - begin), problem, named, values,
                       diagnostics);
    begin = end + 1;
  }
  for (const std::string& name : scalar_names(problem)) {
    if (diagnostics.empty() && !values.integers.contains(name) && !values.reals.contains(name))
      diagnostics.add({}, fmt::format("nothing gives {} a value", in_quotes(name)),
                      fmt::format("add {}=1", name));
  }
  if (!diagnostics.empty()) {
    Errors errors = diagnostics.take();
    for (Error& error : errors)
      error.message = fmt::format("--case {}: {}", in_quotes(spec.name), error.message);
    return errors;
  }
  spec.integers = std::move(values.integers);
  spec.reals = std::move(values.reals);
  return spec;
}

void read_cases(Keys& keys, Problem& problem) {
  Defaults defaults = read_defaults(keys, problem);
  read_by_set(keys, defaults.by_set,
              "The rule of the set that the problem is from, for cases without their own.");
  problem.defaults.integers = defaults.values.integers;
  problem.defaults.reals = defaults.values.reals;
  problem.cases = read_list_of_cases(keys, problem, defaults);
  read_fuzz(keys, problem);
}

}  // namespace kgrade
