#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compile/layout.h"

namespace kgrade::vendor_library_test {

using testing::HasSubstr;
using testing::Not;

VendorLibrary library(const std::string& include) {
  return {"cudnn", "cuDNN", "cuDNN 9", "-DKGRADE_CUDNN_ROOT", "9.1", include, {"/no/such/libcudnn.so"}};
}

TEST(VendorLibrary, ARemedyFitsWhatIsMissing) {
  VendorLibrary unknown = library("");
  EXPECT_EQ(unknown.absence(), "cuDNN was not found when kgrade was configured");
  EXPECT_EQ(unknown.remedy(),
            "build kgrade from its source where cuDNN 9 is installed (or name its folder with "
            "-DKGRADE_CUDNN_ROOT=...)");
  // As with a wheel on another machine.
  const VendorLibrary elsewhere = library("/usr");
  EXPECT_THAT(elsewhere.absence(), HasSubstr("/no/such/libcudnn.so, which this machine lacks"));
  EXPECT_THAT(elsewhere.remedy(),
              HasSubstr("install cuDNN 9 in that folder, or build kgrade from its source"));
  EXPECT_THAT(elsewhere.remedy(), Not(HasSubstr("again")));
}

}  // namespace kgrade::vendor_library_test
