// Writes the JSON Schemas of the program's documents and the description of the service into the source tree.
// With --check, says which of these files differ from what would be written.
#include <fmt/format.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "base/json_schema.h"
#include "check/check_record.h"
#include "lanes/lane.h"
#include "leaderboard/compare_output.h"
#include "leaderboard/leaderboard_output.h"
#include "problem/problem_reader.h"
#include "profile/profile_record.h"
#include "record/record_json.h"
#include "record/shared_json.h"
#include "selftest/selftest_output.h"
#include "serve/routes.h"

namespace fs = std::filesystem;

namespace kgrade {

// The document of tools/throughput.py. Its tool, host and device come from a record.
struct Throughput {
  ToolInfo tool;
  HostInfo host;
  DeviceInfo device;
  std::string problem;
  std::optional<double> reading_seconds;
  int candidates = 1;
  double seconds = 1;
  double candidates_per_minute = 1;
  std::optional<double> gpu_busy_share;
  std::map<std::string, int> verdicts;
  std::map<std::string, double> stages;
  std::string form;
};

namespace {

template <class Rule>
struct AnyNames {
  Rule each;
  template <class T>
  nlohmann::ordered_json schema(SchemaDefinitions&) const {
    return {{"type", "object"}, {"additionalProperties", each.schema()}, {"minProperties", 1}};
  }
};

}  // namespace

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<Throughput>& found) {
  kind_fields(archive, "kgrade-throughput", 1);
  archive("tool", found.tool);
  archive("host", found.host);
  archive("device", found.device);
  archive.where(
      "form", found.form, "files",
      [&](auto& files) {
        files("reading_seconds", found.reading_seconds, not_negative,
              "Until all problems were read, as the sweep's progress says, in tenths. Part of `seconds`. "
              "Null if it "
              "said nothing.");
      },
      [&](auto& others) { others("problem", found.problem, slug_of); });
  archive("candidates", found.candidates, from_one);
  archive("seconds", found.seconds, positive);
  archive("candidates_per_minute", found.candidates_per_minute, positive);
  archive("gpu_busy_share", found.gpu_busy_share, share_of_one,
          "Of the time, as the driver says. Null if it could not be read.");
  archive("verdicts", found.verdicts, AnyNames<IntegerRule>{from_one},
          "The number of candidates, by verdict.");
  archive("stage_seconds_per_candidate", found.stages, AnyNames<NumberRule>{not_negative},
          "Stages overlap: compilers run beside everything else.");
  archive.or_default(
      "form", found.form, one_of("cu", "python", "files", "given"),
      "cu: CUDA C++, also if it is left out. python: the same kernels in Python files that build them "
      "with load_inline. files: one answer in plain PyTorch to each of as many problems in the form of "
      "KernelBench's files. given: answers in a folder to KernelBench's files, and `problem` is the "
      "folder's name.");
}

namespace {

nlohmann::ordered_json throughput_schema() {
  return schema_document<Throughput>(
      "kgrade throughput, version 1",
      "What tools/throughput.py found: how many candidates a minute one sweep of different candidates "
      "grades, with "
      "nothing cached, and where the time goes. Numbers are unrounded except reading_seconds.");
}

}  // namespace
}  // namespace kgrade

int main(int count, char** arguments) {
  const bool checks = count == 3 && std::strcmp(arguments[2], "--check") == 0;
  if (count != 2 && !checks) {
    fmt::print(stderr, "usage: {} SOURCE_FOLDER [--check]\n", arguments[0]);
    return 2;
  }
  const std::pair<const char*, std::function<nlohmann::ordered_json()>> documents[] = {
      {"results/record.schema.json", kgrade::record_schema},
      {"results/check.schema.json", kgrade::check_schema},
      {"results/profile.schema.json", kgrade::profile_schema},
      {"results/selftest.schema.json", kgrade::selftest_schema},
      {"results/compare.schema.json", kgrade::compare_schema},
      {"results/leaderboard.schema.json", kgrade::leaderboard_schema},
      {"harness/lanes/lane.schema.json", kgrade::lane_schema},
      {"harness/serve/openapi.json", kgrade::Routes::description},
      {"results/throughput.schema.json", kgrade::throughput_schema},
      {"problems/schema/frontmatter.schema.json", kgrade::frontmatter_schema},
  };
  int differences = 0;
  for (const auto& [name, describe] : documents) {
    const fs::path path = fs::path(arguments[1]) / name;
    const std::string text = describe().dump(2) + "\n";
    if ((std::stringstream() << std::ifstream(path).rdbuf()).str() == text) continue;
    if (checks) {
      fmt::print(
          "{} is not what the program describes; `cmake --build BUILD_FOLDER --target schemas` writes it\n",
          name);
      ++differences;
    } else if (!(std::ofstream(path) << text << std::flush)) {
      fmt::print(stderr, "{} cannot be written\n", path.string());
      return 1;
    }
  }
  return differences > 0 ? 1 : 0;
}
