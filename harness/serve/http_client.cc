#include "serve/http_client.h"

#include <fmt/format.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <chrono>
#include <vector>

#include "base/text.h"

namespace kgrade {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;

constexpr auto patience = std::chrono::seconds(10);
constexpr std::string_view tcp_scheme = "http://";
constexpr std::string_view socket_scheme = "unix:";

Error unreachable(const std::string& url, const std::string& why) {
  return machine_error(fmt::format("no service answers at {}: {}", url, printable_line(why)),
                       "start one with `kgrade serve`, or name its address");
}

// Connects, sends the request and reads the answer, within one time limit. Tries one address after the other:
// a host name may have an IPv6 address at which nobody listens, beside an IPv4 address that answers.
template <class Protocol>
Result<std::string> get(const std::string& url, const std::vector<typename Protocol::endpoint>& addresses,
                        const std::string& target, const std::string& token) {
  asio::io_context context;
  beast::basic_stream<Protocol> stream(context);
  beast::error_code failure;
  const auto finish = [&] {
    context.restart();
    context.run();
    return !failure;
  };
  const auto keep = [&failure](beast::error_code error, auto...) { failure = error; };
  const auto end = std::chrono::steady_clock::now() + patience;
  bool is_connected = false;
  for (std::size_t i = 0; i < addresses.size() && !is_connected; ++i) {
    // The remaining time is divided equally among the remaining addresses, so that an address that never
    // answers does not use up all of it.
    stream.expires_after((end - std::chrono::steady_clock::now()) /
                         static_cast<std::int64_t>(addresses.size() - i));
    stream.async_connect(addresses[i], keep);
    is_connected = finish();
    if (!is_connected) stream.close();
  }
  if (!is_connected) return unreachable(url, failure.message());
  stream.expires_at(end);
  http::request<http::empty_body> request(http::verb::get, target, 11);
  request.set(http::field::host, "kgrade");
  if (!token.empty()) request.set(http::field::authorization, "Bearer " + token);
  http::async_write(stream, request, keep);
  if (!finish()) return unreachable(url, failure.message());
  beast::flat_buffer buffer;
  http::response_parser<http::string_body> answer;
  answer.body_limit(std::uint64_t{16} << 20);
  http::async_read(stream, buffer, answer, keep);
  if (!finish()) return unreachable(url, failure.message());
  const auto status = answer.get().result_int();
  if (status == 401)
    return Error{token.empty()
                     ? fmt::format("the service at {} wants a token", url)
                     : fmt::format("the service at {} does not know the token in KGRADE_TOKEN", url),
                 "set KGRADE_TOKEN to a token that its operator gave you",
                 {}};
  if (status != 200) return unreachable(url, fmt::format("it answered {}", status));
  return std::move(answer.get().body());
}

}  // namespace

Result<std::string> get_from_service(const std::string& url, const std::string& target,
                                     const std::string& token) {
  if (url.starts_with(socket_scheme)) {
    std::string path = url.substr(socket_scheme.size());  // it may begin with more than one slash
    if (path.starts_with("//")) path.erase(0, path.find_first_not_of('/') - 1);
    return get<asio::local::stream_protocol>(url, {path}, target, token);
  }
  if (!url.starts_with(tcp_scheme))
    return Error{fmt::format("'{}' is no address of a service", url),
                 "write http://127.0.0.1:8642 or unix:///path/of/socket",
                 {}};
  std::string place = url.substr(tcp_scheme.size());
  place = place.substr(0, place.find('/'));
  const std::size_t colon = place.rfind(':');
  const bool has_port = colon != place.npos && place.find(']', colon) == place.npos;
  std::string host = place.substr(0, has_port ? colon : place.npos);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  asio::io_context context;
  asio::ip::tcp::resolver resolver(context);
  beast::error_code failure;
  const auto found = resolver.resolve(host, has_port ? place.substr(colon + 1) : "80", failure);
  if (failure || found.empty()) return unreachable(url, failure.message());
  return get<asio::ip::tcp>(url, {found.begin(), found.end()}, target, token);
}

}  // namespace kgrade
