// What the emulated device lends, and within which limits.
#include "device/emulated/emulated_device.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <string>

#include "base/compiler.h"
#include "base/unique_fd.h"

namespace kgrade::emulated::emulated_device_test {

class OpenDevice : public EmulatedDevice {
 public:
  OpenDevice() : EmulatedDevice("unused") {}
  using EmulatedDevice::worker_policy;
};

constexpr std::uint64_t bytes = 4096;

std::unique_ptr<SharedBuffer> buffer() {
  auto made = OpenDevice().allocate(bytes);
  EXPECT_TRUE(made.ok());
  return std::move(*made);
}

void* map(int descriptor, int protection) {
  return ::mmap(nullptr, bytes, protection, MAP_SHARED, descriptor, 0);
}

TEST(EmulatedBuffers, LentForWritingAreWrittenTo) {
  const auto lent = buffer();
  void* const memory = map(lent->descriptor(), PROT_READ | PROT_WRITE);
  ASSERT_NE(memory, MAP_FAILED);
  std::memset(memory, 7, bytes);
  unsigned char seen = 0;
  OpenDevice().read(*lent, bytes - 1, &seen, 1);
  EXPECT_EQ(seen, 7);
  ::munmap(memory, bytes);
}

// The owner of a file may change its mode, and open it anew.
TEST(EmulatedBuffers, LentForReadingCannotBeOpenedAnewForWriting) {
  const auto lent = buffer();
  const int reading = lent->read_only_descriptor();
  void* const seen = map(reading, PROT_READ);
  ASSERT_NE(seen, MAP_FAILED);
  ASSERT_EQ(::fchmod(reading, 0666), 0);
  const UniqueFd anew(::open(("/proc/self/fd/" + std::to_string(reading)).c_str(), O_RDWR | O_CLOEXEC));
  ASSERT_TRUE(anew);
  EXPECT_EQ(map(anew.get(), PROT_READ | PROT_WRITE), MAP_FAILED);
  EXPECT_EQ(errno, EPERM);
  EXPECT_EQ(::pwrite(anew.get(), "x", 1, 0), -1);
  EXPECT_NE(::fallocate(anew.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, bytes), 0);
  EXPECT_NE(::mprotect(seen, bytes, PROT_READ | PROT_WRITE), 0);
  const unsigned char ours = 9;
  OpenDevice().write(*lent, 3, &ours, 1);
  EXPECT_EQ(static_cast<const unsigned char*>(seen)[3], 9) << "the referee fills it for every call";
  ::munmap(seen, bytes);
}

TEST(EmulatedBuffers, TakeNoFurtherSealsOnceTheyAreLent) {
  const auto output = buffer();
  EXPECT_NE(::fcntl(output->descriptor(), F_ADD_SEALS, F_SEAL_FUTURE_WRITE), 0);
  EXPECT_NE(::ftruncate(output->descriptor(), 0), 0);
  const auto input = buffer();
  EXPECT_NE(::ftruncate(input->read_only_descriptor(), 0), 0);
  EXPECT_NE(::fcntl(input->descriptor(), F_ADD_SEALS, F_SEAL_WRITE), 0);
}

TEST(EmulatedWorkers, HaveLimitedMemory) {
  const SandboxPolicy policy = OpenDevice().worker_policy();
#ifdef KGRADE_SANITIZED
  EXPECT_EQ(policy.memory_bytes, 0u);
#else
  EXPECT_GE(policy.memory_bytes, std::uint64_t{3} << 30) << "of device and host";
  EXPECT_LT(policy.memory_bytes, std::uint64_t{1} << 50);
#endif
}

}  // namespace kgrade::emulated::emulated_device_test
