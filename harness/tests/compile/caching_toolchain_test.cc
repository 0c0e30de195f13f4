// Contestants are built once: everything that affects a build is in its key, and the contents of the cache
// are verified.
#include "compile/caching_toolchain.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <atomic>
#include <fstream>
#include <functional>
#include <thread>

#include "base/temporary_directory.h"
#include "base/text.h"
#include "compile/extension.h"

namespace kgrade::caching_toolchain_test {

namespace fs = std::filesystem;

// "Compiles" by writing the source's text twice.
class Doubler : public Toolchain {
 public:
  explicit Doubler(std::atomic<int>& builds) : builds_(builds) {}
  std::string describe() const override { return "doubler 1"; }
  std::string identity() const override { return "doubler 1 of today"; }
  Result<BuildOutcome> build(const Problem&, const BuildRequest& request) const override {
    builds_ += 1;
    const std::string source = *read_text_file(request.source);
    BuildOutcome outcome;
    outcome.seconds = 1.5;
    outcome.log = request.shown_as + ":1: warning: twice";
    if (meanwhile) meanwhile();
    outcome.message = source;
    outcome.ran_out_of_time = is_slow;
    if (source.starts_with("broken")) return outcome;
    outcome.status = BuildStatus::built;
    outcome.library = request.output_directory / "contestant.so";
    EXPECT_TRUE(write_file_atomically(outcome.library, source + source));
    return outcome;
  }

  bool keeps_checked_builds() const override { return keeps_checked; }

  std::function<void()> meanwhile;
  bool keeps_checked = false;
  bool is_slow = false;

 private:
  std::atomic<int>& builds_;
};

class CachingToolchainTest : public testing::Test {
 protected:
  void SetUp() override {
    problem_.slug = "p";
    write("k.cu", "one");
    auto doubler = std::make_unique<Doubler>(builds_);
    doubler_ = doubler.get();
    toolchain_ = std::make_unique<CachingToolchain>(std::move(doubler), cache(), "me");
  }

  ContestantCache cache(std::uint64_t limit = usual_cache_limit) const {
    return ContestantCache(folder_.path() / "cache", limit);
  }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_.path() / name) << text;
  }

  BuildRequest request(const std::string& name = "k.cu") {
    BuildRequest request;
    request.source = folder_.path() / name;
    request.shown_as = "shown/" + name;
    request.output_directory = folder_.path() / fmt_number(++outputs_);
    fs::create_directory(request.output_directory);
    request.readable = {{request.source}};
    return request;
  }

  static std::string fmt_number(int number) { return "out" + std::to_string(number); }

  std::string built(const BuildRequest& request) {
    const auto outcome = toolchain_->build(problem_, request);
    EXPECT_TRUE(outcome && outcome->status == BuildStatus::built);
    return outcome ? *read_text_file(outcome->library) : "";
  }

  std::vector<fs::path> entries() const {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(folder_.path() / "cache")) {
      if (entry.path().extension() == ".contestant") found.push_back(entry.path());
    }
    return found;
  }

  TemporaryDirectory folder_;
  Problem problem_;
  std::atomic<int> builds_ = 0;
  int outputs_ = 0;
  Doubler* doubler_ = nullptr;
  std::unique_ptr<CachingToolchain> toolchain_;
};

// Code that was taken out of a document says in its first line where it comes from.
TEST_F(CachingToolchainTest, ACopyOfADocumentInAnotherFolderIsNotBuiltAgain) {
  const auto build_of = [this](const std::string& name, const std::string& shown_as,
                               const std::string& rest) {
    write(name, "#line 2 \"" + shown_as + "\"" + rest);
    BuildRequest of_block = request(name);
    of_block.shown_as = shown_as;
    built(of_block);
  };
  build_of("a.cu", "a/answer.md", "\nint x;");
  build_of("b.cu", "b/answer.md", "\nint x;");
  EXPECT_EQ(builds_, 1);
  build_of("c.cu", "c/answer.md", "\nint y;");
  build_of("d.cu", "d/answer.md", "");
  EXPECT_EQ(builds_, 3);
}

TEST_F(CachingToolchainTest, TheSecondBuildTakesTheFirstOnesLibrary) {
  const BuildRequest first = request();
  EXPECT_EQ(built(first), "oneone");
  BuildRequest second = request();
  second.shown_as = "other/k.cu";
  const auto outcome = toolchain_->build(problem_, second);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(builds_, 1);
  EXPECT_EQ(*read_text_file(outcome->library), "oneone");
  EXPECT_EQ(outcome->library.parent_path(), second.output_directory);
  EXPECT_EQ(outcome->log, "other/k.cu:1: warning: twice");
  EXPECT_TRUE(outcome->cached);
  EXPECT_EQ(outcome->seconds, 1.5);
}

TEST_F(CachingToolchainTest, TheSameTextElsewhereIsTheSameContestant) {
  fs::create_directory(folder_.path() / "elsewhere");
  write("elsewhere/k2.cu", "one");
  built(request());
  built(request("elsewhere/k2.cu"));
  EXPECT_EQ(builds_, 1);
}

TEST_F(CachingToolchainTest, WhateverDecidesABuildIsInItsKey) {
  write("h.cuh", "header");
  std::vector<std::function<void(BuildRequest&)>> changes = {
      [](BuildRequest&) {},
      [](BuildRequest& r) { r.defines["A"] = "1"; },
      [](BuildRequest& r) { r.dtype = Dtype::float16; },
      [this](BuildRequest& r) { r.readable->push_back(folder_.path() / "h.cuh"); },
      [](BuildRequest& r) { r.include_directories.emplace_back("/x"); },
      [](BuildRequest& r) {
        r.libraries.push_back({"/lib", "libcudnn.so.9"});
      },
      [this](BuildRequest&) { problem_.parameters.push_back({}); },
      [this](BuildRequest&) { write("k.cu", "two"); },
      [this](BuildRequest& r) {
        write("h.cuh", "other header");
        r.readable->push_back(folder_.path() / "h.cuh");
      }};
  for (const auto& change : changes) {
    BuildRequest changed = request();
    change(changed);
    built(changed);
  }
  EXPECT_EQ(builds_, static_cast<int>(changes.size()));
}

TEST_F(CachingToolchainTest, AnotherProgramOrCompilerBuildsAnew) {
  built(request());
  toolchain_ = std::make_unique<CachingToolchain>(std::make_unique<Doubler>(builds_), cache(), "me, newer");
  built(request());
  EXPECT_EQ(builds_, 2);
}

TEST(ProgramIdentity, IsTheSameWhenTheProgramIsLinkedAgain) {
  EXPECT_NE(program_build_id(), "");
  EXPECT_EQ(program_identity().find(program_build_id()), std::string::npos);
  EXPECT_EQ(program_identity(), "generation 2; compilers confined");
}

TEST_F(CachingToolchainTest, NeitherFailuresNorCheckedBuildsAreKept) {
  write("k.cu", "broken");
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(toolchain_->build(problem_, request())->status, BuildStatus::compile_error);
  write("k.cu", "one");
  for (int i = 0; i < 2; ++i) {
    BuildRequest checked = request();
    checked.checked = true;
    built(checked);
  }
  EXPECT_EQ(builds_, 4);
}

// Their findings name the candidate's files, so another copy of the candidate is built anew.
TEST_F(CachingToolchainTest, CheckedBuildsAreKeptForOnePlaceIfTheToolchainAllowsIt) {
  doubler_->keeps_checked = true;
  BuildRequest checked = request();
  checked.checked = true;
  for (int i = 0; i < 2; ++i) built(checked);
  EXPECT_EQ(builds_, 1);
  built(request());
  EXPECT_EQ(builds_, 2);
  checked.shown_as = "elsewhere/k.cu";
  built(checked);
  EXPECT_EQ(builds_, 3);
}

// One process builds ahead, and another one grades.
TEST_F(CachingToolchainTest, AFailedBuildIsNotMadeAgainWhereFailuresAreKept) {
  write("k.cu", "broken");
  auto doubler = std::make_unique<Doubler>(builds_);
  Doubler& inner = *doubler;
  const CachingToolchain keeping(std::move(doubler), cache(), "me", FailedBuilds::are_kept);
  for (int i = 0; i < 2; ++i) {
    const auto outcome = keeping.build(problem_, request());
    EXPECT_EQ(outcome->status, BuildStatus::compile_error);
    EXPECT_EQ(outcome->message, "broken");
    EXPECT_EQ(outcome->log, "shown/k.cu:1: warning: twice");
    EXPECT_EQ(outcome->cached, i == 1);
  }
  EXPECT_EQ(builds_, 1);
  // A user who builds it again may have installed what was missing.
  EXPECT_EQ(toolchain_->build(problem_, request())->status, BuildStatus::compile_error);
  EXPECT_EQ(builds_, 2);
  write("k.cu", "broken for now");
  inner.is_slow = true;
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(keeping.build(problem_, request())->status, BuildStatus::compile_error);
  EXPECT_EQ(builds_, 4);
}

TEST_F(CachingToolchainTest, ASourceThatChangesMeanwhileIsNotKept) {
  doubler_->meanwhile = [this] { write("k.cu", "two"); };
  EXPECT_EQ(built(request()), "oneone");
  doubler_->meanwhile = {};
  EXPECT_TRUE(entries().empty());
  EXPECT_EQ(built(request()), "twotwo");
  write("k.cu", "one");
  EXPECT_EQ(built(request()), "oneone");
  EXPECT_EQ(builds_, 3);
}

TEST_F(CachingToolchainTest, AnEntryThatIsNotAsWrittenIsBuiltAgain) {
  const std::string good = "oneone";
  built(request());
  const std::string whole = *read_text_file(entries().at(0));
  std::string flipped = whole;
  flipped.back() ^= 1;
  const std::size_t library = whole.size() - good.size();
  for (const std::string& text : {std::string(), std::string("x"), whole.substr(0, library), flipped,
                                  whole + "more", whole.substr(0, 20) + "{}\n" + good}) {
    ASSERT_TRUE(write_file_atomically(entries().at(0), text));
    const int before = builds_;
    EXPECT_EQ(built(request()), good) << text;
    EXPECT_EQ(builds_, before + 1) << text;
  }
}

TEST_F(CachingToolchainTest, ManyAtOnceBuildOnce) {
  std::vector<BuildRequest> requests;
  for (int i = 0; i < 8; ++i) requests.push_back(request());
  doubler_->meanwhile = [] { std::this_thread::sleep_for(std::chrono::milliseconds(50)); };
  std::vector<std::thread> threads;
  for (const BuildRequest& one : requests) threads.emplace_back([&] { EXPECT_EQ(built(one), "oneone"); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(builds_, 1);
}

TEST_F(CachingToolchainTest, WhatWasNotAskedForTheLongestGoesFirst) {
  const ContestantCache small = cache(4096);
  const CachedContestant contestant{std::string(1000, 'x'), "", "", 0};
  const auto key = [](char c) { return std::string(64, c); };
  for (const char c : {'a', 'b', 'c'}) {
    small.keep(key(c), contestant);
    const auto hour = std::chrono::hours('z' - c);
    for (const fs::path& entry : entries()) {
      if (entry.filename().string().front() == c)
        fs::last_write_time(entry, fs::file_time_type::clock::now() - hour);
    }
  }
  EXPECT_TRUE(small.find(key('a'))) << "which makes it the newest";
  small.keep(key('d'), contestant);
  EXPECT_FALSE(small.find(key('b')));
  EXPECT_TRUE(small.find(key('a')));
  EXPECT_TRUE(small.find(key('d')));
  EXPECT_LE(small.use().bytes, 4096u);
  small.clear();
  EXPECT_EQ(small.use().entries, 0u);
}

TEST_F(CachingToolchainTest, AFolderThatOthersMayWriteToIsNotUsed) {
  built(request());
  ASSERT_EQ(::chmod((folder_.path() / "cache").c_str(), 0777), 0);
  EXPECT_THAT(cache().problem(), testing::HasSubstr("others may write"));
  built(request());
  EXPECT_EQ(builds_, 2);
}

TEST_F(CachingToolchainTest, AFolderThatCannotBeMadeCostsNothing) {
  write("cache", "a file");
  EXPECT_EQ(built(request()), "oneone");
  EXPECT_EQ(built(request()), "oneone");
  EXPECT_EQ(builds_, 2);
}

// A candidate chooses the texts: none of them may pass for another part of somebody else's request.
// As without HOME.
TEST(ContestantCache, WithoutAFolderLeavesNothingInTheWorkingFolder) {
  const TemporaryDirectory folder;
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  const ContestantCache cache{fs::path()};
  const bool is_locked = static_cast<bool>(cache.lock("abcdef"));
  cache.keep("abcdef", {});
  fs::current_path(before);
  EXPECT_FALSE(is_locked);
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(ExtensionKey, DiffersWhereverTheRequestDoes) {
  const TemporaryDirectory headers;
  BuildRequest request;
  request.readable = std::vector<std::filesystem::path>{};
  const auto key = [&](const ExtensionRequest& extension) {
    return extension_key("compiler", extension, {headers.path(), {}, {}}, request).value_or("");
  };
  const ExtensionRequest two{"mine", {{"a.cpp", "A", {}}, {"b.cu", "B", {"-w"}}}, {}, {}, {}, {}, false};
  const ExtensionRequest one{"mine", {{"a.cpp", "A", {"b.cu", "B", "-w"}}}, {}, {}, {}, {}, false};
  EXPECT_FALSE(key(two).empty());
  EXPECT_EQ(key(two), key(two));
  EXPECT_NE(key(one), key(two));
  ExtensionRequest moved = one;
  moved.cflags = {"-O3"};
  ExtensionRequest elsewhere = one;
  elsewhere.cuda_cflags = {"-O3"};
  EXPECT_NE(key(moved), key(elsewhere));
  ExtensionRequest with_header = one;
  with_header.own_headers = {{"tmp"}, {{"tmp/x.h", "1"}}};
  ExtensionRequest with_another = one;
  with_another.own_headers = {{"tmp"}, {{"tmp/x.h", "2"}}};
  EXPECT_NE(key(with_header), key(one));
  EXPECT_NE(key(with_header), key(with_another));
  request.readable.reset();
  EXPECT_EQ(key(two), "") << "what is not confined is not kept";
}

// A service gives each job a folder of its own, so the extension of a candidate was built for every job.
TEST(ExtensionKey, IsThatOfEveryCopyOfTheCandidate) {
  const TemporaryDirectory headers;
  const auto key = [&](const std::string& path, const std::string& text) {
    BuildRequest request;
    request.readable = std::vector<std::filesystem::path>{};
    request.shown_as = path;
    const ExtensionRequest extension{"mine", {{"a.cu", text, {}}}, {}, {}, {}, {}, false};
    return extension_key("compiler", extension, {headers.path(), {}, {}}, request).value_or("");
  };
  const std::string here = key("/a/mine.py", "#line 3 \"/a/mine.py\"\nint x;");
  EXPECT_EQ(here, key("/b/mine.py", "#line 3 \"/b/mine.py\"\nint x;"));
  EXPECT_NE(here, key("/b/mine.py", "#line 4 \"/b/mine.py\"\nint x;"));
  EXPECT_NE(here, key("/b/mine.py", "#line 3 \"/a/mine.py\"\nint x;")) << "the file of somebody else";
  // What the compiler compiles counts with all that it says.
  EXPECT_NE(key("/a/mine.py", "auto x = \"/a/mine.py\""), key("/b/mine.py", "auto x = \"/b/mine.py\""));
}

TEST(ProgramBuildId, IsThatOfTheBuild) {
  EXPECT_EQ(program_build_id(), program_build_id());
  EXPECT_EQ(program_build_id().size(), 64u) << "the linker gives every program a build ID";
}

TEST(ParseBytes, TakesWhatUsersWrite) {
  EXPECT_EQ(parse_bytes("4096"), 4096u);
  EXPECT_EQ(parse_bytes("2G"), std::uint64_t{2} << 30);
  EXPECT_EQ(parse_bytes("500 MiB"), std::uint64_t{500} << 20);
  EXPECT_EQ(parse_bytes("1kb"), 1024u);
  for (const char* text : {"", "G", "-1", "1X", "1GG", "1.5G", "99999999999G", "99999999999999999999999"})
    EXPECT_FALSE(parse_bytes(text)) << text;
}

}  // namespace kgrade::caching_toolchain_test
