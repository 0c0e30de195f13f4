#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "base/first_names.h"
#include "base/text.h"
#include "cli/app.h"
#include "cli/options.h"
#include "compile/module_file.h"
#include "problem/case.h"
#include "problem/catalogue.h"
#include "problem/module_call.h"
#include "problem/module_file.h"
#include "problem/python_forms.h"
#include "problem/set_files.h"
#include "problem/untold.h"
#include "record/shared_json.h"
#include "record/terminal.h"
#include "verify/judgement.h"

namespace kgrade::cli {
namespace {

using Json = nlohmann::ordered_json;

// The comparison as written in the problem's file.
std::string comparison_text(const Comparison& compare) {
  if (compare.kind != Comparison::Kind::ties) return compare.text;
  std::string arguments = compare.values;
  if (compare.axis) arguments += fmt::format(", {}", *compare.axis);
  if (compare.are_distinct) arguments += ", distinct";
  return fmt::format("ties({})", arguments);
}

// The bound of the class that the problem asks for, for the first output that has one. 0 if all outputs are
// compared exactly.
double bound_of(const Problem& problem, const Case& bound) {
  const std::vector<const Tensor*> outputs = bound.outputs();
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (has_norm(outputs[i]->compare))
      return threshold(error_bounds(problem, bound, i), precision_from(problem.precision));
  }
  return 0;
}

Json json_of(const Problem& problem, const Case& bound) {
  Json tensors = Json::array();
  for (const Tensor& tensor : bound.tensors) {
    tensors.push_back({{"name", tensor.name},
                       {"shape", tensor.shape},
                       {"elements", tensor.elements},
                       {"output", tensor.output}});
    if (const Parameter* parameter = problem.find_parameter(tensor.name);
        tensor.output && parameter != nullptr)
      tensors.back()["compare"] = comparison_text(parameter->compare);
    if (!tensor.own_init.empty()) tensors.back()["init"] = tensor.own_init;
  }
  return {{"name", bound.name},
          {"role", to_string(bound.role)},
          {"parameters", scalar_values(problem, bound.integers, bound.reals)},
          {"tensors", tensors},
          {"flops", bound.flops ? Json(*bound.flops) : Json(nullptr)},
          {"terms", bound.terms},
          {"bound", bound_of(problem, bound)},
          {"bytes", bound.tensor_bytes()}};
}

std::string output_text(const Parameter& parameter) {
  const Comparison& compare = parameter.compare;
  if (parameter.begins)
    return fmt::format("(output, begins as {})",
                       parameter.init ? parameter.init->text : parameter.begins->input);
  if (compare.kind == Comparison::Kind::norm) return "(output)";
  if (compare.kind == Comparison::Kind::exact) return "(output, compared exactly)";
  if (compare.kind == Comparison::Kind::property) return "(output, judged by check() of the file)";
  if (compare.kind == Comparison::Kind::quantised)
    return fmt::format("(output, codes: compared by how well they stand for {})", compare.values);
  if (compare.kind == Comparison::Kind::scales)
    return fmt::format("(output, scales: compared with the codes in {})", compare.values);
  return fmt::format("(output, indices into {}: any of equal elements{})", compare.values,
                     compare.are_distinct ? ", none twice" : "");
}

std::string init_text(const Problem& problem, const Init& init, const std::optional<Domain>& domain) {
  if (init.kind != Init::Kind::computed && domain)
    return fmt::format("{}, or anything in {}", init.text, domain->text);
  if (init.kind != Init::Kind::computed) return init.text;
  return problem.has_model() ? "computed by get_inputs()" : "computed by inputs() of the reference";
}

// Whether the tensor has several shapes in the cases of a Python file.
bool differs_by_case(const Problem& problem, const Parameter& parameter) {
  const std::vector<std::int64_t>* first = nullptr;
  for (const CaseSpec& spec : problem.cases) {
    if (!spec.module) continue;
    const auto& shape = spec.module->tensors.at(parameter.name).shape;
    if (first != nullptr && shape != *first) return true;
    first = &shape;
  }
  return false;
}

std::string parameters_text(const Problem& problem, const Style& style) {
  TextTable table({"parameter", "type", "shape", "drawn from"});
  for (const Parameter& parameter : problem.parameters) {
    const std::string base =
        parameter.type == "[VAR]" ? std::string(cuda_type(problem.dtype)) : parameter.type;
    const std::string type = parameter.is_input() ? "const " + base + "*"
                             : parameter.pointer  ? base + "*"
                                                  : base;
    std::vector<std::string> extents;
    for (const Expression& extent : parameter.shape) extents.push_back(extent.text());
    const std::string shape = !parameter.is_tensor() ? ""
                              : extents.empty()      ? "(no shape given)"
                              : differs_by_case(problem, parameter)
                                  ? "(differs by case)"
                                  : fmt::format("[{}]", fmt::join(extents, ", "));
    table.add({parameter.name, type, shape,
               parameter.is_output()   ? output_text(parameter)
               : parameter.init        ? init_text(problem, *parameter.init, parameter.domain)
               : parameter.is_argument ? ""
                                       : "(of the case alone)"});
  }
  return table.render(style);
}

// The class `Model` in the Python file that is the problem's reference. Empty if there is none.
std::string model_text(const Problem& problem) {
  if (!problem.has_model()) return "";
  const auto file = read_text_file(Layout::model_source(problem));
  if (!file) return "";
  std::string text, blank;
  bool is_inside = false;
  std::istringstream lines(*file);
  for (std::string line; std::getline(lines, line);) {
    const bool is_indented = line.starts_with(' ') || line.starts_with('\t');
    if (line.starts_with("class Model(") || line.starts_with("class Model:")) {
      is_inside = true;
    } else if (is_inside && !trimmed(line).empty() && !is_indented && !line.starts_with(')')) {
      break;
    }
    if (!is_inside) continue;
    blank += line + "\n";
    if (!trimmed(line).empty()) text += std::exchange(blank, "");
  }
  return text;
}

// The plain kernel that comes with the problem: solutions/<slug>/naive.cu beside the folder of its file.
// Empty if there is none.
std::filesystem::path plain_kernel(const Problem& problem) {
  const std::filesystem::path folder = problem.path.parent_path();
  const std::filesystem::path file = (folder.empty() ? std::filesystem::path("..") : folder.parent_path()) /
                                     "solutions" / problem.slug / "naive.cu";
  std::error_code ignored;
  return std::filesystem::is_regular_file(file, ignored) ? file : std::filesystem::path();
}

// Prints everything that comes before the way in which the kernel is called.
void print_head(const Problem& problem, const Style& style) {
  fmt::print("{}  {}\n{}\n", style(Colour::bold, problem.slug), to_string(problem.difficulty), problem.title);
  if (!problem.source.empty()) fmt::print("{}\n", problem.source);
  if (!problem.family.empty()) fmt::print("family {}\n", problem.family);
  const std::string_view statement = trimmed(problem.statement);
  fmt::print("file {}\n", printable_line(problem.path.string()));
  if (const auto plain = plain_kernel(problem); !plain.empty())
    fmt::print("plain kernel {}\n", printable_line(plain.string()));
  fmt::print("\n{}\n",
             statement.empty() ? "The file has no statement of what to compute." : printable(statement));
  if (const std::string model = model_text(problem); !model.empty()) fmt::print("\n{}", printable(model));
}

// "in_channels, (kernel_h, kernel_w), stride=stride_h". Arguments with defaults are passed by name.
std::string module_arguments(const TorchModule& module) {
  if (!module.given.empty()) return to_string(ModuleCall{module.given, {}, {}, {}});
  std::vector<std::string> arguments;
  for (const ModuleArgument& argument : module.init) {
    arguments.push_back(argument.fallback ? fmt::format("{}={}", argument.name, argument.value_text())
                                          : argument.value_text());
  }
  return fmt::format("{}", fmt::join(arguments, ", "));
}

std::string output_names(const Problem& problem) {
  std::vector<std::string> names;
  for (const Parameter& parameter : problem.parameters) {
    if (parameter.is_output()) names.push_back(parameter.name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

// Broken at commas if it is too long for a line of Python.
std::string wrapped(const std::string& form) {
  constexpr std::size_t width = 100;
  std::string text;
  std::string line;
  for (std::size_t begin = 0; begin < form.size();) {
    const std::size_t comma = form.find(", ", begin);
    const std::size_t end = comma == form.npos ? form.size() : comma + 2;
    if (line.size() + end - begin > width) {
      text += std::string(trimmed(line)) + "\n          ";
      line.clear();
    }
    line += form.substr(begin, end - begin);
    begin = end;
  }
  return text + line;
}

// The entry points that get the arguments of forward().
void print_forms_of_forward(const Problem& problem) {
  if (const std::string& entry = problem.torch->entry; !entry.empty())
    fmt::print("  # Gets the arguments of the set's own call, and returns {}.\n  def {}(...):\n",
               returned_form(problem), entry);
  fmt::print("  # forward returns {}.\n  class ModelNew(torch.nn.Module):\n      {}\n      {}\n",
             returned_form(problem), wrapped(init_form(*problem.torch)), forward_form(*problem.torch));
}

// The entry point in CUDA C++.
void print_signature(const Problem& problem, const std::vector<Case>& cases) {
  if (const std::string why = untold(problem, cases, Given::pointers); !why.empty())
    return fmt::print("\nNo entry point in CUDA C++: {}\n", why);
  // If the signature is too long for one line, it has one parameter per line.
  constexpr std::size_t width = 100;
  std::string entry = signature(problem);
  if (const std::size_t open = entry.find('('); entry.size() > width)
    entry = entry.substr(0, open + 1) + "\n      " + replace_all(entry.substr(open + 1), ", ", ",\n      ");
  fmt::print("\nEntry point\n  {}\n", entry);
}

// The entry points of Python candidates. docs/python.md says more about each.
void print_python_forms(const Problem& problem, const std::vector<Case>& cases) {
  const std::string outputs = returned_form(problem);
  if (const std::string why = untold(problem, cases, Given::tensors); !why.empty()) {
    fmt::print("\nNo function `solution` in Python: {}\n\nEntry points in Python\n", why);
    return print_forms_of_forward(problem);
  }
  fmt::print("\nEntry points in Python, of which a file defines one\n");
  fmt::print("  # Writes {}. Arguments that it does not use may be left out.\n  {}\n", output_names(problem),
             wrapped(writing_form(problem)));
  fmt::print("  # Returns {}. Arguments may be left out as well.\n  {}\n", outputs,
             wrapped(returning_form(problem)));
  // A task of GPU MODE has its own form of `data`.
  if (!problem.torch || problem.torch->entry != "custom_kernel")
    fmt::print("  # Returns {}.\n  def custom_kernel(data):\n      {} = data\n", outputs,
               wrapped(data_form(problem)));
  if (problem.torch) print_forms_of_forward(problem);
}

// How a ModelNew is called.
void print_module(const Problem& problem, const std::vector<Case>& cases) {
  const TorchModule& module = *problem.torch;
  std::vector<std::string> arguments;  // of forward(): "x", "1"
  for (const std::string& argument : module.forward)
    arguments.push_back(is_given_value(argument) ? given_value_text(argument) : argument);
  fmt::print("\nAs a module of PyTorch{}\n  model = ModelNew({})\n  {} = model({})\n",
             module.wrapped.empty() ? "" : " (" + module.wrapped + ")", module_arguments(module),
             output_names(problem), fmt::join(arguments, ", "));
  std::vector<std::string> defaults;
  for (const ModuleArgument& argument : module.init) {
    if (argument.fallback)
      defaults.push_back(fmt::format("{}={}", argument.name, to_string(*argument.fallback)));
  }
  if (!defaults.empty()) fmt::print("  defaults, which are not passed: {}\n", fmt::join(defaults, ", "));
  for (const auto& [input, weight] : module.weights) fmt::print("  weight {} is {}\n", weight, input);
  // A deep model has hundreds of these, so only the first ones are named.
  constexpr std::size_t most = 6;
  const std::vector<std::string>& kept = module.free;
  if (!kept.empty()) fmt::print("  kept as __init__ made them: {}\n", first_names(kept, most));
  fmt::print("  called in {} mode\n", module.mode == ModuleMode::train ? "training" : "evaluation");
  if (module.require.empty()) return;
  std::vector<std::string> conditions;
  for (const Expression& condition : module.require) conditions.push_back(condition.text());
  const auto stated = std::count_if(
      cases.begin(), cases.end(), [&](const Case& bound) { return module_call(problem, bound).has_value(); });
  fmt::print("  {} of {} cases can be stated so: those with {}\n", stated, cases.size(),
             fmt::join(conditions, ", "));
}

void print_class(const Problem& problem) {
  if (problem.is_exact()) return fmt::print("\nAnswers must be exact: no element may be off.\n");
  fmt::print(
      "\nAnswers must reach {} precision: an error of at most {:.2g} (norm of the difference over norm), or "
      "more where sums are long, as the table says.\n",
      problem.precision, threshold(problem.thresholds, precision_from(problem.precision)));
  for (const auto& [output, all] : problem.output_thresholds)
    fmt::print("For '{}' the error is at most {:.2g}.\n", output,
               threshold(problem.thresholds_of(output), precision_from(problem.precision)));
  if (problem.only_fp32) fmt::print("There is no lower class.\n");
}

int print_text(const Problem& problem, const std::vector<Case>& cases) {
  const Style style = Style::for_descriptor(STDOUT_FILENO);
  print_head(problem, style);
  print_signature(problem, cases);
  fmt::print("\nParameters\n{}", parameters_text(problem, style));
  for (const auto& [name, expression] : problem.let) fmt::print("  let {} = {}\n", name, expression.text());
  if (std::any_of(problem.parameters.begin(), problem.parameters.end(),
                  [](const Parameter& parameter) { return parameter.is_output() && !parameter.begins; }))
    fmt::print("Outputs hold arbitrary values before the call: write every element.\n");
  print_python_forms(problem, cases);
  if (problem.torch) print_module(problem, cases);
  TextTable table({"case", "role", "output", "memory", "arithmetic", "terms", "allowed", "parameters"},
                  {false, false, false, true, true, true, true, false});
  for (const Case& bound : cases) {
    std::string outputs;
    for (const Tensor& tensor : bound.tensors) {
      if (tensor.output)
        outputs += fmt::format("{}[{}]", outputs.empty() ? "" : " ", fmt::join(tensor.shape, ", "));
    }
    // "batch_size=16 in_channels=32 ... input=normal(100, 2)".
    const Json by_name = scalar_values(problem, bound.integers, bound.reals);
    std::vector<std::string> values;
    for (const auto& [name, value] : by_name.items())
      values.push_back(fmt::format("{}={}", name, value.dump()));
    for (const Tensor& tensor : bound.tensors)
      if (!tensor.own_init.empty()) values.push_back(fmt::format("{}={}", tensor.name, tensor.own_init));
    const double allowed = bound_of(problem, bound);
    table.add({bound.name, std::string(to_string(bound.role)), outputs,
               format_bytes(static_cast<std::uint64_t>(bound.tensor_bytes())),
               bound.flops ? format_operations(*bound.flops) : "-", fmt::format("{}", bound.terms),
               allowed > 0 ? fmt::format("{:.1e}", allowed) : "exact",
               style(Colour::dim, fmt::format("{}", fmt::join(values, " ")))});
  }
  fmt::print(
      "\nCases (memory: all tensors once; terms: of the longest sum, stated or from the arithmetic; "
      "allowed: the largest error)\n{}",
      table.render(style));
  // Which hidden cases have other magnitudes: problem/hidden_cases.h.
  std::vector<std::string> scales;
  for (const ScaleRange& scale : problem.scales)
    scales.push_back(
        scale.factors.empty()
            ? fmt::format("{} with 2^{} to 2^{}", scale.input, scale.lowest, scale.highest)
            : fmt::format("{} with the scale of {}", scale.input, fmt::join(scale.factors, " * ")));
  if (!scales.empty() && has_exponents_of_float(problem.dtype))
    fmt::print("Every second hidden case multiplies {}.\n", fmt::join(scales, ", "));
  print_class(problem);
  if (problem.dtypes.size() > 1)
    fmt::print("Element types: {} (--dtype); shown is {}.\n", fmt::join(problem.dtypes, ", "),
               to_string(problem.dtype));
  if (problem.libraries == Libraries::none)
    fmt::print("Libraries: none but the C and C++ runtime and the CUDA driver.\n");
  return exit_ok;
}

struct ShowArguments {
  std::string problem;
  std::string directory;
  std::string python;
  std::optional<std::string> dtype;
  std::vector<std::string> inputs;
  bool json = false;
  bool file = false;
};

// The file of a problem that is named as for problem_named().
Result<std::filesystem::path> file_named(const std::string& named, const Folders& folders) {
  if (!is_module_file(named) && !is_set_path(named)) {
    const auto found = find_problem(named, folders);
    if (found) return found->path;
    if (!may_be_set_path(named)) return found.errors();
  }
  auto file = problem_file_of(named);
  std::error_code failure;
  if (file && !std::filesystem::is_regular_file(*file, failure))
    return Error{"no such file", "check the path", {named, 0, 0}};
  return file;
}

int run(const ShowArguments& arguments) {
  if (arguments.file) {
    const auto file = file_named(arguments.problem, Layout::find(arguments.directory).problems);
    if (!file) return fail(file.errors());
    fmt::print("{}\n", file->string());
    return exit_ok;
  }
  auto problem =
      problem_named(arguments.problem, Layout::find(arguments.directory), arguments.python, arguments.inputs);
  if (!problem) return fail(problem.errors());
  if (arguments.dtype) problem = with_dtype(std::move(*problem), *arguments.dtype);
  if (!problem) return fail(problem.errors());
  std::vector<Case> cases;
  Errors errors;
  for (const CaseSpec& spec : problem->cases) {
    auto bound = resolve_case(*problem, spec);
    if (bound) {
      cases.push_back(std::move(*bound));
    } else {
      errors.insert(errors.end(), bound.errors().begin(), bound.errors().end());
    }
  }
  if (!errors.empty()) return fail(errors);
  if (!arguments.json) return print_text(*problem, cases);
  const std::filesystem::path plain = plain_kernel(*problem);
  Json json = {{"slug", problem->slug},
               {"family", problem->family.empty() ? Json(nullptr) : Json(problem->family)},
               {"title", problem->title},
               {"difficulty", to_string(problem->difficulty)},
               {"file", problem->path.string()},
               {"plain_kernel", plain.empty() ? Json(nullptr) : Json(plain.string())},
               {"statement", trimmed(problem->statement)},
               {"model", problem->has_model() ? Json(model_text(*problem)) : Json(nullptr)},
               {"dtypes", problem->dtypes},
               {"dtype", to_string(problem->dtype)},
               {"signature",
                untold(*problem, cases, Given::pointers).empty() ? Json(signature(*problem)) : Json(nullptr)},
               {"precision", problem->precision},
               {"libraries", to_string(problem->libraries)},
               {"cases", Json::array()}};
  for (const Case& bound : cases) json["cases"].push_back(json_of(*problem, bound));
  fmt::print("{}\n", json.dump(2));
  return exit_ok;
}

}  // namespace

Command add_show(CLI::App& app) {
  auto arguments = std::make_shared<ShowArguments>();
  CLI::App* command = app.add_subcommand(
      "show", "Show a problem: what to compute, entry point, shapes, cases with memory and arithmetic");
  add_problem_argument(*command, arguments->problem);
  add_grade_option(*command, "problems", &arguments->directory);
  add_grade_option(*command, "dtype", &arguments->dtype, "Element type (default: the problem's first)");
  add_grade_option(*command, "inputs", &arguments->inputs);
  command->add_flag("--json", arguments->json, "Print JSON");
  command
      ->add_flag("--file", arguments->file,
                 "Print only the path of the problem's file. Of a problem in a public set, this is the one "
                 "file that is made of the set's files. Nothing of it is run")
      ->excludes("--json", "--dtype", "--inputs");
  add_grade_option(*command, "python", &arguments->python);
  return {command, [arguments] { return run(*arguments); }};
}

}  // namespace kgrade::cli
