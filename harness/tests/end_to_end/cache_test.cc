// Contestants that were built before: when they are used, when not, and who may touch them.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <future>

#include "base/text.h"
#include "lanes/lane.h"
#include "sandbox/sandbox.h"
#include "tests/support/command.h"
#include "tests/support/ended.h"

namespace kgrade::test::cache_test {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string slug = "conv-depthwise-2d-square-input-asym-kernel";
const fs::path naive = fs::path(KGRADE_SOURCE_DIR) / "solutions" / slug / "naive.cu";

class Cache : public testing::Test {
 protected:
  void SetUp() override {
    if (!Sandbox::probe(KGRADE_LAUNCHER).confines()) GTEST_SKIP() << "without namespaces there is no cache";
  }

  fs::path folder() const { return scratch_.directory(); }
  fs::path cache() const { return folder() / "cache"; }
  fs::path write(const std::string& name, const std::string& text) const {
    std::ofstream(folder() / name) << text;
    return folder() / name;
  }

  Program program() const { return {KGRADE_PROGRAM, {"KGRADE_CACHE_DIR=" + cache().string()}}; }
  // The user's folders are in the scratch folder, too.
  Program program_of_user(const std::string& variable) const {
    return {KGRADE_PROGRAM, {variable, "HOME=" + folder().string(), "XDG_CACHE_HOME="}};
  }

  json graded(const fs::path& candidate, const Program& program) const {
    const Graded graded =
        grade({slug, candidate.string(), "--case", "tiny", "--seed", "1"}, "emulated", program);
    EXPECT_TRUE(graded.record.is_object()) << graded.output;
    return graded.record.is_object() ? graded.record["candidates"][0] : json();
  }
  json graded(const fs::path& candidate) const { return graded(candidate, program()); }

  std::vector<fs::path> entries() const {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(cache())) {
      if (entry.path().extension() == ".contestant") files.push_back(entry.path());
    }
    return files;
  }

 private:
  ScratchFile scratch_{"own.cuh", "constexpr float wrong = 0;\n"};
};

TEST_F(Cache, ASecondRunTakesWhatTheFirstBuilt) {
  const json first = graded(naive);
  EXPECT_EQ(first["compile"]["cached"], false);
  const std::size_t count = entries().size();
  EXPECT_EQ(count, 4u);  // oracle, reference, and the candidate, also as the checker runs it
  const json second = graded(naive);
  EXPECT_EQ(second["compile"]["cached"], true);
  EXPECT_EQ(second["compile"]["seconds"], first["compile"]["seconds"]);
  EXPECT_EQ(second["verdict"], "accepted");
  EXPECT_EQ(second["cases"][0]["error"], first["cases"][0]["error"]);
  EXPECT_EQ(second["checks"], first["checks"]);
  EXPECT_EQ(entries().size(), count);
  struct stat status {};
  ASSERT_EQ(::stat(cache().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
}

TEST_F(Cache, AChangedHeaderIsBuiltAnew) {
  const fs::path candidate =
      write("candidate.cu", "#include \"own.cuh\"\nstatic_assert(wrong == 0);\n" + *read_text_file(naive));
  EXPECT_EQ(graded(candidate)["verdict"], "accepted");
  EXPECT_EQ(graded(candidate)["compile"]["cached"], true);
  write("own.cuh", "constexpr float wrong = 1;\n");
  const json changed = graded(candidate);
  EXPECT_EQ(changed["compile"]["cached"], false);
  EXPECT_EQ(changed["verdict"], "compile_error");
  EXPECT_EQ(graded(candidate)["compile"]["cached"], false);  // what fails is tried again
  write("own.cuh", "constexpr float wrong = 0;\n");
  EXPECT_EQ(graded(candidate)["compile"]["cached"], true);
}

TEST_F(Cache, LiesInTheUsersFolderOrNowhere) {
  for (int run = 0; run < 2; ++run)
    EXPECT_EQ(graded(naive, program_of_user("KGRADE_CACHE_DIR="))["compile"]["cached"], false);
  EXPECT_FALSE(fs::exists(folder() / ".cache"));
  EXPECT_THAT(kgrade({"cache"}, program_of_user("KGRADE_CACHE_DIR=")).output, HasSubstr("There is no cache"));
  // Uses env(1), since what is unset here might be set for the tests.
  const auto unset = [&](const std::vector<std::string>& arguments) {
    std::vector<std::string> all = {"-u", "KGRADE_CACHE_DIR", KGRADE_PROGRAM};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return kgrade(all, {"/usr/bin/env", {"HOME=" + folder().string(), "XDG_CACHE_HOME="}});
  };
  EXPECT_EQ(unset({"grade", slug, naive.string(), "--case", "tiny", "--device", "emulated"}).exit_code, 0);
  EXPECT_TRUE(fs::exists(folder() / ".cache/kgrade/contestants"));
  EXPECT_THAT(unset({"cache"}).output, HasSubstr(".cache/kgrade/contestants\n4 contestants, "));
}

TEST_F(Cache, IsShownAndCleared) {
  graded(naive);
  Result result = kgrade({"cache"}, program());
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.output, HasSubstr(cache().string() + "\n4 contestants, "));
  result = kgrade({"cache", "--clear"}, program());
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.output, HasSubstr("\n0 contestants, 0 "));
  EXPECT_THAT(entries(), IsEmpty());
  EXPECT_EQ(graded(naive)["compile"]["cached"], false);
}

// What builders of a service fill the cache with: for the type that the candidate declares.
TEST_F(Cache, HoldsWhatABuilderBuiltOfADeclaredType) {
  const std::string typed = "conv-transpose-2d-sq-input-asym-kernel";
  const fs::path source = KGRADE_SOURCE_DIR;
  LaneJob job;
  job.options.device = "emulated";
  job.options.problems = (source / "problems").string();
  job.options.baselines = WantedBaselines::none;
  job.problem = (source / "problems" / (typed + ".md")).string();
  job.candidates = {(source / "solutions" / typed / "naive-fp16.cu").string()};
  job.as_declared = true;
  const std::string program_with_cache = "export KGRADE_CACHE_DIR='" + cache().string() + "'; exec \"$@\"";
  auto lane = Lane::start({{"/bin/sh", "-c", program_with_cache, "sh", KGRADE_PROGRAM, "lane", "--folder"}});
  ASSERT_TRUE(lane.ok());
  for (const LaneWork work : {LaneWork::build_trusted, LaneWork::build_candidates}) {
    job.work = work;
    ASSERT_TRUE(lane->give(job));
    std::optional<LaneMessage> ended;
    while (!ended && lane->read()) ended = lane->next();
    ASSERT_TRUE(ended);
    EXPECT_EQ(ended->text, "");
    EXPECT_GT(ended->bytes, 0u);
  }
  EXPECT_EQ(entries().size(), 3u);
  const Graded graded = grade({typed, job.candidates[0], "--case", "tiny"}, "emulated", program());
  ASSERT_TRUE(graded.record.is_object()) << graded.output;
  EXPECT_EQ(graded.record["candidates"][0]["compile"]["cached"], true);
  // The checker's build is new.
  EXPECT_EQ(entries().size(), 4u) << "it was built anew";
}

TEST_F(Cache, OfAFolderThatOthersMayWriteToNothingIsTaken) {
  graded(naive);
  fs::permissions(cache(), fs::perms::all);
  EXPECT_EQ(graded(naive)["compile"]["cached"], false);
  for (const std::vector<std::string>& command : {std::vector<std::string>{"cache"}, {"cache", "--clear"}}) {
    EXPECT_THAT(kgrade(command, program()), Ended(3, HasSubstr("others may write to")));
  }
  EXPECT_EQ(entries().size(), 4u);
}

TEST(CacheLimit, ThatIsNoSizeIsSaidBeforeTheWorkBegins) {
  const Program odd = {KGRADE_PROGRAM, {"KGRADE_CACHE_LIMIT=2 gigs"}};
  for (const std::vector<std::string>& command : {std::vector<std::string>{"cache"},
                                                  {"grade", slug, naive.string()},
                                                  {"sweep", "--output", "/proc/x.jsonl"}}) {
    const Result result = kgrade(command, odd);
    EXPECT_EQ(result.exit_code, 2) << command[0];
    EXPECT_EQ(result.output,
              "error: KGRADE_CACHE_LIMIT: '2 gigs' is no size\n"
              "  hint: write a number of bytes such as 500M or 4G, or unset it\n");
  }
  EXPECT_EQ(kgrade({"list"}, odd).exit_code, 0) << "it keeps nothing there";
  EXPECT_EQ(kgrade({"cache"}, {KGRADE_PROGRAM, {"KGRADE_CACHE_LIMIT="}}).exit_code, 0);
}

TEST_F(Cache, WithoutAnyFolderGradingGoesOn) {
  const Program homeless = {"/usr/bin/env", {}};
  EXPECT_THAT(kgrade({"-u", "KGRADE_CACHE_DIR", "-u", "HOME", "-u", "XDG_CACHE_HOME", KGRADE_PROGRAM, "grade",
                      slug, naive.string(), "--case", "tiny", "--device", "emulated"},
                     homeless),
              Ended(0));
  const Program nowhere = {KGRADE_PROGRAM, {"KGRADE_CACHE_DIR=/proc/nowhere/cache"}};
  EXPECT_EQ(graded(naive, nowhere)["verdict"], "accepted");
}

// A candidate's compiler cannot see the cache, so no built oracle can be copied from it.
TEST_F(Cache, CannotBeReadByACandidatesCompiler) {
  graded(naive);
  for (const fs::path& entry : entries()) {
    const std::string name = entry.string();
    const json included = graded(write("include.cu", "#include \"" + name + "\"\n" + *read_text_file(naive)));
    EXPECT_EQ(included["verdict"], "compile_error");
    EXPECT_THAT(included["message"].get<std::string>(), HasSubstr("No such file or directory"));
    const json embedded = graded(write("embed.cu", "#define ASSEMBLE asm\nASSEMBLE(\".incbin \\\"" + name +
                                                       "\\\"\");\n" + *read_text_file(naive)));
    EXPECT_EQ(embedded["verdict"], "compile_error");
    EXPECT_THAT(embedded["message"].get<std::string>(), HasSubstr("file not found: " + name));
  }
}

// Candidates by whether they were taken from the cache.
std::map<std::string, bool> cached_by_candidate(const fs::path& results) {
  std::map<std::string, bool> cached;
  std::ifstream stream(results);
  for (std::string line; std::getline(stream, line);) {
    const json candidate = json::parse(line)["candidates"][0];
    EXPECT_EQ(candidate["verdict"], "accepted") << candidate["path"];
    cached[candidate["path"]] = candidate["compile"]["cached"];
  }
  return cached;
}

TEST_F(Cache, IsSharedByTwoSweepsAtOnce) {
  const auto swept = [&](const std::string& output) {
    return kgrade({"sweep", "--device", "emulated", "--jobs", "2", "--only", "conv-depthwise-2d-*",
                   "--output", (folder() / output).string()},
                  program());
  };
  auto one = std::async(std::launch::async, swept, "one.jsonl");
  const Result two = swept("two.jsonl");
  EXPECT_EQ(one.get().exit_code, 0);
  EXPECT_EQ(two.exit_code, 0) << two.output;
  const auto first = cached_by_candidate(folder() / "one.jsonl");
  const auto second = cached_by_candidate(folder() / "two.jsonl");
  EXPECT_GE(first.size(), 4u);
  ASSERT_EQ(first.size(), second.size());
  for (const auto& [candidate, cached] : first) {
    EXPECT_TRUE(cached || second.at(candidate)) << candidate << " was built twice";
  }
  EXPECT_EQ(swept("three.jsonl").exit_code, 0);
  for (const auto& [candidate, cached] : cached_by_candidate(folder() / "three.jsonl"))
    EXPECT_TRUE(cached) << candidate;
}

}  // namespace kgrade::test::cache_test
