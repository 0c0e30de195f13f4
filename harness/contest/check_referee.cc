#include "contest/check_referee.h"

#include <vector>

#include "base/text.h"
#include "draw/seed.h"

namespace kgrade {
namespace {

constexpr Patience oracle_patience{300'000};
// A worker below a tool takes its time until it is there.
constexpr Patience worker_patience{120'000};
constexpr Patience load_patience{60'000};
// For a tool to write down what it saw, leaks too.
constexpr Patience farewell_patience{60'000};
constexpr std::uint64_t report_limit = 64 << 20;

}  // namespace

CheckReferee::CheckReferee(Device& device, const Problem& problem, Seat& oracle,
                           std::optional<Sanitizer> sanitizer, std::uint64_t order_seed)
    : device_(device),
      problem_(problem),
      oracle_(oracle),
      sanitizer_(std::move(sanitizer)),
      order_seed_(order_seed),
      poison_key_(random_seed()) {}

Result<CallReport> CheckReferee::call_oracle(const Case& bound, const Draw& draw) {
  LeaseTerms terms;
  terms.widens = true;
  auto seated = oracle_.lend(bound, false, terms, lending_patience);
  if (!seated) return seated.errors();
  if (seated->ok())
    return oracle_.checked_call(draw, poison_key_, ++calls_, oracle_patience, &oracle_.lease());
  CallReport report;
  report.fault = seated->fault;
  report.detail = seated->detail;
  return report;
}

Result<std::unique_ptr<WorkerProcess>> CheckReferee::start_worker(const CheckPass& pass) {
  if (!sanitizer_) {
    const std::vector<std::string> command = device_.worker_command_in(pass.order, order_seed_);
    return WorkerProcess::start(device_.confined(command, problem_.libraries));
  }
  folder_ = std::make_unique<TemporaryDirectory>();
  std::vector<std::string> worker = device_.worker_command();
  worker.insert(worker.end(), {"--connect", (folder_->path() / WorkerProcess::socket_name).string()});
  // The tool is a program that starts others, has libraries of its own, and writes its report.
  SandboxPolicy tool;
  tool.readable = sanitizer_->needs();
  tool.writable = {folder_->path()};
  tool.starts_programs = true;
  return WorkerProcess::start_connecting(
      device_.confined(sanitizer_->command(pass.name, folder_->path() / "report", worker), Libraries::any,
                       tool),
      folder_->path());
}

Result<Answer> CheckReferee::watch() {
  auto book = device_.allocate(sizeof(FindingBook));
  if (!book) return book.errors();
  book_ = std::move(*book);
  return seat_->worker().watch(*book_, lending_patience);
}

Result<Answer> CheckReferee::enter(const CheckPass& pass, const Case& bound) {
  auto worker = start_worker(pass);
  if (!worker) return worker.errors();
  seat_ = Seat::take_with(device_, problem_, std::move(*worker));
  Answer answer = seat_->await_ready(worker_patience);
  if (answer.ok() && !sanitizer_) {
    auto watching = watch();
    if (!watching) return watching.errors();
    answer = *watching;
  }
  if (!answer.ok()) {
    return Error{"a worker cannot use the device: " + answer.detail,
                 "run `kgrade doctor`; another program may hold the GPU",
                 {}};
  }
  answer = seat_->load(library_, load_patience);
  if (!answer.ok()) return answer;
  // On a GPU the contestant gets copies anyway, and what it changes in those of inputs is looked at.
  return seat_->lend(bound, sanitizer_.has_value(), {}, lending_patience);
}

CallReport CheckReferee::call(const Draw& draw, Patience patience) {
  return seat_->checked_call(draw, poison_key_, ++calls_, patience);
}

std::vector<OutputComparison> CheckReferee::compare() {
  return compare_outputs(seat_->lease(), oracle_.lease());
}

Evidence CheckReferee::leave() {
  Evidence evidence;
  if (sanitizer_) {
    seat_->worker().dismiss(farewell_patience);
    if (auto report = read_text_file(folder_->path() / "report", report_limit)) {
      evidence.tool_report = std::move(*report);
    }
  } else {
    if (seat_->alive()) seat_->retire();
    const auto book = std::make_unique<FindingBook>();
    device_.read(*book_, 0, book.get(), sizeof *book);
    evidence.entries = read_book(*book);
    if (book->magic == finding_book_magic) evidence.dropped = book->dropped;
  }
  seat_.reset();
  book_.reset();
  folder_.reset();
  return evidence;
}

}  // namespace kgrade
