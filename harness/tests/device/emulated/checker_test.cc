// Checked runs of kernels with bugs, and of their twins without. `// finds: race` marks the lines that must
// be reported for `bug()`; nothing may be reported for `clean()`.
#include <dlfcn.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "base/temporary_directory.h"
#include "compile/layout.h"
#include "device/emulated/toolchain/emulated_toolchain.h"
#include "tests/device/emulated/checked_program.h"

namespace kgrade::test::checker_test {

const std::filesystem::path harness = std::string(KGRADE_SOURCE_DIR) + "/harness";
const std::filesystem::path folder = harness / "tests/fixtures/checked";

using Places = std::set<std::string>;  // "12 race"

Places marked_places(const std::filesystem::path& source) {
  Places places;
  std::ifstream stream(source);
  std::string line;
  for (int number = 1; std::getline(stream, line); ++number) {
    const auto mark = line.find("// finds: ");
    if (mark == std::string::npos) continue;
    std::istringstream words(line.substr(mark + 10));
    for (std::string kind; words >> kind;) places.insert(std::to_string(number) + " " + kind);
  }
  return places;
}

class Checker : public testing::TestWithParam<std::string> {
 protected:
  // Each source is built once for its two tests.
  void SetUp() override {
    static const TemporaryDirectory output;
    library_ = output.path() / GetParam() / "contestant.so";
    if (!std::filesystem::exists(library_)) build(library_.parent_path());
  }

  void build(const std::filesystem::path& output) {
    std::filesystem::create_directory(output);
    const auto compiler = find_host_compiler();
    ASSERT_TRUE(compiler) << to_string(compiler.errors());
    const Layout layout = Layout::find();
    const EmulatedToolchain toolchain(*compiler, layout.share / "emulated", nullptr, {},
                                      layout.workers / "precompiled");
    BuildRequest request;
    request.source = folder / file();
    request.shown_as = file();
    request.output_directory = output;
    request.checked = true;
    const auto outcome = toolchain.build_library(request);
    ASSERT_TRUE(outcome) << to_string(outcome.errors());
    ASSERT_EQ(outcome->status, BuildStatus::built) << outcome->message << "\n" << outcome->log;
    ASSERT_EQ(outcome->library, library_);
  }

  std::string file() const { return GetParam() + ".cu"; }

  Places found(const char* name, ThreadOrder order) {
    const CheckedRun run = run_checked(
        library_, order, [name](void* handle) { reinterpret_cast<void (*)()>(::dlsym(handle, name))(); });
    EXPECT_TRUE(run.loaded);
    Places places;
    for (const FindingEntry& entry : run.findings) {
      places.insert(std::to_string(line_of(library_, entry.access, file())) + " " + word(entry.kind));
    }
    return places;
  }

  std::filesystem::path library_;
};

TEST_P(Checker, TellsOfEachBugAtItsLine) {
  const Places forward = found("bug", ThreadOrder::forward);
  EXPECT_EQ(forward, marked_places(folder / file()));
}

TEST_P(Checker, SaysNothingOfTheTwinInAnyOrder) {
  for (const ThreadOrder order : {ThreadOrder::forward, ThreadOrder::reverse, ThreadOrder::shuffled}) {
    EXPECT_EQ(found("clean", order), Places{});
  }
}

std::vector<std::string> files() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

INSTANTIATE_TEST_SUITE_P(All, Checker, testing::ValuesIn(files()),
                         [](const auto& file) { return file.param; });

}  // namespace kgrade::test::checker_test
