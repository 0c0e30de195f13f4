#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "problem/call_text.h"
#include "problem/fields.h"
#include "problem/problem_reader.h"
#include "problem/read_init.h"
#include "problem/scalar_type.h"

namespace kgrade {
namespace {

constexpr std::string_view comparisons =
    "write norm, exact, ties(x), ties(x, axis) or ties(x, axis, distinct), with an input x; or for codes of "
    "an "
    "input x in blocks of 32 as in quantised(x, e2m1, 32, scale, e8m0), with an output scale";

// Arguments of quantised(x, CODE, BLOCK, SCALES, SCALE_CODE), with `swizzled` and the name of a divisor
// optionally after them.
std::optional<Quantisation> read_quantisation(const std::vector<std::string_view>& arguments) {
  constexpr std::size_t fewest = 5;
  constexpr std::size_t most = 7;
  constexpr std::int64_t largest_block = 4096;
  if (arguments.size() < fewest || arguments.size() > most) return std::nullopt;
  const auto code = small_float_from(arguments[1]);
  const auto block = parse_integer(arguments[2]);
  const auto scale_code = small_float_from(arguments[4]);
  if (!code || *code == SmallFloat::e8m0 || !block || *block < 1 || *block > largest_block ||
      *block % 2 != 0 || !scale_code || *scale_code == SmallFloat::e2m1)
    return std::nullopt;
  Quantisation quantisation{*code, *block, std::string(arguments[3]), *scale_code, false, {}};
  quantisation.is_swizzled = arguments.size() > fewest && arguments[fewest] == "swizzled";
  const std::size_t next = quantisation.is_swizzled ? fewest + 1 : fewest;
  if (arguments.size() > next + 1) return std::nullopt;
  if (arguments.size() > next) quantisation.divisor = arguments[next];
  return quantisation;
}

// Reads how an output is compared. Comparison in problem.h lists the forms.
std::optional<Comparison> read_comparison(const YamlNode& node, Diagnostics& diagnostics) {
  const auto text = read_text(node, "'compare'", diagnostics);
  if (!text) return std::nullopt;
  Comparison comparison;
  comparison.location = node.location;
  comparison.text = std::string(trimmed(*text));
  const auto call = split_call(*text);
  auto arguments = call ? call->arguments() : std::vector<std::string_view>{};
  if (call && call->name == "norm" && !call->parentheses) return comparison;
  comparison.kind = Comparison::Kind::exact;
  if (call && call->name == "exact" && !call->parentheses) return comparison;
  if (call && call->name == "quantised") {
    if (const auto quantisation = read_quantisation(arguments)) {
      comparison.kind = Comparison::Kind::quantised;
      comparison.values = arguments[0];
      comparison.quantisation = *quantisation;
      return comparison;
    }
  }
  comparison.kind = Comparison::Kind::ties;
  comparison.are_distinct = arguments.size() > 1 && arguments.back() == "distinct";
  if (comparison.are_distinct) arguments.pop_back();
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
    refuse_unknown_keys(
        node_, {"name", "type", "pointer", "const", "constant", "shape", "init", "compare", "begins"}, what_,
        diagnostics_);
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
    parameter_.type = std::string(cuda_name(*type));
    if (find_scalar_type(parameter_.type) != nullptr) return;
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
    const ScalarType* const type = find_scalar_type(parameter_.type);
    if (!parameter_.pointer && type != nullptr && !type->is_of_scalars) {
      diagnostics_.add(entry->place(),
                       fmt::format("{} is a scalar of type {}, which only tensors have", what_, type->name),
                       "write `type: float`, or \"[VAR]\" for a scalar of the element type");
      incomplete();
    }
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
      is_values(*shape) ? read_as_values(*shape) : read_shape(*shape);
    }
    read_compare();
    if (const YamlNode* const begins = node_.find("begins")) read_beginning(*begins);
    if (init == nullptr) return;
    if (parameter_.init && parameter_.is_input()) {
      diagnostics_.add(init->key_location, what_ + " has values as its 'shape', and an 'init'",
                       "remove `init`");
      return;
    }
    if (parameter_.is_input()) {
      parameter_.init = read_init(*init, diagnostics_);
      if (parameter_.init) check_integers(*init);
      return;
    }
    diagnostics_.add(
        init->key_location,
        fmt::format("{} is {} and has an 'init'", what_, parameter_.pointer ? "an output" : "a scalar"),
        parameter_.pointer
            ? "remove it: outputs are poisoned before each call; or write `begins` for what they hold then"
            : "remove it: cases give scalars their values");
  }

  void check_integers(const YamlNode& node) {
    const ScalarType* const type = find_scalar_type(parameter_.type);
    if (type == nullptr) return;
    const std::string complaint = complaint_about(*parameter_.init, *type);
    if (complaint.empty()) return;
    diagnostics_.add(node.place(),
                     fmt::format("'{}' {} of '{}' {}", parameter_.is_input() ? "init" : "begins",
                                 in_quotes(parameter_.init->text), parameter_.name, complaint),
                     type->is_integer()
                         ? "write integers(lo, hi), constant(value), ones, zeros, choice(a, b), bernoulli(p) "
                           "or labels(n) within the type's range"
                         : "write numbers that the type holds, or give the tensor another type");
  }

  void read_compare() {
    const YamlNode* const entry = node_.find("compare");
    const ScalarType* const type = find_scalar_type(parameter_.type);
    const bool is_integral = type != nullptr && type->is_integer();
    if (parameter_.is_output() && is_integral) {
      parameter_.compare.kind = Comparison::Kind::exact;
      parameter_.compare.text = "exact";
    }
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
    } else if (compare->kind == Comparison::Kind::quantised && parameter_.type != "uint8_t") {
      diagnostics_.add(entry->place(),
                       fmt::format("'compare' is quantised, and {} is of type {}", what_, parameter_.type),
                       "write `type: uint8_t`: its bytes are the codes");
    } else {
      parameter_.compare = *compare;
    }
  }

  void read_beginning(const YamlNode& begins) {
    const auto text = read_text(begins, "'begins'", diagnostics_);
    if (!text) return;
    if (!parameter_.is_output() || has_model_) {
      diagnostics_.add(begins.key_location,
                       what_ + (has_model_ ? " has a 'begins', and `Model` returns its outputs"
                                           : " is no output and has a 'begins'"),
                       "remove it");
      return;
    }
    parameter_.begins = Beginning{is_init(*text) ? "" : *text, begins.location};
    if (!is_init(*text)) return;
    parameter_.init = read_init(begins, diagnostics_);
    if (parameter_.init) check_integers(begins);
    if (!parameter_.is_computed()) return;
    diagnostics_.add(begins.place(),
                     fmt::format("'begins' of '{}' is computed, and no output is", parameter_.name),
                     "compute an input of the same type and shape, and write its name");
  }

  // Reads shape and contents from one values(...).
  void read_as_values(const YamlNode& shape) {
    const ScalarType* const type = find_scalar_type(parameter_.type);
    if (!parameter_.is_input() || type == nullptr || !type->is_integer()) {
      diagnostics_.add(shape.place(),
                       fmt::format("'shape' of {} is {}, and it is no input of an integer type", what_,
                                   in_quotes(shape.value)),
                       "write a list of extents, as in [batch_size, height]");
      return;
    }
    parameter_.init = read_values(shape, diagnostics_);
    if (!parameter_.init) return;
    const std::string count = std::to_string(parameter_.init->expressions.size());
    if (auto extent = Expression::parse(count, shape.location))
      parameter_.shape.push_back(*std::move(extent));
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

// Checks that outputs begin as inputs of the same type.
void check_beginnings(const std::vector<Parameter>& parameters, Diagnostics& diagnostics) {
  for (const Parameter& output : parameters) {
    if (!output.begins || output.begins->input.empty()) continue;
    const std::string& name = output.begins->input;
    const auto input = std::find_if(parameters.begin(), parameters.end(), [&](const Parameter& parameter) {
      return parameter.is_input() && parameter.name == name;
    });
    if (input != parameters.end() && input->type == output.type) continue;
    diagnostics.add(output.begins->location,
                    input == parameters.end()
                        ? fmt::format("'begins' of '{}' names no input: {}", output.name, in_quotes(name))
                        : fmt::format("'{}' begins as '{}', which is of another type", output.name, name),
                    "write zeros or another `init`, or the name of an input of the same type and shape");
  }
}

// Marks outputs of scales: they are compared along with their codes.
void claim_scales(std::vector<Parameter>& parameters) {
  for (const Parameter& codes : std::vector<Parameter>(parameters)) {
    if (codes.compare.kind != Comparison::Kind::quantised) continue;
    for (Parameter& scales : parameters) {
      const bool is_named = scales.name == codes.compare.quantisation.scales && scales.name != codes.name;
      if (!scales.is_output() || !is_named) continue;
      scales.compare.kind = Comparison::Kind::scales;
      scales.compare.values = codes.name;
      scales.compare.text = "scales of " + codes.name;
    }
  }
}

void check_scales(const std::vector<Parameter>& parameters, Diagnostics& diagnostics) {
  for (const Parameter& parameter : parameters) {
    const auto own = parameter.own_dtype();
    if (parameter.compare.kind != Comparison::Kind::scales || (own && element_bytes(*own) == 1)) continue;
    diagnostics.add(parameter.location,
                    fmt::format("'{}' holds scales, and is of type {}", parameter.name, parameter.type),
                    "write `type: uint8_t`, or __nv_fp8_e4m3");
  }
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
  if (parameters.size() != node.children.size()) return parameters;
  require_output(node, parameters, diagnostics);
  check_beginnings(parameters, diagnostics);
  claim_scales(parameters);
  check_scales(parameters, diagnostics);
  return parameters;
}

bool read_extents(const YamlNode& node, std::vector<Parameter>& parameters, Diagnostics& diagnostics) {
  constexpr std::size_t most_extents = 64;
  const std::string_view example = "a list of names, as in [rows, columns]";
  if (!expect_sequence(node, "'extents'", example, most_extents, diagnostics)) return false;
  bool sound = true;
  for (const YamlNode& child : node.children) {
    const auto name = read_text(child, "an item of 'extents'", diagnostics);
    sound = sound && name;
    if (!name) continue;
    Parameter extent;
    extent.name = *name;
    extent.type = "int64_t";
    extent.is_argument = false;
    extent.location = child.location;
    parameters.push_back(std::move(extent));
  }
  return sound;
}

}  // namespace kgrade
