// Files of the corpus (corpus.h), drawn by the commit, are built for the emulated device and run, and
// compiled by nvcc if there is one; with KGRADE_TEST_DEVICE=cuda nvcc's build is run too.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>

#include "base/subprocess.h"
#include "base/temporary_directory.h"
#include "compile/layout.h"
#include "compile/nvcc_toolchain.h"
#include "device/emulated/runtime/emulated_runtime.h"
#include "device/emulated/toolchain/emulated_toolchain.h"
#include "tests/device/emulated/checked_program.h"
#include "tests/support/drawn.h"

namespace kgrade::test::corpus_test {

const std::filesystem::path harness = std::string(KGRADE_SOURCE_DIR) + "/harness";
const std::filesystem::path folder = harness / "tests/corpus";

std::vector<std::string> files() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".cu") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return drawn(std::move(names), 14);
}

void run_cases(const std::filesystem::path& library) {
  void* const handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(handle, nullptr) << ::dlerror();
  const auto count = reinterpret_cast<int (*)()>(::dlsym(handle, "corpus_count"));
  const auto name = reinterpret_cast<const char* (*)(int)>(::dlsym(handle, "corpus_name"));
  const auto run = reinterpret_cast<void (*)(int, char*, std::size_t)>(::dlsym(handle, "corpus_run"));
  ASSERT_GT(count(), 0);
  for (int i = 0; i < count(); ++i) {
    std::array<char, 4096> text{};
    run(i, text.data(), text.size());
    EXPECT_STREQ(text.data(), "") << "in case " << name(i);
  }
  ::dlclose(handle);
}

class Corpus : public testing::TestWithParam<std::string> {};

BuildOutcome build_emulated(const std::string& name, const std::filesystem::path& output, bool checked) {
  const auto compiler = find_host_compiler();
  BuildOutcome failure;
  if (!compiler) {
    failure.message = to_string(compiler.errors());
    return failure;
  }
  const Layout layout = Layout::find();
  const EmulatedToolchain toolchain(*compiler, layout.share / "emulated", nullptr, {},
                                    layout.workers / "precompiled");
  BuildRequest request;
  request.source = folder / (name + ".cu");
  request.shown_as = name + ".cu";
  request.output_directory = output;
  request.checked = checked;
  const auto outcome = toolchain.build_library(request);
  if (outcome) return *outcome;
  failure.message = to_string(outcome.errors());
  return failure;
}

TEST_P(Corpus, GivesTheHostsResultsOnTheEmulatedDevice) {
  const TemporaryDirectory output;
  const BuildOutcome outcome = build_emulated(GetParam(), output.path(), false);
  ASSERT_EQ(outcome.status, BuildStatus::built) << outcome.message << "\n" << outcome.log;
  // None of these programs has a race: they give the same results in every order.
  for (const ThreadOrder order : {ThreadOrder::forward, ThreadOrder::reverse, ThreadOrder::shuffled}) {
    SCOPED_TRACE(to_string(order));
    kgrade_emulated::set_thread_order(order, 1);
    run_cases(outcome.library);
  }
  kgrade_emulated::set_thread_order(ThreadOrder::forward);
}

#if defined(KGRADE_TEST_CHECKER)
// These programs are correct: a checked run reports nothing and gives the same results.
TEST_P(Corpus, IsFreeOfFindings) {
  const TemporaryDirectory output;
  const BuildOutcome outcome = build_emulated(GetParam(), output.path(), true);
  ASSERT_EQ(outcome.status, BuildStatus::built) << outcome.message << "\n" << outcome.log;
  for (const ThreadOrder order : {ThreadOrder::forward, ThreadOrder::reverse}) {
    const CheckedRun run = run_checked(outcome.library, order, [&](void*) { run_cases(outcome.library); });
    EXPECT_TRUE(run.passed);
    for (const FindingEntry& entry : run.findings) {
      ADD_FAILURE() << word(entry.kind) << " at line "
                    << line_of(outcome.library, entry.access, GetParam() + ".cu") << " in " << entry.kernel
                    << ", " << to_string(order);
    }
  }
}
#endif

// sm_90 is the lowest that has what the corpus needs (it does not use thread block clusters).
TEST_P(Corpus, IsTakenByNvcc) {
  const auto nvcc = find_nvcc();
  if (!nvcc) GTEST_SKIP() << "no nvcc on this machine";
  const char* const device = std::getenv("KGRADE_TEST_DEVICE");
  const bool runs = device != nullptr && std::string(device) == "cuda";
  const TemporaryDirectory output;
  const std::filesystem::path library = output.path() / "case.so";
  ProcessRequest request;
  request.command = {nvcc->string(),
                     "-std=c++17",
                     "-arch=sm_90",
                     "-w",
                     "--expt-relaxed-constexpr",
                     "--extended-lambda",
                     "-o",
                     library.string(),
                     (folder / (GetParam() + ".cu")).string()};
  if (runs) {
    request.command.insert(request.command.begin() + 1, {"-shared", "-Xcompiler=-fPIC"});
  } else {
    request.command.insert(request.command.begin() + 1, {"-c"});
  }
  request.environment = {std::string("PATH=") + std::getenv("PATH"), "TMPDIR=" + output.path().string()};
  request.limits.wall = std::chrono::seconds(300);
  const auto process = run_process(request);
  ASSERT_TRUE(process) << to_string(process.errors());
  ASSERT_TRUE(process->success()) << process->output;
  // In a process of its own: if a CUDA runtime is unloaded, the next one in the process fails.
  if (runs) {
    EXPECT_EXIT(
        {
          run_cases(library);
          std::exit(testing::Test::HasFailure() ? 1 : 0);
        },
        testing::ExitedWithCode(0), "");
  }
}

INSTANTIATE_TEST_SUITE_P(All, Corpus, testing::ValuesIn(files()),
                         [](const auto& file) { return file.param; });

}  // namespace kgrade::test::corpus_test
