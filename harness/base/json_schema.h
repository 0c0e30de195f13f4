// Describes documents as JSON Schema (draft 2020-12), from the same fields() by which they are written and
// read (base/json_archive.h). So a description cannot differ from the document.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <typeindex>
#include <typeinfo>

#include "base/json_archive.h"

namespace kgrade {

// The name of a type without its namespaces: "CaseRecord".
std::string name_of_type(const std::type_info& type);
// The schema of a value that is null or follows this schema.
nlohmann::ordered_json or_null(nlohmann::ordered_json schema);

// A name for a type's schema, if it is not the type's own name.
template <class T>
inline constexpr const char* schema_name = nullptr;

// The structures and enumerations of a document, each described once, by the type's name.
class SchemaDefinitions {
 public:
  // `place`: where the definitions are in the document.
  explicit SchemaDefinitions(std::string place = "#/$defs/") : place_(std::move(place)) {}

  // A reference to the definition of the type, which is added if it is new.
  template <class T>
  nlohmann::ordered_json reference_to();
  // A reference to a definition that belongs to no type.
  nlohmann::ordered_json reference_to(const std::string& name, const nlohmann::ordered_json& schema) {
    all_[name] = schema;
    return {{"$ref", place_ + name}};
  }
  const nlohmann::ordered_json& all() const { return all_; }

 private:
  std::string place_;
  std::map<std::string, std::type_index> types_;  // by the name of their description
  nlohmann::ordered_json all_ = nlohmann::ordered_json::object();
};

template <class T, class Rule>
nlohmann::ordered_json schema_of(const Rule& rule, SchemaDefinitions& definitions);

class SchemaWriter {
 public:
  static constexpr bool reads = false;
  template <class T>
  using Value = const T;

  // Describes one object in `schema`. Both must outlive the writer.
  SchemaWriter(nlohmann::ordered_json& schema, SchemaDefinitions& definitions);

  template <class T, IsRule Rule = AnyValue>
  void operator()(const char* name, const T&, const Rule& rule = {}, const char* description = "") {
    add(name, schema_of<T>(rule, definitions_), description, true);
  }
  template <class T>
  void operator()(const char* name, const T& value, const char* description) {
    (*this)(name, value, AnyValue{}, description);
  }
  template <class T, IsRule Rule = AnyValue>
  void or_default(const char* name, const T& value, const Rule& rule = {}, const char* description = "") {
    nlohmann::ordered_json schema = or_null(schema_of<T>(rule, definitions_));
    if constexpr (std::is_enum_v<T> || std::is_arithmetic_v<T>)
      schema["default"] = JsonWriter::written(value, rule);
    add(name, std::move(schema), description, false);
  }
  template <class T>
  void or_default(const char* name, const T& value, const char* description) {
    or_default(name, value, AnyValue{}, description);
  }
  template <class T, class... More>
  void derived(const char* name, const T& value, const More&... more) {
    (*this)(name, value, more...);
  }
  template <class T>
  void constant(const char* name, const T& value) {
    add(name, {{"const", value}}, "", true);
  }
  template <class Body>
  void object(const char* name, Body body, const char* description = "") {
    nlohmann::ordered_json inner = nlohmann::ordered_json::object();
    SchemaWriter writer(inner, definitions_);
    body(writer);
    add(name, std::move(inner), description, true);
  }
  template <class T, class Wanted, class Body>
  void where(const char* name, const T&, const Wanted& wanted, Body body) {
    nlohmann::ordered_json inner = nlohmann::ordered_json::object();
    SchemaWriter writer(inner, definitions_);
    body(writer);
    add_where(name, wanted, std::move(inner));
  }
  template <class T, class Wanted, class Body, class Otherwise>
  void where(const char* name, const T&, const Wanted& wanted, Body body, Otherwise otherwise) {
    nlohmann::ordered_json inner, other;
    SchemaWriter writer(inner, definitions_), other_writer(other, definitions_);
    body(writer);
    otherwise(other_writer);
    add_where(name, wanted, std::move(inner), std::move(other));
  }
  void nothing_else() {}
  void anything_else() { schema_.erase("additionalProperties"); }
  bool wants_detail() const { return true; }

 private:
  void add(const std::string& name, nlohmann::ordered_json schema, const std::string& description,
           bool is_required);
  // The members of `inner` are there only if the member `name` is `wanted`, and those of `other` only if not.
  void add_where(const std::string& name, const nlohmann::ordered_json& wanted, nlohmann::ordered_json inner,
                 nlohmann::ordered_json other = nlohmann::ordered_json::object());

  nlohmann::ordered_json& schema_;
  SchemaDefinitions& definitions_;
};

template <class T>
nlohmann::ordered_json object_schema(SchemaDefinitions& definitions) {
  nlohmann::ordered_json schema = nlohmann::ordered_json::object();
  SchemaWriter writer(schema, definitions);
  const T value{};
  fields(writer, value);
  return schema;
}

template <class T>
nlohmann::ordered_json SchemaDefinitions::reference_to() {
  const std::string name = schema_name<T> == nullptr ? name_of_type(typeid(T)) : schema_name<T>;
  if (types_.try_emplace(name, typeid(T)).first->second != typeid(T))
    throw std::logic_error("two types are described as " + name);
  if (!all_.contains(name)) {
    all_[name] = nullptr;  // so that it comes before the types that it needs
    nlohmann::ordered_json schema;
    if constexpr (std::is_enum_v<T>) {
      schema = words_schema({enum_words<T>.begin(), enum_words<T>.end()});
    } else {
      schema = object_schema<T>(*this);
    }
    all_[name] = std::move(schema);
  }
  return {{"$ref", place_ + name}};
}

template <class T, class Rule>
nlohmann::ordered_json schema_of(const Rule& rule, SchemaDefinitions& definitions) {
  using Json = nlohmann::ordered_json;
  if constexpr (is_optional<T>) {
    return or_null(schema_of<typename T::value_type>(rule, definitions));
  } else if constexpr (requires { rule.template schema<T>(definitions); }) {
    return rule.template schema<T>(definitions);
  } else if constexpr (reads_whole<T, Rule>) {
    return rule.schema();
  } else if constexpr (is_items_rule<Rule>) {
    Json schema = {{"type", "array"}, {"items", schema_of<typename T::value_type>(rule.each, definitions)}};
    if (rule.least > 0) schema["minItems"] = rule.least;
    if (rule.most < most_items) schema["maxItems"] = rule.most;
    return schema;
  } else if constexpr (is_vector<T>) {
    return {{"type", "array"}, {"items", schema_of<typename T::value_type>(rule, definitions)}};
  } else if constexpr (is_array<T>) {
    return {{"type", "array"},
            {"items", schema_of<typename T::value_type>(rule, definitions)},
            {"minItems", std::tuple_size_v<T>},
            {"maxItems", std::tuple_size_v<T>}};
  } else if constexpr (is_map<T>) {
    return {{"type", "object"},
            {"additionalProperties", schema_of<typename T::mapped_type>(rule, definitions)}};
  } else if constexpr (!std::is_same_v<Rule, AnyValue>) {
    static_assert(is_vector<T>, "the rule is for values of another type");
  } else if constexpr (std::is_same_v<T, bool>) {
    return {{"type", "boolean"}};
  } else if constexpr (std::is_floating_point_v<T>) {
    return {{"type", "number"}};
  } else if constexpr (std::is_integral_v<T>) {
    return std::is_signed_v<T> ? Json{{"type", "integer"}} : Json{{"type", "integer"}, {"minimum", 0}};
  } else if constexpr (std::is_convertible_v<T, std::string_view>) {
    return {{"type", "string"}};
  } else {
    return definitions.reference_to<T>();
  }
}

// The schema of a whole document.
template <class T>
nlohmann::ordered_json schema_document(const std::string& title, const std::string& description) {
  SchemaDefinitions definitions;
  nlohmann::ordered_json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                                   {"title", title},
                                   {"description", description}};
  schema.update(object_schema<T>(definitions));
  schema["$defs"] = definitions.all();
  return schema;
}

}  // namespace kgrade
