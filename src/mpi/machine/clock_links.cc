#include "mpi/machine/clock_links.h"

#include <bit>

namespace starling {
namespace {

// Records travel over the same communicator with another tag.
constexpr int kQuestionTag = 2;
constexpr int kAnswerTag = 3;
constexpr int kTimeTag = 4;

// Questions. The teacher of the last one of a row need not look out for more; kEnd is no question, and not answered.
constexpr std::int64_t kMore = 0;
constexpr std::int64_t kLast = 1;
constexpr std::int64_t kEnd = 2;

constexpr int kMostQuestions = 20;
constexpr int kMostWithoutGain = 5;
constexpr std::int64_t kUnbounded = std::int64_t{1} << 60;
constexpr double kGain = 0.95;  // bounds that are narrower by this factor are worth another question

// Returns whether the request is complete. A fault counts as complete: nothing more comes of it.
bool isComplete(MPI_Request& request, bool may_wait, int& code) {
  int complete = 1;
  code = may_wait ? PMPI_Wait(&request, MPI_STATUS_IGNORE) : PMPI_Test(&request, &complete, MPI_STATUS_IGNORE);
  return code != MPI_SUCCESS || complete != 0;
}

}  // namespace

void StudentLink::begin() {
  without_gain_ = 0;
  bounds_ = {clock_.nanoseconds(), -kUnbounded, kUnbounded};
  ask();
}

void StudentLink::ask() {
  ++questions_;
  question_ = questions_ == kMostQuestions || without_gain_ == kMostWithoutGain ? kLast : kMore;
  PMPI_Irecv(answer_.data(), static_cast<int>(answer_.size()), MPI_INT64_T, teacher_, kAnswerTag, world_,
             &answer_request_);
  sent_ns_ = clock_.nanoseconds();
  PMPI_Isend(&question_, 1, MPI_INT64_T, teacher_, kQuestionTag, world_, &question_request_);
}

std::optional<OffsetBounds> StudentLink::advance(bool may_wait) {
  do {
    int code = MPI_SUCCESS;
    if (!isComplete(answer_request_, may_wait, code)) return std::nullopt;
    const std::int64_t received_ns = clock_.nanoseconds();
    PMPI_Wait(&question_request_, MPI_STATUS_IGNORE);
    if (code == MPI_SUCCESS) take(ClockExchange{sent_ns_, received_ns, answer_[0], answer_[1]}.bounds());
    if (code != MPI_SUCCESS || question_ == kLast) {
      questions_ = 0;
      return bounds_;
    }
    ask();
  } while (may_wait);
  return std::nullopt;
}

void StudentLink::take(const OffsetBounds& bounds) {
  const OffsetBounds before = bounds_;
  bounds_ = narrowed(before, bounds);
  const bool has_gained = static_cast<double>(bounds_.width()) < kGain * static_cast<double>(before.width());
  without_gain_ = has_gained ? 0 : without_gain_ + 1;
}

void StudentLink::finish() {
  if (isAsking()) {
    PMPI_Wait(&answer_request_, MPI_STATUS_IGNORE);
    PMPI_Wait(&question_request_, MPI_STATUS_IGNORE);
  }
  PMPI_Send(&kEnd, 1, MPI_INT64_T, teacher_, kQuestionTag, world_);
}

TeacherLink::TeacherLink(MPI_Comm world, int student, const Clock& clock)
    : world_(world), student_(student), clock_(clock) {
  listen();
}

void TeacherLink::listen() {
  PMPI_Irecv(&question_, 1, MPI_INT64_T, student_, kQuestionTag, world_, &question_request_);
}

bool TeacherLink::advance(bool may_wait, const WorldTime& time) {
  int code = MPI_SUCCESS;
  if (is_over_ || !isComplete(question_request_, may_wait, code)) return false;
  const std::int64_t now = clock_.nanoseconds();
  is_over_ = code != MPI_SUCCESS || question_ == kEnd;
  if (is_over_) return false;
  const bool is_last = question_ == kLast;
  // The student has the answer before, or it would not ask again.
  PMPI_Wait(&answer_request_, MPI_STATUS_IGNORE);
  answer_ = {time.model.toOther(now), time.model.errorAt(now), time.began_ns};
  PMPI_Isend(answer_.data(), static_cast<int>(answer_.size()), MPI_INT64_T, student_, kAnswerTag, world_,
             &answer_request_);
  listen();
  return is_last;
}

void TeacherLink::finish(const WorldTime& time) {
  while (!is_over_) advance(true, time);
  PMPI_Wait(&answer_request_, MPI_STATUS_IGNORE);
}

DomainLinks::DomainLinks(MPI_Comm world, int above, const std::vector<int>& below) : world_(world), above_(above) {
  for (const int rank : below) below_.push_back({rank});
  if (above_ >= 0) listen();
}

void DomainLinks::listen() {
  PMPI_Irecv(received_.data(), static_cast<int>(received_.size()), MPI_INT64_T, above_, kTimeTag, world_, &request_);
}

std::optional<WorldTime> DomainLinks::receive(bool may_wait) {
  int code = MPI_SUCCESS;
  if (above_ < 0 || is_over_ || !isComplete(request_, may_wait, code)) return std::nullopt;
  is_over_ = code != MPI_SUCCESS || received_[0] == kEnd;
  if (is_over_) return std::nullopt;
  WorldTime time;
  time.model = {received_[1], received_[2], std::bit_cast<double>(received_[3]), received_[4],
                std::bit_cast<double>(received_[5])};
  time.began_ns = received_[6];
  listen();
  return time;
}

// A synchronous send is complete when it is taken, so that no messages pile up at a rank that looks for none.
void DomainLinks::tell(const WorldTime& time, bool may_wait) {
  for (Below& below : below_) {
    int code = MPI_SUCCESS;
    if (!isComplete(below.request, may_wait, code)) continue;
    const ClockModel& model = time.model;
    below.message = {kMore,           model.at_ns,
                     model.offset_ns, std::bit_cast<std::int64_t>(model.drift),
                     model.error_ns,  std::bit_cast<std::int64_t>(model.drift_error),
                     time.began_ns};
    PMPI_Issend(below.message.data(), static_cast<int>(below.message.size()), MPI_INT64_T, below.rank, kTimeTag, world_,
                &below.request);
  }
}

void DomainLinks::finish() {
  while (above_ >= 0 && !is_over_) receive(true);
  for (Below& below : below_) {
    PMPI_Wait(&below.request, MPI_STATUS_IGNORE);
    below.message = {kEnd};
    PMPI_Send(below.message.data(), static_cast<int>(below.message.size()), MPI_INT64_T, below.rank, kTimeTag, world_);
  }
}

}  // namespace starling
