// A comparison as people read it.
#pragma once

#include <string>

#include "leaderboard/compare.h"
#include "record/terminal.h"

namespace kgrade {

// A row a pair, then a row a case where there are several, what was added and removed, and the suite's line.
std::string render_table(const ComparedRecords& comparison, const Style& style);

// The same in GitHub's Markdown, the summary first, for a comment on a pull request: of pairs that did not
// change only their number. It is no longer than a
// comment may be; what is beyond is counted.
std::string render_markdown(const ComparedRecords& comparison);

// "2 faster, 1 slower, 3 same; 1 no longer accepted": what there is of these.
std::string summary_text(const ComparedRecords& comparison);

}  // namespace kgrade
