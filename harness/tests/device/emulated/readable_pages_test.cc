#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstdint>

#include "device/emulated/checker/process_map.h"

namespace kgrade_emulated::readable_pages_test {

std::uintptr_t number(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

TEST(ReadablePages, HoldWhatIsThere) {
  ReadablePages pages;
  const int local = 1;
  EXPECT_TRUE(pages.holds(number(&local)));
  EXPECT_TRUE(pages.holds(number(&local)));
}

TEST(ReadablePages, HoldNothingThatWouldFault) {
  ReadablePages pages;
  void* const closed = ::mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(closed, MAP_FAILED);
  EXPECT_FALSE(pages.holds(number(closed)));
  ::munmap(closed, 4096);
  EXPECT_FALSE(pages.holds(number(closed)));
  EXPECT_FALSE(pages.holds(0));
  EXPECT_FALSE(pages.holds(8));
}

}  // namespace kgrade_emulated::readable_pages_test
