// A service for tests, without a network. The clock is the test's.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "base/temporary_directory.h"
#include "base/text.h"
#include "problem/problem.h"
#include "serve/service.h"
#include "tests/sweep/results.h"

namespace kgrade::test {

using Json = nlohmann::json;
inline const Client ann = {"ann", false};
inline const Client bob = {"bob", false};

inline std::string body(Json more = Json::object()) {
  Json json = {{"problem", "softmax"}, {"candidate", {{"name", "a.cu"}, {"source", "text"}}}};
  json.update(more);
  return json.dump();
}

// There is one problem, softmax.
struct ServiceTest : ::testing::Test {
  void open(std::vector<std::string> devices = {}) {
    service.reset();
    ServiceOptions options;
    options.state = folder.path() / "state";
    options.problems.emplace("softmax", softmax);
    options.devices = std::move(devices);
    options.lane_command = lane_command;
    options.build_jobs = build_jobs;
    options.limits = limits;
    options.contest = contest;
    options.clock = [this] { return now; };
    auto opened = Service::open(std::move(options));
    ASSERT_TRUE(opened.ok());
    service = std::move(*opened);
  }

  std::string submit(const Client& client = ann, const std::string& text = body()) {
    const std::string id = std::get<std::string>(service->submit(client, "", text));
    service->commit();
    return id;
  }

  void tick() {
    service->go_on();
    service->commit();
  }

  // Looks at the clock every second, as a service that is not stopped meanwhile.
  void pass(double seconds) {
    for (const double end = now + seconds; now < end; now += 1) tick();
    tick();
  }

  // The jobs that the lane gets, if any wait. `lease` is then its lease.
  std::vector<std::string> ask(const std::string& lane, std::size_t most = 32) {
    lease.clear();
    service->wait_for_work({lane, "NVIDIA H200", most}, 0, [this](const std::string& got) { lease = got; });
    now += 0.1;
    tick();
    std::vector<std::string> ids;
    const auto batch = service->batch_of(lease);
    for (const auto& job : batch["jobs"]) ids.push_back(job["id"]);
    return ids;
  }

  bool tell(const LeaseReport& report) {
    const bool is_known = service->hear(lease, report).has_value();
    service->commit();
    return is_known;
  }

  bool tell_begun(const std::string& id) {
    LeaseReport report;
    report.begun = {id};
    return tell(report);
  }

  bool grade(const std::string& id, const Record& with) {
    LeaseReport report;
    report.results.push_back({id, to_text(with), "", ""});
    return tell(report);
  }

  bool fail(const std::string& id, bool had_begun) {
    LeaseReport report;
    if (had_begun) report.begun = {id};
    report.results.push_back({id, "", "machine", "it broke"});
    return tell(report);
  }

  bool give_back() {
    LeaseReport report;
    report.is_released = true;
    return tell(report);
  }

  Json result(const std::string& id, const char* owner = "ann") {
    const GradeJob* const job = service->find(owner, id);
    return job == nullptr ? Json() : Json(service->view_of(*job, View::reward));
  }

  Record record() const {
    Record record = result_record("a.cu");
    record.problem_sha256 = softmax.content_sha256;
    record.candidates[0].sha256 = sha256_hex("text");
    return record;
  }

  TemporaryDirectory folder;
  Problem softmax = load_problem(KGRADE_SOURCE_DIR "/problems/softmax.md").value();
  LaneCommand lane_command;
  int build_jobs = 0;
  ServiceLimits limits;
  std::optional<Contest> contest;
  double now = 1000;
  std::string lease;
  std::unique_ptr<Service> service;
};

}  // namespace kgrade::test
