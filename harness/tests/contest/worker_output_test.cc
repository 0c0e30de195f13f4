#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "contest/worker_tree.h"

namespace kgrade {
namespace worker_output_test {

bool print(const WorkerOutput& words, const std::string& text) {
  return ::write(words.descriptor(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

TEST(WorkerOutput, AreTheLastLineThatSaysSomething) {
  const WorkerOutput words;
  EXPECT_EQ(words.last_line(), "");
  ASSERT_TRUE(print(words, "first\n"));
  ASSERT_TRUE(print(words, "x.cu:3: assertion failed\n \n\n"));
  EXPECT_EQ(words.last_line(), "x.cu:3: assertion failed");
}

TEST(WorkerOutput, HoldNoControlCharactersAndAreShort) {
  const WorkerOutput words;
  ASSERT_TRUE(print(words, "\x1b[31mred" + std::string(1000, 'x')));
  EXPECT_EQ(words.last_line().find('\x1b'), std::string::npos);
  EXPECT_LT(words.last_line().size(), 1100u);
}

TEST(WorkerOutput, DoNotGrow) {
  const WorkerOutput words;
  for (int i = 0; i < 100; ++i) print(words, std::string(1024, 'a') + "\n");
  EXPECT_EQ(::lseek(words.descriptor(), 0, SEEK_END), 64 * 1024);
  EXPECT_EQ(words.last_line(), std::string(800, 'a'));
}

TEST(WorkerOutput, AreHeardFromTheLastClearingOn) {
  const WorkerOutput words;
  ASSERT_TRUE(print(words, "before\n"));
  words.clear();
  EXPECT_EQ(words.text(), "");
  EXPECT_EQ(words.last_line(), "");
  ASSERT_TRUE(print(words, "now\n\x1b"));
  EXPECT_EQ(words.text(), "now\n\x1b");
  EXPECT_EQ(words.last_line(), "\\x1b");
}

TEST(WorkerOutput, HaveRoomAgainOnceCleared) {
  const WorkerOutput words;
  for (int i = 0; i < 100; ++i) print(words, std::string(1024, 'a'));
  EXPECT_TRUE(words.is_full());
  words.clear();
  EXPECT_FALSE(words.is_full());
  EXPECT_TRUE(print(words, "b"));
  EXPECT_EQ(words.text(), "b");
}

TEST(WorkerOutput, SurviveAWorkerThatMovesItsPlace) {
  const WorkerOutput words;
  ASSERT_TRUE(print(words, "text"));
  ::lseek(words.descriptor(), off_t{1} << 40, SEEK_SET);
  EXPECT_EQ(words.text().size(), std::size_t{64} * 1024);
  ::lseek(words.descriptor(), 0, SEEK_SET);
  EXPECT_EQ(words.text(), "");
}

}  // namespace worker_output_test
}  // namespace kgrade
