// A lane that says what a test says.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "lanes/lane.h"

namespace kgrade::test {

// The other end of a lane elsewhere: the test says what it says.
struct ScriptedLane {
  LineStream lines;
  UniqueFd socket;
  bool is_there = false;
  LaneJob job;
  std::vector<std::string> ids;  // of the job's candidates; empty: it has nothing to do
  std::size_t left = 0;

  // Makes the connection, and returns the dispatcher's end.
  Lane connect() {
    int ends[2];
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    socket.reset(ends[1]);
    return Lane::over(UniqueFd(ends[0]));
  }

  void say(const std::string& line) const {
    ASSERT_EQ(::write(socket.get(), (line + "\n").data(), line.size() + 1),
              static_cast<ssize_t>(line.size()) + 1);
  }
  void say(LaneMessage message) const {
    message.batch = job.batch;
    say(to_line(message));
  }
  // That it is there. Once.
  void say_hello() {
    if (!is_there) say(to_line(hello_of_this_program("auto")));
    is_there = true;
  }

  // Reads what the lane was given, if anything is new. Returns `ids`.
  std::vector<std::string> jobs() {
    pollfd entry{socket.get(), POLLIN, 0};
    while (::poll(&entry, 1, 0) > 0 && lines.receive(socket.get())) {
    }
    while (const auto line = lines.next()) {
      job = read_job(*line).value();
      ids.clear();
      for (const std::string& candidate : job.candidates)
        ids.push_back(std::filesystem::path(candidate).parent_path().filename());
      left = ids.size();
    }
    return ids;
  }

  std::size_t index_of(const std::string& id) const {
    return static_cast<std::size_t>(std::find(ids.begin(), ids.end(), id) - ids.begin());
  }

  void begin(const std::string& id) const { say({LaneMessage::Kind::begun, index_of(id), ""}); }

  // Sends a result of that job, and ends the batch with the last one.
  void grade(const std::string& id, const std::string& result) {
    begin(id);
    say({LaneMessage::Kind::graded, index_of(id), result});
    if (--left > 0) return;
    say({LaneMessage::Kind::ended, 0, ""});
    ids.clear();
  }

  // Gives the batch back, in the way `kgrade` ends a run that it cannot continue.
  void fail(int exit_code, const std::string& why = "it broke") const {
    say({LaneMessage::Kind::ended, 0, why, exit_code});
  }
};

}  // namespace kgrade::test
