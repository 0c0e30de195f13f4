#include "contest/seat.h"

namespace kgrade {
namespace {

constexpr std::uint64_t element_bytes = sizeof(float);

}  // namespace

Result<std::unique_ptr<Seat>> Seat::take(Device& device, const Problem& problem) {
  auto worker = WorkerProcess::start(device.worker_command());
  if (!worker) return worker.errors();
  return std::unique_ptr<Seat>(new Seat(device, problem, std::move(*worker)));
}

Result<Answer> Seat::sit(const Case& bound, bool inputs_writable, Patience patience) {
  lease_.reset();
  auto lease = Lease::make(device_, problem_, bound, element_bytes);
  if (!lease) return lease.errors();
  lease_ = std::move(*lease);
  return lease_->lend_to(*worker_, inputs_writable, patience);
}

}  // namespace kgrade
