#include "contest/seat.h"

namespace kgrade {
namespace {

constexpr std::uint64_t element_bytes = sizeof(float);

}  // namespace

Result<std::unique_ptr<Seat>> Seat::take(Device& device, const Problem& problem) {
  auto worker = WorkerProcess::start(device.worker_command());
  if (!worker) return worker.errors();
  return take_with(device, problem, std::move(*worker));
}

std::unique_ptr<Seat> Seat::take_with(Device& device, const Problem& problem,
                                      std::unique_ptr<WorkerProcess> worker) {
  return std::unique_ptr<Seat>(new Seat(device, problem, std::move(worker)));
}

Result<Answer> Seat::sit(const Case& bound, bool inputs_writable, Patience patience) {
  lease_.reset();
  auto lease = Lease::make(device_, problem_, bound, element_bytes);
  if (!lease) return lease.errors();
  lease_ = std::move(*lease);
  return lease_->lend_to(*worker_, inputs_writable, patience);
}

CallReport Seat::checked_call(const Draw& draw, std::uint64_t poison_key, std::uint32_t call,
                              Patience patience) {
  lease_->refresh(draw, poison_key, call);
  const Answer answer = worker_->call(lease_->slots(), patience);
  CallReport report;
  report.fault = answer.fault;
  report.detail = answer.detail;
  report.wall_ms = answer.wall_ms;
  if (answer.ok()) {
    report.cuda_error = answer.reply.error;
    report.memory_limit_bytes = answer.reply.limit_bytes;
    report.elapsed_ms = answer.reply.elapsed_ms;
    report.latency_hidden = answer.reply.latency_hidden != 0;
  }
  report.damage = lease_->inspect();
  return report;
}

std::vector<OutputComparison> compare_outputs(Device& device, const Lease& actual, const Lease& expected) {
  std::vector<OutputComparison> comparisons;
  const auto ours = actual.outputs();
  const auto theirs = expected.outputs();
  for (std::size_t i = 0; i < ours.size(); ++i) {
    const Tensor& tensor = *ours[i].tensor;
    comparisons.push_back({tensor.name, tensor.shape,
                           device.compare(*ours[i].buffer, ours[i].begin, *theirs[i].buffer, theirs[i].begin,
                                          static_cast<std::uint64_t>(tensor.elements))});
  }
  return comparisons;
}

}  // namespace kgrade
