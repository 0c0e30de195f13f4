// Reads the element types of a problem and the thresholds of their precision classes.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "problem/keys.h"
#include "problem/problem_reader.h"
#include "problem/read_init.h"
#include "problem/scalar_type.h"

namespace kgrade {
namespace {

WordForm<std::string> dtype_form() {
  WordForm<std::string> form = {{}, {"", "unknown dtype {}"}};
  for (const Dtype dtype : var_dtypes) form.known.emplace_back(to_string(dtype));
  return form;
}

bool lists(const Problem& problem, std::string_view name) {
  return std::find(problem.dtypes.begin(), problem.dtypes.end(), name) != problem.dtypes.end();
}

void read_list(const std::vector<YamlNode>& items, Problem& problem, Diagnostics& diagnostics) {
  for (const YamlNode& child : items) {
    const auto name = dtype_form().read(child, "an item of 'dtypes'", diagnostics);
    if (!name) continue;
    if (lists(problem, *name)) {
      diagnostics.add(child.location, fmt::format("dtype {} is listed twice", in_quotes(*name)),
                      "remove one of the two");
    } else {
      problem.dtypes.push_back(*name);
    }
  }
}

struct ThresholdForm {
  std::optional<double> read(const YamlNode& node, std::string_view what, Diagnostics& diagnostics) const {
    const auto value = read_real(node, what, diagnostics);
    if (!value || *value > 0) return value;
    diagnostics.add(node.place(), fmt::format("the threshold {} is {}", what, *value),
                    "write a positive number, as in 1e-5");
    return std::nullopt;
  }
  Schema schema(SchemaDefinitions&) const {
    return {{"type", {"number", "string"}}, {"exclusiveMinimum", 0}};
  }
};

// Reads the thresholds of one type. Classes that are left out keep their defaults.
void read_classes(Keys& keys, Thresholds& thresholds) {
  bool sound = true;
  const auto read = [&](const char* name, double& target) {
    sound = keys.read(name, target, ThresholdForm{}, "The largest error of this class.") && sound;
  };
  read("fp32", thresholds.fp32);
  read("tf32", thresholds.tf32);
  read("bf16", thresholds.bf16);
  if (!sound || (thresholds.fp32 < thresholds.tf32 && thresholds.tf32 < thresholds.bf16)) return;
  keys.diagnostics().add(keys.map().key_location,
                         fmt::format("thresholds do not increase: fp32 {}, tf32 {}, bf16 {}", thresholds.fp32,
                                     thresholds.tf32, thresholds.bf16),
                         "write them so that fp32 < tf32 < bf16; one that is left out keeps its default");
}

void describe_classes(Keys& keys) {
  Thresholds thresholds;
  read_classes(keys, thresholds);
}

bool expect_thresholds(const YamlNode& node, const std::string& what, Diagnostics& diagnostics) {
  return expect_map(node, what, "a map: `{fp32: 1e-5}`, and so on", 10, diagnostics);
}

// Reads the thresholds of a 16-bit type, of the problem or of one of its outputs.
void read_narrow(Keys& all, Dtype dtype, const Problem& problem, std::map<Dtype, Thresholds>& thresholds) {
  const char* const type = field_of<&DtypeRow::name>(dtype);
  const YamlNode* const node =
      all.find(type, MappingForm{"classes", describe_classes}, "The same for this type.");
  if (node == nullptr) return;
  const std::string what = fmt::format("'thresholds' of {}", in_quotes(type));
  if (!lists(problem, type)) {
    all.diagnostics().add(node->key_location, fmt::format("{}, which `dtypes` does not list", what),
                          fmt::format("remove them, or add {} to `dtypes`", type));
    return;
  }
  if (!expect_thresholds(*node, what, all.diagnostics())) return;
  Keys keys(*node, what, all.diagnostics());
  read_classes(keys, thresholds[dtype]);
  keys.nothing_else();
}

// Reads the thresholds of the problem, or of one of its outputs. Thresholds that the file leaves out keep
// their values.
void read_all_classes(Keys& keys, const Problem& problem, std::map<Dtype, Thresholds>& thresholds) {
  read_classes(keys, thresholds[Dtype::float32]);
  for (const Dtype dtype : var_dtypes) {
    if (dtype != Dtype::float32) read_narrow(keys, dtype, problem, thresholds);
  }
}

std::vector<std::string> outputs_by_norm(const Problem& problem) {
  std::vector<std::string> names;
  for (const Parameter& parameter : problem.parameters) {
    if (parameter.is_output() && has_norm(parameter.compare.kind)) names.push_back(parameter.name);
  }
  return names;
}

void describe_all_classes(Keys& keys) {
  Problem problem;
  read_all_classes(keys, problem, problem.dtype_thresholds);
}

Schema thresholds_schema(SchemaDefinitions& definitions) {
  Schema schema = MappingForm{"", describe_all_classes}.schema(definitions);
  schema["additionalProperties"] = MappingForm{"outputThresholds", describe_all_classes}.schema(definitions);
  return schema;
}

void read_thresholds(const YamlNode& node, Problem& problem, Diagnostics& diagnostics) {
  if (!expect_map(node, "'thresholds'", "a map: `fp32: 1e-5`, and so on", 10, diagnostics)) return;
  Keys keys(node, "'thresholds'", diagnostics);
  read_all_classes(keys, problem, problem.dtype_thresholds);
  const std::vector<std::string> common = keys.names();
  const std::vector<std::string> outputs = outputs_by_norm(problem);
  keys.nothing_else(outputs);
  for (const YamlNode& entry : node.children) {
    const auto is_in = [&](const std::vector<std::string>& names) {
      return std::find(names.begin(), names.end(), entry.key) != names.end();
    };
    const std::string what = fmt::format("'thresholds' of {}", in_quotes(entry.key));
    if (!is_in(outputs) || is_in(common) || !expect_thresholds(entry, what, diagnostics)) continue;
    Keys own_keys(entry, what, diagnostics);
    auto& own = problem.output_thresholds[entry.key] = problem.dtype_thresholds;
    read_all_classes(own_keys, problem, own);
    own_keys.nothing_else();
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

// Says what is wrong with a distribution for a 16-bit type. Empty if nothing is wrong.
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

const YamlNode* read_dtypes(Keys& keys, Problem& problem) {
  Diagnostics& diagnostics = keys.diagnostics();
  for (const Dtype dtype : var_dtypes) problem.dtype_thresholds[dtype] = default_thresholds(dtype);
  const ListForm list = {dtype_form(), 10, "a list, as in [float32]", 1};
  const YamlNode* const dtypes =
      keys.find("dtypes", list, "The element types that [VAR] may stand for.", R"([["float32"]])");
  if (dtypes != nullptr) {
    if (list.expect(*dtypes, "'dtypes'", diagnostics)) read_list(dtypes->children, problem, diagnostics);
  } else if (!problem.parameters.empty() && !has_element_type(problem)) {
    problem.dtypes = {"float32"};  // no tensor has type [VAR]
  }
  const YamlNode* const thresholds = keys.find(
      "thresholds", thresholds_schema,
      "The largest error of each class (norm of the difference over norm of the expected output), for "
      "float32 here and for the other types below their names; they increase from fp32 to bf16. An output "
      "that is compared by its norm may have its own, below its name; what it leaves out is the problem's.",
      R"([{"fp32": 1e-06, "tf32": 0.0005, "bf16": 0.005}])");
  if (thresholds != nullptr) read_thresholds(*thresholds, problem, diagnostics);
  if (!problem.dtypes.empty()) problem.dtype = *dtype_from(problem.dtypes.front());
  problem.thresholds = problem.dtype_thresholds[problem.dtype];
  return thresholds;
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

void choose_cases_of_dtype(Problem& problem) {
  std::vector<CaseSpec> all = std::move(problem.cases);
  std::ranges::move(problem.cases_of_other_types, std::back_inserter(all));
  std::ranges::stable_sort(all, {},
                           [](const CaseSpec& spec) { return spec.module ? spec.module->number : 0; });
  problem.cases.clear();
  problem.cases_of_other_types.clear();
  for (CaseSpec& spec : all) {
    const bool is_of_type = !spec.module || spec.module->dtype.value_or(problem.dtype) == problem.dtype;
    (is_of_type ? problem.cases : problem.cases_of_other_types).push_back(std::move(spec));
  }
  if (problem.has_model() && !problem.is_exact())
    problem.precision = problem.dtype == Dtype::float32 ? problem.precision_of_file : "bf16";
}

Result<Problem> with_dtype(Problem problem, std::string_view name) {
  const auto dtype = dtype_from(name);
  if (!dtype || !lists(problem, name)) {
    return Error{fmt::format("problem '{}' is not for {}", problem.slug, in_quotes(name)),
                 fmt::format("its dtypes are: {}", fmt::join(problem.dtypes, ", ")),
                 {}};
  }
  problem.dtype = *dtype;
  choose_cases_of_dtype(problem);
  const auto own = problem.dtype_thresholds.find(*dtype);
  problem.thresholds = own != problem.dtype_thresholds.end() ? own->second : default_thresholds(*dtype);
  return problem;
}

}  // namespace kgrade
