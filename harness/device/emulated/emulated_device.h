// The emulated device from the referee's side: buffers are memory files, and the CPU does the work.
#pragma once

#include "device/device.h"
#include "device/thread_order.h"

namespace kgrade::emulated {

class EmulatedDevice : public Device {
 public:
  // Workers run threads in this order. A shuffled order is drawn from the seed. Contestants can find out this
  // seed.
  explicit EmulatedDevice(std::string worker_directory, ThreadOrder order = ThreadOrder::forward,
                          std::uint64_t order_seed = 0)
      : worker_directory_(std::move(worker_directory)), order_(order), order_seed_(order_seed) {}

  DeviceInfo info() const override;
  std::uint64_t free_bytes() const override;
  Result<std::unique_ptr<SharedBuffer>> allocate(std::uint64_t bytes) override;
  void poison(std::span<const Filling> fillings) override;
  using Device::reveal;
  std::chrono::nanoseconds reveal(std::span<const Filling> fillings, GateOpening opening) override;
  void begin_inspection(std::span<const Filling> fillings, std::span<const OutputPair> outputs) override;
  Inspection end_inspection() override;
  std::uint64_t count_unwritten(const Filling& filling) override;
  std::uint64_t count_wrong(const OutputPair& output, double limit) override;
  RuleCount count_by_rule(const OutputPair& output, const SetRule& rule) override;
  std::vector<double> sample(SharedBuffer& buffer, std::uint64_t begin, std::uint64_t elements,
                             Dtype dtype) override;
  void read(SharedBuffer& buffer, std::uint64_t begin, void* destination, std::uint64_t bytes) override;
  void write(SharedBuffer& buffer, std::uint64_t begin, const void* source, std::uint64_t bytes) override;
  std::uint64_t room_to_move() const override { return std::uint64_t{64} << 10; }
  std::optional<Error> prove_healthy() override { return std::nullopt; }
  std::vector<std::string> worker_command() const override { return worker_command_in(order_, order_seed_); }
  std::vector<std::string> worker_command_in(ThreadOrder order, std::uint64_t seed) const override;

 protected:
  SandboxPolicy worker_policy() const override;

 private:
  std::span<const Filling> inspected_;
  std::chrono::steady_clock::time_point revealed_;  // when inputs were in place
  Inspection inspection_;                           // its result so far
  std::string worker_directory_;
  ThreadOrder order_;
  std::uint64_t order_seed_;
};

}  // namespace kgrade::emulated
