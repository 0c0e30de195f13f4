// What a service does with jobs that it has given to lanes on other machines, without a network.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "serve/journal.h"
#include "tests/serve/front_link_fixture.h"
#include "tests/serve/service_fixture.h"
#include "tests/support/canned_results.h"

namespace kgrade::service_lanes_test {

using Json = nlohmann::json;
using test::ann;
using test::bob;
using test::frame;
using test::ready_frame;
using test::ServiceTest;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

TEST_F(ServiceTest, GivesNoWorkToALaneThatStillStarts) {
  open_elsewhere(2);
  const std::string first = submit(), second = submit();
  tick();
  EXPECT_THAT(jobs_of(0), IsEmpty());
  EXPECT_EQ(service->capacity("ann")["lanes"][0]["state"], "starting");
  EXPECT_FALSE(service->is_healthy());
  EXPECT_THAT(ask(1), ElementsAre(first, second)) << "the share of the lane that is there";
  EXPECT_TRUE(service->is_healthy());
  EXPECT_THAT(jobs_of(0), IsEmpty());
}

TEST_F(ServiceTest, GivesAFailedJobToAnotherLaneIfThereIsOne) {
  open_elsewhere(2);
  const std::string id = submit();
  ASSERT_THAT(ask(0), ElementsAre(id));
  // The other lane is at work, and will be free.
  const std::string filler = submit(bob);
  ASSERT_THAT(ask(1), ElementsAre(filler));
  fail(id, true, 0);
  ASSERT_THAT(fakes, SizeIs(3)) << "the lane is started again";
  EXPECT_THAT(ask(2), IsEmpty());
  grade(filler, record(), 1);
  EXPECT_THAT(jobs_of(1), ElementsAre(id));
}

TEST_F(ServiceTest, GivesAFailedJobToTheSameLaneIfThereIsNoOther) {
  open_elsewhere();
  const std::string id = submit();
  ASSERT_THAT(ask(0), ElementsAre(id));
  fail(id, true, 0);
  EXPECT_THAT(ask(1), ElementsAre(id));
}

// Each time it is started anew.
TEST_F(ServiceTest, GivesNoWorkToALaneThatRefusesThreeTimes) {
  open_elsewhere();
  std::vector<std::string> ids;
  for (int i = 0; i < 5; ++i) ids.push_back(submit());
  for (std::size_t lane = 0; lane < 3; ++lane) {
    const auto got = ask(lane);
    ASSERT_FALSE(got.empty());
    fail(got.front(), false, lane);
  }
  EXPECT_THAT(fakes, SizeIs(3));
  EXPECT_EQ(service->capacity("ann")["lanes"][0]["state"], "quarantined");
  EXPECT_FALSE(service->is_healthy());
  pass(61);
  ASSERT_THAT(fakes, SizeIs(4));
  EXPECT_FALSE(ask(3).empty());
}

TEST_F(ServiceTest, ALaneThatEndsLosesNoJob) {
  open_elsewhere();
  const std::string first = submit(), second = submit();
  ASSERT_THAT(ask(0), ElementsAre(first, second));
  begin(first);
  fakes[0].socket.reset();
  tick();
  ASSERT_THAT(ask(1), ElementsAre(first)) << "alone";
  grade(first, record(), 1);
  EXPECT_EQ(result(first)["verdict"], "accepted");
  EXPECT_THAT(jobs_of(1), ElementsAre(second));
}

TEST_F(ServiceTest, ACandidateThatEndsTwoLanesHasNoVerdict) {
  open_elsewhere();
  const std::string id = submit();
  for (std::size_t lane = 0; lane < 2; ++lane) {
    ASSERT_THAT(ask(lane), ElementsAre(id));
    begin(id, lane);
    fakes[lane].socket.reset();
    tick();
  }
  EXPECT_EQ(result(id)["outcome"], "failed");
  EXPECT_EQ(result(id)["fault"], "machine");
}

// A record that comes for a batch of before, or in the middle of a line.
TEST_F(ServiceTest, TakesNoAnswerToAnotherBatch) {
  open_elsewhere();
  const std::string id = submit();
  ASSERT_THAT(ask(0), ElementsAre(id));
  Record with = record();
  with.candidates[0].path = fakes[0].job.candidates[0];
  LaneMessage late{LaneMessage::Kind::graded, 0, to_text(with)};
  late.batch = std::string(32, '0');
  fakes[0].say(to_line(late));
  const std::string torn = to_line(late);
  fakes[0].say(torn.substr(0, torn.size() / 2));
  tick();
  EXPECT_EQ(result(id)["state"], "queued");
  grade(id, record());
  EXPECT_EQ(result(id)["verdict"], "accepted");
}

TEST_F(ServiceTest, ALaneOfAnotherBuildGetsNothing) {
  open_elsewhere();
  submit();
  LaneHello other = hello_of_this_program("auto");
  other.build = "0.0";
  fakes[0].say(to_line(other));
  tick();
  tick();
  EXPECT_THAT(jobs_of(0), IsEmpty());
}

TEST_F(ServiceTest, StopsAJobThatIsCancelled) {
  open_elsewhere();
  const std::string first = submit(), second = submit();
  ASSERT_THAT(ask(0), ElementsAre(first, second));
  begin(first);
  EXPECT_TRUE(service->cancel("ann", first));
  tick();
  char byte = 0;
  while (::recv(fakes[0].socket.get(), &byte, 1, MSG_DONTWAIT) == 1) {
  }
  EXPECT_EQ(::recv(fakes[0].socket.get(), &byte, 1, MSG_DONTWAIT), 0) << "its input has ended";
  EXPECT_THAT(ask(1), ElementsAre(second));
}

// What code can do to verdicts that has taken over the front, and has seen the tokens of all clients.

struct TakenOverFrontTest : test::FrontLinkTest {
  TakenOverFrontTest() {
    limits.body_bytes = limits.bodies_of_owner = limits.bodies = 1 << 20;
    connect();
    send(ready_frame);
    for (std::string& id : ids)
      id = parsed(request("POST", "/v1/grades", job, "anns", "key of " + id)).at("id");
    service->go_on();
    lane.say_hello();
    for (int i = 0; i < 2; ++i) service->go_on();
    EXPECT_EQ(lane.jobs(), ids);
  }

  // Sends a request, and returns the answer's body. The status is in `answered`.
  std::string request(const char* method, const std::string& target, const Json& json, const char* token,
                      const std::string& key = "") {
    const std::string text = json.dump();
    RequestHead head;
    head.request.method = method;
    head.request.target = target;
    head.request.authorization = std::string("Bearer ") + token;
    head.request.idempotency_key = key;
    head.length = text.size();
    const std::uint64_t exchange = ++last;
    send(frame(FrameKind::ask, exchange, to_payload(head)));
    if (goes_on(exchange)) send(frame(FrameKind::body, exchange, text) + frame(FrameKind::end, exchange));
    for (int i = 0; i < 10'000 && status(exchange) == 0; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      service->go_on();
      send("");
    }
    answered = status(exchange);
    EXPECT_NE(answered, 0) << method << ' ' << target;
    const std::string answer = body_of(exchange);
    send(frame(FrameKind::sent, exchange));
    EXPECT_EQ(link->fault(), "");
    return answer;
  }
  static Json parsed(const std::string& text) { return Json::parse(text); }

  static Record record() {
    Record record = test::result_record("a.cu");
    record.problem_sha256 = load_problem(KGRADE_SOURCE_DIR "/problems/softmax.md").value().content_sha256;
    record.candidates[0].sha256 = sha256_hex("text");
    record.candidates[0].verdict = Verdict::wrong_answer;
    return record;
  }

  // All that the service says of a job.
  std::string held(const std::string& id) const {
    const GradeJob* const found = service->find("ann", id);
    if (found == nullptr) return "nothing";
    return service->view_of(*found, View::reward).dump() + service->view_of(*found, View::record).dump();
  }

  const Json job = {{"problem", "softmax"}, {"candidate", {{"name", "a.cu"}, {"source", "text"}}}};
  std::vector<std::string> ids = {"0", "1"};
  std::uint64_t last = 0;
  std::uint32_t answered = 0;
};

TEST_F(TakenOverFrontTest, ChangesNoVerdictThatTheServiceHolds) {
  const std::string& id = ids[0];
  Record with = record();
  with.candidates[0].path = lane.job.candidates.at(lane.index_of(id));
  lane.grade(id, to_text(with));
  service->go_on();
  service->commit();
  const std::string before = held(id);
  ASSERT_NE(before.find(R"("verdict":"wrong_answer")"), before.npos) << before;
  const std::string grade = "/v1/grades/" + id;
  Record accepted = record();
  accepted.candidates[0].verdict = Verdict::accepted;
  const Json other_record = parsed(to_text(accepted));
  const std::vector<Json> bodies = {
      {{"results", Json::array({{{"id", id}, {"record", other_record}}})}},
      {{"kind", "graded"}, {"candidate", 0}, {"text", other_record.dump()}},
      {{"id", id}, {"state", "finished"}, {"outcome", "graded"}, {"verdict", "accepted"}},
      other_record,
  };
  for (const char* const token : {"anns", "bobs", "eves"}) {
    for (const Json& body : bodies) {
      for (const std::string& target : {grade, grade + "?view=record", std::string("/v1/wait")}) {
        for (const char* const method : {"POST", "PUT", "PATCH", "DELETE"}) {
          request(method, target, body, token);
          EXPECT_EQ(held(id), before) << token << ' ' << method << ' ' << target << ' ' << body;
        }
      }
    }
    // The key of the job, with the same body and with another one.
    for (const char* const source : {"text", "another text"}) {
      Json other = job;
      other["candidate"]["source"] = source;
      request("POST", "/v1/grades", other, token, "key of 0");
      EXPECT_EQ(held(id), before) << token;
    }
  }
  // Frames that only the service sends.
  const std::string verdict = R"({"id":")" + id + R"(","verdict":"accepted"})";
  for (const FrameKind kind : {FrameKind::answer, FrameKind::part, FrameKind::go_on, FrameKind::drop}) {
    connect();
    send(ready_frame + frame(kind, 1, verdict));
    EXPECT_NE(link->fault(), "");
    EXPECT_EQ(held(id), before);
  }

  // Nor does the journal say otherwise.
  link.reset();
  routes.reset();
  service.reset();
  auto journal = Journal::open(folder.path() / "state" / "journal.jsonl");
  ASSERT_TRUE(journal.ok());
  int ends = 0;
  const auto lines = journal->read();
  for (const std::string& line : lines.value()) {
    const Json json = parsed(line);
    if (json.at("id") != id || json.at("type") != "ended") continue;
    ends += 1;
    EXPECT_EQ(parsed(json.at("result")).at("verdict"), "wrong_answer");
  }
  EXPECT_EQ(ends, 1);
}

}  // namespace kgrade::service_lanes_test
