// Boost.Beast parses HTTP, and Asio waits for all connections. Only this file and http_client.cc include
// their headers, which take long to compile.
#include "serve/http_front.h"

#include <sys/socket.h>

#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <functional>
#include <limits>
#include <unordered_map>
#include <vector>

#include "serve/front_frames.h"

namespace kgrade {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using Protocol = asio::generic::stream_protocol;

// After this time the front tries to accept clients again.
constexpr auto pause_of_accepting = std::chrono::milliseconds(100);
// The answer to clients that ask before they send a large body.
constexpr std::string_view continue_line = "HTTP/1.1 100 Continue\r\n\r\n";
// Larger than the largest header of a request.
constexpr std::size_t read_buffer_bytes = 32 << 10;
// The page has its style and script inside, and loads nothing from elsewhere.
constexpr const char* page_policy =
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; "
    "img-src data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";
// The type of an error, as in problem_answer() of routes.h.
constexpr const char* problem_type = "application/problem+json";
// Boost 1.74 refuses every body if its limit is set to `none`. So this number stands for no limit. The next
// larger number is `unknown_length`.
constexpr auto any_length = std::numeric_limits<std::uint64_t>::max() - 1;

// An answer to a request that the parser refuses.
struct ParserAnswer {
  unsigned status;
  const char* title;
  std::string detail;
};

ParserAnswer answer_to(beast::error_code failure, const HttpLimits& limits) {
  if (failure == http::error::body_limit)
    return {413, "The request is too long", "the body is longer than any request may be"};
  // The buffer is larger than the limit of a header.
  if (failure == http::error::header_limit || failure == http::error::buffer_overflow)
    return {431, "The header is too long",
            "a header may have " + std::to_string(limits.header_bytes) + " bytes"};
  return {400, "The request is wrong", "this is not a request in HTTP/1.1: " + failure.message()};
}

class Connection;

// The connection to the service, with the exchanges that are open on it.
class Link {
 public:
  Link(asio::io_context& context, UniqueFd socket, std::function<void()> ended)
      : socket_(context, asio::local::stream_protocol(), socket.release()), ended_(std::move(ended)) {
    receive();
  }

  // `then` is called when the frame has been sent.
  void send(FrameKind kind, std::uint64_t exchange, std::string_view payload = {},
            std::function<void()> then = {}) {
    append_frame(unsent_, kind, exchange, payload);
    if (then) waiting_.push_back(std::move(then));
    if (!is_sending_) send_rest();
  }

  std::uint64_t open(std::shared_ptr<Connection> connection) {
    last_ += 1;
    connections_.emplace(last_, std::move(connection));
    return last_;
  }
  // Sends the frame that ends the exchange.
  void close(std::uint64_t exchange, FrameKind kind) {
    if (connections_.erase(exchange) > 0) send(kind, exchange);
  }

 private:
  void receive() {
    socket_.async_read_some(asio::buffer(received_), [this](beast::error_code failure, std::size_t count) {
      if (failure) return ended_();
      reader_.append({received_.data(), count});
      while (const auto frame = reader_.next()) take(*frame);
      receive();
    });
  }

  void take(const Frame& frame);

  void send_rest() {
    if (unsent_.empty()) return;
    is_sending_ = true;
    sending_.swap(unsent_);
    unsent_.clear();
    std::vector<std::function<void()>> then;
    then.swap(waiting_);
    asio::async_write(socket_, asio::buffer(sending_),
                      [this, calls = std::move(then)](beast::error_code failure, std::size_t) {
                        is_sending_ = false;
                        if (failure) return ended_();
                        for (const auto& call : calls) call();
                        if (!is_sending_) send_rest();
                      });
  }

  asio::local::stream_protocol::socket socket_;
  std::function<void()> ended_;
  std::vector<char> received_ = std::vector<char>(64 << 10);
  FrameReader reader_{~std::uint32_t{0}};  // the service is trusted
  std::string unsent_, sending_;
  std::vector<std::function<void()>> waiting_;
  bool is_sending_ = false;
  std::uint64_t last_ = 0;
  std::unordered_map<std::uint64_t, std::shared_ptr<Connection>> connections_;
};

// The state that all connections share.
struct Front {
  asio::io_context context{1};
  HttpLimits limits;
  std::size_t connections = 0;
  Link link;

  Front(UniqueFd socket, const HttpLimits& its_limits)
      : limits(its_limits), link(context, std::move(socket), [this] { context.stop(); }) {}
};

// One client. Its requests are answered one after the other.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(Front& front, UniqueFd socket)
      : front_(front), stream_(Protocol::socket(front.context, Protocol(AF_UNIX, 0), socket.release())) {
    front_.connections += 1;
  }
  ~Connection() { front_.connections -= 1; }

  void read() {
    parser_.emplace();
    // The service decides how long a body may be.
    parser_->body_limit(any_length);
    parser_->header_limit(front_.limits.header_bytes);
    stream_.expires_after(std::chrono::seconds(front_.limits.idle_seconds));
    http::async_read_header(
        stream_, buffer_, *parser_,
        [self = shared_from_this()](beast::error_code failure, std::size_t) { self->ask(failure); });
  }

  // --- Frames from the service ---

  void go_on() {
    stream_.expires_after(std::chrono::seconds(front_.limits.read_seconds));
    // A client of HTTP/1.0 does not know the answer 100 (RFC 9110, 10.1.1).
    const auto& header = parser_->get();
    if (header.version() < 11 || !beast::iequals(header[http::field::expect], "100-continue"))
      return read_piece();
    asio::async_write(stream_, asio::buffer(continue_line),
                      [self = shared_from_this()](beast::error_code failure, std::size_t) {
                        if (failure) return self->fail();
                        self->read_piece();
                      });
  }

  void answer(const AnswerHead& head, std::string_view body) {
    is_answered_ = true;
    if (head.is_stream && !is_head_) return begin_stream(head, body);
    write(head, std::string(body), head.is_stream ? FrameKind::gone : FrameKind::sent);
  }

  void write_part(std::string_view part) {
    part_ = part;
    stream_.expires_after(std::chrono::seconds(front_.limits.read_seconds));
    asio::async_write(stream_, http::make_chunk(asio::buffer(part_)),
                      [self = shared_from_this()](beast::error_code failure, std::size_t) {
                        if (failure) return self->fail();
                        self->part_ = std::string();
                        self->stream_.expires_never();
                        self->front_.link.send(FrameKind::sent, self->exchange_);
                      });
  }

  // Ends the exchange and the connection.
  void fail() {
    front_.link.close(exchange_, FrameKind::gone);
    close();
  }

 private:
  void ask(beast::error_code failure) {
    if (failure) return refuse(failure);
    const auto& message = parser_->get();
    closes_ = !message.keep_alive();
    is_answered_ = false;
    RequestHead head;
    HttpRequest& request = head.request;
    request.method = std::string(message.method_string());
    is_head_ = request.method == "HEAD";
    if (is_head_) request.method = "GET";
    request.target = std::string(message.target());
    request.authorization = std::string(message[http::field::authorization]);
    request.idempotency_key = std::string(message["Idempotency-Key"]);
    request.last_event_id = std::string(message["Last-Event-ID"]);
    request.host = std::string(message[http::field::host]);
    request.origin = std::string(message[http::field::origin]);
    if (!parser_->is_done()) head.length = parser_->content_length().value_or(unknown_length);
    has_body_left_ = head.length != 0;
    // The answer may come after minutes. No time limit of the connection applies until then.
    stream_.expires_never();
    exchange_ = front_.link.open(shared_from_this());
    front_.link.send(FrameKind::ask, exchange_, to_payload(head));
  }

  void read_piece() {
    if (is_answered_) return;
    piece_.resize(longest_piece);
    auto& body = parser_->get().body();
    body.data = piece_.data();
    body.size = piece_.size();
    is_reading_ = true;
    http::async_read(
        stream_, buffer_, *parser_,
        [self = shared_from_this()](beast::error_code failure, std::size_t) { self->send_piece(failure); });
  }

  void send_piece(beast::error_code failure) {
    is_reading_ = false;
    if (failure == http::error::need_buffer) failure = {};
    // The service has answered before the end of the body. The rest of the body is not needed.
    if (is_answered_) return is_written_ ? linger() : void();
    if (failure) {
      front_.link.close(exchange_, FrameKind::gone);
      return refuse(failure);
    }
    has_body_left_ = !parser_->is_done();
    const std::string_view piece(piece_.data(), piece_.size() - parser_->get().body().size);
    // The next piece is read after this piece has been sent, so that at most one is in memory.
    auto then = [self = shared_from_this()] {
      if (self->is_answered_) return;
      if (self->has_body_left_) return self->read_piece();
      self->piece_ = std::string();
      self->stream_.expires_never();
      self->front_.link.send(FrameKind::end, self->exchange_);
    };
    if (piece.empty()) return then();
    front_.link.send(FrameKind::body, exchange_, piece, std::move(then));
  }

  // Answers bytes that are not a valid request, if the client still listens.
  void refuse(beast::error_code failure) {
    if (failure == http::error::end_of_stream || failure == beast::error::timeout ||
        failure.category() != http::make_error_code(http::error::bad_method).category())
      return close();
    is_answered_ = closes_ = true;
    const ParserAnswer refusal = answer_to(failure, front_.limits);
    // The messages of Beast are constant texts without quotation marks.
    std::string body = "{\"type\":\"about:blank\",\"title\":\"";
    body.append(refusal.title).append("\",\"status\":").append(std::to_string(refusal.status));
    body.append(",\"detail\":\"").append(refusal.detail).append("\"}\n");
    write({refusal.status, 0, false, problem_type}, std::move(body), FrameKind::gone);
  }

  // The header fields of every answer.
  static void set_common(http::fields& header, const AnswerHead& head) {
    header.set(http::field::content_type, head.content_type);
    header.set(http::field::cache_control, "no-store");
    header.set("X-Content-Type-Options", "nosniff");
  }

  void write(const AnswerHead& head, std::string body, FrameKind at_end) {
    closes_ = closes_ || has_body_left_;
    answer_.emplace();
    answer_->version(11);
    answer_->result(head.status);
    set_common(*answer_, head);
    if (head.content_type.starts_with("text/html")) answer_->set("Content-Security-Policy", page_policy);
    if (head.status == 401) answer_->set(http::field::www_authenticate, "Bearer");
    if (head.retry_after_s > 0) answer_->set(http::field::retry_after, std::to_string(head.retry_after_s));
    if (!head.allow.empty()) answer_->set(http::field::allow, head.allow);
    answer_->keep_alive(!closes_);
    answer_->body() = std::move(body);
    answer_->prepare_payload();
    if (is_head_) answer_->body().clear();
    is_written_ = false;
    stream_.expires_after(std::chrono::seconds(front_.limits.read_seconds));
    http::async_write(stream_, *answer_,
                      [self = shared_from_this(), at_end](beast::error_code failure, std::size_t) {
                        self->answer_.reset();
                        if (failure) return self->fail();
                        self->written(at_end);
                      });
  }

  void written(FrameKind at_end) {
    is_written_ = true;
    front_.link.close(exchange_, at_end);
    if (!closes_) return read();
    if (!has_body_left_) return close();
    beast::error_code ignored;
    stream_.socket().shutdown(Protocol::socket::shutdown_send, ignored);
    if (!is_reading_) linger();
  }

  // Reads and drops what the client still sends, for a limited time. If unread bytes were left, the system
  // would close the connection before the client had the answer.
  void linger() {
    stream_.expires_after(std::chrono::seconds(front_.limits.linger_seconds));
    drop_rest();
  }

  void drop_rest() {
    piece_.resize(longest_piece);
    stream_.async_read_some(asio::buffer(piece_),
                            [self = shared_from_this()](beast::error_code failure, std::size_t) {
                              failure ? self->close() : self->drop_rest();
                            });
  }

  // Sends the head of a stream. From now on the connection sends only this stream, until its client is gone.
  // A failure to send the next part shows that.
  void begin_stream(const AnswerHead& head, std::string_view first) {
    part_ = first;
    stream_header_.emplace(http::status::ok, 11);
    set_common(*stream_header_, head);
    stream_header_->set("X-Accel-Buffering", "no");
    stream_header_->chunked(true);
    stream_serializer_.emplace(*stream_header_);
    stream_.expires_after(std::chrono::seconds(front_.limits.read_seconds));
    http::async_write_header(stream_, *stream_serializer_,
                             [self = shared_from_this()](beast::error_code failure, std::size_t) {
                               if (failure) return self->fail();
                               self->write_part(std::string(std::move(self->part_)));
                             });
  }

  void close() {
    beast::error_code ignored;
    stream_.socket().shutdown(Protocol::socket::shutdown_both, ignored);
    stream_.close();
  }

  Front& front_;
  beast::basic_stream<Protocol> stream_;
  beast::flat_buffer buffer_{read_buffer_bytes};
  std::optional<http::request_parser<http::buffer_body>> parser_;
  std::optional<http::response<http::string_body>> answer_;
  std::uint64_t exchange_ = 0;
  std::string piece_;           // of a request's body
  bool is_head_ = false;        // the client asks only for the head of an answer
  bool closes_ = false;         // the connection is closed after the answer
  bool has_body_left_ = false;  // a part of the request's body is unread
  bool is_reading_ = false;     // a piece of the body is being read
  bool is_answered_ = false;
  bool is_written_ = false;  // the whole answer has been sent
  std::optional<http::response<http::empty_body>> stream_header_;
  std::optional<http::response_serializer<http::empty_body>> stream_serializer_;
  std::string part_;  // the part of a stream that is being sent
};

void Link::take(const Frame& frame) {
  if (frame.kind == FrameKind::alive) return send(FrameKind::alive, 0);
  const auto at = connections_.find(frame.exchange);
  // The client has gone, and the service did not know that when it sent the frame.
  if (at == connections_.end()) return;
  const std::shared_ptr<Connection> connection = at->second;
  if (frame.kind == FrameKind::go_on) return connection->go_on();
  if (frame.kind == FrameKind::part) return connection->write_part(frame.payload);
  if (frame.kind == FrameKind::drop) return connection->fail();
  std::string_view body = frame.payload;
  const auto head = take_answer_head(body);
  if (frame.kind == FrameKind::answer && head) connection->answer(*head, body);
}

}  // namespace

struct HttpFront::State : Front {
  using Front::Front;

  void accept() {
    listening->async_wait(asio::posix::stream_descriptor::wait_read, [this](beast::error_code failure) {
      if (!failure) accept_all();
    });
  }

  void accept_all() {
    while (connections < limits.connections) {
      UniqueFd socket(::accept4(listening->native_handle(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
      if (socket) {
        add(std::move(socket));
      } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
        return accept();
      } else if (errno != EINTR && errno != ECONNABORTED) {
        break;
      }
    }
    // No descriptor is left, or the limit of clients is reached. Further clients wait in the system's queue.
    pause.expires_after(pause_of_accepting);
    pause.async_wait([this](beast::error_code failure) {
      if (!failure) accept_all();
    });
  }

  void add(UniqueFd socket) { std::make_shared<Connection>(*this, std::move(socket))->read(); }

  std::optional<asio::posix::stream_descriptor> listening;
  asio::steady_timer pause{context};
};

HttpFront::HttpFront(UniqueFd link, const HttpLimits& limits) : state_(new State(std::move(link), limits)) {}

HttpFront::~HttpFront() = default;

void HttpFront::announce() { state_->link.send(FrameKind::ready, front_version); }

void HttpFront::accept_at(UniqueFd listening) {
  state_->listening.emplace(state_->context, listening.release());
  state_->accept();
}

void HttpFront::add(UniqueFd socket) { state_->add(std::move(socket)); }

void HttpFront::run() { state_->context.run(); }

bool HttpFront::poll() {
  state_->context.restart();
  return state_->context.poll() > 0;
}

}  // namespace kgrade
