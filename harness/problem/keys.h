// Describes each mapping of the frontmatter once: its keys, which keys must be there, and the form and the
// meaning of their values. The same description serves to read the mapping, with complaints at their places,
// and to write its JSON Schema.
//
// A form of values has two functions:
//   read(node, what, diagnostics)  the value, or nothing after a complaint
//   schema(definitions)            the JSON Schema of the values that it accepts
// If the value is read elsewhere, the form may also be a single function that returns the schema.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/json_schema.h"
#include "problem/diagnostics.h"
#include "problem/expression.h"
#include "problem/fields.h"
#include "problem/frontmatter.h"

namespace kgrade {

using Schema = nlohmann::ordered_json;

// --- Forms ---

template <class Form>
Schema schema_of_form(const Form& form, SchemaDefinitions& definitions) {
  if constexpr (std::is_invocable_v<Form, SchemaDefinitions&>) {
    return form(definitions);
  } else {
    return form.schema(definitions);
  }
}

// The message and remedy for a text that does not fit.
struct Complaint {
  const char* remedy = "";   // empty: the remedy in the call of add()
  const char* message = "";  // {} stands for the text in quotes; empty: a default
  void add(const YamlNode& node, std::string_view what, Diagnostics& diagnostics,
           const std::string& other_remedy = "") const;
};

// A text that is not blank.
struct TextForm {
  const char* pattern = "";  // ECMA 262; accepts the same texts as `fits`. Empty: any
  bool (*fits)(std::string_view text) = nullptr;
  Complaint complaint = {};
  std::size_t longest = 0;  // the longest text that `fits` accepts; 0: any
  bool may_be_empty = false;
  std::optional<std::string> read(const YamlNode& node, std::string_view what,
                                  Diagnostics& diagnostics) const;
  Schema schema(SchemaDefinitions&) const;
};
inline constexpr TextForm any_text;
// check_names() complains about texts that are not names in C++.
inline constexpr TextForm name_form = {"^[A-Za-z_][A-Za-z0-9_]*$"};
inline constexpr const char* slug_pattern = "^[a-z0-9][a-z0-9-]*$";
// The form of a slug. `message` is for texts that are not slugs.
constexpr TextForm slug_form(const char* message = "") {
  return {slug_pattern,
          is_slug,
          {"use lower-case letters, digits and hyphens, beginning with a letter or digit", message},
          128};
}
// The pattern of a number, to be used within other patterns.
inline constexpr std::string_view number_pattern = "-?[0-9]*\\.?[0-9]+([eE][-+]?[0-9]+)?";

// A text that matches the pattern. Blanks may surround it.
struct PatternForm {
  std::string pattern;
  Schema schema(SchemaDefinitions&) const;
};
// One number, boolean or text, or a list of up to `most` of these. Texts must match the pattern unless it is
// empty.
struct ScalarForm {
  std::size_t most = 0;
  std::string pattern = {};
  Schema schema(SchemaDefinitions&) const;
};

// The schema of the spellings of `value`, and that of both values.
Schema words_of_bool(bool value);
Schema bool_schema(SchemaDefinitions&);

// An integer expression, or a condition.
struct Formula {
  bool is_condition = false;
  std::optional<Expression> read(const YamlNode& node, std::string_view what,
                                 Diagnostics& diagnostics) const {
    return is_condition ? read_condition(node, what, diagnostics) : read_expression(node, what, diagnostics);
  }
  Schema schema(SchemaDefinitions& definitions) const;
};

// One of the known words, which are texts or values of an enumeration. Without a remedy the complaint
// suggests the nearest word.
template <class Word>
struct WordForm {
  std::vector<Word> known;
  Complaint complaint = {};
  std::vector<std::string> words() const {
    std::vector<std::string> words;
    for (const Word& word : known) {
      if constexpr (std::is_enum_v<Word>) {
        words.emplace_back(to_string(word));
      } else {
        words.emplace_back(word);
      }
    }
    return words;
  }
  std::optional<Word> read(const YamlNode& node, std::string_view what, Diagnostics& diagnostics) const {
    const auto text = read_text(node, what, diagnostics);
    if (!text) return std::nullopt;
    const std::vector<std::string> all = words();
    const auto found = std::find(all.begin(), all.end(), *text);
    if (found != all.end()) return known[static_cast<std::size_t>(found - all.begin())];
    complaint.add(node, what, diagnostics, suggestion_of_known(*text, all));
    return std::nullopt;
  }
  Schema schema(SchemaDefinitions&) const { return {{"enum", words()}}; }
};

// A list. A complaint tells the user to write `example`.
template <class Form>
struct ListForm {
  Form each;
  std::size_t most;
  std::string example;
  std::size_t least = 0;  // for the schema only: the readers of lists report shorter ones
  bool expect(const YamlNode& node, std::string_view what, Diagnostics& diagnostics) const {
    return expect_sequence(node, what, example, most, diagnostics);
  }
  auto read(const YamlNode& node, std::string_view what, Diagnostics& diagnostics) const {
    using Item = typename decltype(each.read(node, what, diagnostics))::value_type;
    std::vector<Item> items;
    if (!expect(node, what, diagnostics)) return std::optional<std::vector<Item>>();
    const std::string one =
        std::is_same_v<Form, Formula> ? std::string(what) : "an item of " + std::string(what);
    for (const YamlNode& child : node.children) {
      if (auto item = each.read(child, one, diagnostics)) items.push_back(*std::move(item));
    }
    return std::optional(std::move(items));
  }
  Schema schema(SchemaDefinitions& definitions) const {
    Schema schema = {{"type", "array"}, {"maxItems", most}, {"items", schema_of_form(each, definitions)}};
    if (least > 0) schema["minItems"] = least;
    return schema;
  }
};

// A map from names to values of one form.
template <class Name, class Form>
struct MapForm {
  Name name;
  Form each;
  std::size_t most;
  std::string example;
  bool expect(const YamlNode& node, std::string_view what, Diagnostics& diagnostics) const {
    return expect_map(node, what, example, most, diagnostics);
  }
  Schema schema(SchemaDefinitions& definitions) const {
    return {{"type", "object"},
            {"maxProperties", most},
            {"propertyNames", schema_of_form(name, definitions)},
            {"additionalProperties", schema_of_form(each, definitions)}};
  }
};

// --- Mappings ---

// The keys of one mapping. find(), require(), read() and children() each name a key, once.
class Keys {
 public:
  // Reads `map`, which messages call `what`. `place` is the place of complaints about missing keys.
  Keys(const YamlNode& map, std::string what, const Location& place, Diagnostics& diagnostics)
      : map_(&map), what_(std::move(what)), place_(place), diagnostics_(&diagnostics) {}
  Keys(const YamlNode& map, std::string what, Diagnostics& diagnostics)
      : Keys(map, std::move(what), map.location, diagnostics) {}
  // Describes a mapping in `schema` instead of reading one. No key is found, and complaints are dropped.
  Keys(Schema& schema, SchemaDefinitions& definitions);
  Keys(const Keys&) = delete;

  bool describes() const { return schema_ != nullptr; }
  const YamlNode& map() const { return *map_; }
  Diagnostics& diagnostics() { return *diagnostics_; }
  const std::string& what() const { return what_; }
  void call(std::string what) { what_ = std::move(what); }
  const std::vector<std::string>& names() const { return names_; }

  // The value of the key, or null. `examples` is a JSON array for the schema.
  template <class Form>
  const YamlNode* find(const char* key, const Form& form, const char* description,
                       const char* examples = "") {
    names_.push_back(key);
    if (describes()) add(key, schema_of_form(form, *definitions_), description, examples);
    return map_->find(key);
  }
  // Like find(), but complains about a missing key and tells the user to write `example`.
  template <class Form>
  const YamlNode* require(const char* key, std::string_view example, const Form& form,
                          const char* description, const char* examples = "") {
    const YamlNode* const found = find(key, form, description, examples);
    if (describes()) (*schema_)["required"].push_back(key);
    if (found == nullptr)
      diagnostics_->add(place_, fmt::format("{} has no '{}'", what_, key),
                        fmt::format("write `{}`", example));
    return found;
  }
  // Reads the value into `target` if the key is there. False after a complaint.
  template <class Target, class Form>
  bool read(const char* key, Target& target, const Form& form, const char* description,
            const char* examples = "") {
    return read_into(find(key, form, description, examples), key, target, form);
  }
  template <class Target, class Form>
  bool read_required(const char* key, std::string_view example, Target& target, const Form& form,
                     const char* description, const char* examples = "") {
    const YamlNode* const found = require(key, example, form, description, examples);
    return found != nullptr && read_into(found, key, target, form);
  }
  // The items or entries of a list or map: none if the key is not there, and null after a complaint.
  template <class Form>
  const std::vector<YamlNode>* children(const char* key, const Form& form, const char* description,
                                        const char* examples = "") {
    static const std::vector<YamlNode> none;
    const YamlNode* const found = find(key, form, description, examples);
    if (found == nullptr) return &none;
    return form.expect(*found, in_quotes(key), *diagnostics_) ? &found->children : nullptr;
  }

  // Complains about keys that were not named and are not among `others`.
  void nothing_else(const std::vector<std::string>& others = {});

 private:
  void add(const char* name, Schema schema, const char* description, const char* examples);
  template <class Target, class Form>
  bool read_into(const YamlNode* node, const char* key, Target& target, const Form& form) {
    if (node == nullptr) return true;
    auto value = form.read(*node, in_quotes(key), *diagnostics_);
    if (value) target = *std::move(value);
    return value.has_value();
  }

  const YamlNode* map_;
  std::string what_;
  Location place_;
  Diagnostics dropped_;
  Diagnostics* diagnostics_;
  Schema* schema_ = nullptr;
  SchemaDefinitions* definitions_ = nullptr;
  std::vector<std::string> names_;
};

// A mapping with its own keys. Without a name, the schema describes the mapping where it is used.
struct MappingForm {
  const char* name;
  void (*describe)(Keys& keys);
  Schema schema(SchemaDefinitions& definitions) const;
};

}  // namespace kgrade
