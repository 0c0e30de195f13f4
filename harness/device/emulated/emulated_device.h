// The emulated device from the referee's side: buffers are memory files, the work is done by the CPU.
#pragma once

#include "device/device.h"
#include "device/thread_order.h"

namespace kgrade::emulated {

class EmulatedDevice : public Device {
 public:
  // Workers run threads in this order; shuffled ones are drawn from the seed, which contestants can find out.
  explicit EmulatedDevice(std::string worker_directory, ThreadOrder order = ThreadOrder::forward,
                          std::uint64_t order_seed = 0)
      : worker_directory_(std::move(worker_directory)), order_(order), order_seed_(order_seed) {}

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
  std::vector<std::string> worker_command() const override { return worker_command_in(order_, order_seed_); }
  std::vector<std::string> worker_command_in(ThreadOrder order, std::uint64_t seed) const override;

 private:
  std::string worker_directory_;
  ThreadOrder order_;
  std::uint64_t order_seed_;
};

}  // namespace kgrade::emulated
