// Candidates side by side, good and bad ones, against the same ones alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "base/temporary_directory.h"
#include "tests/support/command.h"

namespace kgrade::test::heat_test {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string slug = "vector-addition";

class Heats : public testing::Test {
 protected:
  std::string candidate(const std::string& name, const std::string& body) {
    const std::filesystem::path file = folder_.path() / (name + ".cu");
    std::ofstream(file)
        << "#include <cuda_runtime.h>\n"
           "static __global__ void add(const float* a, const float* b, float* c, size_t n) {\n"
           "  const size_t i = blockIdx.x * size_t{256} + threadIdx.x;\n"
           "  if (i < n) c[i] = a[i] + b[i];\n"
           "}\n"
           "extern \"C\" void solution(const float* a, const float* b, float* c, size_t n) {\n"
        << body << "}\n";
    return file.string();
  }

  nlohmann::json graded(std::vector<std::string> files, const std::string& heat) {
    std::vector<std::string> arguments = {slug, "--quick",       "--heat", heat,           "--seed",
                                          "7",  "--hidden-seed", "3",      "--time-limit", "2"};
    arguments.insert(arguments.end(), files.begin(), files.end());
    const Graded result = grade(arguments, "emulated");
    EXPECT_TRUE(result.record.is_object()) << result.output;
    return result.record["candidates"];
  }

  TemporaryDirectory folder_;
};

const std::string honest = "  add<<<(n + 255) / 256, 256>>>(a, b, c, n);\n";

TEST_F(Heats, GiveTheVerdictsThatEachWouldHaveAlone) {
  const std::vector<std::string> files = {
      candidate("plain", honest),
      candidate("wrong", "  add<<<(n + 255) / 256, 256>>>(a, a, c, n);\n"),
      candidate("crashes", "  *(volatile int*)nullptr = 1;\n"),
      candidate("hangs", "  for (volatile int i = 0; i == 0;) {}\n"),
      candidate("beyond", honest + "  cudaMemset(c + n, 0, 4);\n"),
      candidate("other", honest + "  // another\n")};
  const nlohmann::json together = graded(files, "8");
  const nlohmann::json alone = graded(files, "1");
  ASSERT_EQ(together.size(), files.size());
  for (std::size_t i = 0; i < files.size(); ++i) {
    EXPECT_EQ(together[i]["path"], alone[i]["path"]);
    EXPECT_EQ(together[i]["verdict"], alone[i]["verdict"]) << files[i] << ": " << together[i]["message"];
    EXPECT_EQ(together[i]["precision"], alone[i]["precision"]) << files[i];
  }
  EXPECT_EQ(together[0]["verdict"], "accepted");
  EXPECT_EQ(together[1]["verdict"], "wrong_answer");
  EXPECT_EQ(together[2]["verdict"], "runtime_error");
  EXPECT_EQ(together[3]["verdict"], "time_limit");
  EXPECT_EQ(together[4]["verdict"], "out_of_bounds");
  EXPECT_EQ(together[5]["verdict"], "accepted");
}

// On the same contents, to the last bit of the error.
TEST_F(Heats, FindTheSameErrors) {
  const std::string depthwise = "conv-depthwise-2d-square-input-asym-kernel";
  const std::string naive = "solutions/" + depthwise + "/naive.cu";
  const auto errors = [&](const std::string& heat) {
    const Graded graded =
        grade({depthwise, naive, naive, "--quick", "--heat", heat, "--seed", "7", "--hidden-seed", "3"},
              "emulated");
    std::vector<double> found;
    for (const auto& one : graded.record["candidates"].back()["cases"]) {
      if (one["run"]) found.push_back(one["error"]["relative"]);
    }
    return found;
  };
  const std::vector<double> alone = errors("1");
  EXPECT_GT(alone.size(), 10u);
  EXPECT_GT(*std::max_element(alone.begin(), alone.end()), 0);
  EXPECT_EQ(errors("2"), alone);
}

// On a GPU two that do the same are equally fast, if the same blocks count for both. Elsewhere nothing is
// compared.
TEST_F(Heats, CompareTheirCandidatesWhereTimesAreSpeed) {
  const Graded result = grade({slug, candidate("plain", honest),
                               candidate("other", honest + "  // another\n"), "--quick", "--heat", "2"});
  ASSERT_TRUE(result.record.is_object()) << result.output;
  const nlohmann::json& both = result.record["candidates"];
  ASSERT_EQ(both.size(), 2u);
  EXPECT_EQ(both[0].contains("neighbours"), both[1].contains("neighbours"));
  if (!both[0].contains("neighbours")) return;
  EXPECT_TRUE(result.record["device"]["times_are_speed"]);
  for (std::size_t i = 0; i < 2; ++i) {
    const nlohmann::json& neighbour = both[i]["neighbours"][0];
    EXPECT_EQ(neighbour["path"], both[1 - i]["path"]);
    EXPECT_EQ(neighbour["sha256"], both[1 - i]["sha256"]);
    EXPECT_NEAR(neighbour["geometric_mean"].get<double>(), 1, 0.05);
  }
}

TEST_F(Heats, GradeAgainWhatANeighbourCouldHaveCausedAndNothingElse) {
  const nlohmann::json both =
      graded({candidate("plain", honest), candidate("crashes", "  *(volatile int*)nullptr = 1;\n"),
              candidate("wrong", "  add<<<(n + 255) / 256, 256>>>(a, a, c, n);\n")},
             "3");
  EXPECT_THAT(both[0]["notes"], IsEmpty());
  EXPECT_THAT(both[1]["notes"],
              Contains(HasSubstr("graded again alone: beside others it was runtime_error")));
  EXPECT_THAT(both[2]["notes"], IsEmpty());
}

}  // namespace kgrade::test::heat_test
