// The emulated device from the referee's side: buffers are memory files, the work is done by the CPU.
#pragma once

#include "device/device.h"

namespace kgrade::emulated {

class EmulatedDevice : public Device {
 public:
  explicit EmulatedDevice(std::string worker_directory) : worker_directory_(std::move(worker_directory)) {}

  DeviceInfo info() const override;
  std::uint64_t free_bytes() const override;
  Result<std::unique_ptr<SharedBuffer>> allocate(std::uint64_t bytes) override;
  void fill_random_bytes(SharedBuffer& buffer, std::uint64_t begin, std::uint64_t end,
                         const RandomStream& stream) override;
  std::uint64_t count_changed_bytes(SharedBuffer& buffer, std::uint64_t begin, std::uint64_t end,
                                    const RandomStream& stream) override;
  std::uint64_t count_unwritten_words(SharedBuffer& buffer, std::uint64_t begin, std::uint64_t end,
                                      const RandomStream& stream) override;
  void fill_input(SharedBuffer& buffer, std::uint64_t begin, std::uint64_t elements,
                  const Distribution& distribution, const RandomStream& stream) override;
  std::uint64_t count_changed_elements(SharedBuffer& buffer, std::uint64_t begin, std::uint64_t elements,
                                       const Distribution& distribution, const RandomStream& stream) override;
  Comparison compare(SharedBuffer& actual, std::uint64_t actual_begin, SharedBuffer& expected,
                     std::uint64_t expected_begin, std::uint64_t elements) override;
  std::uint64_t count_wrong(SharedBuffer& actual, std::uint64_t actual_begin, SharedBuffer& expected,
                            std::uint64_t expected_begin, std::uint64_t elements, double limit) override;
  void read(SharedBuffer& buffer, std::uint64_t begin, void* destination, std::uint64_t bytes) override;
  std::vector<std::string> worker_command() const override;

 private:
  std::string worker_directory_;
};

}  // namespace kgrade::emulated
