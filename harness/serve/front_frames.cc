#include "serve/front_frames.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace kgrade {
namespace {

struct Head {
  std::uint64_t exchange = 0;
  std::uint32_t size = 0;
  FrameKind kind = FrameKind::gone;
};

// The longest text in a frame's head. A client's method, path and fields together are shorter:
// HttpLimits::header_bytes.
constexpr std::uint32_t longest_text = 32 << 10;

constexpr std::size_t large_capacity = 1 << 20;

template <class Number>
void append_number(std::string& bytes, Number number) {
  bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

template <class Number>
std::optional<Number> take_number(std::string_view& bytes) {
  if (bytes.size() < sizeof(Number)) return std::nullopt;
  Number number{};
  std::memcpy(&number, bytes.data(), sizeof number);
  bytes.remove_prefix(sizeof number);
  return number;
}

void append_text(std::string& bytes, const std::string& text) {
  append_number(bytes, static_cast<std::uint32_t>(text.size()));
  bytes += text;
}

std::optional<std::string> take_text(std::string_view& bytes) {
  const auto size = take_number<std::uint32_t>(bytes);
  if (!size || *size > longest_text || *size > bytes.size()) return std::nullopt;
  std::string text(bytes.substr(0, *size));
  bytes.remove_prefix(*size);
  return text;
}

// The texts of a request, in the order in which they are sent.
template <class Request>
auto texts_of(Request& request) {
  return std::array{&request.method,        &request.target, &request.authorization, &request.idempotency_key,
                    &request.last_event_id, &request.host,   &request.origin};
}

}  // namespace

void append_frame(std::string& bytes, FrameKind kind, std::uint64_t exchange, std::string_view payload,
                  std::string_view more) {
  append_number(bytes, Head{exchange, static_cast<std::uint32_t>(payload.size() + more.size()), kind});
  bytes += payload;
  bytes += more;
}

void FrameReader::append(std::string_view bytes) {
  // Returned frames are removed in large pieces, so that each byte is moved only once or twice. The memory of
  // a large frame is freed.
  if (begin_ == bytes_.size() && bytes_.capacity() > large_capacity) bytes_ = std::string();
  if (begin_ >= bytes_.size() / 2) {
    bytes_.erase(0, begin_);
    begin_ = 0;
  }
  bytes_ += bytes;
}

std::optional<Frame> FrameReader::next() {
  std::string_view rest = std::string_view(bytes_).substr(begin_);
  const auto head = take_number<Head>(rest);
  if (!head || is_wrong_) return std::nullopt;
  if (head->size > longest_) {
    is_wrong_ = true;
    return std::nullopt;
  }
  if (rest.size() < head->size) return std::nullopt;
  begin_ += sizeof(Head) + head->size;
  return Frame{head->kind, head->exchange, rest.substr(0, head->size)};
}

std::string to_payload(const RequestHead& head) {
  std::string bytes;
  append_number(bytes, head.length);
  for (const std::string* const text : texts_of(head.request)) append_text(bytes, *text);
  return bytes;
}

std::optional<RequestHead> read_request_head(std::string_view payload) {
  RequestHead head;
  const auto length = take_number<std::uint64_t>(payload);
  if (!length) return std::nullopt;
  head.length = *length;
  for (std::string* const member : texts_of(head.request)) {
    auto text = take_text(payload);
    // HTTP allows a tab in a field, and no other control character.
    const auto is_allowed = [](char c) {
      return c == '\t' || (static_cast<unsigned char>(c) >= ' ' && c != 0x7f);
    };
    if (!text || !std::all_of(text->begin(), text->end(), is_allowed)) return std::nullopt;
    *member = std::move(*text);
  }
  return payload.empty() ? std::optional(std::move(head)) : std::nullopt;
}

std::string to_payload(const AnswerHead& head) {
  std::string bytes;
  append_number(bytes, head.status);
  append_number(bytes, head.retry_after_s);
  append_number(bytes, static_cast<std::uint32_t>(head.is_stream));
  append_text(bytes, head.content_type);
  append_text(bytes, head.allow);
  return bytes;
}

std::optional<AnswerHead> take_answer_head(std::string_view& payload) {
  const auto status = take_number<std::uint32_t>(payload);
  const auto retry = take_number<std::uint32_t>(payload);
  const auto is_stream = take_number<std::uint32_t>(payload);
  auto type = take_text(payload);
  auto allow = take_text(payload);
  if (!status || !retry || !is_stream || !type || !allow) return std::nullopt;
  return AnswerHead{*status, *retry, *is_stream != 0, std::move(*type), std::move(*allow)};
}

}  // namespace kgrade
