// On the emulated device, an accepted candidate is also looked at with the checker. What would fail on every
// GPU, or gives a wrong answer in an order that a GPU may choose, is refused; everything else is a note.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

#include "base/temporary_directory.h"
#include "tests/support/command.h"

namespace kgrade::test::second_look_test {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string folder = planted("checks/");

std::vector<std::string> sources_in(const std::string& name, const std::string& ending) {
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(folder + name)) {
    const std::string file = entry.path().filename().string();
    if (file.ends_with(ending)) files.push_back(folder + name + "/" + file);
  }
  std::sort(files.begin(), files.end());
  return files;
}

Graded grade_neighbour_sum(const std::vector<std::string>& files) {
  std::vector<std::string> arguments = {"neighbour-sum", "--problems", folder + "problems"};
  arguments.insert(arguments.end(), files.begin(), files.end());
  return grade(arguments, "emulated");
}

// Without the checker, all of these are accepted.
TEST(SecondLook, RefusesWhatIsWrongOnAGpu) {
  const std::map<std::string, std::pair<std::string, std::string>> expected = {
      {"host_access_bug.cu", {"runtime_error", "host_access_bug.cu:10: host_access: "}},
      {"misaligned_bug.cu", {"runtime_error", "misaligned_access: "}},
      {"lost_update_bug.cu", {"wrong_answer", "lost_update_bug.cu:9: race: "}},
      {"unjoined_stream_bug.cu",
       {"wrong_answer", "unjoined_stream_bug.cu:12: unjoined_stream: a launch in a stream"}}};
  std::vector<std::string> files;
  for (const auto& [file, verdict] : expected) files.push_back(folder + "candidates/" + file);
  const Graded graded = grade_neighbour_sum(files);
  ASSERT_TRUE(graded.record.is_object()) << graded.output;
  EXPECT_EQ(graded.exit_code, 1);
  for (const json& candidate : graded.record["candidates"]) {
    const auto& [verdict, message] = expected.at(fs::path(candidate["path"].get<std::string>()).filename());
    EXPECT_EQ(candidate["verdict"], verdict) << candidate["path"] << candidate["message"];
    EXPECT_THAT(candidate["message"].get<std::string>(), HasSubstr(message));
    EXPECT_TRUE(std::any_of(candidate["checks"].begin(), candidate["checks"].end(),
                            [](const json& check) { return check["outcome"] == "failed"; }));
    EXPECT_TRUE(std::any_of(candidate["cases"].begin(), candidate["cases"].end(),
                            [&](const json& c) { return c["verdict"] == verdict; }));
  }
}

TEST(SecondLook, HasNothingToSayOfTheTwinsWithoutTheFault) {
  const Graded graded = grade_neighbour_sum(sources_in("candidates", "_clean.cu"));
  ASSERT_TRUE(graded.record.is_object()) << graded.output;
  EXPECT_EQ(graded.exit_code, 0) << graded.output;
  for (const json& candidate : graded.record["candidates"]) {
    EXPECT_EQ(candidate["verdict"], "accepted") << candidate["path"] << candidate["message"];
    EXPECT_THAT(candidate["notes"], IsEmpty()) << candidate["path"];
  }
}

TEST(SecondLook, OnlyNotesWhatCannotHarmTheAnswer) {
  std::vector<std::string> files = sources_in("benign", ".cu");
  files.push_back(folder + "candidates/race_between_blocks_bug.cu");  // a count that nobody reads
  files.push_back(folder + "candidates/race_in_order_bug.cu");        // lanes of one warp, in lockstep
  const Graded graded = grade_neighbour_sum(files);
  ASSERT_TRUE(graded.record.is_object()) << graded.output;
  EXPECT_EQ(graded.exit_code, 0) << graded.output;
  for (const json& candidate : graded.record["candidates"]) {
    EXPECT_EQ(candidate["verdict"], "accepted") << candidate["path"] << candidate["message"];
    EXPECT_THAT(candidate["notes"], Contains(HasSubstr("the checker found, in case '"))) << candidate["path"];
  }
}

// A variable without a value may hold zero by chance, so this is no reason to refuse.
TEST(SecondLook, NotesAVariableWithoutAValueThatTheAnswerDependsOn) {
  const Graded graded = grade_neighbour_sum({folder + "candidates/unwritten_local_bug.cu"});
  ASSERT_TRUE(graded.record.is_object()) << graded.output;
  const json& candidate = graded.record["candidates"][0];
  const std::string named = "unwritten_local_bug.cu:7: ";
  if (candidate["verdict"] == "accepted")
    EXPECT_THAT(candidate["notes"].dump(), HasSubstr(named + "uninitialized_read: "));
  else
    EXPECT_THAT(candidate["compile"]["log"].get<std::string>(), HasSubstr("may be used uninitialized"));
}

TEST(SecondLook, TheCompilersWarningStandsBelowAWrongAnswer) {
  const ScratchFile file("warned.cu", R"(#include <cuda_runtime.h>
__global__ void neighbour_sum(const float* in, float* out, size_t n) {
  const size_t i = blockIdx.x * 64 + threadIdx.x;
  if (i >= n) return;
  float sum;
  for (size_t k = 0; k < n / n + 1; ++k) sum += in[i ^ k];
  out[i] = sum + 100.0f;
}
extern "C" void solution(const float* in, float* out, size_t n) {
  neighbour_sum<<<(n + 63) / 64, 64>>>(in, out, n);
}
)");
  const Result result = kgrade(
      {"grade", "neighbour-sum", file.path(), "--problems", folder + "problems", "--device", "emulated"});
  EXPECT_THAT(result.output, HasSubstr("the compiler warns: " + file.path() + ":5: 'sum' may be used"));
}

TEST(Deterministic, IsWhetherCallsOnTheSameInputsGiveTheSameBits) {
  const std::string text = R"(
#include <cuda_runtime.h>
__global__ void neighbour_sum(const float* in, float* out, size_t n, float factor) {
  const size_t i = blockIdx.x * 64 + threadIdx.x;
  if (i < n) out[i] = (in[i] + in[i ^ 1]) * factor;
}
extern "C" void solution(const float* in, float* out, size_t n) {
  static int calls = 0;
  const float factor = ++calls % 2 == 0 && VARIES ? 1.0f + 2e-7f : 1.0f;
  neighbour_sum<<<(n + 63) / 64, 64>>>(in, out, n, factor);
}
)";
  for (const bool varies : {false, true}) {
    const ScratchFile file("calls.cu", "#define VARIES " + std::string(varies ? "1" : "0") + text);
    const Graded graded = grade({"neighbour-sum", "--problems", folder + "problems", file.path(), "--case",
                                 "four-blocks", "--case", "ragged"});
    ASSERT_TRUE(graded.record.is_object()) << graded.output;
    const json& candidate = graded.record["candidates"][0];
    EXPECT_EQ(candidate["verdict"], "accepted") << candidate["message"];
    EXPECT_EQ(candidate["deterministic"], !varies) << candidate.dump(1);
    EXPECT_EQ(candidate["notes"].size(), varies ? 1 : 0) << candidate["notes"];
    if (varies) {
      EXPECT_THAT(candidate["notes"][0].get<std::string>(), HasSubstr("not deterministic: "));
    }
  }
}

// Candidates side by side, good and bad ones, against the same ones alone.

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

}  // namespace kgrade::test::second_look_test
