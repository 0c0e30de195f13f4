// The fuzzers' targets without a fuzzer: inputs on which they once failed, their seeds, and mutations of
// them.
#include "tests/fuzz/targets.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "tests/fuzz/noise.h"

namespace kgrade::fuzz::targets_test {

namespace fs = std::filesystem;

class FuzzTarget : public testing::TestWithParam<Target> {
 protected:
  static void run(const std::string& input) {
    try {
      GetParam().run(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
    } catch (const std::exception& broken) {
      ADD_FAILURE() << broken.what() << "; the input is\n" << testing::PrintToString(input);
    }
  }
};

TEST_P(FuzzTarget, HoldsOnWhatItOnceFailedOn) {
  const fs::path folder = fs::path(KGRADE_SOURCE_DIR) / "harness/tests/fuzz/regressions" / GetParam().name;
  if (!fs::exists(folder)) return;
  for (const auto& entry : fs::directory_iterator(folder)) {
    SCOPED_TRACE(entry.path().string());
    const auto input = read_text_file(entry.path());
    ASSERT_TRUE(input.ok()) << to_string(input.errors());
    run(*input);
  }
}

TEST_P(FuzzTarget, HoldsOnItsSeeds) {
  const auto inputs = seeds(GetParam().name, KGRADE_SOURCE_DIR);
  ASSERT_FALSE(inputs.empty());
  for (const std::string& input : inputs) run(input);
}

TEST_P(FuzzTarget, HoldsOnMutantsAndNoise) {
  const auto inputs = seeds(GetParam().name, KGRADE_SOURCE_DIR);
  Noise noise(4);
  for (int i = 0; i < 500 && !HasFailure(); ++i) {
    run(noise.mutated(inputs[noise.below(inputs.size())], {}));
    run(noise.bytes(noise.below(300)));
  }
  run("");
}

// Anything slower than linear in its length takes for ever here.
TEST(FuzzTargets, ASourceFullOfOnePieceIsAnswered) {
  for (const std::string piece : {"(",
                                  "[",
                                  "{",
                                  "<",
                                  ">",
                                  "<<<",
                                  "<<<1, 2>>>",
                                  "k<<<1, 2>>>();",
                                  "a<b, ",
                                  "template <class T> ",
                                  "[&]{",
                                  "__shared__ int a;",
                                  "__shared__ int a[",
                                  "[&](){ __shared__ int a; ",
                                  "{ __shared__ int a; [=]{ a; }; ",
                                  "__global__ void k(){",
                                  "#if 1\n",
                                  "#define A <<<\n",
                                  "\\\n",
                                  "R\"(",
                                  "/*"}) {
    std::string flood;
    while (flood.size() < 30'000) flood += piece;
    SCOPED_TRACE(piece);
    EXPECT_NO_THROW(fuzz_rewrite(reinterpret_cast<const std::uint8_t*>(flood.data()), flood.size()));
  }
}

INSTANTIATE_TEST_SUITE_P(All, FuzzTarget, testing::ValuesIn(targets().begin(), targets().end()),
                         [](const auto& instance) { return std::string(instance.param.name); });

}  // namespace kgrade::fuzz::targets_test
