// The headers of cheats are read as cheat_file.h says, and mistakes in them are reported.
#include <gmock/gmock.h>

#include <cstddef>

#include "contest/protocol.h"
#include "tests/cheats/cheat_file.h"
#include "tests/cheats/process/replies.cuh"

namespace kgrade::test::header_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* full =
    "// cheat: does much\n"
    "// row: 12\n"
    "// caught-by: completion (emulated), idle (cuda), outputs_match (cuda)\n"
    "// device: any\n"
    "// control: fresh_inputs, small_changes\n"
    "// profit: faster\n"
    "// problem: some-problem\n"
    "// case: tiny\n"
    "// case: plain (cuda)\n"
    "// time-limit: 3\n"
    "// launches: 4\n"
    "// needs: confinement\n"
    "//\n"
    "// row: 13 is no line of the header any more\n";

TEST(CheatHeaders, AreReadInFull) {
  const CheatHeader header = read_cheat("timing/does-much.cu", full);
  EXPECT_THAT(header.mistakes, IsEmpty());
  ASSERT_TRUE(header.cheat);
  EXPECT_EQ(header.cheat->name, "timing/does-much");
  EXPECT_EQ(header.cheat->row, 12);
  EXPECT_THAT(header.cheat->expected_on("emulated"), ElementsAre("completion"));
  EXPECT_THAT(header.cheat->expected_on("cuda"), ElementsAre("idle", "outputs_match"));
  EXPECT_THAT(header.cheat->without, ElementsAre("fresh_inputs", "small_changes"));
  EXPECT_TRUE(header.cheat->must_be_faster);
  EXPECT_THAT(header.cheat->arguments("cuda"),
              ElementsAre("some-problem", "timing/does-much.cu", "--case", "tiny", "--case", "plain",
                          "--time-limit", "3", "--launches", "4"));
  EXPECT_THAT(header.cheat->arguments("emulated"),
              ElementsAre("some-problem", "timing/does-much.cu", "--case", "tiny", "--time-limit", "3",
                          "--launches", "4"));
  EXPECT_TRUE(header.cheat->needs_confinement);
  EXPECT_FALSE(header.cheat->needs_control_group);
}

TEST(CheatHeaders, WithoutAGainNameATwin) {
  const std::string harmless = "// cheat: a\n// row: 1\n// caught-by: no_gain (cuda)\n// device: cuda\n";
  EXPECT_THAT(read_cheat("timing/a.cu", harmless + "//\n").mistakes, ElementsAre(HasSubstr("twin")));
  EXPECT_THAT(read_cheat("timing/a.cu", harmless + "// twin: missing.cu\n//\n").mistakes,
              ElementsAre(HasSubstr("there is no timing/missing.cu")));
}

TEST(CheatHeaders, NeedNoConfinementUnlessTheySaySo) {
  const CheatHeader header =
      read_cheat("timing/tame.cu", "// cheat: a\n// row: 1\n// caught-by: idle\n// device: any\n//\n");
  ASSERT_TRUE(header.cheat);
  EXPECT_FALSE(header.cheat->needs_confinement);
}

TEST(CheatHeaders, NeedAControlGroupBelowConfinement) {
  const CheatHeader header = read_cheat("process/hog.cu",
                                        "// cheat: a\n// row: 1\n// caught-by: idle\n// device: any\n"
                                        "// needs: control group\n//\n");
  ASSERT_TRUE(header.cheat);
  EXPECT_TRUE(header.cheat->needs_confinement);
  EXPECT_TRUE(header.cheat->needs_control_group);
}

TEST(CheatHeaders, SayWhatIsMissing) {
  const CheatHeader header = read_cheat("timing/short.cu", "// cheat: does little\n// device: cuda\n//\n");
  EXPECT_THAT(header.mistakes, ElementsAre(HasSubstr("row"), HasSubstr("caught-by")));
}

TEST(CheatHeaders, SayWhatCannotBeRead) {
  const CheatHeader header = read_cheat("timing/wrong.cu",
                                        "// cheat: does little\n// row: two\n// caught-by: idle\n"
                                        "// device: gpu\n// divice: cuda\n// row: 3\n"
                                        "// launches: few\n// needs: luck\n#include <x>\n");
  EXPECT_THAT(header.mistakes,
              ElementsAre(HasSubstr("'two'"), HasSubstr("'gpu'"), HasSubstr("divice"), HasSubstr("twice"),
                          HasSubstr("'few'"), HasSubstr("'luck'"), HasSubstr("does not end")));
}

TEST(CheatHeaders, OfPythonHavePythonsComments) {
  const std::string header = "# cheat: a\n# row: 1\n# caught-by: idle\n# device: any\n";
  const CheatHeader python = read_cheat("timing/a.py", header + "#\n# a comment\n");
  EXPECT_THAT(python.mistakes, IsEmpty());
  ASSERT_TRUE(python.cheat);
  EXPECT_TRUE(python.cheat->is_python);
  EXPECT_EQ(python.cheat->description, "a");
  EXPECT_THAT(read_cheat("timing/a.py", header + "import os\n").mistakes,
              ElementsAre(HasSubstr("does not end with a line `#`")));
  EXPECT_THAT(read_cheat("timing/a.py", "// cheat: a\n").mistakes,
              testing::Contains(HasSubstr("no line `# cheat:`")));
  EXPECT_FALSE(read_cheat("timing/a.py", "# accomplice: helps\n#\n").cheat);
}

TEST(CheatHeaders, OfAccomplicesMakeNoCheat) {
  const CheatHeader header = read_cheat("timing/helps.cu", "// accomplice: leaves something\n//\n");
  EXPECT_FALSE(header.cheat);
  EXPECT_THAT(header.mistakes, IsEmpty());
}

// Cheats that forge messages use the layout of the present protocol. With an old one they would forge
// nothing, and their tests would show nothing.

TEST(ForgedReplies, HaveTheLayoutOfReplies) {
  EXPECT_EQ(sizeof(cheat::Reply), sizeof(Reply));
  EXPECT_EQ(offsetof(cheat::Reply, sequence), offsetof(Reply, sequence));
  EXPECT_EQ(offsetof(cheat::Reply, elapsed_ms), offsetof(Reply, call) + offsetof(CallTimes, elapsed_ms));
  EXPECT_EQ(offsetof(cheat::Reply, kept_cache_bytes), offsetof(Reply, kept_cache_bytes));
}

TEST(ForgedReplies, AnswerRequestsThatAreReadAsTheyAreSent) {
  EXPECT_EQ(offsetof(cheat::Request, sequence), offsetof(Request, sequence));
  EXPECT_EQ(offsetof(cheat::Request, launch), offsetof(Request, launch));
  EXPECT_EQ(offsetof(cheat::Request, gate), offsetof(Request, gate));
  EXPECT_EQ(offsetof(cheat::Request, waiter), offsetof(Request, waiter));
}

TEST(ForgedReplies, UseTheNumbersOfTheProtocol) {
  EXPECT_EQ(cheat::magic_number, message_magic);
  EXPECT_EQ(cheat::load_request, static_cast<std::uint32_t>(RequestType::load));
  EXPECT_EQ(cheat::call_request, static_cast<std::uint32_t>(RequestType::call));
  EXPECT_EQ(cheat::done, static_cast<std::uint32_t>(ReplyStatus::done));
  EXPECT_EQ(cheat::queued, static_cast<std::uint32_t>(ReplyStatus::queued));
  EXPECT_EQ(cheat::idle, static_cast<std::uint32_t>(ReplyStatus::idle));
}

}  // namespace kgrade::test::header_test
