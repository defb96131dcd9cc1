// One clock for all ranks of MPI_COMM_WORLD: that of the machine of its rank 0.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <span>

#include "base/clock.h"
#include "estimators/clock_model.h"
#include "mpi/machine/clock_domains.h"
#include "mpi/machine/clock_links.h"

namespace starling {

// One rank of each machine learns the time from one that knows it, after Hunold and Carpen-Amarie's HCA3: in
// ceil(log2 N) rounds for N machines, each by at most 20 exchanges with the tightest bounds, as in SKaMPI. It tells the
// ranks that read the same clock. Later, at the ends of epochs, they exchange stamps anew, so that drift is known too.
//
// Each rank turns its own stamps into the world's time. How wrong that may be is proved (ClockFit), as long as clocks
// keep their rates. THREADS: model() and keepUp() may be called from any thread that may call MPI, the others by one.
class WorldClock {
 public:
  explicit WorldClock(const Clock& clock) : clock_(clock) {}
  WorldClock(const WorldClock&) = delete;
  WorldClock& operator=(const WorldClock&) = delete;

  // Finds out who reads which clock, and synchronises. Collective over `world`, which has the ranks of MPI_COMM_WORLD
  // in their order, and no messages with the tags 2 to 4. It outlives finish().
  void open(MPI_Comm world, std::uint64_t own_identity);
  // Measures anew and waits for it. Collective. REQUIRES: isOpen().
  void synchronise();
  bool isOpen() const { return links_ != nullptr; }

  // Returns whether the ranks of the world read one clock. REQUIRES: isOpen().
  bool isOneClock(std::span<const int> ranks) const { return domains_.share(ranks); }
  // Returns what turns this rank's clock into the world's. REQUIRES: isOpen().
  ClockModel model() const;

  // Goes on with what is under way. When it is time for the machines to exchange stamps anew, those that do poll for
  // answers, a thousandth of all time at most; they wait for no rank, and what has not come is taken the next time.
  void keepUp();
  // Ends all messages. Collective.
  void finish();

 private:
  struct Links {
    Links(MPI_Comm world, const ClockNeighbours& neighbours, const Clock& clock);

    std::unique_ptr<StudentLink> student;  // null: this rank learns from its own machine, or is the first of all
    std::deque<TeacherLink> teachers;
    std::deque<std::int64_t> taught_in;  // by teacher: the latest slot in which a row of questions was answered
    DomainLinks domain;
  };

  WorldTime time() const;
  void adopt(const WorldTime& time, bool may_wait);
  void learn(const OffsetBounds& bounds, bool may_wait);
  void advance();
  bool isUpToDate() const;
  void poll(std::int64_t longest_ns);

  const Clock& clock_;
  ClockDomains domains_;
  bool leads_ = false;
  std::unique_ptr<Links> links_;
  ClockFit fit_;
  std::mutex upkeep_mutex_;  // guards the links and what follows
  std::int64_t slot_ = 0;    // stretches of time, in each of which the machines exchange stamps once
  std::int64_t learned_in_ = 0;
  std::int64_t polled_ns_ = 0;
  mutable std::mutex time_mutex_;  // guards what follows
  WorldTime time_;
};

}  // namespace starling
