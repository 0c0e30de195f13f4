// A service for tests, without a network. The clock is the test's.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/temporary_directory.h"
#include "base/text.h"
#include "problem/problem.h"
#include "serve/service.h"
#include "tests/lanes/scripted_lane.h"
#include "tests/support/canned_results.h"

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
    options.start_lane = start_lane;
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

  // Opens the service with that many lanes elsewhere. None of them is there yet.
  void open_elsewhere(std::size_t lanes = 1) {
    fakes.clear();
    lane_command.is_elsewhere = true;
    start_lane = [this](std::size_t) -> Result<Lane> { return fakes.emplace_back().connect(); };
    std::vector<std::string> names;
    for (std::size_t i = 1; i <= lanes; ++i) names.push_back("lane " + std::to_string(i));
    open(names);
    tick();
  }

  // The jobs of a lane, by the order in which lanes were started. It says that it is there when it is first
  // asked for.
  std::vector<std::string> ask(std::size_t lane = 0) {
    fakes[lane].say_hello();
    now += 0.1;
    tick();
    tick();
    return jobs_of(lane);
  }

  std::vector<std::string> jobs_of(std::size_t lane) { return fakes[lane].jobs(); }

  void begin(const std::string& id, std::size_t lane = 0) {
    fakes[lane].begin(id);
    tick();
  }

  void grade(const std::string& id, const Record& with, std::size_t lane = 0) {
    fakes[lane].grade(id, result_of(id, with, fakes[lane]));
    tick();
  }

  // The lane gives its batch back: with one begun, or as a machine that cannot grade.
  void fail(const std::string& id, bool had_begun, std::size_t lane = 0) {
    if (had_begun) fakes[lane].begin(id);
    fakes[lane].fail(exit_machine);
    // The service starts it again.
    tick();
  }

  Json result(const std::string& id, const char* owner = "ann") {
    const GradeJob* const job = service->find(owner, id);
    return job == nullptr ? Json() : Json(service->view_of(*job, View::reward));
  }

  // As the lane would name the candidate.
  static std::string result_of(const std::string& id, Record with, const ScriptedLane& lane) {
    with.candidates[0].path = lane.job.candidates.at(lane.index_of(id));
    return to_text(with);
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
  std::optional<Competition> contest;
  double now = 1000;
  std::function<Result<Lane>(std::size_t)> start_lane;
  std::deque<ScriptedLane> fakes;  // every lane that was started, in this order
  std::unique_ptr<Service> service;
};

}  // namespace kgrade::test
