// Rewrites CUDA C++ to C++ that a host compiler accepts together with the emulated device's headers.
//
// Sources: the CUDA C++ Programming Guide, sections "Execution Configuration", "__shared__" and
// "C++ Language Extensions".
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace kgrade::emulated {

struct RewriteRequest {
  std::filesystem::path source;
  std::string shown_as;  // the source's name in messages; headers beside it are named by its folder
  std::vector<std::filesystem::path> include_directories;
  std::filesystem::path device_headers;    // the emulated device's own headers, which are never rewritten
  std::filesystem::path output_directory;  // receives the folder "rewritten"
  // Headers that may be opened, as in a BuildRequest. An #include of any other header is left to the compiler
  // unchanged, whether or not the file exists. Nothing: all headers may be opened.
  std::optional<std::vector<std::filesystem::path>> readable;
};

struct RewrittenTree {
  std::filesystem::path source;  // rewritten_source()
  std::size_t files = 0;         // rewritten files: the source and headers
  // The source names a barrier, a warp operation or shared memory, so threads of a block may have to wait for
  // each other. Otherwise they can run one after another.
  bool threads_cooperate = false;
};

// The path of the rewritten source.
std::filesystem::path rewritten_source(const RewriteRequest& request);

// Rewrites the source and its headers: files that an #include finds beside the including file (quoted) or in
// an include directory. Lines stay where they are and a #line names the original, so that messages of the
// compiler show the user's file and line. Nothing is written outside the output directory.
//
// Errors: a file that cannot be read, more than 1,000 headers, and the first thing that the emulated device
// cannot run (its location is set, its remedy is `unsupported_remedy`). If an #if may leave out unsupported
// code, the code is marked instead. If it is compiled, the compiler then reports `unsupported_mark` and what
// is unsupported (unsupported.h).
Result<RewrittenTree> rewrite_tree(const RewriteRequest& request);

// Rewrites only one text: #include lines stay unchanged and no #line is added. Errors are like those of
// rewrite_tree().
Result<std::string> rewrite_text(const std::string& text, const std::string& shown_as);

// Messages between the toolchain and kgrade-rewrite: the request as program arguments, the answer as one line
// of JSON on standard output. The answer comes from a process that has read a hostile source, so the reader
// must cope with any text. It returns an answer or nothing.

// to_arguments() returns all arguments except the program's name. to_request() reads them, and returns
// nothing if they are not a request.
std::vector<std::string> to_arguments(const RewriteRequest& request);
std::optional<RewriteRequest> to_request(const std::vector<std::string>& arguments);

// The answer has no line break. If there are several errors, the answer has only the first.
std::string to_answer(const Result<RewrittenTree>& result);
// Nothing for a text that is not an answer. The tree's path comes from the request, never from the answer.
std::optional<Result<RewrittenTree>> read_answer(std::string_view text, const RewriteRequest& request);

}  // namespace kgrade::emulated
