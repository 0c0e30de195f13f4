// A device with room for so many bytes of buffers, in which another one's lie.
#pragma once

#include <memory>
#include <utility>

#include "device/device.h"

namespace kgrade::test {

class SmallDevice : public Device {
 public:
  SmallDevice(std::unique_ptr<Device> device, std::uint64_t bytes)
      : device_(std::move(device)), free_(std::make_shared<std::uint64_t>(bytes)) {}

  DeviceInfo info() const override { return device_->info(); }
  std::uint64_t free_bytes() const override { return *free_; }
  Result<std::unique_ptr<SharedBuffer>> allocate(std::uint64_t bytes) override {
    if (bytes > *free_) return Error{"cannot get so much memory", "", {}};
    auto buffer = device_->allocate(bytes);
    if (!buffer) return buffer;
    return std::unique_ptr<SharedBuffer>(new Buffer(std::move(*buffer), free_));
  }
  void poison(std::span<const Filling> fillings) override { device_->poison(inner(fillings)); }
  using Device::reveal;
  std::chrono::nanoseconds reveal(std::span<const Filling> fillings, GateOpening opening) override {
    return device_->reveal(inner(fillings), opening);
  }
  void begin_inspection(std::span<const Filling> fillings, std::span<const OutputPair> outputs) override {
    pairs_.assign(outputs.begin(), outputs.end());
    for (OutputPair& pair : pairs_) {
      pair.actual = inner(pair.actual);
      pair.expected = inner(pair.expected);
    }
    device_->begin_inspection(inner(fillings), pairs_);
  }
  Inspection end_inspection() override { return device_->end_inspection(); }
  std::uint64_t count_unwritten(const Filling& filling) override {
    return device_->count_unwritten(inner({&filling, 1})[0]);
  }
  std::uint64_t count_wrong(const OutputPair& output, double limit) override {
    OutputPair pair = output;
    pair.actual = inner(pair.actual);
    pair.expected = inner(pair.expected);
    return device_->count_wrong(pair, limit);
  }
  std::vector<double> sample(SharedBuffer& buffer, std::uint64_t begin, std::uint64_t elements,
                             Dtype dtype) override {
    return device_->sample(*inner(&buffer), begin, elements, dtype);
  }
  void read(SharedBuffer& buffer, std::uint64_t begin, void* destination, std::uint64_t bytes) override {
    device_->read(*inner(&buffer), begin, destination, bytes);
  }
  void write(SharedBuffer& buffer, std::uint64_t begin, const void* source, std::uint64_t bytes) override {
    device_->write(*inner(&buffer), begin, source, bytes);
  }
  std::uint64_t room_to_move() const override { return device_->room_to_move(); }
  std::optional<Error> prove_healthy() override { return device_->prove_healthy(); }
  std::vector<std::string> worker_command() const override { return device_->worker_command(); }

 protected:
  SandboxPolicy worker_policy() const override { return {}; }

 private:
  struct Buffer : SharedBuffer {
    Buffer(std::unique_ptr<SharedBuffer> of_device, std::shared_ptr<std::uint64_t> free)
        : buffer(std::move(of_device)), left(std::move(free)) {
      *left -= buffer->bytes();
    }
    ~Buffer() override { *left += buffer->bytes(); }
    int descriptor() const override { return buffer->descriptor(); }
    int read_only_descriptor() const override { return buffer->read_only_descriptor(); }
    std::uint64_t bytes() const override { return buffer->bytes(); }

    std::unique_ptr<SharedBuffer> buffer;
    std::shared_ptr<std::uint64_t> left;
  };

  static SharedBuffer* inner(SharedBuffer* buffer) { return static_cast<Buffer*>(buffer)->buffer.get(); }
  std::span<const Filling> inner(std::span<const Filling> fillings) {
    fillings_.assign(fillings.begin(), fillings.end());
    for (Filling& filling : fillings_) filling.buffer = inner(filling.buffer);
    return fillings_;
  }

  std::unique_ptr<Device> device_;
  std::shared_ptr<std::uint64_t> free_;
  std::vector<Filling> fillings_;
  std::vector<OutputPair> pairs_;
};

}  // namespace kgrade::test
