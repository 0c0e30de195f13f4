// Cheats that forge messages use the layout of the present protocol. With an old one they would forge
// nothing, and their tests would show nothing.
#include "tests/cheats/process/replies.cuh"

#include <gtest/gtest.h>

#include <cstddef>

#include "contest/protocol.h"

namespace kgrade::test::replies_test {

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

}  // namespace kgrade::test::replies_test
