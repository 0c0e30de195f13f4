#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "check/check_record.h"
#include "sample_check.h"

namespace kgrade {
namespace check_json_test {

using nlohmann::json;

TEST(CheckJson, AFindingHasItsPlacesThreadsAndPasses) {
  const json record = json::parse(to_text(test::sample_check()));
  EXPECT_EQ(record["schema"], "kgrade-check");
  EXPECT_EQ(record["seed"], "18446744073709551615");
  const json& race = record["candidates"][0]["findings"][0];
  EXPECT_EQ(race["kind"], "race");
  EXPECT_EQ(race["place"]["file"], "mine/x.cu");
  EXPECT_EQ(race["place"]["line"], 9);
  EXPECT_EQ(race["other_place"]["text"], "tile[t] = in[i];");
  EXPECT_EQ(race["thread"], json({{"block", {1, 0, 0}}, {"thread", {2, 0, 0}}}));
  EXPECT_EQ(race["passes"], json({"reverse", "shuffled"}));
}

TEST(CheckJson, WhatIsNotKnownIsNull) {
  const json record = to_json(test::sample_check());
  const json& wrong = record["candidates"][0]["findings"][1];
  EXPECT_TRUE(wrong["place"].is_null());
  EXPECT_TRUE(wrong["thread"].is_null());
  EXPECT_TRUE(record["candidates"][0]["cases"][1]["flops"].is_null());
}

TEST(CheckJson, BytesThatAreNotUtf8DoNotLoseTheRecord) {
  CheckRecord record = test::sample_check();
  record.candidates[0].findings[0].place->text = "caf\xe9";
  EXPECT_EQ(json::parse(to_text(record))["candidates"][0]["findings"][0]["place"]["text"], "caf\uFFFD");
}

}  // namespace check_json_test
}  // namespace kgrade
