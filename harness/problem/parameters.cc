#include "problem/parameters.h"

#include <fmt/format.h>

#include "problem/fields.h"
#include "problem/init.h"
#include "problem/quote.h"
#include "problem/scalar_type.h"

namespace kgrade {
namespace {

constexpr std::size_t most_dimensions = 16;

class ParameterReader {
 public:
  ParameterReader(const YamlNode& node, Diagnostics& diagnostics) : node_(node), diagnostics_(diagnostics) {}

  std::optional<Parameter> read() {
    if (!expect_map(node_, what_, "`- name: input` and below it `type`, `pointer` and `const`", 100,
                    diagnostics_)) {
      return std::nullopt;
    }
    parameter_.location = node_.location;
    read_name();
    refuse_unknown_keys(node_, {"name", "type", "pointer", "const", "constant", "shape", "init"}, what_,
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
    if (init == nullptr) return;
    if (parameter_.is_input()) {
      parameter_.init = read_init(*init, diagnostics_);
      return;
    }
    diagnostics_.add(
        init->key_location,
        fmt::format("{} is {} and has an 'init'", what_, parameter_.pointer ? "an output" : "a scalar"),
        parameter_.pointer ? "remove it: outputs are poisoned before each call"
                           : "remove it: cases give scalars their values");
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

std::vector<Parameter> read_parameters(const YamlNode& node, Diagnostics& diagnostics) {
  std::vector<Parameter> parameters;
  if (!expect_sequence(node, "'parameters'", "a list: `- name: input`, and so on", max_parameters,
                       diagnostics)) {
    return parameters;
  }
  for (const YamlNode& child : node.children) {
    if (auto parameter = ParameterReader(child, diagnostics).read())
      parameters.push_back(*std::move(parameter));
  }
  if (parameters.size() == node.children.size()) require_output(node, parameters, diagnostics);
  return parameters;
}

}  // namespace kgrade
