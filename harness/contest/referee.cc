#include "contest/referee.h"

#include "data/seed.h"

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

Referee::Referee(Device& device, const Problem& problem)
    : device_(device), problem_(problem), poison_key_(random_seed()) {}

CallReport Referee::call(Seat& seat, const Draw& draw, Seat::Patience patience) {
  Lease& lease = seat.lease();
  lease.refresh(draw, poison_key_, ++calls_);
  const Answer answer = seat.worker().call(lease.slots(), patience);
  CallReport report;
  report.fault = answer.fault;
  report.detail = answer.detail;
  report.wall_ms = answer.wall_ms;
  if (answer.ok()) {
    report.cuda_error = answer.reply.error;
    report.elapsed_ms = answer.reply.elapsed_ms;
    report.latency_hidden = answer.reply.latency_hidden != 0;
  }
  report.damage = lease.inspect();
  return report;
}

std::vector<OutputComparison> Referee::compare(Seat& seat, Seat& oracle) {
  std::vector<OutputComparison> comparisons;
  const auto actual = seat.lease().outputs();
  const auto expected = oracle.lease().outputs();
  for (std::size_t i = 0; i < actual.size(); ++i) {
    const Tensor& tensor = *actual[i].tensor;
    comparisons.push_back({tensor.name, tensor.shape,
                           device_.compare(*actual[i].buffer, actual[i].begin, *expected[i].buffer,
                                           expected[i].begin, static_cast<std::uint64_t>(tensor.elements))});
  }
  return comparisons;
}

std::uint64_t Referee::count_wrong(Seat& seat, Seat& oracle, std::size_t output, double limit) {
  const auto actual = seat.lease().outputs().at(output);
  const auto expected = oracle.lease().outputs().at(output);
  return device_.count_wrong(*actual.buffer, actual.begin, *expected.buffer, expected.begin,
                             static_cast<std::uint64_t>(actual.tensor->elements), limit);
}

std::uint64_t Referee::count_unwritten(Seat& seat, std::size_t output) {
  return seat.lease().unwritten_elements(seat.lease().outputs().at(output));
}

Lease::Damage Referee::diagnose(const std::filesystem::path& library, const Case& bound, const Draw& draw,
                                Seat::Patience patience) {
  auto seat = Seat::take(device_, problem_);
  if (!seat || !(*seat)->load(library, patience).ok()) return {};
  const auto seated = (*seat)->sit(bound, true, patience);
  if (!seated || !seated->ok()) return {};
  return call(**seat, draw, patience).damage;
}

}  // namespace kgrade
