#include "serve/front_link.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <chrono>
#include <deque>
#include <map>
#include <unordered_map>
#include <utility>

#include "serve/front_frames.h"
#include "serve/owner_limits.h"

namespace kgrade {
namespace {

using Steady = std::chrono::steady_clock;

// Answers up to this size are never refused, so that a client always learns what became of its job.
constexpr std::size_t small_answer = 16 << 10;
// Frames are collected up to this size before they are sent.
constexpr std::size_t large_piece = 64 << 10;
// receive() returns after this number of reads, because the service has other work, too.
constexpr int most_reads = 64;
constexpr int soon_s = 1;
// A frame has at most these bytes beside the body of its answer.
constexpr std::size_t around_body = 1 << 10;

}  // namespace

struct FrontLink::State : std::enable_shared_from_this<FrontLink::State> {
  enum class Phase {
    reading,    // the front sends the body
    working,    // the service works on the answer
    answering,  // the front has the answer, and has not said that its client has taken it
    streaming,  // like `answering`, for a part of a stream
    waiting,    // the service waits for the next part of a stream
    dropped,    // the front has been asked to close the connection
    abandoned,  // its client is gone, and the service still works on the answer
  };

  struct Exchange {
    Phase phase = Phase::reading;
    HttpRequest request;       // empty after it is carried out
    std::string owner;         // the owner whose bytes are counted; empty: a client without a token
    std::uint64_t length = 0;  // of the body that the client has announced
    std::uint64_t body_bytes = 0;
    std::uint64_t answer_bytes = 0;
    std::uint64_t answer_end = 0;  // `queued_bytes` after the answer, or after the newest part
    bool sends_body = false;       // the front may send more of the body
    std::function<void(HttpAnswer::Part)> more;
  };

  using Exchanges = std::unordered_map<std::uint64_t, Exchange>;

  State(UniqueFd link, Routes& its_routes, const HttpLimits& its_limits, bool tcp)
      : socket(std::move(link)),
        routes(its_routes),
        limits(its_limits),
        is_tcp(tcp),
        bodies(limits.bodies, limits.bodies_of_owner),
        answers(limits.answers, limits.answers_of_owner) {}

  UniqueFd socket;
  Routes& routes;
  const HttpLimits limits;
  const bool is_tcp;
  ByteBudget bodies, answers;
  FrameReader reader{longest_front_frame};
  std::deque<std::string> unsent;
  std::size_t sent_of_first = 0;
  std::uint64_t queued_bytes = 0, sent_bytes = 0;  // since the beginning
  // Answers in `unsent` whose clients are gone: their owners and counted bytes, by the position of their
  // ends.
  std::map<std::uint64_t, std::pair<std::string, std::uint64_t>> leaving;
  Exchanges exchanges;
  std::uint64_t last = 0;  // the number of the newest exchange
  bool is_ready = false;
  bool is_asked = false;  // the front was asked whether it is alive, and has not answered
  Steady::time_point since = Steady::now();
  std::string fault;

  void fail(std::string why) {
    if (fault.empty()) fault = std::move(why);
    exchanges.clear();
    unsent.clear();
    leaving.clear();
    bodies = ByteBudget(limits.bodies, limits.bodies_of_owner);
    answers = ByteBudget(limits.answers, limits.answers_of_owner);
  }

  void queue(FrameKind kind, std::uint64_t id, std::string_view payload = {}, std::string_view more = {}) {
    if (!fault.empty()) return;
    if (unsent.empty() || unsent.back().size() > large_piece) unsent.emplace_back();
    const std::size_t before = unsent.back().size();
    append_frame(unsent.back(), kind, id, payload, more);
    queued_bytes += unsent.back().size() - before;
    // A front that reads never has more unsent than all counted answers and one small answer for each
    // connection.
    if (queued_bytes - sent_bytes > limits.answers + limits.connections * (small_answer + around_body))
      fail("it does not read");
  }

  // The front's end of the socket has taken bytes.
  void leave(std::size_t bytes) {
    sent_bytes += bytes;
    while (!leaving.empty() && leaving.begin()->first <= sent_bytes) {
      const auto& [owner, counted] = leaving.begin()->second;
      answers.give_back(owner, counted);
      leaving.erase(leaving.begin());
    }
  }

  // Carries out a frame of the front. A frame that a correct front would not send is a fault.
  void take(const Frame& frame) {
    if (!is_ready) {
      is_ready = frame.kind == FrameKind::ready && frame.exchange == front_version && frame.payload.empty();
      if (!is_ready) fail("it does not say that it is ready");
      return;
    }
    if (frame.kind == FrameKind::ask) return ask(frame);
    if (frame.kind == FrameKind::alive) {
      if (!is_asked || !frame.payload.empty()) return fail("it answers what was not asked");
      is_asked = false;
      since = Steady::now();
      return;
    }
    const auto at = exchanges.find(frame.exchange);
    if (at == exchanges.end() || at->second.phase == Phase::abandoned)
      return fail("it names a request that does not exist");
    if (frame.kind == FrameKind::body) return take_body(at->first, at->second, frame.payload);
    if (!frame.payload.empty()) return fail("it sends more than belongs to a frame");
    if (frame.kind == FrameKind::end) {
      Exchange& exchange = at->second;
      if (!exchange.sends_body) return fail("it ends a body that nobody has asked for");
      exchange.sends_body = false;
      if (exchange.phase != Phase::reading) return;
      if (exchange.length != unknown_length && exchange.request.body.size() != exchange.length)
        return fail("it sends a shorter body than it has announced");
      return carry_out(at->first, exchange);
    }
    if (frame.kind == FrameKind::sent) return sent(at->first, at->second);
    if (frame.kind == FrameKind::gone) return forget(at->first);
    fail("it sends a frame of an unknown kind");
  }

  void ask(const Frame& frame) {
    if (frame.exchange <= last) return fail("it uses a request's number again");
    if (exchanges.size() >= limits.connections) return fail("it has more requests than connections");
    auto head = read_request_head(frame.payload);
    if (!head) return fail("it sends a wrong request");
    const std::uint64_t id = last = frame.exchange;
    Exchange& exchange = exchanges[id];
    exchange.request = std::move(head->request);
    exchange.request.is_tcp = is_tcp;
    exchange.length = head->length;
    exchange.owner = routes.owner_of(exchange.request);
    // If Routes does not want the body, it answers the request without the body. Requests with a wrong token
    // are refused in this way.
    if (head->length == 0 || !routes.wants_body_of(exchange.request)) return carry_out(id, exchange);
    if (head->length != unknown_length && head->length > limits.body_bytes) return refuse_size(id);
    if (!take_bytes(id, exchange, head->length == unknown_length ? 0 : head->length)) return;
    if (head->length != unknown_length) exchange.request.body.reserve(head->length);
    exchange.sends_body = true;
    queue(FrameKind::go_on, id);
  }

  // Counts bytes of a body. False if they were refused.
  bool take_bytes(std::uint64_t id, Exchange& exchange, std::uint64_t bytes) {
    const auto grant = bodies.take(exchange.owner, bytes);
    if (grant == ByteBudget::Grant::given) {
      exchange.body_bytes += bytes;
      return true;
    }
    exchange.phase = Phase::working;
    exchange.request = {};
    answer(id, too_much("bodies", grant, limits.bodies_of_owner, limits.bodies));
    return false;
  }

  static HttpAnswer too_much(const char* what, ByteBudget::Grant grant, std::uint64_t of_owner,
                             std::uint64_t all) {
    if (grant == ByteBudget::Grant::owner_has_too_many)
      return problem_answer(
          {429, fmt::format("the {} of this owner's requests would have more than {} bytes", what, of_owner),
           soon_s});
    return problem_answer(
        {503, fmt::format("the {} of all requests would have more than {} bytes", what, all), soon_s});
  }

  void refuse_size(std::uint64_t id) {
    exchanges.at(id).phase = Phase::working;
    answer(id, problem_answer({413, fmt::format("the body is larger than {} bytes", limits.body_bytes), 0}));
  }

  void take_body(std::uint64_t id, Exchange& exchange, std::string_view piece) {
    if (!exchange.sends_body || piece.empty() || piece.size() > longest_piece)
      return fail("it sends a body that nobody has asked for");
    // The request has been answered already, and its client does not know it yet.
    if (exchange.phase != Phase::reading) return;
    const std::uint64_t size = exchange.request.body.size() + piece.size();
    if (exchange.length != unknown_length) {
      if (size > exchange.length) return fail("it sends a longer body than it has announced");
    } else {
      if (size > limits.body_bytes) {
        release_body(exchange);
        return refuse_size(id);
      }
      if (!take_bytes(id, exchange, piece.size())) return;
    }
    exchange.request.body += piece;
  }

  void release_body(Exchange& exchange) {
    bodies.give_back(exchange.owner, exchange.body_bytes);
    exchange.body_bytes = 0;
    exchange.request = {};
  }

  void carry_out(std::uint64_t id, Exchange& exchange) {
    exchange.phase = Phase::working;
    const HttpRequest request = std::move(exchange.request);
    // The answer may come at once, or after the front and this object are gone.
    routes.handle(request, [weak = weak_from_this(), id](HttpAnswer given) {
      if (const auto self = weak.lock()) self->answer(id, std::move(given));
    });
    if (const auto at = exchanges.find(id); at != exchanges.end()) release_body(at->second);
  }

  // Counts bytes of an answer. False if there would be too many.
  bool count(Exchange& exchange, std::size_t bytes, ByteBudget::Grant& grant) {
    grant = ByteBudget::Grant::given;
    if (bytes <= small_answer) return true;
    grant = answers.take(exchange.owner, bytes);
    if (grant == ByteBudget::Grant::given) exchange.answer_bytes = bytes;
    return grant == ByteBudget::Grant::given;
  }

  // Whether nobody wants the answer that has come for this exchange. Then the exchange is over.
  bool is_abandoned(Exchanges::iterator at) {
    if (at == exchanges.end()) return true;
    if (at->second.phase != Phase::abandoned) return false;
    exchanges.erase(at);
    return true;
  }

  void answer(std::uint64_t id, HttpAnswer given) {
    const auto at = exchanges.find(id);
    if (is_abandoned(at) || at->second.phase != Phase::working) return;
    Exchange& exchange = at->second;
    if (exchange.body_bytes > 0) release_body(exchange);
    ByteBudget::Grant grant{};
    if (given.body.size() > limits.answer_bytes) {
      given = problem_answer({413,
                              fmt::format("the answer would have {} bytes, and {} are the most: ask for less "
                                          "at a time",
                                          given.body.size(), limits.answer_bytes),
                              0});
    } else if (!count(exchange, given.body.size(), grant)) {
      given = too_much("answers", grant, limits.answers_of_owner, limits.answers);
    }
    const bool is_stream = given.more != nullptr;
    exchange.phase = is_stream ? Phase::streaming : Phase::answering;
    exchange.more = std::move(given.more);
    queue(FrameKind::answer, id,
          to_payload(AnswerHead{static_cast<std::uint32_t>(given.status),
                                static_cast<std::uint32_t>(given.retry_after_s), is_stream,
                                given.content_type, given.allow}),
          given.body);
    if (fault.empty()) exchange.answer_end = queued_bytes;
  }

  void part(std::uint64_t id, const std::string& text) {
    const auto at = exchanges.find(id);
    if (is_abandoned(at) || at->second.phase != Phase::waiting) return;
    ByteBudget::Grant grant{};
    if (!count(at->second, text.size(), grant)) {
      // The client connects again, with the number of the last event that it has received.
      at->second.phase = Phase::dropped;
      at->second.more = nullptr;
      return queue(FrameKind::drop, id);
    }
    at->second.phase = Phase::streaming;
    queue(FrameKind::part, id, text);
    if (fault.empty()) at->second.answer_end = queued_bytes;
  }

  void sent(std::uint64_t id, Exchange& exchange) {
    const bool has_it = exchange.answer_end <= sent_bytes;
    if (exchange.phase == Phase::answering && has_it) return forget(id);
    if (exchange.phase != Phase::streaming || !has_it) return fail("it has sent what it did not get");
    answers.give_back(exchange.owner, exchange.answer_bytes);
    exchange.answer_bytes = 0;
    exchange.phase = Phase::waiting;
    const auto more = exchange.more;
    more([weak = weak_from_this(), id](const std::string& text) {
      if (const auto self = weak.lock()) self->part(id, text);
    });
  }

  void forget(std::uint64_t id) {
    const auto at = exchanges.find(id);
    Exchange& exchange = at->second;
    if (exchange.phase == Phase::working || exchange.phase == Phase::waiting) {
      // The service still works on the request, so the request counts for the front until its answer comes.
      exchange.phase = Phase::abandoned;
      exchange.more = nullptr;
      return;
    }
    bodies.give_back(exchange.owner, exchange.body_bytes);
    if (exchange.answer_bytes > 0 && exchange.answer_end > sent_bytes)
      leaving[exchange.answer_end] = {exchange.owner, exchange.answer_bytes};
    else
      answers.give_back(exchange.owner, exchange.answer_bytes);
    exchanges.erase(at);
  }
};

FrontLink::FrontLink(UniqueFd socket, Routes& routes, const HttpLimits& limits, bool is_tcp)
    : state_(std::make_shared<State>(std::move(socket), routes, limits, is_tcp)) {}

FrontLink::~FrontLink() = default;

int FrontLink::descriptor() const { return state_->socket.get(); }

bool FrontLink::is_ready() const { return state_->is_ready; }

const std::string& FrontLink::fault() const { return state_->fault; }

bool FrontLink::has_to_send() const { return !state_->unsent.empty(); }

std::uint64_t FrontLink::kept_bytes() const { return state_->bodies.taken() + state_->answers.taken(); }

bool FrontLink::receive() {
  State& state = *state_;
  bool has_come = false;
  char bytes[1 << 16];
  for (int i = 0; i < most_reads && state.fault.empty(); ++i) {
    // Descriptors that the front might send along are dropped by this call.
    const ssize_t count = ::recv(state.socket.get(), bytes, sizeof bytes, MSG_DONTWAIT);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
    has_come = true;
    if (count <= 0) {
      state.fail("it has ended");
      break;
    }
    state.reader.append({bytes, static_cast<std::size_t>(count)});
    while (state.fault.empty()) {
      const auto frame = state.reader.next();
      if (!frame) break;
      state.take(*frame);
    }
    if (state.reader.is_wrong()) state.fail("it sends a frame that is too long");
  }
  return has_come;
}

void FrontLink::send() {
  State& state = *state_;
  while (!state.unsent.empty()) {
    const std::string_view rest = std::string_view(state.unsent.front()).substr(state.sent_of_first);
    const ssize_t count = ::send(state.socket.get(), rest.data(), rest.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (count < 0) {
      state.sent_of_first = 0;
      return state.fail("it has ended");
    }
    state.sent_of_first += static_cast<std::size_t>(count);
    state.leave(static_cast<std::size_t>(count));
    if (state.sent_of_first < state.unsent.front().size()) continue;
    state.unsent.pop_front();
    state.sent_of_first = 0;
  }
}

void FrontLink::look_at_the_clock() {
  State& state = *state_;
  if (!state.fault.empty()) return;
  const auto silent = Steady::now() - state.since;
  if (!state.is_ready || state.is_asked) {
    // Frames that came while the service waited for its disk are read first.
    pollfd entry{state.socket.get(), POLLIN, 0};
    if (silent > std::chrono::seconds(state.limits.front_patience_seconds) && ::poll(&entry, 1, 0) == 0)
      state.fail("it does not answer");
  } else if (silent > std::chrono::seconds(state.limits.front_silence_seconds)) {
    state.is_asked = true;
    state.since = Steady::now();
    state.queue(FrameKind::alive, 0);
  }
}

}  // namespace kgrade
