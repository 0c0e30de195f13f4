#include "device/gate.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "base/compiler.h"
#include "base/temporary_directory.h"
#include "base/unique_fd.h"
#include "device/device.h"
#include "device/emulated/emulated_device.h"
#include "device/finding_book.h"
#include "tests/device/every_device.h"

namespace kgrade::gate_test {

namespace fs = std::filesystem;
using testing::Contains;
using testing::UnorderedElementsAre;

// The page as a worker has it.
class MappedGate {
 public:
  explicit MappedGate(const Gate& gate)
      : page_(::mmap(nullptr, gate_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, gate.descriptor(), 0)) {}
  ~MappedGate() { ::munmap(page_, gate_bytes); }
  MappedGate(const MappedGate&) = delete;
  MappedGate& operator=(const MappedGate&) = delete;

  bool mapped() const { return page_ != MAP_FAILED; }
  GateWord& word() const { return *static_cast<GateWord*>(page_); }
  volatile std::uint32_t& number() const { return word().number; }

 private:
  void* page_;
};

TEST(Gate, CallsWaitForNumbersOfTheirOwn) {
  const auto gate = Gate::make();
  ASSERT_NE(gate, nullptr);
  EXPECT_EQ(gate->next(), 1u) << "0 is for calls that do not wait";
  EXPECT_EQ(gate->next(), 2u);
  EXPECT_EQ(gate->next(), 3u);
}

TEST(Gate, ThePageStandsWhereTheRefereeHasOpenedItTo) {
  const auto gate = Gate::make();
  ASSERT_NE(gate, nullptr);
  const MappedGate worker(*gate);
  ASSERT_TRUE(worker.mapped());
  EXPECT_EQ(worker.number(), 0u);
  const std::uint32_t first = gate->next();
  EXPECT_EQ(worker.number(), 0u) << "a call that is begun is not let through";
  gate->open(first);
  EXPECT_EQ(worker.number(), 1u);
  gate->open(gate->next());
  EXPECT_EQ(worker.number(), 2u);
}

TEST(Gate, OneWhoOpensItHimselfChangesNoNumberOfTheReferees) {
  const auto gate = Gate::make();
  ASSERT_NE(gate, nullptr);
  const MappedGate worker(*gate);
  ASSERT_TRUE(worker.mapped());
  worker.number() = 1000;
  EXPECT_EQ(gate->next(), 1u);
  gate->open(1);
  EXPECT_EQ(worker.number(), 1u);
}

TEST(Gate, AThreadThatWaitsGoesOnWhenItsNumberIsReached) {
  const auto gate = Gate::make();
  ASSERT_NE(gate, nullptr);
  const MappedGate worker(*gate);
  ASSERT_TRUE(worker.mapped());
  std::atomic<bool> is_through = false;
  std::thread waiting([&] {
    wait_at_gate(worker.word(), 2);
    is_through = true;
  });
  gate->open(1);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_FALSE(is_through) << "the one before it";
  gate->open(2);
  waiting.join();
  EXPECT_TRUE(is_through);
}

TEST(Gate, AThreadNeedNotWaitForWhatWasThereBefore) {
  const auto gate = Gate::make();
  ASSERT_NE(gate, nullptr);
  const MappedGate worker(*gate);
  ASSERT_TRUE(worker.mapped());
  gate->open(7);
  wait_at_gate(worker.word(), 7);
  wait_at_gate(worker.word(), 6);
  gate->open(3);  // numbers have started again
  wait_at_gate(worker.word(), 0xffff'fff0);
}

// Shrinking a file makes every process fault that has mapped it.
TEST(Gate, AWorkerCannotChangeTheSizeOfThePage) {
  const auto gate = Gate::make();
  ASSERT_NE(gate, nullptr);
  EXPECT_NE(::ftruncate(gate->descriptor(), 0), 0);
  EXPECT_NE(::ftruncate(gate->descriptor(), 2 * gate_bytes), 0);
  gate->open(7);
  EXPECT_EQ(MappedGate(*gate).number(), 7u);
}

// Poison on all devices: where it is written, how inputs are revealed, and what changes of it are counted.

class PoisonOnEveryDevice : public EveryDevice {};

TEST_P(PoisonOnEveryDevice, PoisonsWholeBuffersAndNothingElse) {
  const auto first = buffer(5000);
  const auto second = buffer(4096);
  const auto bystander = buffer(4096);
  poison({bystander.get(), 0, 1024, false, {}, other_stream});
  const auto before = read<unsigned char>(*bystander, 0, bystander->bytes());
  // It makes no difference where the tensor is.
  const std::vector<Filling> fillings = {output_in(*first, 20, 300),
                                         {second.get(), 1024, 100, false, {}, other_stream}};
  device_->poison(fillings);
  for (const Filling& filling : fillings) {
    const std::uint64_t bytes = filling.buffer->bytes();
    const auto after = read<unsigned char>(*filling.buffer, 0, bytes);
    for (std::uint64_t i = 0; i < bytes; ++i) {
      ASSERT_EQ(after[i], random_byte(device::poison_block({filling.poison}, i / 16), i)) << i;
    }
  }
  EXPECT_EQ(read<unsigned char>(*bystander, 0, bystander->bytes()), before);
}

TEST_P(PoisonOnEveryDevice, PoisonsAllAroundAnInput) {
  const auto memory = buffer(8192);
  const std::uint64_t bytes = memory->bytes();
  for (const std::uint64_t begin : begins) {
    poison({memory.get(), 0, 1024, false, {}, other_stream});
    const auto before = read<unsigned char>(*memory, 0, bytes);
    const Filling filling = input_in(*memory, begin, 251, {});
    poison(filling);
    const auto after = read<unsigned char>(*memory, 0, bytes);
    for (std::uint64_t i = 0; i < bytes; ++i) {
      const bool inside = i >= begin && i < filling.end();
      ASSERT_EQ(after[i], inside ? before[i] : random_byte(device::poison_block({poison_stream}, i / 16), i))
          << i;
    }
  }
}

// Covers a candidate that leaves an element unwritten where zero is expected: random bits are often close to
// zero.
TEST_P(PoisonOnEveryDevice, PoisonIsNeverAValueThatAnOutputCouldHold) {
  const auto memory = buffer(1 << 20);
  poison(output_in(*memory, 0, 1 << 18));
  for (const float value : read<float>(*memory, 0, 1 << 18)) ASSERT_FALSE(std::fabs(value) < 3e19f) << value;
  for (const std::uint16_t half : read<std::uint16_t>(*memory, 0, 1 << 19)) ASSERT_GE(half & 0x7fff, 0x6000);
}

TEST_P(PoisonOnEveryDevice, RevealsInputsAndLeavesAllElsePoisoned) {
  const auto input = buffer(8192);
  const auto output = buffer(8192);
  const std::vector<Filling> fillings = {input_in(*input, 4100, 251, {Kind::uniform, 0, 1}),
                                         output_in(*output, 4096, 251)};
  device_->poison(fillings);
  auto expected = read<unsigned char>(*input, 0, input->bytes());
  const auto output_before = read<unsigned char>(*output, 0, output->bytes());
  device_->reveal(fillings);
  const std::vector<float> drawn = drawn_by_host(fillings[0]);
  memcpy(expected.data() + 4100, drawn.data(), 251 * sizeof(float));
  EXPECT_EQ(read<unsigned char>(*input, 0, input->bytes()), expected);
  EXPECT_EQ(read<unsigned char>(*output, 0, output->bytes()), output_before);
}

TEST_P(PoisonOnEveryDevice, CountsEachByteThatChangedAroundATensor) {
  const auto memory = buffer(8192);
  const std::uint64_t bytes = memory->bytes();
  for (const std::uint64_t begin : begins) {
    const Filling filling = output_in(*memory, begin, 251);
    poison(filling);
    EXPECT_EQ(corruption_of(filling).guard_bytes, 0u);
    std::uint64_t changed = 0;
    for (const std::uint64_t at : {std::uint64_t{0}, begin / 2 + 1, begin - 1, filling.end(),
                                   filling.end() + 1, filling.end() + 100, bytes - 1}) {
      if (at >= bytes || (at >= begin && at < filling.end()))
        continue;  // there is nothing before the first byte
      flip(*memory, at);
      EXPECT_EQ(corruption_of(filling).guard_bytes, ++changed)
          << "byte " << at << " around a tensor at " << begin;
    }
    // The tensor itself may be written to.
    for (const std::uint64_t at : {begin, begin + 500, filling.end() - 1}) flip(*memory, at);
    EXPECT_EQ(corruption_of(filling).guard_bytes, changed);
    EXPECT_EQ(corruption_of(filling).input_elements, 0u);
  }
}

TEST_P(PoisonOnEveryDevice, CountsManyBytesOfOtherPoison) {
  const auto memory = buffer(8192);
  const Filling filling = output_in(*memory, 4096, 100);
  poison({memory.get(), 4096, 100, false, {}, other_stream});
  const auto others = read<unsigned char>(*memory, 0, memory->bytes());
  poison(filling);
  const auto ours = read<unsigned char>(*memory, 0, memory->bytes());
  const std::vector<unsigned char> pasted(others.begin() + 100, others.begin() + 164);
  std::uint64_t changed = 0;
  for (std::size_t i = 100; i < 164; ++i) changed += ours[i] != others[i];
  EXPECT_GT(changed, 50u);
  write(*memory, 100, pasted);
  EXPECT_EQ(corruption_of(filling).guard_bytes, changed);
}

TEST_P(PoisonOnEveryDevice, CountsWordsThatWereNeverWritten) {
  const auto memory = buffer(4096);
  const Filling filling = output_in(*memory, 256, 250);
  poison(filling);
  EXPECT_EQ(device_->count_unwritten(filling), 250u);
  write(*memory, 260, std::vector<float>(10, 1.5f));
  EXPECT_EQ(device_->count_unwritten(filling), 240u);
  flip(*memory, filling.end() - 1);  // a word counts as written as soon as one of its bytes is
  EXPECT_EQ(device_->count_unwritten(filling), 239u);
  flip(*memory, 255);
  flip(*memory, filling.end());
  EXPECT_EQ(device_->count_unwritten(filling), 239u) << "what is outside of the tensor does not count";
}

TEST_P(PoisonOnEveryDevice, CountsUnwrittenWordsOfATensorThatBeginsWithinABlock) {
  const auto memory = buffer(4096);
  const Filling filling = output_in(*memory, 260, 3);
  poison(filling);
  EXPECT_EQ(device_->count_unwritten(filling), 3u);
  write(*memory, 264, std::vector<float>{0});
  EXPECT_EQ(device_->count_unwritten(filling), 2u);
}

INSTANTIATE_TEST_SUITE_P(Devices, PoisonOnEveryDevice, testing::ValuesIn(devices_here()),
                         [](const auto& test) {
                           return test.param.kind == DeviceChoice::Kind::cuda ? "cuda" : "emulated";
                         });

// What the emulated device lends, and within which limits.

using emulated::EmulatedDevice;

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

FindingEntry entry_of(FindingKind kind) {
  FindingEntry entry;
  entry.kind = kind;
  return entry;
}

TEST(FindingBook, GivesTheEntriesThatAreCounted) {
  FindingBook book;
  book.entries[0] = entry_of(FindingKind::race);
  book.entries[1] = entry_of(FindingKind::leak);
  book.count = 1;
  const auto entries = read_book(book);
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].kind, FindingKind::race);
}

TEST(FindingBook, ABookThatWasNeverBegunIsEmpty) {
  auto book = std::make_unique<FindingBook>();
  std::memset(static_cast<void*>(book.get()), 0, sizeof *book);
  EXPECT_TRUE(read_book(*book).empty());
}

TEST(FindingBook, CountsAndKindsThatCannotBeAreNotBelieved) {
  FindingBook book;
  book.count = 4'000'000'000u;
  book.entries[0] = entry_of(static_cast<FindingKind>(0));
  book.entries[1] = entry_of(static_cast<FindingKind>(last_finding_kind + 1));
  EXPECT_EQ(read_book(book).size(), most_findings - 2);
}

TEST(FindingBook, TextsEnd) {
  FindingBook book;
  book.count = 1;
  std::memset(book.entries[0].kernel, 'k', sizeof book.entries[0].kernel);
  std::memset(book.entries[0].object, 'o', sizeof book.entries[0].object);
  const auto entries = read_book(book);
  EXPECT_EQ(std::strlen(entries[0].kernel), sizeof book.entries[0].kernel - 1);
  EXPECT_EQ(std::strlen(entries[0].object), sizeof book.entries[0].object - 1);
}

TEST(FindingBook, RandomBytesGiveWellFormedEntriesOrNone) {
  std::mt19937 random(1);
  const auto book = std::make_unique<FindingBook>();
  for (int round = 0; round < 200; ++round) {
    auto* raw = reinterpret_cast<unsigned char*>(book.get());
    for (std::size_t i = 0; i < sizeof *book; ++i) raw[i] = static_cast<unsigned char>(random() % 16);
    book->magic = finding_book_magic;
    for (const FindingEntry& entry : read_book(*book)) {
      EXPECT_LE(static_cast<std::uint32_t>(entry.kind), last_finding_kind);
      EXPECT_LE(static_cast<std::uint32_t>(entry.space), static_cast<std::uint32_t>(MemorySpace::host));
      EXPECT_GE(entry.parameter, -1);
    }
  }
}

TEST(FindingBook, CountsOfAHostileWorkerAreReadWithinTheirBounds) {
  const auto book = std::make_unique<FindingBook>();
  book->launches = 1000;
  std::fill(std::begin(book->counts[0].kernel), std::end(book->counts[0].kernel), 'x');
  const auto counts = read_counts(*book);
  ASSERT_EQ(counts.size(), most_counted);
  EXPECT_EQ(std::string(counts[0].kernel).size(), sizeof book->counts[0].kernel - 1);
  book->magic = 0;
  EXPECT_TRUE(read_counts(*book).empty());
}

}  // namespace kgrade::gate_test
