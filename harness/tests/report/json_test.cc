#include "report/json.h"

#include <gtest/gtest.h>

#include "sample_record.h"

namespace kgrade {
namespace {

using nlohmann::json;

TEST(Json, IsUnroundedAndRoundTrips) {
  Record record = test::sample_record();
  record.candidates[0].cases[1].relative_error = 1.0 / 3;
  const json parsed = json::parse(to_json(record).dump());
  EXPECT_EQ(parsed["candidates"][0]["cases"][1]["error"]["relative"].get<double>(), 1.0 / 3);
  EXPECT_EQ(parsed["seed"], "18446744073709551615");
}

TEST(Json, BytesThatAreNotUtf8DoNotLoseTheRecord) {
  Record record = test::sample_record();
  record.candidates[0].path = "n\xff.cu";
  record.candidates[0].compiler_log = "caf\xe9";
  EXPECT_EQ(json::parse(to_text(record))["candidates"][0]["path"], "n\uFFFD.cu");
}

TEST(Json, AnErrorBeyondAllBoundsIsNull) {
  const json record = to_json(test::sample_record());
  EXPECT_TRUE(record["candidates"][1]["cases"][0]["error"]["relative"].is_null());
}

TEST(Json, ACaseThatDidNotRunHasNoVerdictAndNoSamples) {
  const json skipped = json(to_json(test::sample_record()))["candidates"][1]["cases"][1];
  EXPECT_EQ(skipped["run"], false);
  EXPECT_TRUE(skipped["verdict"].is_null());
  EXPECT_FALSE(skipped.contains("candidate"));
}

TEST(Json, TheOrderOfThreadsIsTheEmulatedDevices) {
  Record record = test::sample_record();
  EXPECT_FALSE(json(to_json(record))["device"].contains("thread_order"));
  record.device.thread_order = "reverse";
  EXPECT_EQ(json(to_json(record))["device"]["thread_order"], "reverse");
}

TEST(Json, KeepsEverySampleAndSummarisesThem) {
  const json c = json(to_json(test::sample_record()))["candidates"][0]["cases"][1];
  EXPECT_EQ(c["candidate"]["samples_ms"], json({1.5, 1.25, 2}));
  EXPECT_EQ(c["candidate"]["summary"]["median_ms"], 1.5);
  EXPECT_EQ(c["candidate"]["summary"]["minimum_ms"], 1.25);
  EXPECT_EQ(c["reference"]["summary"]["median_ms"], 3);
  EXPECT_EQ(c["speedup"], 2);
}

}  // namespace
}  // namespace kgrade
