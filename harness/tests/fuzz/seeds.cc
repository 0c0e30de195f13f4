#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "contest/protocol.h"
#include "device/finding_book.h"
#include "problem/catalogue.h"
#include "problem/families.h"
#include "record/record_json.h"
#include "serve/front_frames.h"
#include "tests/fuzz/targets.h"
#include "tests/support/sample_record.h"

namespace kgrade::fuzz {

namespace fs = std::filesystem;

namespace {

using Texts = std::vector<std::string>;

// All files with this extension in a folder and its subfolders, in the order of their names.
Texts contents(const fs::path& folder, const std::string& extension) {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == extension) paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  Texts texts;
  for (const fs::path& path : paths) {
    if (auto text = read_text_file(path)) texts.push_back(std::move(*text));
  }
  return texts;
}

void append(Texts& texts, Texts more) {
  texts.insert(texts.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

// The problem, followed by its family if it has one, under the name that the fuzzer uses.
std::string with_family(const fs::path& file) {
  std::string text = read_text_file(file).value();
  const auto problem = load_problem(file);
  if (!problem || problem->family.empty()) return text;
  const fs::path family = FamilyFolder(families_beside(file.parent_path())).path(problem->family);
  text = replace_all(text, "family: " + problem->family, "family: " + std::string(fuzzed_family));
  return text + between_files + read_text_file(family).value();
}

Texts problem_texts(const fs::path& source) {
  Texts texts;
  const auto files = problem_files(source / "problems");
  for (const fs::path& file : files.value()) texts.push_back(with_family(file));
  append(texts, contents(source / "harness/tests/fixtures/problem", ".md"));
  return texts;
}

void add_expression(Texts& texts, const Expression& expression) {
  texts.push_back(std::string(1, static_cast<char>(texts.size() % 11)) + expression.text());
}

Texts expression_texts(const fs::path& source) {
  Texts texts = {std::string("\0min(a, ceil_div(b, 3)) % (c - 2) >= 1 && !d || -e != 4 * 5", 58)};
  for (const std::string& content : problem_texts(source)) {
    const auto problem = parse_fuzzed(content);
    if (!problem) continue;
    for (const auto& [name, expression] : problem->let) add_expression(texts, expression);
    for (const Expression& expression : problem->require) add_expression(texts, expression);
    if (problem->flops) add_expression(texts, *problem->flops);
  }
  return texts;
}

Texts cuda_texts(const fs::path& source) {
  Texts texts;
  for (const char* folder : {"harness/tests/corpus", "harness/tests/fixtures/emulated", "solutions"}) {
    append(texts, contents(source / folder, ".cu"));
  }
  return texts;
}

// Requests of fuzz_reply: which one, and for each of its steps how many acts, and what they read: the act
// (its descriptors in the bits above), and for a well-formed message the status and fields.
Texts reply_texts() {
  const std::string fields(sizeof(Reply) - offsetof(Reply, call), '\x01');
  const auto message = [&](ReplyStatus status, char act = 1) {
    return std::string({act, static_cast<char>(status)}) + fields;
  };
  const std::string one = "\1", none(1, '\0');
  const std::string queued = one + message(ReplyStatus::queued), idle = one + message(ReplyStatus::idle);
  const std::string done = one + message(ReplyStatus::done), ahead = done;
  // A call begins with what is done before it: nothing, if it is meant to be a real call.
  const std::string call = none + none + done + idle;
  const std::string gated = "\1" + none + queued + done + idle;
  const std::string late =
      "\1" + none + none + "\2" + message(ReplyStatus::queued) + message(ReplyStatus::done) + idle;
  const std::string give_back = "\3", gate = "\2";
  const auto answered = [&](const std::string& act) { return call + none + none + one + act + idle + call; };
  Texts texts = {call + gated + late + call,
                 call + gate + none,
                 call + gate + ahead + gated,
                 call + give_back + ahead,
                 call + none + ahead,
                 call + give_back + one + "\4" + std::string("\1", 1) + fields + "\1" + fields,
                 answered(message(ReplyStatus::done, 0x19)),
                 answered(std::string("\0\x30\0", 3) + std::string(0x30, 'k')),
                 answered(std::string("\2\x08\0\xff", 4))};
  for (const char act : {'\3', '\5', '\6', '\7'}) {
    texts.push_back(answered({act}));
    texts.push_back(call + give_back + one + act);
  }
  for (char status = 0; status < 10; ++status) {
    texts.push_back(answered(message(static_cast<ReplyStatus>(status))));
  }
  return texts;
}

// Messages of fuzz_request: what comes with it, then the fields of a request.
Texts request_texts() {
  const auto message = [](char decision, std::uint32_t type) {
    Request request;
    request.type = static_cast<RequestType>(type - 1);
    request.loan.parameter = 1;
    request.parameters = 2;
    request.loan.bytes = 1;
    return std::string(1, decision) + std::string(reinterpret_cast<const char*>(&request), sizeof request);
  };
  const std::string load = message(2, 1), lend = message(10, 2), give_back = message(0, 3),
                    call = message(0, 4);
  return {load + lend + call + give_back, call,
          message(10, 5) + load + call,   message(4, 2) + message(6, 1),
          load + message(0, 6),           std::string("\1\4\0abcd", 7)};
}

Texts report_texts() {
  return {
      "========= COMPUTE-SANITIZER\n"
      "========= Invalid __global__ read of size 4 bytes\n"
      "=========     at void scale<(int)3>(const float *, float *, int)+0xc0 in /project/mine/x.cu:7\n"
      "=========     by thread (64,1,0) in block (2,0,0)\n"
      "=========     Access to 0x7f83f8800100 is out of bounds\n"
      "=========     and is 1 bytes after the nearest allocation at 0x7f83f8800000 of size 256 bytes\n"
      "=========         Host Frame: solution [0x8dcb] in contestant.so\n"
      "========= \n========= ERROR SUMMARY: 1 error\n",
      "========= Error: Race reported between Write access at sum(float *)+0x110 in /project/mine/x.cu:9\n"
      "=========     and Read access at sum(float *)+0x190 in /project/mine/x.cu:11 [256 hazards]\n",
      "========= Leaked 1,024 bytes at 0x7f83f8800000\n"
      "=========     Host Frame: solution [0x2200] in contestant.so\n"
      "========= \n========= Leaked 1,024 bytes at 0x7f83f8801000\n"
      "=========     Host Frame: solution [0x2200] in contestant.so\n",
      "========= Barrier error detected. Divergent thread(s) in block\n"
      "=========     at sum(float *)+0x110 in /project/mine/x.cu:9\n"
      "=========     by thread (0,0,0) in block (0,0,0)\n"};
}

// The smallest ones: one of version 2, and one with a bit of everything.
Texts record_texts(const fs::path& source) {
  const fs::path older =
      source / "results/nvidia-h200/conv-transpose-2d-sq-input-asym-kernel.kernelbench.json";
  return {read_text_file(older).value(), to_json(test::sample_record()).dump()};
}

Texts finding_book_texts() {
  Texts texts;
  for (std::uint32_t kind = 1; kind <= last_finding_kind; ++kind) {
    FindingBook book;
    book.count = 2;
    for (FindingEntry& entry : std::span(book.entries).first(2)) {
      entry.kind = static_cast<FindingKind>(kind);
      std::memcpy(entry.kernel, "scale", 6);
      entry.waits[0].threads = 3;
      entry.waits[1].threads = 4;
    }
    const std::size_t used = offsetof(FindingBook, entries) + 2 * sizeof(FindingEntry);
    texts.emplace_back(reinterpret_cast<const char*>(&book), used);
  }
  return texts;
}

Texts profile_texts(const fs::path& source) {
  const fs::path folder = source / "harness/tests/fixtures/profile";
  // A few instructions of the page by line.
  const std::string lines = read_text_file(folder / "ncu_source.csv").value().substr(0, 4000);
  return {"==PROF== Connected\f" + read_text_file(folder / "ncu_raw.csv").value() + "\f" + lines,
          "limits\t2048\t65536\t233472\t32\t1024\n"
          "kernel\t_Z9plain_addPfi\t1000\t2000\t65536\t1\t1\t256\t1\t1\t128\t0\t0\t0\n"};
}

// A job with only what it needs, and one with everything.
Texts grade_request_texts() {
  return {R"({"problem":"vector-addition","candidate":{"name":"a.cu","source":"// a"}})",
          R"({"problem":{"name":"23_Softmax.py","source":"import torch"},"candidate":{"name":"answer.md",)"
          R"("source":"text","headers":{"tile.h":"#pragma once"}},"effort":"ranked","dtype":"float16",)"
          R"("precision":"fp32","cases":["small"],"hidden":2,"baselines":"none","time_limit_s":1.5,)"
          R"("run_limit_s":60,"deadline_s":3600,"priority":"low","group":"g","client_ref":"7","seed":7,)"
          R"("hidden_seed":"18446744073709551615"})"};
}

// Two jobs that wait, of which one has begun, and one that has ended.
Texts journal_texts() {
  using Json = nlohmann::json;
  const auto job = [](const char* id, const std::string& body) {
    return Json{{"type", "job"},
                {"id", id},
                {"owner", "ann"},
                {"key", std::string("key of ") + id},
                {"body_sha256", sha256_hex(body)},
                {"submitted_at", 1.7e9},
                {"body", body}};
  };
  Texts texts;
  for (const std::string& body : grade_request_texts()) {
    Json ended = job("g_3", body);
    ended.update(
        {{"type", "ended"}, {"ended_at", 1.7e9 + 5}, {"state", "finished"}, {"result", R"({"id":"g_3"})"}});
    ended.erase("body");
    const Json begun = {{"type", "begun"}, {"id", "g_1"}};
    texts.push_back(job("g_1", body).dump() + "\n" + begun.dump() + "\n" + job("g_2", body).dump() + "\n" +
                    ended.dump() + "\n");
  }
  return texts;
}

// Frames of fuzz_front.
Texts front_texts() {
  const auto frame = [](FrameKind kind, std::uint64_t exchange, const std::string& payload = "") {
    std::string bytes;
    append_frame(bytes, kind, exchange, payload);
    return bytes;
  };
  const auto ask = [&](std::uint64_t exchange, const char* method, const char* target, std::uint64_t length) {
    RequestHead head;
    head.request.method = method;
    head.request.target = target;
    head.request.idempotency_key = "k";
    head.length = length;
    return frame(FrameKind::ask, exchange, to_payload(head));
  };
  const std::string ready = frame(FrameKind::ready, front_version), job = grade_request_texts().front();
  const auto sent = [&](std::uint64_t exchange) { return frame(FrameKind::sent, exchange); };
  const auto post = [&](std::uint64_t exchange, const char* target, const std::string& body) {
    return ask(exchange, "POST", target, body.size()) + frame(FrameKind::body, exchange, body) +
           frame(FrameKind::end, exchange);
  };
  return {ready + post(1, "/v1/grades", job) + sent(1) + ask(2, "GET", "/v1/capacity", 0) + sent(2),
          ready + ask(1, "GET", "/v1/events", 0) + sent(1) + post(2, "/v1/grades", job) + sent(2) + sent(1) +
              frame(FrameKind::gone, 1),
          ready + ask(1, "POST", "/v1/wait", unknown_length) + frame(FrameKind::body, 1, "{\"ids\":") +
              frame(FrameKind::body, 1, "[]}") + frame(FrameKind::end, 1) + sent(1),
          ready + ask(1, "POST", "/v1/grades", 2500) + ask(2, "POST", "/v1/grades", 2500) +
              frame(FrameKind::body, 1, std::string(1000, ' ')) + frame(FrameKind::gone, 1),
          ready + ask(1, "POST", "/v1/wait", unknown_length) +
              frame(FrameKind::body, 1, std::string(2900, '[')) +
              frame(FrameKind::body, 1, std::string(2900, '[')) + frame(FrameKind::end, 1),
          ready + ask(1, "GET", "/", 0) + ask(2, "GET", "/", 0) + ask(3, "GET", "/", 0) + sent(1)};
}

// Clients of fuzz_http.
Texts http_texts() {
  const auto with_body = [](const std::string& line, const std::string& body,
                            const std::string& headers = "") {
    // The fuzzer puts an id in place of g_LAST.
    const std::size_t length = replace_all(body, "g_LAST", std::string(34, 'x')).size();
    return line + " HTTP/1.1\r\nHost: x\r\n" + headers + "Content-Length: " + std::to_string(length) +
           "\r\n\r\n" + body;
  };
  const auto without = [](const std::string& line) { return line + " HTTP/1.1\r\nHost: x\r\n\r\n"; };
  const std::string job = grade_request_texts().front(), next(1, between_files);
  const std::string post = with_body("POST /v1/grades", job, "Idempotency-Key: k\r\n");
  const std::string batch = with_body("POST /v1/grades/batch", R"({"items":[)" + job + "," + job + ",{}]}");
  const std::string wait =
      with_body("POST /v1/wait", R"({"ids":["g_LAST","g_1"],"timeout_s":20,"until":"all","view":"agent"})");
  const std::string cancel = without("DELETE /v1/grades/g_LAST");
  return {"GET /v1/events HTTP/1.1\r\nLast-Event-ID: 7\r\n\r\n" + next + without("GET /v1/events") + next +
              post + next + cancel,
          post + next + wait + next + without("GET /v1/grades/g_LAST?wait=50&view=reward") + next + cancel +
              cancel,
          batch + next + with_body("POST /v1/grades?wait=9", job) + next + cancel + next + post + post,
          with_body("POST /v1/grades", grade_request_texts().back(), "Expect: 100-continue\r\n"),
          "POST /v1/wait HTTP/1.1\r\nTransfer-Encoding: "
          "chunked\r\n\r\n5\r\n{\"ids\r\n5;x=y\r\n\":[]}\r\n0\r\nA: b\r\n\r\n",
          without("GET /v1/problems") + without("HEAD /v1/problems/vector-addition") +
              without("GET /v1/capacity") + without("GET /metrics") + without("GET /v1/openapi.json") +
              "GET / HTTP/1.0\r\n\r\n",
          "GET /healthz HTTP/1.1\r\nConnection: close\r\nAuthorization: Bearer x\r\n\r\n"};
}

}  // namespace

std::vector<std::string> seeds(std::string_view target, const fs::path& source) {
  if (target == "fuzz_reply") return reply_texts();
  if (target == "fuzz_request") return request_texts();
  if (target == "fuzz_frontmatter") return problem_texts(source);
  if (target == "fuzz_expression") return expression_texts(source);
  if (target == "fuzz_rewrite") return cuda_texts(source);
  if (target == "fuzz_rewriter_answer") {
    return {R"({"files":2,"threads_cooperate":true})",
            R"({"error":"inline PTX","remedy":"leave it out","file":"mine/x.cu","line":12})"};
  }
  if (target == "fuzz_sanitizer_report") return report_texts();
  if (target == "fuzz_record") return record_texts(source);
  if (target == "fuzz_grade_request") return grade_request_texts();
  if (target == "fuzz_journal") return journal_texts();
  if (target == "fuzz_http") return http_texts();
  if (target == "fuzz_front") return front_texts();
  if (target == "fuzz_finding_book") return finding_book_texts();
  if (target == "fuzz_profile") return profile_texts(source);
  if (target == "fuzz_addr2line") {
    return {
        "0x00000000000011b1\nat(float*, int)\n/build-folder/mine/head.cuh:1\nkernel(float*)\n"
        "/project/mine/x.cu:12 (discriminator 3)\n0x0000000000000010\n??\n??:0\n0x0000000000001130\n"
        "__do_global_dtors_aux\ncrtstuff.c:?\n0x20\nmain\n/build-folder/unit.cpp:3\n"};
  }
  if (target == "fuzz_compiler_log") {
    return {
        "In file included from x.cu:1:\nx.h:3:5: error: 'a' was not declared\n  3 |  a;\n",
        "x.cu(7): error: identifier \"b\" is undefined\n",
        "kgrade-binding:9:3: error: implicit instantiation of 'kgrade_parameter_mismatch<1u, double *>'\n",
        "kgrade-binding:9:3: error: invalid use of 'struct kgrade_arity_mismatch<3u>'\n",
        "kgrade-binding:9:3: error: invalid use of 'struct kgrade_return_mismatch<int>'\n",
        "kgrade-binding:9:3: error: 'solution' was not declared in this scope\n",
        "g++: fatal error: Killed signal terminated program cc1plus\n",
        "\n \nterminated\n"};
  }
  return {std::string("\0a line\nterminate called after throwing an instance of 'int'\n", 59)};
}

std::span<const Target> targets() {
  static constexpr Target all[] = {
      {"fuzz_reply", fuzz_reply},
      {"fuzz_request", fuzz_request},
      {"fuzz_frontmatter", fuzz_frontmatter},
      {"fuzz_expression", fuzz_expression},
      {"fuzz_rewrite", fuzz_rewrite},
      {"fuzz_rewriter_answer", fuzz_rewriter_answer},
      {"fuzz_sanitizer_report", fuzz_sanitizer_report},
      {"fuzz_addr2line", fuzz_addr2line},
      {"fuzz_compiler_log", fuzz_compiler_log},
      {"fuzz_worker_output", fuzz_worker_output},
      {"fuzz_finding_book", fuzz_finding_book},
      {"fuzz_profile", fuzz_profile},
      {"fuzz_record", fuzz_record},
      {"fuzz_grade_request", fuzz_grade_request},
      {"fuzz_journal", fuzz_journal},
      {"fuzz_front", fuzz_front},
#ifdef KGRADE_FUZZ_HTTP
      {"fuzz_http", fuzz_http},
#endif
  };
  return all;
}

}  // namespace kgrade::fuzz
