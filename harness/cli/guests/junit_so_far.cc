#include "cli/guests/junit_so_far.h"

#include <set>
#include <tuple>
#include <utility>

#include "base/cleanup.h"
#include "base/text.h"

namespace kgrade::cli {
namespace {

constexpr const char* cut_short = "the sweep was cut short before it";

// The parts of a record that JUnit shows. Cases are left out.
Record summary_of(const Record& record) {
  Record summary;
  static_cast<RunRecord&>(summary) = record;
  summary.candidates.resize(1);
  summary.candidate().path = record.candidate().path;
  summary.candidate().verdict = record.candidate().verdict;
  summary.candidate().message = record.candidate().message;
  return summary;
}

}  // namespace

JunitSoFar::JunitSoFar(const SweepPlan& plan, std::string file) : plan_(plan), file_(std::move(file)) {
  if (!file_.empty()) Cleanup::of_this_process().set_last_action([this] { (void)write(); });
}

JunitSoFar::~JunitSoFar() { Cleanup::of_this_process().set_last_action(nullptr); }

void JunitSoFar::take(const Record& record) {
  if (file_.empty()) return;
  const std::lock_guard lock(mutex_);
  records_.push_back(summary_of(record));
}

Result<bool> JunitSoFar::write() {
  if (file_.empty()) return true;
  const std::lock_guard lock(mutex_);
  using Name = std::tuple<std::string, Dtype, std::string>;
  std::set<Name> graded;
  for (const Record& record : records_)
    graded.insert({record.problem_slug, record.dtype, record.candidate().path});
  const std::string device = records_.empty() ? "" : records_.front().device.name;
  std::vector<Ungraded> ungraded;
  const auto add = [&](const UngradedCandidate& one) {
    if (graded.contains({one.slug, one.dtype, one.candidate.string()})) return;
    ungraded.push_back({one.slug, one.dtype, device, one.candidate.string(), one.message, utc_now()});
  };
  for (std::size_t task = 0; task < plan_.tasks.size(); ++task) add(without_verdict(plan_, task, cut_short));
  for (const UngradedCandidate& one : plan_.refused) add(one);
  return write_file_atomically(file_, junit_xml(records_, ungraded));
}

}  // namespace kgrade::cli
