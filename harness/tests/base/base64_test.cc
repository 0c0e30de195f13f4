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

TEST(Base64Test, IsReadAgain) {
  std::string bytes;
  for (int byte = 0; byte < 300; ++byte) {
    EXPECT_EQ(bytes_of_base64(base64(bytes)), bytes);
    bytes += static_cast<char>(byte * 89);
  }
}

TEST(Base64Test, TextsOfOtherFormsAreNotRead) {
  for (const char* text : {"Z", "Zg", "Zg=", "Zg==Zg==", "Zm9v\n", "Zm-v", "====", "Z===", "=Zm9"})
    EXPECT_EQ(bytes_of_base64(text), std::nullopt) << text;
}

}  // namespace kgrade::test::base64_test
