// Reads the element types of a problem and the thresholds of their precision classes.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "problem/fields.h"
#include "problem/problem_reader.h"
#include "problem/read_init.h"
#include "problem/scalar_type.h"

namespace kgrade {
namespace {

constexpr std::string_view example = "[float32]";

std::vector<std::string> names_of_all() {
  std::vector<std::string> names;
  for (const Dtype dtype : all_dtypes) names.emplace_back(to_string(dtype));
  return names;
}

bool lists(const Problem& problem, std::string_view name) {
  return std::find(problem.dtypes.begin(), problem.dtypes.end(), name) != problem.dtypes.end();
}

void read_list(const YamlNode& node, Problem& problem, Diagnostics& diagnostics) {
  if (!expect_sequence(node, "'dtypes'", fmt::format("a list, as in {}", example), 10, diagnostics)) return;
  for (const YamlNode& child : node.children) {
    const auto name = read_text(child, "an item of 'dtypes'", diagnostics);
    if (!name) continue;
    if (!dtype_from(*name)) {
      diagnostics.add(child.location, fmt::format("unknown dtype {}", in_quotes(*name)),
                      suggestion_of_known(*name, names_of_all()));
    } else if (lists(problem, *name)) {
      diagnostics.add(child.location, fmt::format("dtype {} is listed twice", in_quotes(*name)),
                      "remove one of the two");
    } else {
      problem.dtypes.push_back(*name);
    }
  }
}

bool read_threshold(const YamlNode& entry, double& target, Diagnostics& diagnostics) {
  const auto value = read_real(entry, fmt::format("'{}'", entry.key), diagnostics);
  if (!value) return false;
  if (*value > 0) {
    target = *value;
    return true;
  }
  diagnostics.add(entry.place(), fmt::format("the threshold '{}' is {}", entry.key, *value),
                  "write a positive number, as in 1e-5");
  return false;
}

// Reads the thresholds of one type. Classes that are left out keep their defaults.
void read_classes(const YamlNode& node, Thresholds& thresholds, Diagnostics& diagnostics) {
  bool sound = true;
  for (const auto& [key, target] : {std::pair{"fp32", &thresholds.fp32}, std::pair{"tf32", &thresholds.tf32},
                                    std::pair{"bf16", &thresholds.bf16}}) {
    if (const YamlNode* entry = node.find(key)) sound = read_threshold(*entry, *target, diagnostics) && sound;
  }
  if (!sound || (thresholds.fp32 < thresholds.tf32 && thresholds.tf32 < thresholds.bf16)) return;
  diagnostics.add(node.key_location,
                  fmt::format("thresholds do not increase: fp32 {}, tf32 {}, bf16 {}", thresholds.fp32,
                              thresholds.tf32, thresholds.bf16),
                  "write them so that fp32 < tf32 < bf16; one that is left out keeps its default");
}

bool is_class(std::string_view key) { return key == "fp32" || key == "tf32" || key == "bf16"; }
bool is_narrow_type(std::string_view key) { return key == "float16" || key == "bfloat16"; }

// Reads the thresholds of a 16-bit type, of the problem or of one of its outputs.
void read_classes_of(const YamlNode& node, const Problem& problem, std::map<Dtype, Thresholds>& thresholds,
                     Diagnostics& diagnostics) {
  if (!lists(problem, node.key)) {
    diagnostics.add(node.key_location,
                    fmt::format("'thresholds' of {}, which `dtypes` does not list", in_quotes(node.key)),
                    fmt::format("remove them, or add {} to `dtypes`", node.key));
    return;
  }
  const std::string what = fmt::format("'thresholds' of {}", in_quotes(node.key));
  if (!expect_map(node, what, "a map: `{fp32: 1e-5}`, and so on", 10, diagnostics)) return;
  refuse_unknown_keys(node, {"fp32", "tf32", "bf16"}, what, diagnostics);
  read_classes(node, thresholds[*dtype_from(node.key)], diagnostics);
}

// Reads the thresholds of the problem, or of one of its outputs. What is left out stays as it is.
void read_all_classes(const YamlNode& node, const Problem& problem, std::map<Dtype, Thresholds>& thresholds,
                      Diagnostics& diagnostics) {
  read_classes(node, thresholds[Dtype::float32], diagnostics);
  for (const YamlNode& entry : node.children) {
    if (is_narrow_type(entry.key)) read_classes_of(entry, problem, thresholds, diagnostics);
  }
}

std::vector<std::string> outputs_by_norm(const Problem& problem) {
  std::vector<std::string> names;
  for (const Parameter& parameter : problem.parameters) {
    if (parameter.is_output() && has_norm(parameter.compare.kind)) names.push_back(parameter.name);
  }
  return names;
}

void read_thresholds(const YamlNode& node, Problem& problem, Diagnostics& diagnostics) {
  if (!expect_map(node, "'thresholds'", "a map: `fp32: 1e-5`, and so on", 10, diagnostics)) return;
  const std::vector<std::string> outputs = outputs_by_norm(problem);
  const std::vector<std::string> common = {"fp32", "tf32", "bf16", "float16", "bfloat16"};
  std::vector<std::string> known = common;
  known.insert(known.end(), outputs.begin(), outputs.end());
  refuse_unknown_keys(node, known, "'thresholds'", diagnostics);
  read_all_classes(node, problem, problem.dtype_thresholds, diagnostics);
  for (const YamlNode& entry : node.children) {
    const bool is_output = std::find(outputs.begin(), outputs.end(), entry.key) != outputs.end();
    if (!is_output || is_class(entry.key) || is_narrow_type(entry.key)) continue;
    const std::string what = fmt::format("'thresholds' of {}", in_quotes(entry.key));
    if (!expect_map(entry, what, "a map: `{fp32: 1e-5}`, and so on", 10, diagnostics)) continue;
    refuse_unknown_keys(entry, common, what, diagnostics);
    auto& own = problem.output_thresholds[entry.key] = problem.dtype_thresholds;
    read_all_classes(entry, problem, own, diagnostics);
  }
}

bool is_drawable(Dtype dtype, double value) {
  const double size = std::fabs(value);
  return size == 0 || (size >= double{smallest_normal(dtype)} && size <= double{largest_finite(dtype)});
}

bool holds_a_value(Dtype dtype, const Init& init) {
  const bool included = init.kind == Init::Kind::integers;
  const auto low = static_cast<float>(init.first);
  const auto value =
      static_cast<double>(nearest_normal_within(dtype, low, init.first, init.second, included));
  return value >= init.first && (included ? value <= init.second : value < init.second);
}

// What is wrong with a distribution for a 16-bit type; empty if nothing.
std::string complaint_about(Dtype dtype, const Init& init) {
  constexpr double far_out = 6;
  const double most = double{largest_finite(dtype)};
  switch (init.kind) {
    case Init::Kind::constant:
      return is_drawable(dtype, init.first) ? "" : "is no normal number of the type";
    case Init::Kind::normal:
      return std::fabs(init.first) + far_out * init.second <= most ? "" : "has values that overflow";
    case Init::Kind::choice:
      return std::all_of(init.choices.begin(), init.choices.end(),
                         [&](double x) { return is_drawable(dtype, x); })
                 ? ""
                 : "holds a number that is no normal one of the type";
    case Init::Kind::adjacency:
      return is_drawable(dtype, init.second)
                 ? ""
                 : "has a value for missing edges that is no normal one of the type";
    case Init::Kind::integers:
      if (!init.expressions.empty()) break;
      [[fallthrough]];
    case Init::Kind::uniform:
      if (std::max(std::fabs(init.first), std::fabs(init.second)) > most) return "has values that overflow";
      return holds_a_value(dtype, init) ? "" : "holds no value of the type";
    default:
      break;
  }
  return "";
}

void check_inits(const Problem& problem, Dtype dtype, Diagnostics& diagnostics) {
  for (const Parameter& parameter : problem.parameters) {
    if (!parameter.init || parameter.own_dtype()) continue;
    const std::string complaint = complaint_about(dtype, *parameter.init);
    if (complaint.empty()) continue;
    diagnostics.add(
        parameter.location,
        fmt::format("as {}, '{}' {} of '{}' {}", to_string(dtype), parameter.begins ? "begins" : "init",
                    in_quotes(parameter.init->text), parameter.name, complaint),
        fmt::format("choose other numbers, or leave {} out of `dtypes`", to_string(dtype)));
  }
}

void check_own_inits(const Problem& problem, const CaseSpec& spec, Dtype dtype, Diagnostics& diagnostics) {
  for (const auto& [name, init] : spec.inits) {
    if (problem.find_parameter(name)->own_dtype()) continue;
    const std::string complaint = complaint_about(dtype, init);
    if (complaint.empty()) continue;
    diagnostics.add(spec.location,
                    fmt::format("as {}, {} of '{}' in case '{}' {}", to_string(dtype), in_quotes(init.text),
                                name, spec.name, complaint),
                    fmt::format("choose other numbers, or leave {} out of `dtypes`", to_string(dtype)));
  }
}

void check_cases(const Problem& problem, Dtype dtype, Diagnostics& diagnostics) {
  for (const CaseSpec& spec : problem.cases) {
    check_own_inits(problem, spec, dtype, diagnostics);
    for (const auto& [name, value] : spec.reals) {
      const Parameter* const parameter = problem.find_parameter(name);
      if (parameter == nullptr || parameter->type != element_type_name || is_drawable(dtype, value)) continue;
      diagnostics.add(spec.location,
                      fmt::format("case '{}': '{}' is {}, no normal number of {}", spec.name, name, value,
                                  to_string(dtype)),
                      fmt::format("choose another value, or leave {} out of `dtypes`", to_string(dtype)));
    }
  }
}

// Whether a parameter's type is [VAR]. Then `dtypes` must be given.
bool has_element_type(const Problem& problem) {
  return std::any_of(problem.parameters.begin(), problem.parameters.end(),
                     [](const Parameter& parameter) { return parameter.type == element_type_name; });
}

}  // namespace

// The error of a 16-bit output is the part that one rounding does not explain (device/element_errors.h).
// An error e before that rounding shows only in elements that cross a rounding boundary: about e / u of them,
// each off by at most e. Here u is the distance of two neighbouring numbers, on average 7e-4 of a float16.
// float32 accepts e = 1e-5, which leaves 1e-6. Simulated sums of 2 to 4608 products have at most 2e-7. Sums
// that are rounded to the type after every step are off by a multiple of u that grows with the square root of
// the number n of terms. In float16 that is at least 2e-5 for n = 2, where rounding explains nearly all, 3e-3
// for n = 576 and 1e-2 for n = 4608. In bfloat16 it is eight times as much: 1.6e-4, 2.5e-2 and 8e-2. Such
// errors count as arithmetic and not as a bug up to 1e-2, and in bfloat16 up to 5e-2, which n = 1500 reaches.
// Tests in harness/tests/verify check these figures.
Thresholds default_thresholds(Dtype dtype) {
  Thresholds thresholds;
  if (dtype != Dtype::float32) thresholds.fp32 = 5e-6;
  if (dtype == Dtype::bfloat16) thresholds.bf16 = 5e-2;
  return thresholds;
}

void read_dtypes(const YamlNode& frontmatter, Problem& problem, Diagnostics& diagnostics) {
  for (const Dtype dtype : all_dtypes) problem.dtype_thresholds[dtype] = default_thresholds(dtype);
  if (const YamlNode* dtypes = frontmatter.find("dtypes")) {
    read_list(*dtypes, problem, diagnostics);
  } else if (!problem.parameters.empty() && !has_element_type(problem)) {
    problem.dtypes = {"float32"};  // no tensor has this type
  }
  if (const YamlNode* node = frontmatter.find("thresholds")) read_thresholds(*node, problem, diagnostics);
  if (!problem.dtypes.empty()) problem.dtype = *dtype_from(problem.dtypes.front());
  problem.thresholds = problem.dtype_thresholds[problem.dtype];
}

bool can_hold(Dtype dtype, const Init& init) {
  return dtype == Dtype::float32 || complaint_about(dtype, init).empty();
}

void check_values_of_dtypes(const Problem& problem, Diagnostics& diagnostics) {
  for (const std::string& name : problem.dtypes) {
    const Dtype dtype = *dtype_from(name);
    if (dtype == Dtype::float32) continue;
    check_inits(problem, dtype, diagnostics);
    check_cases(problem, dtype, diagnostics);
  }
}

Result<Problem> with_dtype(Problem problem, std::string_view name) {
  const auto dtype = dtype_from(name);
  if (!dtype || !lists(problem, name)) {
    return Error{fmt::format("problem '{}' is not for {}", problem.slug, in_quotes(name)),
                 fmt::format("its dtypes are: {}", fmt::join(problem.dtypes, ", ")),
                 {}};
  }
  problem.dtype = *dtype;
  if (problem.has_model() && *dtype != Dtype::float32 && !problem.is_exact()) problem.precision = "bf16";
  const auto own = problem.dtype_thresholds.find(*dtype);
  problem.thresholds = own != problem.dtype_thresholds.end() ? own->second : default_thresholds(*dtype);
  return problem;
}

}  // namespace kgrade
