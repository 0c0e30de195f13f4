#include "base/json_schema.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace kgrade {

using nlohmann::ordered_json;

std::string name_of_type(const std::type_info& type) {
  int failure = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(type.name(), nullptr, nullptr, &failure), &std::free);
  const std::string name = text ? text.get() : type.name();
  return name.substr(name.rfind(':') + 1);
}

ordered_json or_null(ordered_json schema) {
  if (schema.contains("enum")) {
    schema["enum"].push_back(nullptr);
  } else if (const auto type = schema.find("type"); type != schema.end() && type->is_string()) {
    *type = ordered_json::array({*type, "null"});
  } else if (type == schema.end() && !schema.contains("anyOf")) {
    return {{"anyOf", {std::move(schema), {{"type", "null"}}}}};
  }
  return schema;
}

SchemaWriter::SchemaWriter(ordered_json& schema, SchemaDefinitions& definitions)
    : schema_(schema), definitions_(definitions) {
  schema_["type"] = "object";
  schema_["properties"] = ordered_json::object();
  schema_["required"] = ordered_json::array();
  schema_["additionalProperties"] = false;
}

void SchemaWriter::add(const std::string& name, ordered_json schema, const std::string& description,
                       bool is_required) {
  if (!description.empty()) schema["description"] = description;
  schema_["properties"][name] = std::move(schema);
  if (is_required) schema_["required"].push_back(name);
}

void SchemaWriter::add_where(const std::string& name, const ordered_json& wanted, ordered_json inner,
                             ordered_json other) {
  const auto branch = [this](const ordered_json& there, const ordered_json& elsewhere) {
    ordered_json then = {{"properties", ordered_json::object()}};
    for (const auto& [member, schema] : there["properties"].items()) {
      then["properties"][member] = schema;
      schema_["properties"][member] = true;
    }
    if (elsewhere.contains("properties")) {
      for (const auto& [member, schema] : elsewhere["properties"].items()) {
        if (!then["properties"].contains(member)) then["properties"][member] = false;
      }
    }
    if (!there["required"].empty()) then["required"] = there["required"];
    return then;
  };
  if (!other.contains("properties"))
    other = {{"properties", ordered_json::object()}, {"required", ordered_json::array()}};
  ordered_json condition = {{"if", {{"properties", {{name, {{"const", wanted}}}}}, {"required", {name}}}}};
  condition["then"] = branch(inner, other);
  condition["else"] = branch(other, inner);
  schema_["allOf"].push_back(std::move(condition));
}

}  // namespace kgrade
