// The messages between the service and its front, the process that parses HTTP. Both processes are of one
// build on one machine, so numbers have the machine's own byte order. The service checks every frame of the
// front before it acts on the frame. This file needs only the C++ library, because the front is a separate,
// small program.
//
// An exchange is one request of a client and the answer to it. The front numbers exchanges upwards from 1.
// Each exchange ends with `sent` or `gone`:
//
//   front: ask                       a request's header has come; without a body, the service answers it
//   service: go_on                   the body may be read
//   front: body..., end              the body in pieces
//   service: answer                  also in place of go_on, or before the body's end
//   front: sent                      the client has taken the answer; for a stream: the last part
//   service: part                    the next part of a stream
//   service: drop                    the client's connection is to be closed
//   front: gone                      the client's connection is closed
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kgrade {

// A request as the service sees it, after the front has parsed it.
struct HttpRequest {
  std::string method;  // "GET"
  std::string target;  // "/v1/grades/g_12?wait=5"
  std::string authorization;
  std::string idempotency_key;
  std::string last_event_id;
  std::string host;     // "127.0.0.1:8642"
  std::string origin;   // of the web page that sends the request; empty: unknown, or no web page
  bool is_tcp = false;  // false: a Unix socket, which no browser can reach
  std::string body;
};

// The limits of connections, requests and answers, for the front (http_front.h) and the service
// (front_link.h).
struct HttpLimits {
  std::size_t connections = 2048;
  std::uint32_t header_bytes = 16 << 10;
  int idle_seconds = 60;   // a connection without a request
  int read_seconds = 60;   // from permission to read a body to its last byte, and for writing an answer
  int linger_seconds = 2;  // after an answer to a request whose body was not read
  std::uint64_t body_bytes = std::uint64_t{32} << 20;    // of one request
  std::uint64_t answer_bytes = std::uint64_t{64} << 20;  // of one answer
  // The most bytes of bodies that are being read, and of answers that clients have not taken yet: of one
  // owner, and of all owners.
  std::uint64_t bodies_of_owner = std::uint64_t{128} << 20;
  std::uint64_t bodies = std::uint64_t{256} << 20;
  std::uint64_t answers_of_owner = std::uint64_t{128} << 20;
  std::uint64_t answers = std::uint64_t{256} << 20;
  // After a silence the service asks the front whether it is alive, and replaces the front if no answer comes
  // in time. On a busy machine the front may have to wait for seconds.
  int front_silence_seconds = 10;
  int front_patience_seconds = 60;
};

enum class FrameKind : std::uint32_t {
  // From the front.
  ready = 1,  // the front is confined and accepts clients; the exchange's number is front_version
  ask,        // a RequestHead
  body,
  end,
  sent,
  gone,
  alive,  // the answer to `alive`
  // From the service.
  go_on,
  answer,  // an AnswerHead and a body
  part,
  drop,
};

inline constexpr std::uint64_t front_version = 1;
// The longest payload of a frame from the front, in bytes.
inline constexpr std::size_t longest_front_frame = 64 << 10;
// The longest piece of a body in one frame.
inline constexpr std::size_t longest_piece = 32 << 10;

struct Frame {
  FrameKind kind = FrameKind::gone;
  std::uint64_t exchange = 0;
  std::string_view payload;
};

// Appends a frame to `bytes`. Its payload is `payload` followed by `more`, which may be empty.
void append_frame(std::string& bytes, FrameKind kind, std::uint64_t exchange, std::string_view payload = {},
                  std::string_view more = {});

// Divides received bytes into frames.
class FrameReader {
 public:
  explicit FrameReader(std::uint64_t longest_payload) : longest_(longest_payload) {}

  void append(std::string_view bytes);
  // The next whole frame. It is valid until the next call of append().
  std::optional<Frame> next();
  // A frame is longer than allowed. Then next() returns nothing any more.
  bool is_wrong() const { return is_wrong_; }

 private:
  std::uint64_t longest_;
  std::string bytes_;
  std::size_t begin_ = 0;  // the first byte that next() has not returned
  bool is_wrong_ = false;
};

inline constexpr std::uint64_t unknown_length = ~std::uint64_t{0};

struct RequestHead {
  HttpRequest request;       // without a body
  std::uint64_t length = 0;  // of the body; 0: there is none
};
std::string to_payload(const RequestHead& head);
// Nothing if the payload is not a RequestHead, or if one of its texts has a control character.
std::optional<RequestHead> read_request_head(std::string_view payload);

struct AnswerHead {
  std::uint32_t status = 200;
  std::uint32_t retry_after_s = 0;  // 0: no such header
  bool is_stream = false;           // parts follow
  std::string content_type;
  std::string allow = {};  // empty: no such header
};
std::string to_payload(const AnswerHead& head);
// Reads the AnswerHead at the beginning of `payload`, and leaves the answer's body in `payload`. Nothing if
// `payload` does not begin with an AnswerHead.
std::optional<AnswerHead> take_answer_head(std::string_view& payload);

}  // namespace kgrade
