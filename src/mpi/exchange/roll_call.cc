#include "mpi/exchange/roll_call.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>

#include "base/log.h"

namespace starling {
namespace {

// This tag is above all that programs are likely to use.
constexpr int kRollCallTag = 32761;
// Those that wait have this time to hear of each other: they have begun to wait at about the same time.
constexpr Seconds kGrace{3.0};
constexpr std::chrono::microseconds kPause{200};

// Returns whether the request is complete before the deadline.
bool isCompleteBy(MPI_Request& request, Seconds deadline, const Clock& clock, int& code) {
  while (true) {
    int complete = 0;
    code = PMPI_Test(&request, &complete, MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS || complete != 0) return true;
    if (clock.now() >= deadline) return false;
    std::this_thread::sleep_for(kPause);
  }
}

// Sends messages without content between those that wait. The ranks 0, 1, 2, 4, 8, ... hear of all others, and tell
// them that they are there: so the least of them that waits knows who is missing, with few messages for each rank.
class Question {
 public:
  explicit Question(MPI_Comm communicator) : communicator_(communicator) {
    PMPI_Comm_rank(communicator, &rank_);
    PMPI_Comm_size(communicator, &ranks_);
    for (int peer = 0; peer < ranks_; ++peer) {
      if (peer == rank_ || !(isListener(rank_) || isListener(peer))) continue;
      peers_.push_back(peer);
      PMPI_Irecv(nullptr, 0, MPI_BYTE, peer, kRollCallTag, communicator_, &receives_.emplace_back(MPI_REQUEST_NULL));
      PMPI_Isend(nullptr, 0, MPI_BYTE, peer, kRollCallTag, communicator_, &sends_.emplace_back(MPI_REQUEST_NULL));
    }
  }

  // Returns those of the ranks that this one hears of which have not told that they are there.
  std::vector<int> missingAfter(Seconds grace, const Clock& clock) {
    const Seconds end = clock.now() + grace;
    int all = 0;
    while (all == 0 && clock.now() < end) {
      std::this_thread::sleep_for(kPause);
      PMPI_Testall(static_cast<int>(receives_.size()), receives_.data(), &all, MPI_STATUSES_IGNORE);
    }
    std::vector<int> missing;
    for (std::size_t i = 0; i < peers_.size(); ++i) {
      int complete = 0;
      PMPI_Request_get_status(receives_[i], &complete, MPI_STATUS_IGNORE);
      if (complete == 0) missing.push_back(peers_[i]);
    }
    return missing;
  }

  // Returns whether this rank speaks for all that wait: one of them does.
  bool speaks(const std::vector<int>& missing) const {
    const auto is_there = [&](int peer) { return !std::binary_search(missing.begin(), missing.end(), peer); };
    return std::none_of(peers_.begin(), peers_.end(), [&](int peer) {
      return isListener(peer) && is_there(peer) && (peer < rank_ || !isListener(rank_));
    });
  }

  // Completes all messages: as every rank asks, none is left under way.
  int finish() {
    const int code = PMPI_Waitall(static_cast<int>(receives_.size()), receives_.data(), MPI_STATUSES_IGNORE);
    return code != MPI_SUCCESS ? code
                               : PMPI_Waitall(static_cast<int>(sends_.size()), sends_.data(), MPI_STATUSES_IGNORE);
  }

 private:
  static bool isListener(int rank) { return (rank & (rank - 1)) == 0; }

  MPI_Comm communicator_;
  int rank_ = 0;
  int ranks_ = 1;
  std::vector<int> peers_;
  std::vector<MPI_Request> receives_;
  std::vector<MPI_Request> sends_;
};

void complain(const RollCall& call, const std::string& who) {
  log(LogLevel::kWarning,
      fmt::format(
          "{:g} s have passed in {}, and {}: was Starling loaded into all processes of the job (LD_PRELOAD has to "
          "reach every host and every program of it, and processes that are spawned; `starling run` sees to the "
          "first)? This rank waits on; STARLING_WATCHDOG says how long it waits before this message",
          call.patience.value, call.place, who));
}

}  // namespace

std::string formatRanks(const std::vector<int>& ranks) {
  std::string text;
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t last = i;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", ranks[i]);
    if (last > i) text += fmt::format("{}{}", last == i + 1 ? ", " : "-", ranks[last]);
    i = last + 1;
  }
  return text;
}

namespace {

// Speaks where it is not known who is missing: the first two ranks that are no suspects do, since one may be missing.
void complainOfUnknown(MPI_Comm communicator, const RollCall& call) {
  int rank = 0;
  PMPI_Comm_rank(communicator, &rank);
  const auto before = std::count_if(call.suspects.begin(), call.suspects.end(), [rank](int s) { return s < rank; });
  const bool is_suspect = std::binary_search(call.suspects.begin(), call.suspects.end(), rank);
  if (is_suspect || rank - before > 1) return;
  const std::string others =
      call.suspects.empty() ? "" : "; of another MPI_COMM_WORLD are its ranks " + formatRanks(call.suspects);
  complain(call, "not all ranks of the communicator have answered" + others);
}

int findOutWhoIsMissing(Question& question, MPI_Request& barrier, const RollCall& call, const Clock& clock) {
  const std::vector<int> missing = question.missingAfter(kGrace, clock);
  int code = MPI_SUCCESS;
  const bool all_came = isCompleteBy(barrier, Seconds{}, clock, code);
  if (all_came || missing.empty() || !question.speaks(missing)) return code;
  const bool is_one = missing.size() == 1;
  complain(call, fmt::format("{} {} of it {} not answered", is_one ? "rank" : "ranks", formatRanks(missing),
                             is_one ? "has" : "have"));
  return code;
}

}  // namespace

int awaitAllRanks(MPI_Comm communicator, const RollCall& call, const Clock& clock) {
  MPI_Request barrier = MPI_REQUEST_NULL;
  int code = PMPI_Ibarrier(communicator, &barrier);
  if (code != MPI_SUCCESS) return code;
  std::optional<Question> question;
  const bool watches = call.patience > Seconds{};
  if (watches && !isCompleteBy(barrier, clock.now() + call.patience, clock, code)) {
    if (call.may_ask) {
      question.emplace(communicator);
      code = findOutWhoIsMissing(*question, barrier, call, clock);
    } else {
      complainOfUnknown(communicator, call);
    }
  }
  if (code == MPI_SUCCESS) code = PMPI_Wait(&barrier, MPI_STATUS_IGNORE);
  if (code != MPI_SUCCESS) return code;
  // What was asked has to be answered by those that came later, so that no message is left to meet the program's. Ranks
  // may have come from different places, from MPI_Init and from a first tuned call: all of them hear whether one asked.
  int asked = question ? 1 : 0;
  code = PMPI_Allreduce(MPI_IN_PLACE, &asked, 1, MPI_INT, MPI_MAX, communicator);
  if (code != MPI_SUCCESS || asked == 0) return code;
  if (!question) question.emplace(communicator);
  return question->finish();
}

}  // namespace starling
