#include "problem/keys.h"

#include "problem/expression_parser.h"

namespace kgrade {

void Complaint::add(const YamlNode& node, std::string_view what, Diagnostics& diagnostics,
                    const std::string& other_remedy) const {
  const std::string text = in_quotes(node.value);
  diagnostics.add(node.place(),
                  *message ? fmt::format(fmt::runtime(message), text) : fmt::format("{} is {}", what, text),
                  *remedy ? remedy : other_remedy);
}

std::optional<std::string> TextForm::read(const YamlNode& node, std::string_view what,
                                          Diagnostics& diagnostics) const {
  if (may_be_empty && node.value.empty() && (node.is_scalar() || node.kind == YamlNode::Kind::null))
    return "";
  auto text = read_text(node, what, diagnostics);
  if (!text || fits == nullptr || fits(*text)) return text;
  complaint.add(node, what, diagnostics);
  return std::nullopt;
}

Schema TextForm::schema(SchemaDefinitions&) const {
  if (may_be_empty) return {{"type", {"string", "null"}}};
  Schema schema = {{"type", "string"}};
  *pattern ? schema["pattern"] = pattern : schema["minLength"] = 1;
  if (longest > 0) schema["maxLength"] = longest;
  return schema;
}

Schema PatternForm::schema(SchemaDefinitions&) const {
  return {{"type", "string"}, {"pattern", "^\\s*(" + pattern + ")\\s*$"}};
}

Schema ScalarForm::schema(SchemaDefinitions& definitions) const {
  Schema schema = {{"type", {"number", "boolean", "string"}}};
  if (most > 0) {
    const Schema each = schema;
    schema["type"].push_back("array");
    schema.update({{"minItems", 1}, {"maxItems", most}, {"items", each}});
  }
  if (!pattern.empty()) schema["pattern"] = PatternForm{pattern}.schema(definitions)["pattern"];
  return schema;
}

Schema words_of_bool(bool value) {
  Schema words = {value};
  for (const std::string_view word : value ? words_for_true : words_for_false) words.push_back(word);
  return words;
}

Schema bool_schema(SchemaDefinitions&) {
  Schema all = words_of_bool(true);
  for (const Schema& word : words_of_bool(false)) all.push_back(word);
  return {{"enum", all}};
}

Schema Formula::schema(SchemaDefinitions& definitions) const {
  return definitions.reference_to(
      "expression",
      {{"description",
        "An exact 64-bit integer expression: + - * / % (division rounds down), comparisons, && || !, min, "
        "max, ceil_div(a, b), log2(a) rounded up, names of integer parameters and of values under `let`."},
       {"type", {"string", "integer"}},
       {"minLength", 1},
       {"maxLength", longest_expression},
       {"examples", {"(height + 2 * padding_h - kernel_h) / stride_h + 1"}}});
}

Keys::Keys(Schema& schema, SchemaDefinitions& definitions)
    : diagnostics_(&dropped_), schema_(&schema), definitions_(&definitions) {
  static const YamlNode nothing;
  map_ = &nothing;
  schema["type"] = "object";
  schema["properties"] = Schema::object();
}

void Keys::add(const char* name, Schema schema, const char* description, const char* examples) {
  if (*description) schema["description"] = description;
  if (*examples) schema["examples"] = Schema::parse(examples);
  (*schema_)["properties"][name] = std::move(schema);
}

void Keys::nothing_else(const std::vector<std::string>& others) {
  if (describes()) (*schema_)["additionalProperties"] = false;
  std::vector<std::string> known = names_;
  known.insert(known.end(), others.begin(), others.end());
  refuse_unknown_keys(*map_, known, what_, *diagnostics_);
}

Schema MappingForm::schema(SchemaDefinitions& definitions) const {
  Schema schema;
  Keys keys(schema, definitions);
  describe(keys);
  keys.nothing_else();
  if (*name == '\0') return schema;
  return definitions.reference_to(name, schema);
}

}  // namespace kgrade
