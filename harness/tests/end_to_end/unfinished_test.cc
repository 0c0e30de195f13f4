// A run that ends for another reason than its candidates loses nothing of those that are finished.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/support/command.h"

namespace kgrade::test::unfinished_test {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;

// The problem of the tests of `kgrade check` in a folder of its own, with a reference that crashes.
class Unfinished : public testing::TestWithParam<const char*> {
 protected:
  Unfinished() : first_("first.cu", "extern \"C\" void solution(") {
    const fs::path from = fs::path(KGRADE_SOURCE_DIR) / "harness/tests/checks";
    fs::create_directory(folder() / "problems");
    fs::create_directory(folder() / "reference");
    fs::copy_file(from / "problems/neighbour-sum.md", folder() / "problems/neighbour-sum.md");
    fs::copy_file(from / "candidates/race_in_order_clean.cu", folder() / "second.cu");
    std::ofstream(folder() / "reference/neighbour-sum.cu")
        << "#include <cstdlib>\nextern \"C\" void solution(const float*, float*, size_t) { abort(); }\n";
  }

  fs::path folder() const { return first_.directory(); }
  Result run(const std::string& json) const {
    return kgrade({GetParam(), "neighbour-sum", first_.path(), folder() / "second.cu", "--problems",
                   folder() / "problems", "--case", "ragged", "--device", "emulated", "--json", json});
  }

 private:
  const ScratchFile first_;
};

TEST_P(Unfinished, WhatIsFinishedIsPrintedAndWrittenBeforeTheError) {
  const fs::path json = folder() / "record.json";
  const Result result = run(json);
  EXPECT_EQ(result.exit_code, 2) << result.output;
  EXPECT_THAT(result.output, HasSubstr("first.cu"));
  EXPECT_THAT(result.output, HasSubstr("the oracle fails on case 'ragged'"));
  EXPECT_THAT(result.left_behind, IsEmpty());
  const auto record = nlohmann::json::parse(std::ifstream(json), nullptr, false);
  ASSERT_TRUE(record.is_object());
  ASSERT_EQ(record["candidates"].size(), 1u);
  EXPECT_EQ(record["candidates"][0]["path"], (folder() / "first.cu").string());
}

INSTANTIATE_TEST_SUITE_P(Commands, Unfinished, testing::Values("grade", "check"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace kgrade::test::unfinished_test
