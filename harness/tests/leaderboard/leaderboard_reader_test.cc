#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "leaderboard/record_files.h"

namespace kgrade::leaderboard_reader_test {

using nlohmann::json;
using testing::HasSubstr;

const Location anywhere{"some.json", 0, 0};

json leaderboard() {
  const json row = {{"candidate", "a.cu"},
                    {"sha256", std::string(64, 'c')},
                    {"message", ""},
                    {"measured_at", "2026-01-02T03:04:05Z"},
                    {"precision", "tf32"},
                    {"device_uuid", "GPU-1"},
                    {"tool_version", "0.1.0"},
                    {"git_commit", ""},
                    {"problem_sha256", std::string(64, 'a')},
                    {"reference_sha256", std::string(64, 'b')},
                    {"effort", "normal"},
                    {"cache", "cold"},
                    {"verdict", "accepted"}};
  json ranked = row, refused = row;
  const json interval = {{"low", 1.5}, {"high", 2.5}};
  ranked["cases"] = {{{"name", "large"},
                      {"median_ms", 1.5},
                      {"flops", nullptr},
                      {"bytes", 100},
                      {"comparisons", {{{"against", "reference"}, {"speedup", 2}, {"interval", interval}}}}}};
  const json contest = {{"problem", "scale"},
                        {"title", "Scale"},
                        {"dtype", "float16"},
                        {"device", "NVIDIA H200"},
                        {"precision", "tf32"}};
  json board = contest;
  board["rows"] = {ranked};
  refused.update(contest);
  refused["candidate"] = "b.cu";
  refused["verdict"] = "unstable";
  return {{"schema", "kgrade-leaderboard"},
          {"schema_version", 1},
          {"boards", {board}},
          {"unmeasured", {refused}},
          {"devices", {{{"name", "NVIDIA H200"}, {"kind", "cuda"}, {"times_are_speed", true}}}}};
}

TEST(LeaderboardReader, GivesTheNewestResults) {
  const auto records = parse_leaderboard(leaderboard().dump(), anywhere);
  ASSERT_TRUE(records.ok()) << to_string(records.errors());
  ASSERT_EQ((*records)->size(), 2u);
  const Record& ranked = (**records)[0];
  EXPECT_EQ(ranked.candidate().path, "a.cu");
  EXPECT_EQ(ranked.dtype, Dtype::float16);
  EXPECT_EQ(ranked.candidate().precision, Precision::tf32);
  EXPECT_TRUE(ranked.device.measures_speed);
  EXPECT_EQ(ranked.reference.sha256, std::string(64, 'b'));
  EXPECT_EQ(ranked.candidate().cases.at(0).speedups.at(0).ratio.interval->high, 2.5);
  EXPECT_EQ((**records)[1].candidate().verdict, Verdict::unstable);
}

TEST(LeaderboardReader, RefusesABrokenLeaderboard) {
  const auto message = [](const std::string& pointer, const json& value) {
    json changed = leaderboard();
    changed[json::json_pointer(pointer)] = value;
    const auto records = parse_leaderboard(changed.dump(), anywhere);
    return records.ok() ? std::string() : records.error().message;
  };
  EXPECT_EQ(message("/boards/0/device", "a toaster"), "/boards/0/device is none of /devices");
  EXPECT_THAT(message("/boards/0/rows/0/cases/0/comparisons/0/speedup", 0),
              HasSubstr("/speedup is 0, which is not"));
  EXPECT_THAT(message("/schema_version", 2), HasSubstr("is a leaderboard of version 2"));
  EXPECT_THAT(message("/unmeasured/0/verdict", 7), HasSubstr("/unmeasured/0/verdict is number"));
  EXPECT_FALSE(*parse_leaderboard("{}", anywhere));
}

}  // namespace kgrade::leaderboard_reader_test
