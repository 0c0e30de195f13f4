// An exchange between a referee and a worker, and what must hold for every answer whatever the worker has
// sent.
#pragma once

#include <cmath>

#include "contest/contest.h"
#include "contest/worker_process.h"
#include "tests/fuzz/targets.h"
#include "verify/checks.h"

namespace kgrade::fuzz {

inline void expect_sound(const Answer& answer, const WorkerProcess& worker) {
  promise(answer.ok() == worker.alive() || (worker.alive() && may_go_on_after(answer.fault)),
          "a worker lives as long as it answers, and after a call that failed alone");
  promise(answer.ok() || !answer.detail.empty(), "a fault has words");
  promise(answer.reply.magic == message_magic && answer.reply.status <= last_reply_status,
          "what is accepted as an answer is one");
}

// The referee decides on the verdict of a call: a fault, an error and an invalid time do not pass.
inline void expect_not_believed(const Answer& answer) {
  CallReport report;
  report.fault = answer.fault;
  report.detail = answer.detail;
  report.call = answer.reply.call;
  report.wall_ms = report.settled_ms = 1000;
  const auto finding = review_call(report);
  if (finding) {
    promise(!finding->check.empty() && !finding->message.empty(), "a finding has a check and words");
    return;
  }
  promise(answer.ok() && answer.reply.call.error == 0, "a call that failed is not passed");
  promise(std::isfinite(report.call.elapsed_ms) && report.call.elapsed_ms > 0,
          "a time that cannot be is not passed");
}

// One call in the steps that a ContestantRunner takes. `before_step` is when the worker acts.
template <class Act>
Answer one_call(WorkerProcess& worker, std::uint32_t gate, WorkerProcess::Patience patience,
                Act before_step) {
  before_step();
  Answer answer = worker.begin_call({}, gate);
  if (answer.ok() && gate != 0) {
    before_step();
    worker.wait_until_queued(patience);
  }
  before_step();
  if (answer.ok()) answer = worker.end_call(patience);
  expect_sound(answer, worker);
  expect_not_believed(answer);
  if (!answer.ok()) return answer;
  before_step();
  answer = worker.settle(patience);
  expect_sound(answer, worker);
  return answer;
}

}  // namespace kgrade::fuzz
