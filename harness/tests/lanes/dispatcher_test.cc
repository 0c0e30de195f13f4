// Who is blamed when a lane cannot go on, and which lane gets no work: the table in lanes/dispatcher.h.
#include "lanes/dispatcher.h"

#include <gmock/gmock.h>

#include <deque>

#include "tests/lanes/scripted_lane.h"

namespace kgrade::dispatcher_test {

using test::ScriptedLane;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using Ids = std::vector<std::string>;

class Dispatching : public testing::Test, protected DispatcherClient {
 protected:
  // Each job is "<problem><number>".
  void open(std::size_t lanes, const Ids& jobs, bool is_elsewhere = false) {
    DispatcherOptions options;
    for (std::size_t i = 0; i < lanes; ++i) options.devices.push_back("device " + std::to_string(i));
    options.lane_command.is_elsewhere = is_elsewhere_ = is_elsewhere;
    options.start_lane = [this](std::size_t number) -> Result<Lane> {
      if (starts_none_) return machine_error("no process", "");
      present_.resize(std::max(present_.size(), number + 1));
      present_[number] = &lanes_.emplace_back();
      return lanes_.back().connect();
    };
    options.clock = [this] { return now_; };
    options.note = [this](const std::string& note) { notes_.push_back(note); };
    dispatcher_.emplace(options, static_cast<DispatcherClient&>(*this));
    for (const std::string& id : jobs) dispatcher_->add({id, "ann", id.substr(0, 1)});
    if (is_elsewhere) go_on();
  }

  void go_on(double seconds = 0.1) {
    now_ += seconds;
    dispatcher_->hear();
    dispatcher_->hand_out();
  }

  // The lane with that number, in its present process.
  ScriptedLane& lane(std::size_t number = 0) { return *present_.at(number); }
  // What the lane has got. One on this machine is there at once.
  Ids jobs(std::size_t number = 0) {
    if (!is_elsewhere_) lane(number).say_hello();
    return lane(number).jobs();
  }
  // The lane's turn, with what it gets.
  Ids next(std::size_t number = 0) {
    go_on();
    return jobs(number);
  }

  // The jobs that wait: "a1 alone, not for lane 1".
  Ids waiting() const {
    Ids lines;
    for (const QueuedJob& job : dispatcher_->queue().upcoming(Warmth(), 100)) {
      lines.push_back(job.id + (job.is_alone ? " alone" : "") +
                      (job.avoided.empty() ? "" : ", not for " + job.avoided));
    }
    return lines;
  }
  int refusals(std::size_t number = 0) const {
    return std::next(dispatcher_->lanes().begin(), static_cast<std::ptrdiff_t>(number))->refusals;
  }

  Result<LaneJob> lane_job(const Ids& ids, const std::string&) override {
    LaneJob job;
    for (const std::string& id : ids) job.candidates.push_back("/" + id + "/a.cu");
    return job;
  }
  std::string result(const std::string& id, const std::string&, const std::string& text) override {
    if (text != "right") return "another result";
    ended_.push_back(id);
    return "";
  }
  void failed(const std::string& id, const std::string&, const std::string& why, int exit_code) override {
    ended_.push_back(id + ": " + why + ", " + std::to_string(exit_code));
  }
  void overran(const std::string& id) override { ended_.push_back(id + " took too long"); }

  double now_ = 1000;
  bool is_elsewhere_ = false;
  bool starts_none_ = false;
  std::deque<ScriptedLane> lanes_;      // every process, in the order of their starts
  std::vector<ScriptedLane*> present_;  // by the number of their lane
  std::optional<Dispatcher> dispatcher_;
  Ids ended_;
  Ids notes_;
};

struct Row {
  const char* what;
  Ids jobs;  // of the batch; the first one may have begun
  bool has_begun;
  std::function<void(ScriptedLane& lane)> happens;
  Ids waiting;
  Ids ended;
  int refusals;
};

void dies(ScriptedLane& lane) { lane.socket.reset(); }
void lies(ScriptedLane& lane) { lane.say({LaneMessage::Kind::graded, 0, "wrong"}); }
void names_its_machine(ScriptedLane& lane) { lane.fail(exit_machine); }
void has_a_fault_of_its_own(ScriptedLane& lane) { lane.fail(exit_internal); }
void calls_the_job_wrong(ScriptedLane& lane) { lane.fail(exit_usage); }
void ends_before_its_time(ScriptedLane& lane) { lane.say({LaneMessage::Kind::ended, 0, ""}); }

const Row table[] = {
    {"begun, dies", {"a1", "a2"}, true, dies, {"a1 alone, not for lane 1", "a2"}, {}, 0},
    {"begun, machine", {"a1", "a2"}, true, names_its_machine, {"a1 alone, not for lane 1", "a2"}, {}, 0},
    {"begun, internal",
     {"a1", "a2"},
     true,
     has_a_fault_of_its_own,
     {"a1 alone, not for lane 1", "a2"},
     {},
     0},
    {"begun, wrong", {"a1", "a2"}, true, calls_the_job_wrong, {"a2"}, {"a1: it broke, 2"}, 0},
    {"begun, lies", {"a1", "a2"}, true, lies, {"a1 alone, not for lane 1", "a2"}, {}, 0},
    {"begun, ends", {"a1", "a2"}, true, ends_before_its_time, {"a1 alone, not for lane 1", "a2"}, {}, 0},
    {"several, dies", {"a1", "a2"}, false, dies, {"a1 alone", "a2 alone"}, {}, 1},
    {"several, machine", {"a1", "a2"}, false, names_its_machine, {"a1 alone", "a2 alone"}, {}, 1},
    {"several, internal", {"a1", "a2"}, false, has_a_fault_of_its_own, {"a1 alone", "a2 alone"}, {}, 1},
    {"several, wrong", {"a1", "a2"}, false, calls_the_job_wrong, {"a1 alone", "a2 alone"}, {}, 0},
    {"single, dies", {"a1"}, false, dies, {"a1 alone, not for lane 1"}, {}, 1},
    {"single, machine", {"a1"}, false, names_its_machine, {"a1 alone, not for lane 1"}, {}, 1},
    {"single, internal", {"a1"}, false, has_a_fault_of_its_own, {"a1 alone, not for lane 1"}, {}, 1},
    {"single, wrong", {"a1"}, false, calls_the_job_wrong, {}, {"a1: it broke, 2"}, 0},
};

TEST_F(Dispatching, FollowsTheTable) {
  for (const Row& row : table) {
    SCOPED_TRACE(row.what);
    ended_.clear();
    open(1, row.jobs);
    ASSERT_EQ(next(), row.jobs);
    if (row.has_begun) lane().begin("a1");
    row.happens(lane());
    dispatcher_->hear();
    EXPECT_EQ(waiting(), row.waiting);
    EXPECT_EQ(ended_, row.ended);
    EXPECT_EQ(refusals(), row.refusals);
    EXPECT_EQ(dispatcher_->left(), row.waiting.size());
  }
}

TEST_F(Dispatching, TriesABlamedJobTwice) {
  open(1, {"a1", "a2"});
  for (int time = 0; time < 2; ++time) {
    ASSERT_EQ(next().front(), "a1");
    lane().begin("a1");
    dies(lane());
  }
  EXPECT_THAT(next(), ElementsAre("a2"));
  EXPECT_THAT(ended_, ElementsAre(HasSubstr("a1: the process that graded")));
}

TEST_F(Dispatching, TriesABlamedJobOnAnotherLane) {
  open(2, {"a1", "b1"});
  ASSERT_THAT(next(), ElementsAre("a1"));
  ASSERT_THAT(jobs(1), ElementsAre("b1"));
  lane().begin("a1");
  dies(lane());
  go_on();
  go_on();
  EXPECT_THAT(waiting(), ElementsAre("a1 alone, not for lane 1")) << "lane 2 works, and will be free";
  lane(1).grade("b1", "right");
  EXPECT_THAT(next(1), ElementsAre("a1"));
}

// A broken GPU is faster than those that grade: it must not empty the queue.
TEST_F(Dispatching, KeepsOutALaneThatRefusesThreeTimesAndTakesItsBlameBack) {
  open(1, {"a1", "b1", "c1"});
  for (int time = 0; time < 3; ++time) {
    const Ids got = next();
    ASSERT_EQ(got.size(), 1u);
    names_its_machine(lane());
  }
  go_on();
  EXPECT_THAT(notes_,
              ElementsAre("device 0 gets no work for 60 s, since it refused 3 times in a row: it broke"));
  EXPECT_EQ(dispatcher_->last_words(), "device 0: it broke");
  EXPECT_EQ(dispatcher_->left(), 3u);
  EXPECT_THAT(ended_, IsEmpty());
  for (int second = 0; second < 59; ++second) go_on(1);
  EXPECT_TRUE(dispatcher_->is_paused(dispatcher_->lanes().front()));
  go_on(1);
  ASSERT_FALSE(dispatcher_->is_paused(dispatcher_->lanes().front()));
  // Two more failures of each are forgiven, too, since three in a row come again. The pause is longer then.
  for (int time = 0; time < 3; ++time) {
    next();
    names_its_machine(lane());
  }
  go_on();
  EXPECT_THAT(notes_.back(), HasSubstr("gets no work for 120 s"));
  EXPECT_THAT(ended_, IsEmpty());
}

TEST_F(Dispatching, TrustsALaneAgainAfterAResult) {
  open(1, {"a1", "b1", "c1", "d1", "e1"});
  for (int time = 0; time < 2; ++time) {
    next();
    names_its_machine(lane());
  }
  const Ids got = next();
  lane().grade(got.front(), "right");
  go_on();
  EXPECT_EQ(refusals(), 0);
  EXPECT_EQ(ended_, got);
}

// A problem that no lane can grade keeps nobody from the others.
TEST_F(Dispatching, GivesALaneThatRefusedOtherProblemsFirst) {
  open(1, {"a1", "a2", "a3", "b1"});
  ASSERT_THAT(next(), ElementsAre("a1", "a2", "a3"));
  dies(lane());
  ASSERT_THAT(next(), ElementsAre("b1"));
  lane().grade("b1", "right");
  EXPECT_THAT(next(), ElementsAre("a1"));
}

// A candidate or a problem that ends each lane before it begins.
TEST_F(Dispatching, SetsAProblemAsideThatALaneRefuses) {
  open(1, {"a1", "b1", "b2", "b3", "b4"});
  ASSERT_THAT(next(), ElementsAre("a1"));
  lane().grade("a1", "right");
  go_on();
  for (int starts = 0; starts < 20 && dispatcher_->left() > 0; ++starts) {
    next();
    dies(lane());
    go_on();
  }
  EXPECT_LE(lanes_.size(), 6u) << "it is not started again for each job";
  EXPECT_EQ(dispatcher_->left(), 0u);
  EXPECT_THAT(ended_, testing::SizeIs(5));
  EXPECT_THAT(notes_, IsEmpty()) << "the lane works";
  // Later jobs of the problem are tried again.
  dispatcher_->add({"b5", "ann", "b"});
  EXPECT_THAT(next(), ElementsAre("b5"));
}

// One elsewhere is not there any more when its batch fails.
TEST_F(Dispatching, SetsAProblemAsideThatALaneElsewhereRefuses) {
  open(1, {"b1", "b2", "b3", "b4"}, true);
  for (int starts = 0; starts < 20 && dispatcher_->left() > 0; ++starts) {
    lane().say_hello();
    go_on();
    next();
    dies(lane());
    go_on();
  }
  EXPECT_EQ(dispatcher_->left(), 0u);
  EXPECT_LE(lanes_.size(), 7u);
}

// Six of six jobs ended as failed, before the other lane was there.
TEST_F(Dispatching, ABrokenLaneElsewhereCostsNothingWhileAnotherIsStarting) {
  open(2, {"b1", "b2", "b3", "b4"}, true);
  for (int time = 0; time < 12; ++time) {
    lane(0).say_hello();
    go_on();
    dies(lane(0));
    go_on();
  }
  EXPECT_THAT(ended_, IsEmpty());
  lane(1).say_hello();
  for (int time = 0; time < 20 && dispatcher_->left() > 0; ++time) {
    go_on();
    for (const Ids ids = jobs(1); const std::string& id : ids) lane(1).grade(id, "right");
  }
  EXPECT_THAT(ended_, testing::UnorderedElementsAre("b1", "b2", "b3", "b4"));
}

TEST_F(Dispatching, OfAProblemThatAnotherLaneGradesNothingIsLost) {
  open(2, {"a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8"});
  go_on();
  ASSERT_EQ(jobs(0).size(), 4u);
  ASSERT_EQ(jobs(1).size(), 2u);
  for (int time = 0; time < 12; ++time) {
    dies(lane(1));
    next(1);
  }
  for (int time = 0; time < 20 && dispatcher_->left() > 0; ++time) {
    for (const Ids ids = jobs(0); const std::string& id : ids) lane(0).grade(id, "right");
    go_on();
  }
  EXPECT_THAT(ended_, testing::UnorderedElementsAre("a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8"));
}

// It was tried once by a lane that works, and ended as failed by one that did not.
TEST_F(Dispatching, ABrokenLaneCostsNoJobItsSecondTry) {
  open(2, {"a1"});
  ASSERT_THAT(next(), ElementsAre("a1"));
  lane().begin("a1");
  dies(lane());
  go_on();
  ASSERT_THAT(next(1), ElementsAre("a1"));
  dies(lane(1));
  go_on();
  EXPECT_THAT(ended_, IsEmpty());
  EXPECT_THAT(next(0), ElementsAre("a1"));
}

// It waited for ten minutes.
TEST_F(Dispatching, AJobWaitsForNoLaneThatDoesNotTakeItsProblem) {
  open(2, {"a1", "a2", "a3", "a4", "a5", "a6"});
  go_on();
  ASSERT_THAT(jobs(0), ElementsAre("a1", "a2", "a3"));
  for (int time = 0; time < 8; ++time) {
    next(1);
    dies(lane(1));
    go_on();
  }
  lane(0).begin("a1");
  dies(lane(0));
  go_on();
  EXPECT_THAT(next(0), ElementsAre("a1"));
}

// Their batches had one job each, for ever.
TEST_F(Dispatching, JobsThatABrokenLaneRefusedAreTogetherAgain) {
  open(2, {"a1", "a2", "a3", "a4", "b1", "b2", "b3", "b4"});
  go_on();
  for (int time = 0; time < 3; ++time) {
    next(1);
    names_its_machine(lane(1));
    go_on();
  }
  ASSERT_THAT(notes_, testing::SizeIs(1));
  for (const std::string& line : waiting()) EXPECT_THAT(line, testing::Not(HasSubstr("alone")));
}

TEST_F(Dispatching, AnOwnerOfARefusedProblemComesLast) {
  open(1, {"a1", "a2"});
  dispatcher_->add({"b1", "bob", "b"});
  dispatcher_->add({"b2", "bob", "b"});
  ASSERT_THAT(next(), ElementsAre("a1", "a2"));
  dies(lane());
  ASSERT_THAT(next(), ElementsAre("b1", "b2"));
  for (const char* id : {"b1", "b2"}) lane().grade(id, "right");
  EXPECT_THAT(next(), ElementsAre("a1"));
}

TEST_F(Dispatching, EachOfABatchThatIsRefusedIsTriedAloneBeforeAnyIsBlamed) {
  open(1, {"a1", "a2"});
  next();
  has_a_fault_of_its_own(lane());
  ASSERT_THAT(next(), ElementsAre("a1"));
  lane().grade("a1", "right");
  ASSERT_THAT(next(), ElementsAre("a2"));
  has_a_fault_of_its_own(lane());
  ASSERT_THAT(next(), ElementsAre("a2"));
  has_a_fault_of_its_own(lane());
  go_on();
  EXPECT_THAT(ended_, ElementsAre("a1", "a2: it broke, 70"));
}

TEST_F(Dispatching, BlamesNobodyForALaneThatCannotBeStarted) {
  starts_none_ = true;
  open(2, {"a1", "a2"});
  for (int time = 0; time < 6; ++time) go_on();  // one after the other
  EXPECT_EQ(notes_.size(), 2u);
  EXPECT_THAT(waiting(), ElementsAre("a1", "a2"));
  starts_none_ = false;
  for (int second = 0; second < 61; ++second) go_on(1);
  EXPECT_THAT(jobs(), ElementsAre("a1"));
}

TEST_F(Dispatching, GivesWorkToALaneElsewhereOnceItIsThere) {
  open(2, {"a1", "a2", "a3"}, true);
  EXPECT_THAT(jobs(0), IsEmpty());
  lane(1).say_hello();
  go_on();
  EXPECT_THAT(jobs(1), ElementsAre("a1", "a2", "a3")) << "the share of the lane that is there";
  EXPECT_THAT(jobs(0), IsEmpty());
}

TEST_F(Dispatching, StartsNoMoreLanesElsewhereThanThereAreJobs) {
  open(3, {"a1", "a2"}, true);
  EXPECT_EQ(lanes_.size(), 2u);
}

TEST_F(Dispatching, TakesNoAnswerToAnotherBatch) {
  open(1, {"a1", "a2"});
  next();
  LaneMessage late{LaneMessage::Kind::graded, 0, "right"};
  late.batch = std::string(32, '0');
  lane().say(to_line(late));
  go_on();
  EXPECT_THAT(ended_, IsEmpty());
}

TEST_F(Dispatching, ARemovedJobCostsTheOthersOfItsBatchNothing) {
  open(1, {"a1", "a2", "a3"});
  next();
  lane().begin("a1");
  go_on();
  dispatcher_->remove("a1");
  EXPECT_THAT(waiting(), ElementsAre("a2", "a3"));
  EXPECT_EQ(refusals(), 0);
  EXPECT_EQ(dispatcher_->left(), 2u);
}

TEST_F(Dispatching, AJobOverItsRunLimitHasItsVerdictOnlyAlone) {
  open(1, {});
  for (const char* id : {"a1", "a2"}) dispatcher_->add({id, "ann", "a", false, false, "", 0, 10});
  const auto overrun = [this] {
    LaneMessage spent{LaneMessage::Kind::spent, 0, ""};
    spent.seconds = 11;
    lane().say(spent);
  };
  next();
  overrun();
  EXPECT_THAT(next(), ElementsAre("a1"));
  EXPECT_THAT(ended_, IsEmpty());
  overrun();
  EXPECT_THAT(next(), ElementsAre("a2"));
  EXPECT_THAT(ended_, ElementsAre("a1 took too long"));
}

}  // namespace kgrade::dispatcher_test
