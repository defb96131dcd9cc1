#include "mpi/creations.h"

#include <atomic>

namespace starling {
namespace {

std::atomic<int> g_under_way{0};

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

void Creations::noteLasting() { ++g_under_way; }

bool Creations::areUnderWay() { return g_under_way.load() > 0; }

}  // namespace starling
