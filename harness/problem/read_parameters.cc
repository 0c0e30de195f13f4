#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "base/text.h"
#include "problem/fields.h"
#include "problem/problem_reader.h"
#include "problem/scalar_type.h"

namespace kgrade {
namespace {

// Integers up to here are exact in float32.
constexpr double largest_exact_integer = 1 << 24;

constexpr std::string_view forms =
    "write uniform(lo, hi), normal(mean, sd), integers(lo, hi), constant(value), ones, zeros or "
    "uniform_fan_in(n)";
// Where the problem has a Model, and so get_inputs().
constexpr std::string_view computed_form = "; or computed, for an input that get_inputs() computes";

struct Form {
  std::string_view name;
  Init::Kind kind;
  std::size_t arguments;
  std::string_view example;
};

constexpr std::array<Form, 8> known_forms = {{
    {"uniform", Init::Kind::uniform, 2, "uniform(0, 1)"},
    {"normal", Init::Kind::normal, 2, "normal(0, 1)"},
    {"integers", Init::Kind::integers, 2, "integers(-2, 3)"},
    {"constant", Init::Kind::constant, 1, "constant(1.5)"},
    {"ones", Init::Kind::constant, 0, "ones"},
    {"zeros", Init::Kind::constant, 0, "zeros"},
    {"uniform_fan_in", Init::Kind::uniform_fan_in, 1, "uniform_fan_in(in_channels * kernel_h * kernel_w)"},
    {"computed", Init::Kind::computed, 0, "computed"},
}};

// "name(inside)" taken apart. `inside` is empty without parentheses.
struct Call {
  std::string_view name;
  bool parentheses = false;
  std::string_view inside;
};

std::optional<Call> split_call(std::string_view text) {
  text = trimmed(text);
  const std::size_t open = text.find('(');
  if (open == std::string_view::npos) return Call{text, false, {}};
  if (text.back() != ')') return std::nullopt;
  return Call{trimmed(text.substr(0, open)), true, text.substr(open + 1, text.size() - open - 2)};
}

std::vector<std::string_view> split_arguments(std::string_view inside) {
  std::vector<std::string_view> arguments;
  if (trimmed(inside).empty()) return arguments;
  for (std::size_t begin = 0; begin <= inside.size();) {
    const std::size_t end = std::min(inside.find(',', begin), inside.size());
    arguments.push_back(trimmed(inside.substr(begin, end - begin)));
    begin = end + 1;
  }
  return arguments;
}

// What is wrong with the numbers of a form, or nothing.
std::string_view complaint_about(const Init& init) {
  const auto too_large = [](double x) { return std::abs(x) > double{std::numeric_limits<float>::max()}; };
  if (too_large(init.first) || too_large(init.second)) return "its numbers must fit into a float";
  switch (init.kind) {
    case Init::Kind::uniform:
      return init.first < init.second ? "" : "the lower end comes first";
    case Init::Kind::normal:
      return init.second > 0 ? "" : "the standard deviation must be positive";
    case Init::Kind::integers: {
      const auto inexact = [](double x) { return x != std::floor(x) || std::abs(x) > largest_exact_integer; };
      if (inexact(init.first) || inexact(init.second)) return "both ends must be integers of at most 2^24";
      return init.first <= init.second ? "" : "the lower end comes first";
    }
    default:
      return "";
  }
}

class InitReader {
 public:
  InitReader(const YamlNode& node, bool has_model, Diagnostics& diagnostics)
      : node_(node), has_model_(has_model), diagnostics_(diagnostics) {}

  std::optional<Init> read() {
    const auto call = split_call(node_.source);
    if (!call)
      return fail(fmt::format("'init' {} is not closed", in_quotes(node_.value)),
                  "write ')' at its end; inside {...}, put it into quotes");
    const Form* form = find_form(call->name);
    if (form == nullptr)
      return fail(fmt::format("'init' names no distribution: {}", in_quotes(node_.value)), hint(*call));
    Init init;
    init.kind = form->kind;
    init.text = std::string(trimmed(node_.value));
    if (init.kind == Init::Kind::uniform_fan_in) return read_fan_in(*call, *form, std::move(init));
    return read_numbers(*call, *form, std::move(init));
  }

 private:
  static const Form* find_form(std::string_view name) {
    for (const Form& form : known_forms) {
      if (form.name == name) return &form;
    }
    return nullptr;
  }

  std::string hint(const Call& call) const {
    std::vector<std::string> names;
    for (const Form& form : known_forms) {
      if (has_model_ || form.kind != Init::Kind::computed) names.emplace_back(form.name);
    }
    std::string hint = suggestion(call.name, names) + std::string(forms);
    return has_model_ ? hint + std::string(computed_form) : hint;
  }

  std::optional<Init> read_numbers(const Call& call, const Form& form, Init init) {
    const auto arguments = split_arguments(call.inside);
    if (arguments.size() != form.arguments || (form.arguments == 0 && call.parentheses)) {
      return wrong_form(form, fmt::format("takes {} numbers", form.arguments));
    }
    std::array<double, 2> numbers = {form.name == "ones" ? 1.0 : 0.0, 0.0};
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const auto number = parse_real(arguments[i]);
      if (!number)
        return wrong_form(form, fmt::format("holds {}, which is no number", in_quotes(arguments[i])));
      numbers[i] = *number;
    }
    init.first = numbers[0];
    init.second = numbers[1];
    const std::string_view complaint = complaint_about(init);
    if (!complaint.empty())
      return wrong_form(form, fmt::format("is {}: {}", in_quotes(init.text), complaint));
    return init;
  }

  std::optional<Init> read_fan_in(const Call& call, const Form& form, Init init) {
    if (trimmed(call.inside).empty()) return wrong_form(form, "takes one integer expression");
    // The argument stands where it stands in the source: blank out what precedes it.
    const auto skipped = static_cast<std::size_t>(call.inside.data() - node_.source.data());
    std::string text = node_.source.substr(0, skipped + call.inside.size());
    for (std::size_t i = 0; i < skipped; ++i) {
      if (text[i] != '\n') text[i] = ' ';
    }
    YamlNode argument = node_;
    argument.source = std::move(text);
    init.fan_in = read_expression(argument, "'init'", diagnostics_);
    if (!init.fan_in) return std::nullopt;
    return init;
  }

  std::optional<Init> wrong_form(const Form& form, const std::string& what) {
    return fail(fmt::format("'init' {} {}", form.name, what), fmt::format("write it as in {}", form.example));
  }

  std::optional<Init> fail(std::string message, std::string remedy) {
    diagnostics_.add(node_.place(), std::move(message), std::move(remedy));
    return std::nullopt;
  }

  const YamlNode& node_;
  bool has_model_;
  Diagnostics& diagnostics_;
};

// The distribution of an input; Init in problem.h has the forms.
std::optional<Init> read_init(const YamlNode& node, bool has_model, Diagnostics& diagnostics) {
  if (!read_text(node, "'init'", diagnostics)) return std::nullopt;
  return InitReader(node, has_model, diagnostics).read();
}

constexpr std::string_view comparisons = "write norm, exact, ties(x) or ties(x, axis), with an input x";

// How an output is compared; Comparison in problem.h has the forms.
std::optional<Comparison> read_comparison(const YamlNode& node, Diagnostics& diagnostics) {
  const auto text = read_text(node, "'compare'", diagnostics);
  if (!text) return std::nullopt;
  Comparison comparison;
  comparison.location = node.location;
  const auto call = split_call(*text);
  const auto arguments = call ? split_arguments(call->inside) : std::vector<std::string_view>{};
  if (call && call->name == "norm" && !call->parentheses) return comparison;
  comparison.kind = Comparison::Kind::exact;
  if (call && call->name == "exact" && !call->parentheses) return comparison;
  comparison.kind = Comparison::Kind::ties;
  const auto axis = arguments.size() == 2 ? parse_integer(arguments[1]) : std::nullopt;
  const bool is_ties = call && call->name == "ties" && (arguments.size() == 1 || axis);
  if (!is_ties) {
    diagnostics.add(node.place(), fmt::format("'compare' is {}", in_quotes(*text)), std::string(comparisons));
    return std::nullopt;
  }
  comparison.values = arguments[0];
  comparison.axis = axis;
  return comparison;
}

// Of an integer type: the values must be some of its own.
std::string complaint_about(const Init& init, const ScalarType& type) {
  const bool is_range = init.kind == Init::Kind::integers;
  if (!is_range && init.kind != Init::Kind::constant)
    return fmt::format("draws no integers, and the type is {}", type.name);
  const double last = is_range ? init.second : init.first;
  if (init.first != std::floor(init.first) || std::abs(init.first) > largest_exact_integer)
    return "must be an integer of at most 2^24";
  if (init.first < static_cast<double>(type.low) || last > static_cast<double>(type.high))
    return fmt::format("has values that {} does not hold", type.name);
  return "";
}

constexpr std::size_t most_dimensions = 16;

class ParameterReader {
 public:
  ParameterReader(const YamlNode& node, bool has_model, Diagnostics& diagnostics)
      : node_(node), has_model_(has_model), diagnostics_(diagnostics) {}

  std::optional<Parameter> read() {
    if (!expect_map(node_, what_, "`- name: input` and below it `type`, `pointer` and `const`", 100,
                    diagnostics_)) {
      return std::nullopt;
    }
    parameter_.location = node_.location;
    read_name();
    refuse_unknown_keys(node_, {"name", "type", "pointer", "const", "constant", "shape", "init", "compare"},
                        what_, diagnostics_);
    read_type();
    const bool known_pointer = read_pointer();
    read_const(known_pointer);
    if (known_pointer && complete_) read_tensor_keys();
    return complete_ ? std::optional(std::move(parameter_)) : std::nullopt;
  }

 private:
  void read_name() {
    const YamlNode* entry = require_key(node_, "name", what_, "name: input", diagnostics_);
    const auto name = entry != nullptr ? read_text(*entry, "'name'", diagnostics_) : std::nullopt;
    complete_ = name.has_value();
    if (!name) return;
    parameter_.name = *name;
    parameter_.location = entry->location;
    what_ = "parameter " + in_quotes(*name);
  }

  void read_type() {
    const YamlNode* entry = require_key(node_, "type", what_, "type: \"[VAR]\"", diagnostics_);
    if (entry == nullptr) return incomplete();
    // An unquoted [VAR] is a YAML list of one text.
    const bool unquoted =
        entry->is_sequence() && entry->children.size() == 1 && entry->children[0].value == "VAR";
    if (unquoted) {
      diagnostics_.add(entry->location, "'type' is a YAML list", "put it into quotes: `type: \"[VAR]\"`");
      return incomplete();
    }
    const auto type = read_text(*entry, "'type'", diagnostics_);
    if (!type) return incomplete();
    parameter_.type = *type;
    if (find_scalar_type(*type) != nullptr) return;
    diagnostics_.add(entry->location, fmt::format("unknown type {}", in_quotes(*type)),
                     suggestion_of_known(*type, scalar_type_names()));
    incomplete();
  }

  bool read_pointer() {
    const char* likely = parameter_.type == element_type_name ? "pointer: true" : "pointer: false";
    const YamlNode* entry = require_key(node_, "pointer", what_, likely, diagnostics_);
    const auto pointer = entry != nullptr ? read_bool(*entry, "'pointer'", diagnostics_) : std::nullopt;
    if (!pointer) {
      incomplete();
      return false;
    }
    parameter_.pointer = *pointer;
    return true;
  }

  void read_const(bool known_pointer) {
    const YamlNode* entry = node_.find("const");
    const YamlNode* alias = node_.find("constant");
    if (entry != nullptr && alias != nullptr) {
      diagnostics_.add(alias->key_location, what_ + " has both 'const' and 'constant'", "keep `const` alone");
      return incomplete();
    }
    if (entry == nullptr) entry = alias;
    if (entry == nullptr) {
      if (!known_pointer || !parameter_.pointer) return;
      diagnostics_.add(parameter_.location, what_ + " has no 'const'",
                       "write `const: true` for an input, `const: false` for an output");
      return incomplete();
    }
    const auto value = read_bool(*entry, fmt::format("'{}'", entry->key), diagnostics_);
    if (!value) return incomplete();
    parameter_.is_const = *value;
  }

  void read_tensor_keys() {
    const YamlNode* shape = node_.find("shape");
    const YamlNode* init = node_.find("init");
    if (shape != nullptr && !parameter_.pointer) {
      diagnostics_.add(shape->key_location, what_ + " is a scalar and has a 'shape'",
                       "remove it, or write `pointer: true`");
    } else if (shape != nullptr) {
      read_shape(*shape);
    }
    read_compare();
    if (init == nullptr) return;
    if (parameter_.is_input()) {
      parameter_.init = read_init(*init, has_model_, diagnostics_);
      if (parameter_.init) check_integers(*init);
      return;
    }
    diagnostics_.add(
        init->key_location,
        fmt::format("{} is {} and has an 'init'", what_, parameter_.pointer ? "an output" : "a scalar"),
        parameter_.pointer ? "remove it: outputs are poisoned before each call"
                           : "remove it: cases give scalars their values");
  }

  void check_integers(const YamlNode& node) {
    const ScalarType* const type = find_scalar_type(parameter_.type);
    if (type == nullptr || !type->is_integer() || parameter_.init->kind == Init::Kind::computed) return;
    const std::string complaint = complaint_about(*parameter_.init, *type);
    if (complaint.empty()) return;
    diagnostics_.add(node.place(), fmt::format("'init' {} of '{}' {}", in_quotes(parameter_.init->text), parameter_.name, complaint),
                     "write integers(lo, hi), constant(value), ones or zeros within the type's range");
  }

  void read_compare() {
    const YamlNode* const entry = node_.find("compare");
    const ScalarType* const type = find_scalar_type(parameter_.type);
    const bool is_integral = type != nullptr && type->is_integer();
    if (parameter_.is_output() && is_integral) parameter_.compare.kind = Comparison::Kind::exact;
    if (entry == nullptr) return;
    if (!parameter_.is_output()) {
      diagnostics_.add(entry->key_location, what_ + " is no output and has a 'compare'", "remove it");
      return;
    }
    const auto compare = read_comparison(*entry, diagnostics_);
    if (!compare) return;
    if (compare->kind == Comparison::Kind::norm && is_integral) {
      diagnostics_.add(entry->place(), fmt::format("'compare' is norm, and {} is of an integer type", what_),
                       "write exact, or ties(x, axis) for indices into the input x");
    } else if (compare->kind == Comparison::Kind::ties && !is_integral) {
      diagnostics_.add(entry->place(), fmt::format("'compare' is ties, and {} is of no integer type", what_),
                       "give it an integer type, as in int64_t");
    } else {
      parameter_.compare = *compare;
    }
  }

  void read_shape(const YamlNode& shape) {
    if (!expect_sequence(shape, "'shape' of " + what_, "a list of extents, as in [batch_size, height]",
                         most_dimensions, diagnostics_)) {
      return;
    }
    if (shape.children.empty()) {
      diagnostics_.add(shape.location, "'shape' of " + what_ + " is empty",
                       "write [1] for a tensor of one element");
    }
    for (const YamlNode& extent : shape.children) {
      if (auto expression = read_expression(extent, "'shape' of " + what_, diagnostics_)) {
        parameter_.shape.push_back(*std::move(expression));
      }
    }
  }

  void incomplete() { complete_ = false; }

  const YamlNode& node_;
  bool has_model_;
  Diagnostics& diagnostics_;
  std::string what_ = "a parameter";
  Parameter parameter_;
  bool complete_ = true;
};

void require_output(const YamlNode& node, const std::vector<Parameter>& parameters,
                    Diagnostics& diagnostics) {
  for (const Parameter& parameter : parameters) {
    if (parameter.is_output()) return;
  }
  diagnostics.add(node.key_location, "the problem has no output",
                  "write `pointer: true` and `const: false` on the parameter that the kernel writes");
}

}  // namespace

std::vector<Parameter> read_parameters(const YamlNode& node, bool has_model, Diagnostics& diagnostics) {
  std::vector<Parameter> parameters;
  if (!expect_sequence(node, "'parameters'", "a list: `- name: input`, and so on", max_parameters,
                       diagnostics)) {
    return parameters;
  }
  for (const YamlNode& child : node.children) {
    if (auto parameter = ParameterReader(child, has_model, diagnostics).read())
      parameters.push_back(*std::move(parameter));
  }
  if (parameters.size() == node.children.size()) require_output(node, parameters, diagnostics);
  return parameters;
}

Result<Init> parse_init(const std::string& text) {
  YamlNode node;
  node.kind = YamlNode::Kind::scalar;
  node.value = node.source = text;
  Diagnostics diagnostics;
  auto init = read_init(node, false, diagnostics);
  if (init && init->fan_in && !init->fan_in->names().empty())
    diagnostics.add({}, "'init' names something", "write numbers");
  if (!init || !diagnostics.empty()) return diagnostics.take();
  return std::move(*init);
}

}  // namespace kgrade
