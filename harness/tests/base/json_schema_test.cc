#include "base/json_schema.h"

#include <gmock/gmock.h>

#include <regex>

namespace kgrade {
namespace json_schema_test {

using nlohmann::json;
using testing::HasSubstr;

enum class Fruit { apple, pear };

struct Pip {
  int grams = 0;
};

struct Basket {
  std::string slug;
  Fruit fruit = Fruit::pear;
  std::optional<double> price;
  std::vector<Pip> pips;
  std::map<double, Pip> by_weight;
  std::array<std::uint8_t, 2> size{};
  bool is_sold = false;
  std::string buyer;
};

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<Pip>& pip) {
  archive("grams", pip.grams, from_one, "Of one pip.");
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<Basket>& basket) {
  archive.constant("schema", "basket");
  archive("slug", basket.slug, slug_of);
  archive.or_default("fruit", basket.fruit);
  archive("price", basket.price, share_of_one);
  archive("pips", basket.pips, items(1, 3));
  archive("by_weight", basket.by_weight);
  archive("size", basket.size);
  archive("is_sold", basket.is_sold);
  archive.where("is_sold", basket.is_sold, true, [&](auto& sold) { sold("buyer", basket.buyer); });
  archive.nothing_else();
}

}  // namespace json_schema_test

template <>
inline constexpr std::array<std::string_view, 2> enum_words<json_schema_test::Fruit> = {"apple", "pear"};

namespace json_schema_test {

TEST(JsonSchema, SaysWhatTheReaderAccepts) {
  const json schema(schema_document<Basket>("a basket", "what is in it"));
  const json pip = {{"$ref", "#/$defs/Pip"}};
  EXPECT_EQ(schema["required"], json({"schema", "slug", "price", "pips", "by_weight", "size", "is_sold"}));
  EXPECT_EQ(schema["additionalProperties"], false);
  const json expected = {
      {"schema", {{"const", "basket"}}},
      {"slug", {{"type", "string"}, {"maxLength", 200}, {"pattern", "^[a-z0-9-]*$"}}},
      {"fruit", {{"anyOf", {{{"$ref", "#/$defs/Fruit"}}, {{"type", "null"}}}}, {"default", "pear"}}},
      {"price", {{"type", {"number", "null"}}, {"minimum", 0.0}, {"maximum", 1.0}}},
      {"pips", {{"type", "array"}, {"items", pip}, {"minItems", 1}, {"maxItems", 3}}},
      {"by_weight", {{"type", "object"}, {"additionalProperties", pip}}},
      {"size",
       {{"type", "array"},
        {"items", {{"type", "integer"}, {"minimum", 0}}},
        {"minItems", 2},
        {"maxItems", 2}}},
      {"is_sold", {{"type", "boolean"}}},
      {"buyer", true}};
  EXPECT_EQ(schema["properties"], expected);
  EXPECT_EQ(schema["$defs"]["Fruit"], json({{"enum", {"apple", "pear"}}}));
  EXPECT_EQ(
      schema["$defs"]["Pip"]["properties"]["grams"],
      json({{"type", "integer"}, {"minimum", 1}, {"maximum", 2147483647}, {"description", "Of one pip."}}));
  EXPECT_EQ(schema["allOf"][0]["if"],
            json({{"properties", {{"is_sold", {{"const", true}}}}}, {"required", json::array({"is_sold"})}}));
  EXPECT_EQ(schema["allOf"][0]["then"]["properties"]["buyer"], json({{"type", "string"}}));
  EXPECT_EQ(schema["allOf"][0]["else"]["properties"]["buyer"], false);
}

TEST(JsonSchema, AReaderComplainsAboutWhatTheSchemaForbids) {
  const json good = {{"schema", "basket"},
                     {"slug", "a-1"},
                     {"price", nullptr},
                     {"pips", {{{"grams", 2}}}},
                     {"by_weight", {{"0.5", {{"grams", 1}}}}},
                     {"size", {1, 2}},
                     {"is_sold", false}};
  const auto complaint = [&](const std::string& pointer, const json& value) {
    json changed = good;
    changed[json::json_pointer(pointer)] = value;
    const auto read = read_document<Basket>(changed);
    return read.ok() ? std::string() : read.error().message;
  };
  EXPECT_EQ(complaint("/fruit", nullptr), "");
  EXPECT_THAT(complaint("/fruit", "plum"), HasSubstr("/fruit is not one of: apple, pear"));
  EXPECT_THAT(complaint("/price", 2), HasSubstr("/price is 2, which is not from 0 to 1"));
  EXPECT_THAT(complaint("/pips", json::array()), HasSubstr("/pips has fewer than 1 item"));
  EXPECT_THAT(complaint("/pips/0/grams", 0), HasSubstr("/pips/0/grams is not from 1"));
  EXPECT_THAT(complaint("/by_weight/x", json::object()),
              HasSubstr("/by_weight/x has a name that is no number"));
  EXPECT_THAT(complaint("/size", {1}), HasSubstr("/size has not 2 items"));
  EXPECT_THAT(complaint("/is_sold", true), HasSubstr("/buyer is missing"));
  EXPECT_THAT(complaint("/buyer", "me"), HasSubstr("has an unknown member 'buyer'"));
}

// Whoever reads a pattern in a schema must find what the reader does.
TEST(JsonSchema, PatternsSayWhatFormsAre) {
  const std::string hash(64, 'a');
  for (const FormRule* rule : {&slug_of, &case_name_of, &sha256_of, &moment_of}) {
    const std::regex pattern(rule->pattern);
    for (const std::string& text :
         {std::string(), std::string("a-1"), std::string("n=1,eps=1e-5"), std::string("A"),
          std::string("a b"), std::string("a/b"), hash, hash + "a", std::string(64, 'A'),
          std::string("2026-01-31T12:00:00Z"), std::string("2026-01-31 12:00:00Z"),
          std::string("2026-01-31T12:00:00Zx")})
      EXPECT_EQ(rule->fits(text), std::regex_match(text, pattern)) << rule->pattern << ": " << text;
  }
}

}  // namespace json_schema_test
}  // namespace kgrade
