// What a service takes from its front, which parses hostile bytes and may have been taken over.
#include "serve/front_link.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "serve/owner_limits.h"
#include "tests/serve/front_link_fixture.h"

namespace kgrade::front_link_test {

using test::ask;
using test::frame;
using test::FrontLinkTest;
using test::ready_frame;
using testing::HasSubstr;

TEST_F(FrontLinkTest, EndsAFrontThatSaysWhatASoundOneDoesNot) {
  const std::string body(10, 'x'), bare(16, '\xff');
  const std::string post = ask(1, "POST", "/v1/wait", 10);
  const std::map<std::string, std::string> wrong = {
      {"does not say that it is ready", ask(1, "GET", "/")},
      {"ready as another version", frame(FrameKind::ready, front_version + 1)},
      {"ready twice", ready_frame + ready_frame},
      {"a number again", ready_frame + ask(2, "GET", "/") + ask(2, "GET", "/")},
      {"a smaller number", ready_frame + ask(2, "GET", "/") + ask(1, "GET", "/")},
      {"no request", ready_frame + frame(FrameKind::ask, 1, "GET / HTTP/1.1")},
      {"a request and more", ready_frame + frame(FrameKind::ask, 1, to_payload(RequestHead{}) + "x")},
      {"a line break in a field", ready_frame + ask(1, "GET", "/", 0, "a\r\nb")},
      {"a body before permission", ready_frame + frame(FrameKind::body, 1, body)},
      {"a body of a request that has none",
       ready_frame + ask(1, "GET", "/") + frame(FrameKind::body, 1, body)},
      {"a body after a refusal",
       ready_frame + ask(1, "POST", "/v1/wait", 10, "no") + frame(FrameKind::body, 1, body)},
      {"a longer body", ready_frame + post + frame(FrameKind::body, 1, body + "x")},
      {"a shorter body", ready_frame + post + frame(FrameKind::body, 1, "x") + frame(FrameKind::end, 1)},
      {"an empty piece", ready_frame + post + frame(FrameKind::body, 1)},
      {"a piece that is too long",
       ready_frame + post + frame(FrameKind::body, 1, std::string(longest_piece + 1, 'x'))},
      {"two ends", ready_frame + post + frame(FrameKind::body, 1, body) + frame(FrameKind::end, 1) +
                       frame(FrameKind::end, 1)},
      {"sent before an answer", ready_frame + post + frame(FrameKind::sent, 1)},
      {"sent twice",
       ready_frame + ask(1, "GET", "/") + frame(FrameKind::sent, 1) + frame(FrameKind::sent, 1)},
      {"gone without being there", ready_frame + frame(FrameKind::gone, 1)},
      {"alive without a question", ready_frame + frame(FrameKind::alive, 0)},
      {"a frame of the service", ready_frame + ask(1, "GET", "/") + frame(FrameKind::answer, 1)},
      {"a frame that is too long", ready_frame + std::string(bare)},
      {"a payload that is too long",
       ready_frame + frame(FrameKind::body, 1, std::string(longest_front_frame + 1, 'x'))},
  };
  for (const auto& [what, bytes] : wrong) {
    connect();
    send(bytes);
    EXPECT_NE(link->fault(), "") << what;
    EXPECT_EQ(link->kept_bytes(), 0) << what;
    // It stays so, and nothing more is taken.
    const std::string fault = link->fault();
    ::send(front.get(), ready_frame.data(), ready_frame.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    link->receive();
    EXPECT_EQ(link->fault(), fault) << what;
  }
  connect();
  std::string many = ready_frame;
  for (std::uint64_t i = 1; i <= limits.connections + 1; ++i) many += ask(i, "POST", "/v1/wait", 1);
  send(many);
  EXPECT_THAT(link->fault(), HasSubstr("more requests than connections"));
  connect();
  front.reset();
  link->receive();
  EXPECT_THAT(link->fault(), HasSubstr("ended"));
}

TEST_F(FrontLinkTest, EndsAFrontThatIsSilent) {
  limits.front_silence_seconds = 0;
  connect();
  send(ready_frame);
  for (int i = 0; i < 3; ++i) {
    link->look_at_the_clock();
    send("");
    EXPECT_EQ(said.at(0).first, FrameKind::alive);
    send(frame(FrameKind::alive, 0));
  }
  limits.front_patience_seconds = 0;
  connect();
  send(ready_frame);
  link->look_at_the_clock();
  EXPECT_EQ(link->fault(), "");
  // Its answer has come, and was not read yet.
  const std::string alive = frame(FrameKind::alive, 0);
  ASSERT_GT(::send(front.get(), alive.data(), alive.size(), MSG_NOSIGNAL), 0);
  link->look_at_the_clock();
  EXPECT_EQ(link->fault(), "");
  link->receive();
  link->look_at_the_clock();
  EXPECT_EQ(link->fault(), "");
  link->look_at_the_clock();
  EXPECT_THAT(link->fault(), HasSubstr("does not answer"));
  connect();
  link->look_at_the_clock();
  EXPECT_THAT(link->fault(), HasSubstr("does not answer"));
}

TEST_F(FrontLinkTest, PermitsABodyOnlyToThoseWhoMaySendIt) {
  send(ready_frame + ask(1, "POST", "/v1/grades", 500, "wrong") + ask(2, "POST", "/v1/nothing", 500) +
       ask(3, "PUT", "/v1/problems/x.py", 500) + ask(4, "GET", "/", 500, "wrong") +
       ask(5, "POST", "/v1/grades", 1001) + ask(6, "POST", "/v1/grades", 500) +
       ask(7, "PUT", "/v1/problems/x.py", 500, "eves") + ask(8, "DELETE", "/v1/grades/g_1", 500));
  EXPECT_EQ(link->fault(), "");
  EXPECT_EQ(status(1), 401);
  EXPECT_EQ(status(2), 404);
  EXPECT_EQ(status(3), 403);
  EXPECT_EQ(status(4), 200);
  EXPECT_EQ(status(5), 413);
  EXPECT_TRUE(goes_on(6));
  EXPECT_TRUE(goes_on(7));
  EXPECT_EQ(status(8), 404);
}

TEST_F(FrontLinkTest, LimitsTheBodiesOfAnOwnerAndOfAll) {
  send(ready_frame + ask(1, "POST", "/v1/grades", 900) + ask(2, "POST", "/v1/grades", 900) +
       ask(3, "POST", "/v1/grades", 900, "bobs") + ask(4, "POST", "/v1/grades", 900, "eves"));
  EXPECT_TRUE(goes_on(1));
  EXPECT_EQ(status(2), 429);
  EXPECT_TRUE(goes_on(3));
  EXPECT_EQ(status(4), 503);
  EXPECT_EQ(link->kept_bytes(), 1800);
  send(frame(FrameKind::gone, 1));
  EXPECT_EQ(link->kept_bytes(), 900);
  send(ask(5, "POST", "/v1/grades", 900, "eves"));
  EXPECT_TRUE(goes_on(5));
}

TEST_F(FrontLinkTest, CountsBodiesOfUnknownLengthAsTheyCome) {
  const std::string piece(600, ' ');
  const auto body = [&](std::uint64_t exchange) { return frame(FrameKind::body, exchange, piece); };
  const auto chunked = [](std::uint64_t exchange, const char* token) {
    return ask(exchange, "POST", "/v1/grades", unknown_length, token);
  };
  send(ready_frame + chunked(1, "anns") + body(1));
  EXPECT_EQ(link->kept_bytes(), 600);
  send(body(1));
  EXPECT_EQ(status(1), 413);
  EXPECT_EQ(link->kept_bytes(), 0);
  // The front may have sent more before it got the answer.
  send(body(1) + frame(FrameKind::end, 1) + frame(FrameKind::sent, 1));
  EXPECT_EQ(link->fault(), "");
  send(chunked(2, "anns") + chunked(3, "anns") + chunked(4, "anns") + body(2) + body(3) + body(4));
  EXPECT_EQ(status(4), 429);
  EXPECT_EQ(link->kept_bytes(), 1200);
}

TEST_F(FrontLinkTest, CarriesOutARequestWithItsWholeBody) {
  const std::string body =
      nlohmann::json{{"problem", "softmax"}, {"candidate", {{"name", "a.cu"}, {"source", ""}}}}.dump();
  send(ready_frame + ask(1, "POST", "/v1/grades", body.size()));
  ASSERT_TRUE(goes_on(1));
  send(frame(FrameKind::body, 1, body.substr(0, 7)) + frame(FrameKind::body, 1, body.substr(7)));
  EXPECT_TRUE(said.empty());
  send(frame(FrameKind::end, 1));
  ASSERT_EQ(status(1), 202);
  const auto id = nlohmann::json::parse(body_of(1)).at("id").get<std::string>();
  EXPECT_NE(service->find("ann", id), nullptr);
  EXPECT_EQ(link->kept_bytes(), 0);
}

TEST_F(FrontLinkTest, ClientsThatReadNothingAreRefusedMore) {
  limits.answers = 150'000;
  limits.answers_of_owner = 150'000;
  connect();
  // The page has more than 50,000 bytes.
  std::string pages = ready_frame;
  for (std::uint64_t i = 1; i <= 4; ++i) pages += ask(i, "GET", "/");
  send(pages);
  EXPECT_EQ(status(1), 200);
  EXPECT_EQ(status(4), 429);
  EXPECT_LE(link->kept_bytes(), limits.answers);
  send(frame(FrameKind::sent, 1) + frame(FrameKind::sent, 2) + ask(5, "GET", "/"));
  EXPECT_EQ(status(5), 200);
  limits.answer_bytes = 20'000;
  connect();
  send(ready_frame + ask(1, "GET", "/") + ask(2, "GET", "/healthz"));
  EXPECT_EQ(status(1), 413);
  EXPECT_EQ(status(2), 503);
}

TEST_F(FrontLinkTest, AFrontThatDoesNotReadFillsNoMemory) {
  limits.answers = 150'000;
  limits.answers_of_owner = 150'000;
  connect();
  const auto tell = [&](const std::string& bytes) {
    ASSERT_EQ(::send(front.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
    link->receive();
    link->send();
  };
  tell(ready_frame);
  // The page has more than 50,000 bytes. What lies unsent counts, although the clients are gone.
  for (std::uint64_t i = 1; i <= 100; ++i) tell(ask(i, "GET", "/") + frame(FrameKind::gone, i));
  EXPECT_EQ(link->fault(), "");
  EXPECT_GT(link->kept_bytes(), 0);
  EXPECT_LE(link->kept_bytes(), limits.answers);
  send(ask(101, "GET", "/"));
  EXPECT_EQ(status(101), 429);
  EXPECT_EQ(link->kept_bytes(), 0);
  send(ask(102, "GET", "/"));
  EXPECT_EQ(status(102), 200);
  // Small answers are never refused, so the front is ended.
  std::uint64_t last = 102;
  for (; last < 20'000 && link->fault().empty(); ++last)
    tell(ask(last + 1, "GET", "/healthz") + frame(FrameKind::gone, last + 1));
  EXPECT_THAT(link->fault(), HasSubstr("does not read"));
  EXPECT_FALSE(link->has_to_send());
  // No client has taken an answer that was not sent yet.
  limits.answers = limits.answers_of_owner = 5'000'000;
  connect();
  tell(ready_frame);
  for (std::uint64_t i = 1; i <= 10; ++i) tell(ask(i, "GET", "/"));
  ASSERT_TRUE(link->has_to_send());
  tell(ask(11, "GET", "/healthz") + frame(FrameKind::sent, 11));
  EXPECT_THAT(link->fault(), HasSubstr("sent what it did not get"));
}

TEST_F(FrontLinkTest, WhatTheServiceWorksOnCountsAfterItsClientHasGone) {
  const std::string body =
      nlohmann::json{{"problem", "softmax"}, {"candidate", {{"name", "a.cu"}, {"source", ""}}}}.dump();
  send(ready_frame + ask(1, "POST", "/v1/grades", body.size()));
  send(frame(FrameKind::body, 1, body) + frame(FrameKind::end, 1));
  ASSERT_EQ(status(1), 202);
  const std::string id = nlohmann::json::parse(body_of(1)).at("id");
  std::uint64_t last = 1;
  const auto abandon_wait = [&](double seconds) {
    const std::string wait = nlohmann::json{{"ids", {id}}, {"timeout_s", seconds}}.dump();
    last += 1;
    send(ask(last, "POST", "/v1/wait", wait.size()));
    send(frame(FrameKind::body, last, wait) + frame(FrameKind::end, last) + frame(FrameKind::gone, last));
    EXPECT_FALSE(said.contains(last));
  };
  const auto abandon_events = [&] {
    last += 1;
    send(ask(last, "GET", "/v1/events"));
    send(frame(FrameKind::sent, last));
    send(frame(FrameKind::gone, last));
  };
  send(frame(FrameKind::sent, 1));
  for (std::size_t round = 0; round < 3; ++round) {
    for (std::size_t i = 0; i < limits.connections / 2; ++i) {
      abandon_wait(0.001);
      abandon_events();
    }
    EXPECT_EQ(link->fault(), "");
    // Then their answers come, and go to nobody.
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
    service->events().add("ann", "queued", {{"id", id}});
    service->go_on();
    send("");
    EXPECT_TRUE(said.empty());
  }
  for (std::size_t i = 0; i < limits.connections; ++i) i % 2 == 0 ? abandon_wait(50) : abandon_events();
  EXPECT_EQ(link->fault(), "");
  EXPECT_EQ(link->kept_bytes(), 0);
  send(ask(last + 1, "GET", "/healthz"));
  EXPECT_THAT(link->fault(), HasSubstr("more requests than connections"));
  connect();
  send(ready_frame);
  last = 0;
  abandon_events();
  send(frame(FrameKind::gone, last));
  EXPECT_THAT(link->fault(), HasSubstr("does not exist"));
}

TEST_F(FrontLinkTest, ASlowFollowerOfEventsGetsTheNextPartAfterTheLast) {
  send(ready_frame + ask(1, "GET", "/v1/events"));
  EXPECT_EQ(status(1), 200);
  service->events().add("ann", "queued", {{"id", "g_1"}});
  send("");
  EXPECT_TRUE(said.empty());
  send(frame(FrameKind::sent, 1));
  EXPECT_EQ(said.at(1).first, FrameKind::part);
  EXPECT_THAT(body_of(1), HasSubstr("g_1"));
  service->events().add("ann", "queued", {{"id", "g_2"}});
  service->events().add("bob", "queued", {{"id", "g_3"}});
  service->events().add("ann", "queued", {{"id", "g_4"}});
  send("");
  EXPECT_TRUE(said.empty());
  send(frame(FrameKind::sent, 1));
  EXPECT_THAT(body_of(1), AllOf(HasSubstr("g_2"), HasSubstr("g_4"), Not(HasSubstr("g_3"))));
  send(frame(FrameKind::gone, 1));
  EXPECT_EQ(link->fault(), "");
}

TEST_F(FrontLinkTest, AnswersThatComeAfterItsEndAreDropped) {
  const std::string id = std::get<std::string>(service->submit({"eve"}, "", test::body()));
  const std::string body = R"({"ids": [")" + id + R"("], "timeout_s": 0.001})";
  send(ready_frame + ask(1, "POST", "/v1/wait", body.size(), "eves"));
  ASSERT_TRUE(goes_on(1));
  const std::string rest = frame(FrameKind::body, 1, body) + frame(FrameKind::end, 1);
  ASSERT_GT(::send(front.get(), rest.data(), rest.size(), MSG_NOSIGNAL), 0);
  link->receive();
  // It waits for the job until the service has looked at the clock.
  EXPECT_FALSE(link->has_to_send());
  link.reset();
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  service->go_on();
  service->commit();
}

TEST(FrontFrames, AreTheSameInAnyPieces) {
  std::string bytes;
  append_frame(bytes, FrameKind::body, 7, "one", " piece");
  append_frame(bytes, FrameKind::end, 7);
  append_frame(bytes, FrameKind::body, 1ull << 40, std::string(3000, 'x'));
  for (const std::size_t size : {1, 2, 7, 1000, 10'000}) {
    FrameReader reader(5000);
    std::vector<std::string> payloads;
    for (std::size_t at = 0; at < bytes.size(); at += size) {
      reader.append(std::string_view(bytes).substr(at, size));
      while (const auto next = reader.next()) payloads.emplace_back(next->payload);
    }
    EXPECT_THAT(payloads, testing::ElementsAre("one piece", "", std::string(3000, 'x'))) << size;
  }
}

TEST(FrontFrames, CarryTheWholeRequest) {
  RequestHead head;
  head.request = {"POST", "/v1/grades?wait=5", "Bearer x", "key", "12", "localhost:1", "http://a", false, ""};
  head.length = 77;
  const auto read = read_request_head(to_payload(head));
  ASSERT_TRUE(read);
  EXPECT_EQ(to_payload(*read), to_payload(head));
  EXPECT_EQ(read->request.origin, "http://a");
  EXPECT_EQ(read->length, 77);
  const std::string payload = to_payload(head);
  for (std::size_t size = 0; size < payload.size(); ++size)
    EXPECT_FALSE(read_request_head(payload.substr(0, size))) << size;
}

TEST(ByteBudget, TakesNothingThatItRefuses) {
  using Grant = ByteBudget::Grant;
  ByteBudget budget(10, 7);
  EXPECT_EQ(budget.take("a", 8), Grant::owner_has_too_many);
  EXPECT_EQ(budget.take("a", 7), Grant::given);
  EXPECT_EQ(budget.take("a", 1), Grant::owner_has_too_many);
  EXPECT_EQ(budget.take("b", 4), Grant::there_are_too_many);
  EXPECT_EQ(budget.take("b", 3), Grant::given);
  EXPECT_EQ(budget.take("c", ~std::uint64_t{0}), Grant::owner_has_too_many);
  EXPECT_EQ(budget.taken(), 10);
  budget.give_back("a", 7);
  EXPECT_EQ(budget.take("b", 4), Grant::given);
}

TEST(Events, ComeInPartsToThoseWhoMissedMany) {
  Events events(100);
  const std::string text(1000, 'x');
  for (int i = 0; i < 1000; ++i)
    events.add(i % 2 == 0 ? "ann" : "bob", "finished", {{"number", i}, {"text", text}});
  std::uint64_t after = 100;
  int parts = 0, found = 0;
  while (after < events.last()) {
    events.follow("ann", after, 0, [&](const std::string& part, std::uint64_t up_to) {
      EXPECT_LT(part.size(), Events::large_text + 2000);
      for (std::size_t at = 0; (at = part.find("\"number\":", at)) != part.npos; ++at, found += 2)
        EXPECT_EQ(std::stoi(part.substr(at + 9)), found);
      EXPECT_GT(up_to, after);
      after = up_to;
      parts += 1;
    });
  }
  EXPECT_EQ(found, 1000);
  EXPECT_GT(parts, 1);
}

}  // namespace kgrade::front_link_test
