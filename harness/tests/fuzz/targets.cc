#include "tests/fuzz/targets.h"

namespace kgrade::fuzz {

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
