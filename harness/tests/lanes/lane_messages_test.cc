// The messages between a sweep and its lanes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "lanes/lane.h"

namespace kgrade {
namespace lane_messages_test {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

LaneJob full_job() {
  LaneJob job;
  job.options.device = "cuda:3";
  job.options.problems = "some/problems";
  job.options.python = "venv \xff/bin/python";
  job.options.effort = Effort::ranked;
  job.options.cache = CacheState::warm;
  job.options.baselines = WantedBaselines::compiled;
  job.options.clears_outputs = true;
  job.options.require_sandbox = true;
  job.options.seed = 18446744073709551615u;
  job.options.hidden_cases = 7;
  job.options.hidden_seed = 18446744073709551614u;
  job.options.time_limit_seconds = 2.5;
  job.options.launches = 3;
  job.options.heat = 5;
  job.problem = "some/problems/one.md";
  job.dtype = "float16";
  job.precision = "tf32";
  job.candidates = {"a.cu", "with space\nand break \"quoted\".cu", "no utf-8 \xfc\xff.cu", "ü.cu"};
  job.numbers = {0, 5, 17, 1};
  job.work = LaneWork::build_trusted;
  job.as_declared = true;
  job.cases = {"small", "n=3"};
  job.batch = "a batch";
  job.folder = "/home/ann";
  job.files = {{"/home/ann/\xff.cu", std::string(64, 'a'), "any \xff bytes\n"},
               {"/b.cu", std::string(64, 'b')}};
  return job;
}

auto all_of(const LaneJob& job) {
  const LaneOptions& o = job.options;
  std::vector<std::tuple<std::string, std::string, std::optional<std::string>>> files;
  for (const LaneFile& file : job.files) files.emplace_back(file.path, file.sha256, file.content);
  return std::tuple(o.device, o.problems, o.effort, o.cache, o.baselines, o.require_sandbox, o.seed,
                    o.hidden_cases, o.hidden_seed, o.time_limit_seconds, o.launches, o.heat, o.python,
                    o.clears_outputs, job.problem, job.dtype, job.precision, job.candidates, job.numbers,
                    job.work, job.as_declared, job.cases, job.batch, job.folder, files);
}

TEST(LaneMessages, AJobComesBackAsItWas) {
  for (const LaneJob& job : {LaneJob{}, full_job()}) {
    const std::string line = to_line(job);
    EXPECT_THAT(line, Not(HasSubstr("\n")));
    const auto read = read_job(line);
    ASSERT_TRUE(read);
    EXPECT_EQ(all_of(*read), all_of(job));
  }
}

TEST(LaneMessages, AnAnswerComesBackAsItWas) {
  using Kind = LaneMessage::Kind;
  for (const Kind kind : {Kind::begun, Kind::doing, Kind::graded, Kind::ended}) {
    const LaneMessage message{kind, 31, "two\nlines \"and\" quotes", 70, 5, "a batch"};
    const std::string line = to_line(message);
    EXPECT_THAT(line, Not(HasSubstr("\n")));
    const auto read = read_message(line);
    ASSERT_TRUE(read);
    EXPECT_EQ(std::tuple(read->kind, read->candidate, read->text, read->exit_code, read->batch),
              std::tuple(message.kind, message.candidate, message.text, message.exit_code, message.batch));
  }
}

TEST(LaneMessages, AHelloComesBackAsItWas) {
  const auto read = read_hello(to_line(LaneHello{3, "1.2 (abc)", "cuda:1", "node2"}));
  ASSERT_TRUE(read);
  EXPECT_EQ(std::tuple(read->protocol, read->build, read->device, read->host),
            std::tuple(3, "1.2 (abc)", "cuda:1", "node2"));
  for (const char* line : {"Welcome to node2", "{}", R"({"protocol":"1"})"})
    EXPECT_FALSE(read_hello(line)) << line;
}

TEST(LaneMessages, BytesThatAreNoTextDoNotStopThem) {
  const auto read = read_message(to_line({LaneMessage::Kind::ended, 0, "a\xff\xfe z", 1}));
  ASSERT_TRUE(read);
  EXPECT_THAT(read->text, HasSubstr("z"));
}

TEST(LaneMessages, WhatIsNoMessageIsNone) {
  for (const char* line : {"", "{", "null", "[]", "3", "{}", "\xff\xfe", R"({"kind":"graded"})"})
    EXPECT_FALSE(read_message(line)) << line;
  const json good = json::parse(to_line(LaneMessage{LaneMessage::Kind::graded, 0, "a record"}));
  ASSERT_TRUE(read_message(good.dump()));
  const std::vector<std::pair<const char*, json>> all = {
      {"kind", "finished"}, {"kind", 2},    {"candidate", -1},      {"candidate", 1.5},
      {"candidate", true},  {"text", 7},    {"exit_code", nullptr}, {"bytes", -1},
      {"batch", nullptr},   {"seconds", ""}};
  for (const auto& [key, value] : all) {
    json wrong = good;
    wrong[key] = value;
    EXPECT_FALSE(read_message(wrong.dump())) << key << ": " << value;
  }
  const std::string deep(100000, '[');
  EXPECT_FALSE(read_message(deep));
  EXPECT_FALSE(read_job(deep));
}

TEST(LaneMessages, AJobWithAnythingWrongIsNone) {
  const std::set<std::string> may_be_missing = {
      "seed", "hidden_cases", "hidden_seed", "time_limit_seconds", "launches", "heat"};
  const json good = json::parse(to_line(full_job()));
  ASSERT_TRUE(read_job(good.dump()));
  for (const bool is_option : {false, true}) {
    for (const auto& [key, value] : (is_option ? good["options"] : good).items()) {
      json wrong = good;
      json& object = is_option ? wrong["options"] : wrong;
      object.erase(key);
      EXPECT_EQ(read_job(wrong.dump()).has_value(), may_be_missing.contains(key)) << "without " << key;
      object[key] = key == "options" ? json::array() : json::object();
      EXPECT_FALSE(read_job(wrong.dump())) << "another type for " << key;
    }
  }
  const std::vector<std::pair<const char*, json>> all = {
      {"effort", "fast"},   {"effort", 1},       {"cache", ""},  {"baselines", true},
      {"hidden_cases", -1}, {"seed", -1},        {"seed", "1 "}, {"seed", "0x1"},
      {"launches", 1e300},  {"hidden_seed", ""}, {"heat", 2.5},  {"inputs", "x=ones"}};
  for (const auto& [key, value] : all) {
    json wrong = good;
    wrong["options"][key] = value;
    EXPECT_FALSE(read_job(wrong.dump())) << key << ": " << value;
  }
  json fewer = good;
  fewer["numbers"] = {1};
  EXPECT_FALSE(read_job(fewer.dump()));
}

}  // namespace lane_messages_test
}  // namespace kgrade
