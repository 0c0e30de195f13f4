#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/temporary_directory.h"
#include "device/device.h"

namespace kgrade::allowed_libraries_test {

namespace fs = std::filesystem;
using testing::Contains;
using testing::UnorderedElementsAre;

TEST(AllowedLibraries, AreRuntimeLoaderAndDriverInAnyVersion) {
  for (const char* name :
       {"libc.so.6", "libc-2.31.so", "libm.so.6", "libmvec.so.1", "libdl.so.2", "libpthread.so.0",
        "librt.so.1", "libstdc++.so.6", "libstdc++.so.6.0.30", "libgcc_s.so.1", "ld-linux-x86-64.so.2",
        "ld-linux-aarch64.so.1", "ld-2.31.so", "libcuda.so", "libcuda.so.1", "libcuda.so.580.95.05",
        "libnvidia-ptxjitcompiler.so.1"}) {
    EXPECT_TRUE(is_allowed_without_libraries(name)) << name;
  }
}

TEST(AllowedLibraries, AreNoOthersThatBeginAlike) {
  for (const char* name : {"libcublas.so.13",
                           "libcudart.so.13",
                           "libcudnn.so.9",
                           "libnvrtc.so.13",
                           "libnvJitLink.so.13",
                           "libcufft.so",
                           "libmpfr.so.6",
                           "libgmp.so.10",
                           "libz.so.1",
                           "libgomp.so.1",
                           "librtmp.so.1",
                           "libdlib.so",
                           "libcrypt.so.1",
                           "libfmt.so.9",
                           "libm.so.6 (from memory)",
                           "libc.so.6x",
                           "libm.solib.so",
                           "libc",
                           "",
                           ".so",
                           "libm-cublas.so",
                           "mappings that it hides",
                           "libnvidia-ml.so.1/../libcublas.so.13"}) {
    EXPECT_FALSE(is_allowed_without_libraries(name)) << name;
  }
}

TEST(AllowedLibraries, AreFoundWhereTheLoaderAndTheDriverLook) {
  const TemporaryDirectory folder;
  const fs::path triple = folder.path() / "x86_64-linux-gnu";
  const fs::path elsewhere = folder.path() / "python3" / "lib";
  for (const fs::path& path : {triple / "nvidia" / "current", elsewhere}) fs::create_directories(path);
  for (const fs::path& file :
       {folder.path() / "libc.so.6", triple / "libm.so.6", triple / "libz.so.1", elsewhere / "libc.so.6",
        triple / "nvidia" / "current" / "libcuda.so.1", triple / "nvidia" / "current" / "libcublas.so.13"}) {
    std::ofstream{file};
  }
  EXPECT_THAT(allowed_library_files({folder.path(), folder.path() / "missing"}, "/no/program"),
              UnorderedElementsAre(folder.path() / "libc.so.6", triple / "libm.so.6",
                                   triple / "nvidia" / "current" / "libcuda.so.1"));
}

// This test is linked with one that is not allowed by its name.
TEST(AllowedLibraries, IncludeWhatTheProgramNeeds) {
  std::vector<std::string> names;
  for (const fs::path& file :
       allowed_library_files({"/lib", "/lib64", "/usr/lib", "/usr/lib64"}, "/proc/self/exe"))
    names.push_back(file.filename().string());
  EXPECT_THAT(names, Contains(testing::StartsWith("libc.so")));
#ifdef FMT_SHARED
  EXPECT_THAT(names, Contains(testing::StartsWith("libfmt.so")));
#endif
}

}  // namespace kgrade::allowed_libraries_test
