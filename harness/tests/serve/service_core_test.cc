// What a service does with jobs and lanes as time passes, without a network. The clock is the test's.
#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "serve/routes.h"
#include "tests/serve/service_fixture.h"

namespace kgrade::service_core_test {

using test::ann;
using test::bob;
using test::body;
using test::Json;
using test::ServiceTest;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

TEST_F(ServiceTest, ForgetsTheOldestResultsOfTheOwnerWhoKeepsMost) {
  limits.kept = 3;
  open();
  const std::string bobs = submit(bob, body({{"deadline_s", 0.001}}));
  std::vector<std::string> anns;
  for (int i = 0; i < 5; ++i) {
    anns.push_back(submit(ann, body({{"deadline_s", 0.001}})));
    pass(1);
  }
  EXPECT_EQ(service->find("ann", anns[2]), nullptr);
  EXPECT_NE(service->find("ann", anns[3]), nullptr);
  EXPECT_NE(service->find("bob", bobs), nullptr);
  open();
  EXPECT_EQ(result(anns[4])["state"], "expired");
  EXPECT_EQ(service->find("ann", anns[2]), nullptr);
}

TEST_F(ServiceTest, KeepsRecordsOfSoManyBytesAtMost) {
  limits.kept_bytes = to_text(record()).size() * 5 / 2;
  open_elsewhere();
  std::vector<std::string> ids;
  for (int i = 0; i < 4; ++i) {
    ids.push_back(submit());
    ask();
    grade(ids[i], record());
  }
  pass(1);
  const auto records = [this] {
    return std::distance(std::filesystem::directory_iterator(folder.path() / "state/records"),
                         std::filesystem::directory_iterator());
  };
  EXPECT_LE(records(), 2);
  EXPECT_EQ(service->find("ann", ids[0]), nullptr);
  ASSERT_NE(service->find("ann", ids[3]), nullptr);
  EXPECT_FALSE(service->view_of(*service->find("ann", ids[3]), View::record).is_null());
  // A record whose job is not known any more is removed at the start.
  std::ofstream(folder.path() / "state/records/g_lost.json") << "{}";
  const auto before = records();
  open();
  EXPECT_EQ(records(), before - 1);
}

TEST_F(ServiceTest, TakesNoRecordOfAnotherCandidateOrProblem) {
  open_elsewhere();
  for (const bool is_other_problem : {true, false}) {
    const std::string id = submit();
    Record other = record();
    (is_other_problem ? other.problem_sha256 : other.candidates[0].sha256) = std::string(64, '0');
    for (int attempt = 0; attempt < 2; ++attempt) {
      ASSERT_THAT(ask(fakes.size() - 1), ElementsAre(id));
      grade(id, other, fakes.size() - 1);  // a lane that does so is started again
    }
    EXPECT_EQ(result(id)["outcome"], "failed");
    EXPECT_EQ(result(id)["fault"], "service");
  }
  const std::string id = submit();
  ask(fakes.size() - 1);
  grade(id, record(), fakes.size() - 1);
  EXPECT_EQ(result(id)["outcome"], "graded");
}

TEST_F(ServiceTest, KnowsTheHashOfACandidateWithHeaders) {
  open_elsewhere();
  const Json headers = {
      {"candidate", {{"name", "a.cu"}, {"source", "text"}, {"headers", {{"b.cuh", "int b;"}}}}}};
  const std::string id = submit(ann, body(headers));
  ask();
  Record right = record();
  right.candidates[0].sha256 = sha256_hex("\n4\ntextb.cuh\n6\nint b;");
  grade(id, right);
  EXPECT_EQ(result(id)["outcome"], "graded") << result(id);
}

TEST_F(ServiceTest, ChargesTimeWhileAJobRuns) {
  open_elsewhere();
  Client eve = {"eve", false};
  eve.quota_s = 10;
  submit(eve);
  ASSERT_THAT(ask(), SizeIs(1));
  pass(5);
  submit(eve);
  pass(10);
  EXPECT_EQ(std::get<Refusal>(service->submit(eve, "", body())).status, 429);
}

TEST_F(ServiceTest, ChargesNothingForAPauseOfItsOwn) {
  open_elsewhere();
  Client eve = {"eve", false};
  eve.quota_s = 10;
  const std::string id = submit(eve);
  ASSERT_THAT(ask(), SizeIs(1));
  now += 500;
  grade(id, record());  // read before the service looks at the clock
  submit(eve);
  ASSERT_THAT(ask(), SizeIs(1));
  now += 500;
  tick();
  pass(5);
  submit(eve);
  pass(10);
  EXPECT_EQ(std::get<Refusal>(service->submit(eve, "", body())).status, 429);
}

TEST_F(ServiceTest, ShowsJobsOnlyToTheirOwner) {
  open_elsewhere();
  const std::string id = submit();
  ask();
  begin(id);
  const auto own = service->capacity("ann")["lanes"][0];
  EXPECT_EQ(own["job"], id);
  EXPECT_EQ(own["problem"], "softmax");
  const auto others = service->capacity("bob")["lanes"][0];
  EXPECT_EQ(others["state"], "busy");
  EXPECT_EQ(others["device"], "lane 1");
  EXPECT_EQ(others["name"], hello_of_this_program("").host);
  EXPECT_TRUE(others["job"].is_null() && others["problem"].is_null());
}

TEST_F(ServiceTest, OfABatchOnlyThatRunsWhatHasBegun) {
  open_elsewhere();
  std::vector<std::string> ids;
  for (int i = 0; i < 4; ++i) ids.push_back(submit());
  ASSERT_THAT(ask(), SizeIs(4));
  EXPECT_EQ(service->capacity("bob")["running"], 0);
  begin(ids[0]);
  const auto capacity = service->capacity("bob");
  EXPECT_EQ(capacity["running"], 1);
  EXPECT_EQ(capacity["queued"], 3);
  EXPECT_EQ(capacity["by_owner"], Json({{"ann", 3}}));
  EXPECT_THAT(service->metrics(),
              AllOf(HasSubstr("kgrade_queued_jobs 3\n"), HasSubstr("kgrade_running_jobs 1\n")));
  const auto positions = service->positions("ann");
  const std::vector<Json> expected = {nullptr, 0, 1, 2};
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const GradeJob& job = *service->find("ann", ids[i]);
    EXPECT_EQ(service->status_of(job)["state"], i == 0 ? "running" : "queued");
    EXPECT_EQ(Json(service->status_of(job)["position"]), expected[i]);
    EXPECT_EQ(service->status_of(job, &positions), service->status_of(job));
  }
  // A job that waits in a batch can be cancelled. Its lane begins again with what is left.
  EXPECT_TRUE(service->cancel("ann", ids[1]));
  EXPECT_EQ(service->capacity("ann")["queued"], 3);
  EXPECT_EQ(service->capacity("ann")["running"], 0);
}

// The first grades of a service were divided by five minutes, and jobs that were cancelled counted as grades.
TEST_F(ServiceTest, KnowsItsRateSoonAfterItBegan) {
  open_elsewhere(3);
  const std::string first = submit(), second = submit(), third = submit();
  for (const std::size_t lane : {2, 1}) fakes[lane].say_hello();
  ASSERT_THAT(ask(), ElementsAre(first));
  pass(8);
  grade(first, record());
  EXPECT_TRUE(service->cancel("ann", second));
  const auto status = service->status_of(*service->find("ann", third));
  EXPECT_EQ(status["position"], 0);
  EXPECT_NEAR(status["estimate_s"].get<double>(), 8, 1);
  EXPECT_NEAR(service->capacity("ann")["grades_per_minute"].get<double>(), 60 / 8.0, 1);
}

TEST_F(ServiceTest, AnswersAtOnceToWhomDoesNotWait) {
  open();
  const std::string id = submit();
  int calls = 0;
  service->wait("ann", {id}, true, 0, [&calls] { ++calls; });
  ASSERT_TRUE(service->has_to_commit());
  service->commit();
  EXPECT_EQ(calls, 1);
}

TEST_F(ServiceTest, AnAnswerWithManyRecordsIsGivenUpWhenItGetsTooLong) {
  open_elsewhere();
  std::vector<std::string> ids;
  for (int i = 0; i < 4; ++i) {
    ids.push_back(submit({.owner = "local"}));
    ask();
    grade(ids[i], record());
  }
  const auto wait = [&](std::uint64_t longest, const Json& asked, const char* view) {
    Routes routes(*service, Tokens(), longest);
    HttpAnswer answer;
    HttpRequest request;
    request.method = "POST";
    request.target = "/v1/wait";
    request.body = Json{{"ids", asked}, {"view", view}}.dump();
    routes.handle(request, [&](HttpAnswer given) { answer = std::move(given); });
    service->commit();
    return answer;
  };
  const std::uint64_t size = wait(64 << 20, {ids[0]}, "record").body.size();
  // An id counts once, in its first place.
  const auto repeated = wait(2 * size, {ids[1], "no", ids[1], "no", ids[1]}, "record");
  ASSERT_EQ(repeated.status, 200);
  const Json lists = Json::parse(repeated.body);
  EXPECT_THAT(lists["finished"], SizeIs(1));
  EXPECT_EQ(lists["finished"][0]["candidates"][0]["sha256"], sha256_hex("text"));
  EXPECT_EQ(lists["unknown"], Json({"no"}));
  EXPECT_EQ(lists["pending"], Json::array());
  EXPECT_EQ(wait(64 << 20, ids, "record").status, 200);
  EXPECT_EQ(wait(size * 3, ids, "record").status, 413);
  EXPECT_EQ(wait(size * 3, ids, "reward").status, 200);
  // The first record is too long alone, so the others are not read: the text does not say how long they are.
  const auto refused = wait(size / 2, ids, "record");
  EXPECT_EQ(refused.status, 413);
  EXPECT_THAT(refused.body, HasSubstr("more than " + std::to_string(size / 2) + " bytes"));
}

// A lane on this machine, as a script that gets its job and its batch's id: $batch.
struct LaneTest : ServiceTest {
  void open_with(const std::string& script) {
    lane_command.words = {
        "/bin/bash", "-c",
        "echo '" + to_line(hello_of_this_program("emulated")) +
            "'\n"
            "read -r line\n"
            "batch=$(sed -E 's/.*\"batch\":\"([0-9a-f]+)\".*/\\1/' <<< \"$line\")\n"
            "say() { printf '{\"kind\":\"%s\",\"candidate\":0,\"text\":\"\",\"exit_code\":0,\"bytes\":0,"
            "\"batch\":\"%s\",\"seconds\":%s}\\n' \"$1\" \"$batch\" \"$2\"; }\n" +
            script + "\nexec sleep 1000",
        "lane"};
    open({"emulated"});
  }

  // Lets the process of the lane run, but no time pass.
  template <class Condition>
  bool await(Condition condition) {
    for (int i = 0; i < 1000 && !condition(); ++i) {
      tick();
      ::usleep(10'000);
    }
    return condition();
  }
};

TEST_F(LaneTest, OnlyWhatTheCandidateCausesCountsForItsRunLimit) {
  open_with("say begun 0; say spent 599");
  const std::string id = submit();
  ASSERT_TRUE(await([&] { return service->find("ann", id)->attempts == 1; }));
  pass(3000);
  EXPECT_EQ(result(id)["state"], "running");
}

// The lane begins nothing, and the builder writes down what it builds.
TEST_F(LaneTest, ABuilderThatHasEndedGetsMoreAtOnce) {
  const std::filesystem::path built = folder.path() / "built";
  ::setenv("KGRADE_CACHE_DIR", (folder.path() / "cache").c_str(), 1);
  build_jobs = 1;
  open_with(
      "[[ $line == *'\"work\":\"grade\"'* ]] || batch=; while [[ $line != *'\"work\":\"grade\"'* ]]; do "
      "sed -E 's/.*\"work\":\"([a-z_]*)\".*/\\1/' <<< \"$line\" >>'" +
      built.string() + "'; say ended 0; read -r line || exit 0; done");
  for (int i = 0; i < 5; ++i) submit();
  const auto lines = [&] {
    const auto text = read_text_file(built, 1000);
    return text ? *text : "";
  };
  // The first one, what all of them are graded with, and then as many candidates as a builder may be ahead.
  EXPECT_TRUE(await([&] {
    return lines() ==
           "build_candidates\nbuild_trusted\nbuild_candidates\nbuild_candidates\nbuild_candidates\n";
  })) << lines();
  ::unsetenv("KGRADE_CACHE_DIR");
}

// Each candidate is built by a process that says so in a file, and waits for another file if its owner is
// ann.
TEST_F(LaneTest, IsNotHeldUpByACandidateThatIsBeingBuilt) {
  const std::filesystem::path slow = folder.path() / "slow";
  ::setenv("KGRADE_CACHE_DIR", (folder.path() / "cache").c_str(), 1);
  build_jobs = 1;
  // A builder has no batch id. One for the candidate slow.cu waits.
  open_with(
      "[[ $line == *'\"work\":\"grade\"'* ]] || batch=; while [[ $line == *'\"work\":\"build_candidates\"'* "
      "|| $line == *'\"work\":\"build_trusted\"'* "
      "]]; do "
      "if [[ $line == *slow.cu* && $line == *'\"work\":\"build_candidates\"'* ]]; then until [ -e '" +
      slow.string() + "' ]; do sleep 0.02; done; fi; say ended 3; read -r line || exit 0; done; say begun 0");
  const auto named = [](const char* name) {
    return body({{"candidate", {{"name", name}, {"source", "text"}}}});
  };
  const std::string first = submit(ann, named("slow.cu")), second = submit(ann, named("slow.cu"));
  const auto state = [&](const Client& client, const std::string& id) {
    return service->status_of(*service->find(client.owner, id))["state"];
  };
  ASSERT_TRUE(await([&] { return state(ann, first) == "building"; }));
  EXPECT_EQ(state(ann, second), "queued");
  const std::string quick = submit(bob, named("quick.cu"));
  now += 1;  // the service looks for what to build several times a second
  EXPECT_TRUE(await([&] { return service->find("bob", quick)->attempts == 1; }));
  EXPECT_EQ(state(ann, first), "building");
  EXPECT_TRUE(service->cancel("bob", quick));
  std::ofstream{slow};
  EXPECT_TRUE(await([&] { return service->find("ann", first)->attempts == 1; }));
  EXPECT_TRUE(service->cancel("ann", first));
  const Json times = result(first)["times_s"];
  EXPECT_GT(times["build"], 0);
  EXPECT_GE(times["queued"], 0);
  ::unsetenv("KGRADE_CACHE_DIR");
}

// A kernel of which nothing was wrong got the verdict `time_limit`.
TEST_F(LaneTest, APauseDoesNotCountForTheRunLimit) {
  const auto paused = folder.path() / "paused", more = folder.path() / "more";
  const auto until = [](const std::filesystem::path& file) {
    return "; until [ -e '" + file.string() + "' ]; do sleep 0.01; done; ";
  };
  open_with("say spent 1" + until(paused) + "say spent 611; say begun 0" + until(more) + "say spent 1215");
  const std::string id = submit();
  ASSERT_TRUE(await([&] { return result(id)["state"] == "running"; }));
  now += 610;
  std::ofstream{paused};
  ASSERT_TRUE(await([&] { return service->find("ann", id)->attempts == 1; }));
  pass(3);
  EXPECT_EQ(result(id)["state"], "running");
  // The time before and after the pause does count.
  std::ofstream{more};
  ASSERT_TRUE(await([&] { return result(id)["state"] == "finished"; }));
  EXPECT_EQ(result(id)["verdict"], "time_limit");
}

TEST_F(LaneTest, ABuildThatTakesTooLongIsAnOverrun) {
  open_with("say spent 601");  // it has not begun
  const std::string id = submit();
  ASSERT_TRUE(await([&] { return result(id)["state"] == "finished"; }));
  EXPECT_EQ(result(id)["verdict"], "time_limit");
  EXPECT_THAT(result(id)["reason"].get<std::string>(), HasSubstr("600 s"));
}

TEST_F(LaneTest, ALaneThatHangsOutsideOfACandidateIsEnded) {
  const auto said = folder.path() / "said";
  open_with("say spent 1; touch '" + said.string() + "'");
  const std::string id = submit();
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(await([&] { return std::filesystem::exists(said); }));
    tick();
    std::filesystem::remove(said);
    pass(3500);
    ASSERT_EQ(result(id)["state"], "running");
    pass(200);
  }
  EXPECT_EQ(result(id)["fault"], "machine");
  EXPECT_THAT(result(id)["untrusted_reason"].get<std::string>(), HasSubstr("hung"));
}

// It ended the service, and then all jobs in the queue with the fault `machine`.
TEST_F(LaneTest, WithoutRoomForTemporaryFilesJobsWait) {
  open_with("say begun 0");
  const std::string before = std::getenv("TMPDIR") != nullptr ? std::getenv("TMPDIR") : "";
  ::setenv("TMPDIR", "/nonexistent", 1);
  const std::string id = submit();
  pass(5);
  EXPECT_EQ(result(id)["state"], "queued");
  EXPECT_FALSE(service->is_healthy());
  EXPECT_EQ(service->capacity("ann")["lanes"][0]["state"], "quarantined");
  before.empty() ? ::unsetenv("TMPDIR") : ::setenv("TMPDIR", before.c_str(), 1);
  pass(61);
  EXPECT_TRUE(await([&] { return service->find("ann", id)->attempts == 1; }));
}

}  // namespace kgrade::service_core_test
