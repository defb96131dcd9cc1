#include "mpi/execution/creations.h"

#include <atomic>

#include "base/log.h"

namespace starling {
namespace {

std::atomic<int> g_under_way{0};
std::atomic<bool> g_are_lasting{false};

class UnderWay {
 public:
  UnderWay() { ++g_under_way; }
  ~UnderWay() { --g_under_way; }
  UnderWay(const UnderWay&) = delete;
  UnderWay& operator=(const UnderWay&) = delete;
};

}  // namespace

void Creations::by(void (*work)(const void* context), const void* context) {
  const UnderWay under_way;
  work(context);
}

void Creations::noteLasting() { g_are_lasting = true; }

bool Creations::areUnderWay() {
  if (!g_are_lasting) return g_under_way.load() > 0;
  logOnce(LogLevel::kWarning, "creations",
          "the program has called MPI_Comm_idup, which may create a communicator at any time: calls on communicators "
          "that are not prepared yet are left to the MPI library");
  return true;
}

}  // namespace starling
