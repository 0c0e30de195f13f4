#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "problem/call_text.h"
#include "problem/keys.h"
#include "problem/problem_reader.h"
#include "problem/read_init.h"
#include "problem/scalar_type.h"

namespace kgrade {
namespace {

constexpr std::string_view comparisons =
    "write norm, exact, ties(x), ties(x, axis) or ties(x, axis, distinct), with an input x; or for codes of "
    "an input x in blocks of 32 as in quantised(x, e2m1, 32, scale, e8m0), with an output scale";

// Arguments of quantised(x, CODE, BLOCK, SCALES, SCALE_CODE), with `swizzled` and the name of a divisor
// optionally after them.
std::optional<Quantisation> read_quantisation(const std::vector<std::string_view>& arguments) {
  constexpr std::size_t fewest = 5;
  constexpr std::size_t most = 7;
  constexpr std::int64_t largest_block = 4096;
  if (arguments.size() < fewest || arguments.size() > most) return std::nullopt;
  const auto code = enum_from<SmallFloat>(arguments[1]);
  const auto block = parse_integer(arguments[2]);
  const auto scale_code = enum_from<SmallFloat>(arguments[4]);
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
  comparison.kind = Comparison::Kind::property;
  if (call && call->name == "property" && !call->parentheses) return comparison;
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

const ListForm extents_form = {Formula{}, 16, "a list of extents, as in [batch_size, height]", 1};

Schema shape_schema(SchemaDefinitions& definitions) {
  Schema schema = extents_form.schema(definitions);
  schema.update(PatternForm{R"(values\s*\([\s\S]*\))"}.schema(definitions));
  schema["type"] = {"array", "string"};
  return schema;
}

// The schema of a parameter's name. Names that are keys of cases are excluded.
Schema parameter_name_schema(SchemaDefinitions& definitions) {
  Schema schema = name_form.schema(definitions);
  schema["not"] = {{"enum", {"name", "role", "by_set"}}};
  return schema;
}

class ParameterReader {
 public:
  ParameterReader(Keys& keys, bool has_model)
      : keys_(keys), what_(keys.what()), has_model_(has_model), diagnostics_(keys.diagnostics()) {
    parameter_.location = keys.map().location;
  }

  std::optional<Parameter> read() {
    read_name();
    read_type();
    const bool known_pointer = read_pointer();
    read_const(known_pointer);
    find_tensor_keys();
    keys_.nothing_else();
    if (known_pointer && complete_) read_tensor_keys();
    return complete_ ? std::optional(std::move(parameter_)) : std::nullopt;
  }

 private:
  void read_name() {
    const YamlNode* const entry =
        keys_.require("name", "name: input", parameter_name_schema, "Its name, as in C++.");
    const auto name = entry != nullptr ? read_text(*entry, "'name'", diagnostics_) : std::nullopt;
    complete_ = name.has_value();
    if (!name) return;
    parameter_.name = *name;
    parameter_.location = entry->location;
    keys_.call("parameter " + in_quotes(*name));
  }

  void read_type() {
    const YamlNode* const entry =
        keys_.require("type", "type: \"[VAR]\"", WordForm<std::string>{scalar_type_names()},
                      "[VAR], the element type under test, or a type of C++ and CUDA. Only tensors have the "
                      "types of 16 and 8 bits; float16, float8 and the like are other names of them.");
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
    const YamlNode* const entry =
        keys_.require("pointer", likely, bool_schema, "true for a tensor, false for a scalar.");
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
    const YamlNode* entry =
        keys_.find("const", bool_schema, "Of a tensor: true for an input, false for an output.");
    const YamlNode* const alias = keys_.find("constant", bool_schema, "Another, older word for `const`.");
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

  void find_tensor_keys() {
    shape_ = keys_.find("shape", shape_schema,
                        "The extents of a tensor, slowest first. An input of an integer type may have "
                        "values(a, b, ...) instead: it has as many elements, and holds them.",
                        R"([["batch_size", "in_channels", "height", "width"]])");
    init_ = keys_.find("init", init_schema, "");
    compare_ = keys_.find(
        "compare", PatternForm{R"(norm|exact|property|(ties|quantised)\s*\(.*\))"},
        "How an output is compared: by the norm of its error, exactly, or as indices into an input along an "
        "axis, where elements that are equal are as good as each other, and with distinct behind the axis "
        "none may occur twice along it; or as codes that stand for an input x in blocks along its last axis, "
        "by how far their numbers are from it: quantised(x, e2m1|e4m3|e5m2, block, scales, e8m0|e4m3|e5m2), "
        "and behind that swizzled, and the name of a scalar that divides the numbers. The default is norm "
        "for floating types and exact for integers.",
        R"=(["exact", "ties(x, 1)", "ties(x, 1, distinct)"])=");
    begins_ =
        keys_.find("begins", any_text,
                   "What an output holds when a call begins: zeros, constant(3) or another form of init, or "
                   "the contents of an input of the same type and shape. Without it arbitrary values.",
                   R"=(["zeros", "constant(3)", "c"])=");
    // families.cc reads this key and removes it, so here it is only described.
    if (keys_.describes())
      keys_.find("after", any_text,
                 "In a problem with a family: the family's parameter that this one follows.",
                 R"(["kernel"])");
  }

  void read_tensor_keys() {
    const YamlNode* const shape = shape_;
    const YamlNode* const init = init_;
    if (shape != nullptr && !parameter_.pointer) {
      diagnostics_.add(shape->key_location, what_ + " is a scalar and has a 'shape'",
                       "remove it, or write `pointer: true`");
    } else if (shape != nullptr) {
      is_values(*shape) ? read_as_values(*shape) : read_shape(*shape);
    }
    read_compare();
    if (begins_ != nullptr) read_beginning(*begins_);
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
    const YamlNode* const entry = compare_;
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
    const std::string what = "'shape' of " + what_;
    parameter_.shape = extents_form.read(shape, what, diagnostics_).value_or(parameter_.shape);
    if (shape.is_sequence() && shape.children.empty())
      diagnostics_.add(shape.location, what + " is empty", "write [1] for a tensor of one element");
  }

  void incomplete() { complete_ = false; }

  Keys& keys_;
  const std::string& what_;  // changes as the name is read
  bool has_model_;
  Diagnostics& diagnostics_;
  const YamlNode* shape_ = nullptr;
  const YamlNode* init_ = nullptr;
  const YamlNode* compare_ = nullptr;
  const YamlNode* begins_ = nullptr;
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

// Marks outputs that hold scales, because they are compared along with their codes.
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

// Whether elements of the type are codes of this format.
bool has_codes(Dtype dtype, SmallFloat format) {
  return is_float8(dtype) && field_of<&DtypeRow::format>(dtype) == format;
}

void check_scales(const std::vector<Parameter>& parameters, Diagnostics& diagnostics) {
  for (const Parameter& parameter : parameters) {
    if (parameter.compare.kind != Comparison::Kind::scales) continue;
    const auto codes = std::ranges::find(parameters, parameter.compare.values, &Parameter::name);
    const SmallFloat format = codes->compare.quantisation.scale_code;
    const auto own = parameter.own_dtype();
    if (own && (*own == Dtype::uint8 || has_codes(*own, format))) continue;
    const auto fitting =
        std::ranges::find_if(all_dtypes, [&](Dtype type) { return has_codes(type, format); });
    diagnostics.add(parameter.location,
                    fmt::format("'{}' holds scales in {}, and is of type {}", parameter.name,
                                to_string(format), parameter.type),
                    fmt::format("write `type: uint8_t`, or {}", cuda_type(*fitting)));
  }
}

// The schema of a parameter whose key `key` has this value.
Schema having(const char* key, bool value) {
  return {{"required", {key}}, {"properties", {{key, {{"enum", words_of_bool(value)}}}}}};
}

Schema tensor_schema(bool is_const) {
  return {
      {"allOf",
       {having("pointer", true), {{"anyOf", {having("const", is_const), having("constant", is_const)}}}}}};
}

Schema parameter_schema(SchemaDefinitions& definitions) {
  Schema schema = {{"description", "One parameter of `solution`."}};
  Keys keys(schema, definitions);
  ParameterReader(keys, false).read();
  const auto present = [](const char* key) { return Schema{{"required", {key}}}; };
  schema["not"] = {{"required", {"const", "constant"}}};
  Schema tensor = {{"if", having("pointer", true)},
                   {"then", {{"anyOf", {present("const"), present("constant")}}}}};
  tensor["else"]["properties"]["shape"] = false;
  Schema input = {{"if", tensor_schema(true)}}, output = {{"if", output_schema()}};
  input["else"]["properties"]["init"] = false;
  output["else"]["properties"] = {{"compare", false}, {"begins", false}};
  schema["allOf"] = {tensor, input, output};
  return definitions.reference_to("parameter", schema);
}

void read_list(const YamlNode& node, Problem& problem, Diagnostics& diagnostics) {
  for (const YamlNode& child : node.children) {
    if (!expect_map(child, "a parameter", "`- name: input` and below it `type`, `pointer` and `const`", 100,
                    diagnostics))
      continue;
    Keys keys(child, "a parameter", diagnostics);
    if (auto parameter = ParameterReader(keys, problem.has_model()).read())
      problem.parameters.push_back(*std::move(parameter));
  }
  if (problem.parameters.size() != node.children.size()) return;
  require_output(node, problem.parameters, diagnostics);
  check_beginnings(problem.parameters, diagnostics);
  claim_scales(problem.parameters);
  check_scales(problem.parameters, diagnostics);
}

}  // namespace

Schema output_schema() { return tensor_schema(false); }

bool read_parameters(Keys& keys, Problem& problem) {
  Diagnostics& diagnostics = keys.diagnostics();
  const ListForm list = {parameter_schema, max_parameters, "a list: `- name: input`, and so on"};
  const YamlNode* const node = keys.require("parameters", "parameters:", list,
                                            "The parameters of `solution`, in the order in which it takes "
                                            "them: tensors and scalars. At least one is an output.");
  const ListForm names = {name_form, 64, "a list of names, as in [rows, columns]"};
  const YamlNode* const extents =
      keys.find("extents", names,
                "Integers of cases that the entry point does not have as parameters of their own: extents "
                "that it finds in a tensor of `shape: values(...)`.",
                R"([["rows", "columns"]])");
  if (node == nullptr || !list.expect(*node, "'parameters'", diagnostics)) return false;
  read_list(*node, problem, diagnostics);
  if (problem.parameters.size() != node->children.size()) return false;
  if (extents == nullptr) return true;
  if (!names.expect(*extents, "'extents'", diagnostics)) return false;
  bool sound = true;
  for (const YamlNode& child : extents->children) {
    const auto name = read_text(child, "an item of 'extents'", diagnostics);
    sound = sound && name;
    if (!name) continue;
    Parameter extent;
    extent.name = *name;
    extent.type = "int64_t";
    extent.is_argument = false;
    extent.location = child.location;
    problem.parameters.push_back(std::move(extent));
  }
  return sound;
}

}  // namespace kgrade
