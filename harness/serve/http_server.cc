// Boost.Beast parses HTTP, and Asio waits for all connections and for the lanes. Both are only in this file,
// since their headers take long to compile.
#include "serve/http_server.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <charconv>
#include <memory>

namespace kgrade {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using Clock = std::chrono::steady_clock;

constexpr auto tick = std::chrono::milliseconds(100);
// For clients that ask before they send a large body.
constexpr std::string_view go_on = "HTTP/1.1 100 Continue\r\n\r\n";
// The page has its style and script inside, and loads nothing from elsewhere.
constexpr const char* page_policy =
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; "
    "img-src data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

// What all connections share.
struct Server {
  asio::io_context context{1};
  Service& service;
  Routes& routes;
  HttpLimits limits;
  std::size_t connections = 0;
  bool is_commit_posted = false;
  std::function<void()> committed = {};  // called after each commit

  // Commits after what is ready now, so that requests that come together share one wait for the disk.
  void commit_soon() {
    if (is_commit_posted || !service.has_to_commit()) return;
    is_commit_posted = true;
    asio::post(context, [this] {
      is_commit_posted = false;
      service.commit();
      // After a failed commit, the next tick tries again.
      if (committed && !service.has_to_commit()) committed();
    });
  }
};

// The header fields of every answer.
void set_common(http::fields& header, const HttpAnswer& answer) {
  header.set(http::field::content_type, answer.content_type);
  header.set(http::field::cache_control, "no-store");
  header.set("X-Content-Type-Options", "nosniff");
}

template <class Socket>
class Connection : public std::enable_shared_from_this<Connection<Socket>> {
 public:
  Connection(Server& server, Socket socket) : server_(server), stream_(std::move(socket)) {
    server_.connections += 1;
  }
  ~Connection() { server_.connections -= 1; }

  void read() {
    is_head_ = false;
    parser_.emplace();
    parser_->body_limit(server_.limits.body_bytes);
    parser_->header_limit(server_.limits.header_bytes);
    stream_.expires_after(std::chrono::seconds(server_.limits.idle_seconds));
    http::async_read_header(
        stream_, buffer_, *parser_,
        [self = this->shared_from_this()](auto failure, auto) { self->read_body(failure); });
  }

 private:
  void read_body(beast::error_code failure) {
    if (failure) return refuse(failure);
    stream_.expires_after(std::chrono::seconds(server_.limits.read_seconds));
    const auto& header = parser_->get();
    // A client of HTTP/1.0 does not know this answer, and one without a body does not wait for it (RFC
    // 9110, 10.1.1).
    if (header.version() < 11 || parser_->is_done() ||
        !beast::iequals(header[http::field::expect], "100-continue"))
      return read_rest();
    asio::async_write(stream_, asio::buffer(go_on),
                      [self = this->shared_from_this()](auto failure_of_answer, auto) {
                        if (failure_of_answer) return self->close();
                        self->read_rest();
                      });
  }

  void read_rest() {
    http::async_read(stream_, buffer_, *parser_,
                     [self = this->shared_from_this()](auto failure_of_body, auto) {
                       if (failure_of_body) return self->refuse(failure_of_body);
                       self->handle();
                     });
  }

  // Answers a request that cannot be read, if the client still listens.
  void refuse(beast::error_code failure) {
    if (failure == http::error::body_limit)
      return send(problem_answer(
                      {413, fmt::format("the body is larger than {} bytes", server_.limits.body_bytes), 0}),
                  true);
    if (failure == http::error::end_of_stream || failure == beast::error::timeout ||
        failure.category() != http::make_error_code(http::error::bad_method).category())
      return close();
    send(problem_answer({400, "this is no request in HTTP/1.1", 0}), true);
  }

  void handle() {
    auto message = parser_->release();
    const bool closes = !message.keep_alive();
    HttpRequest request;
    request.method = std::string(message.method_string());
    request.target = std::string(message.target());
    request.authorization = std::string(message[http::field::authorization]);
    request.idempotency_key = std::string(message["Idempotency-Key"]);
    request.last_event_id = std::string(message["Last-Event-ID"]);
    request.host = std::string(message[http::field::host]);
    request.origin = std::string(message[http::field::origin]);
    request.is_tcp = std::is_same_v<typename Socket::protocol_type, asio::ip::tcp>;
    request.body = std::move(message.body());
    is_head_ = request.method == "HEAD";
    if (is_head_) request.method = "GET";
    // The answer may come after minutes. It takes no time of this connection's limits.
    stream_.expires_never();
    server_.routes.handle(request, [self = this->shared_from_this(), closes](HttpAnswer answer) {
      // Answers may come while the service works on something else. They are sent afterwards.
      asio::post(self->server_.context, [self, closes, answer = std::move(answer)]() mutable {
        self->send(std::move(answer), closes);
      });
    });
    server_.commit_soon();
  }

  void send(HttpAnswer answer, bool closes) {
    if (answer.more && !is_head_) return begin_stream(std::move(answer));
    answer_.emplace();
    answer_->version(11);
    answer_->result(static_cast<unsigned>(answer.status));
    set_common(*answer_, answer);
    if (answer.content_type.starts_with("text/html")) answer_->set("Content-Security-Policy", page_policy);
    if (answer.status == 401) answer_->set(http::field::www_authenticate, "Bearer");
    if (answer.retry_after_s > 0)
      answer_->set(http::field::retry_after, std::to_string(answer.retry_after_s));
    answer_->keep_alive(!closes);
    answer_->body() = std::move(answer.body);
    answer_->prepare_payload();
    if (is_head_) answer_->body().clear();
    stream_.expires_after(std::chrono::seconds(server_.limits.read_seconds));
    http::async_write(stream_, *answer_, [self = this->shared_from_this(), closes](auto failure, auto) {
      self->answer_.reset();
      if (failure || closes) return self->close();
      self->read();
    });
  }

  // The connection belongs to the stream until its client is gone, which the next part shows.
  void begin_stream(HttpAnswer answer) {
    more_ = std::move(answer.more);
    stream_header_.emplace(http::status::ok, 11);
    set_common(*stream_header_, answer);
    stream_header_->set("X-Accel-Buffering", "no");
    stream_header_->chunked(true);
    stream_serializer_.emplace(*stream_header_);
    part_ = std::move(answer.body);
    stream_.expires_after(std::chrono::seconds(server_.limits.read_seconds));
    http::async_write_header(stream_, *stream_serializer_,
                             [self = this->shared_from_this()](auto failure, auto) {
                               if (failure) return self->close();
                               self->write_part();
                             });
  }

  void write_part() {
    stream_.expires_after(std::chrono::seconds(server_.limits.read_seconds));
    asio::async_write(stream_, http::make_chunk(asio::buffer(part_)),
                      [self = this->shared_from_this()](auto failure, auto) {
                        if (failure) return self->close();
                        self->await_part();
                      });
  }

  void await_part() {
    stream_.expires_never();
    more_([self = this->shared_from_this()](const std::string& part) {
      asio::post(self->server_.context, [self, part] {
        self->part_ = part;
        self->write_part();
      });
    });
  }

  void close() {
    beast::error_code ignored;
    stream_.socket().shutdown(Socket::shutdown_both, ignored);
    stream_.close();
  }

  Server& server_;
  beast::basic_stream<typename Socket::protocol_type> stream_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  std::optional<http::response<http::string_body>> answer_;
  bool is_head_ = false;
  std::function<void(HttpAnswer::Part)> more_;  // of a stream, as the rest
  std::optional<http::response<http::empty_body>> stream_header_;
  std::optional<http::response_serializer<http::empty_body>> stream_serializer_;
  std::string part_;
};

template <class Protocol>
class Listener {
 public:
  Listener(Server& server, typename Protocol::acceptor acceptor)
      : server_(server), acceptor_(std::move(acceptor)), pause_(server.context) {
    accept();
  }

 private:
  void accept() {
    acceptor_.async_accept([this](beast::error_code failure, typename Protocol::socket socket) {
      if (failure == asio::error::operation_aborted) return;
      if (failure || server_.connections >= server_.limits.connections) {
        // No descriptor is left, or enough clients are served: the others wait in the system's queue.
        if (!failure) socket.close();
        pause_.expires_after(tick);
        pause_.async_wait([this](beast::error_code stopped) {
          if (!stopped) accept();
        });
        return;
      }
      std::make_shared<Connection<typename Protocol::socket>>(server_, std::move(socket))->read();
      accept();
    });
  }

  Server& server_;
  typename Protocol::acceptor acceptor_;
  asio::steady_timer pause_;
};

// Lets the service work when a lane has said something, and on every tick.
class Heart {
 public:
  explicit Heart(Server& server)
      : server_(server), lanes_(server.context, ::dup(server.service.descriptor())), timer_(server.context) {
    wait_for_lanes();
    wait_for_tick();
    // All jobs of one request are in the queue by then. An idle lane takes them at once.
    server_.committed = [this] { beat(); };
  }

 private:
  void beat() {
    server_.service.go_on();
    server_.commit_soon();
  }

  void wait_for_lanes() {
    lanes_.async_wait(asio::posix::stream_descriptor::wait_read, [this](beast::error_code failure) {
      if (failure) return;
      beat();
      wait_for_lanes();
    });
  }

  void wait_for_tick() {
    timer_.expires_after(tick);
    timer_.async_wait([this](beast::error_code failure) {
      if (failure) return;
      beat();
      wait_for_tick();
    });
  }

  Server& server_;
  asio::posix::stream_descriptor lanes_;
  asio::steady_timer timer_;
};

Error cannot_listen(const std::string& where, const std::string& why) {
  return machine_error(fmt::format("cannot listen at {}: {}", where, why),
                       "name another address with --listen");
}

// Binds a Unix socket that only this user may connect to. A socket that nobody listens to is replaced.
Result<asio::local::stream_protocol::acceptor> bind_socket(asio::io_context& context,
                                                           const std::filesystem::path& path) try {
  using Local = asio::local::stream_protocol;
  const Local::endpoint endpoint(path.string());
  beast::error_code failure;
  Local::socket probe(context);
  probe.connect(endpoint, failure);
  if (!failure) return cannot_listen(path.string(), "another program listens there");
  struct stat status {};
  if (::lstat(path.c_str(), &status) == 0 && S_ISSOCK(status.st_mode)) ::unlink(path.c_str());
  const mode_t before = ::umask(0177);
  Local::acceptor acceptor(context);
  acceptor.open();
  acceptor.bind(endpoint, failure);
  ::umask(before);
  if (failure) return cannot_listen(path.string(), failure.message());
  acceptor.listen();
  return acceptor;
} catch (const std::exception& error) {
  return cannot_listen(path.string(), error.what());
}

Result<asio::ip::tcp::acceptor> bind_tcp(asio::io_context& context, const ListenAddress& address) {
  const asio::ip::tcp::endpoint endpoint(asio::ip::make_address(address.host), address.port);
  asio::ip::tcp::acceptor acceptor(context);
  beast::error_code failure;
  const auto fail = [&] {
    return cannot_listen(fmt::format("{}:{}", address.host, address.port), failure.message());
  };
  if (acceptor.open(endpoint.protocol(), failure); failure) return fail();
  acceptor.set_option(asio::socket_base::reuse_address(true), failure);
  if (acceptor.bind(endpoint, failure); failure) return fail();
  if (acceptor.listen(1024, failure); failure) return fail();
  return acceptor;
}

}  // namespace

bool ListenAddress::is_loopback() const {
  return !socket.empty() || asio::ip::make_address(host).is_loopback();
}

Result<ListenAddress> parse_listen_address(const std::string& text) {
  const auto wrong = [&text](const char* why) {
    return Error{fmt::format("--listen: '{}' {}", text, why), "write 127.0.0.1:8642 or unix:PATH", {}};
  };
  ListenAddress address;
  if (text.starts_with("unix:")) {
    address.socket = text.substr(5);
    if (address.socket.empty() || address.socket.string().size() > 100)
      return wrong("is no path of a socket: up to 100 characters");
    return address;
  }
  const std::size_t colon = text.rfind(':');
  if (colon == text.npos) return wrong("has no port");
  address.host = colon == 0 ? "127.0.0.1" : text.substr(0, colon);
  if (address.host.starts_with('[') && address.host.ends_with(']'))
    address.host = address.host.substr(1, address.host.size() - 2);
  beast::error_code failure;
  asio::ip::make_address(address.host, failure);
  if (failure) return wrong("has no IP address before the colon");
  const auto [rest, error] =
      std::from_chars(text.data() + colon + 1, text.data() + text.size(), address.port);
  if (error != std::errc{} || rest != text.data() + text.size()) return wrong("has no port from 0 to 65535");
  return address;
}

struct HttpConnections::State {
  Server server;
};

HttpConnections::HttpConnections(Service& service, Routes& routes, const HttpLimits& limits)
    : state_(new State{{.service = service, .routes = routes, .limits = limits}}) {}

HttpConnections::~HttpConnections() = default;

void HttpConnections::add(UniqueFd socket) {
  using Local = asio::local::stream_protocol;
  Local::socket stream(state_->server.context, Local(), socket.release());
  std::make_shared<Connection<Local::socket>>(state_->server, std::move(stream))->read();
}

void HttpConnections::go_on() {
  asio::io_context& context = state_->server.context;
  context.restart();
  while (context.poll() > 0) continue;
}

Result<int> serve_http(Service& service, Routes& routes, const ListenAddress& address,
                       const HttpLimits& limits, const std::function<void(const std::string&)>& listening) {
  Server server{.service = service, .routes = routes, .limits = limits};
  const Heart heart(server);
  if (!address.socket.empty()) {
    auto acceptor = bind_socket(server.context, address.socket);
    if (!acceptor) return acceptor.errors();
    const Listener<asio::local::stream_protocol> listener(server, std::move(*acceptor));
    listening("unix:" + address.socket.string());
    server.context.run();
    return 0;
  }
  auto acceptor = bind_tcp(server.context, address);
  if (!acceptor) return acceptor.errors();
  const unsigned short port = acceptor->local_endpoint().port();
  const Listener<asio::ip::tcp> listener(server, std::move(*acceptor));
  const bool is_v6 = address.host.find(':') != std::string::npos;
  listening(fmt::format("http://{}:{}", is_v6 ? "[" + address.host + "]" : address.host, port));
  server.context.run();
  return 0;
}

}  // namespace kgrade
