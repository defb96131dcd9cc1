// Messages about the time between two ranks. Functions with `may_wait` wait for the other rank only where that is true.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "estimators/clock_model.h"

namespace starling {

// What a rank knows of the world's clock.
struct WorldTime {
  ClockModel model;           // turns this rank's clock into the world's
  std::int64_t began_ns = 0;  // when the world's clock was made, by that clock
};

// Asks a rank that knows the time, some questions in a row, and keeps to the narrowest bounds that follow. THREADS:
// one.
class StudentLink {
 public:
  StudentLink(MPI_Comm world, int teacher, const Clock& clock) : world_(world), teacher_(teacher), clock_(clock) {}
  StudentLink(const StudentLink&) = delete;
  StudentLink& operator=(const StudentLink&) = delete;

  // Asks the first question. REQUIRES: !isAsking().
  void begin();
  bool isAsking() const { return questions_ > 0; }
  // Goes on; returns what followed when the last question has been answered. REQUIRES: isAsking().
  std::optional<OffsetBounds> advance(bool may_wait);
  // As the teacher told it with the latest answer.
  std::int64_t beganNs() const { return answer_[2]; }
  // Waits for the answer that is under way, and tells the teacher that no question follows.
  void finish();

 private:
  void ask();
  void take(const OffsetBounds& bounds);

  MPI_Comm world_;
  int teacher_;
  const Clock& clock_;
  int questions_ = 0;     // of this row
  int without_gain_ = 0;  // answers in a row that hardly narrowed the bounds
  OffsetBounds bounds_;
  std::int64_t sent_ns_ = 0;
  std::int64_t question_ = 0;
  std::array<std::int64_t, 3> answer_{};
  MPI_Request question_request_ = MPI_REQUEST_NULL;
  MPI_Request answer_request_ = MPI_REQUEST_NULL;
};

// Answers one student. THREADS: one.
class TeacherLink {
 public:
  TeacherLink(MPI_Comm world, int student, const Clock& clock);
  TeacherLink(const TeacherLink&) = delete;
  TeacherLink& operator=(const TeacherLink&) = delete;

  // Answers a question, if there is one; returns true when that was the last of a row.
  bool advance(bool may_wait, const WorldTime& time);
  // Waits for questions, and answers them, until the student tells that none follows.
  void finish(const WorldTime& time);

 private:
  void listen();

  MPI_Comm world_;
  int student_;
  const Clock& clock_;
  bool is_over_ = false;
  std::int64_t question_ = 0;
  std::array<std::int64_t, 3> answer_{};
  MPI_Request question_request_ = MPI_REQUEST_NULL;
  MPI_Request answer_request_ = MPI_REQUEST_NULL;
};

// Takes what is known of the world's clock from one rank to others that read the same clock. THREADS: one.
class DomainLinks {
 public:
  // `above`: -1 for the rank that leads.
  DomainLinks(MPI_Comm world, int above, const std::vector<int>& below);
  DomainLinks(const DomainLinks&) = delete;
  DomainLinks& operator=(const DomainLinks&) = delete;

  // Returns what the rank above has told, if it has.
  std::optional<WorldTime> receive(bool may_wait);
  // Tells the ranks below. Without `may_wait`, one that has not taken what it was told before is told the next time.
  void tell(const WorldTime& time, bool may_wait);
  // Takes what is under way, and tells the ranks below that nothing follows.
  void finish();

 private:
  using Message = std::array<std::int64_t, 7>;
  struct Below {
    int rank;
    Message message{};
    MPI_Request request = MPI_REQUEST_NULL;
  };
  void listen();

  MPI_Comm world_;
  int above_;
  Message received_{};
  MPI_Request request_ = MPI_REQUEST_NULL;
  std::deque<Below> below_;
  bool is_over_ = false;
};

}  // namespace starling
