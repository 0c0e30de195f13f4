#include "base/base64.h"

#include <gtest/gtest.h>

namespace kgrade::test::base64_test {

// The test vectors of RFC 4648, section 10.
TEST(Base64Test, PadsTheLastGroup) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
}

TEST(Base64Test, TakesAnyBytes) { EXPECT_EQ(base64(std::string("\0\xff\xfe", 3)), "AP/+"); }

}  // namespace kgrade::test::base64_test
