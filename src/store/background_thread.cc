#include "store/background_thread.h"

#include <csignal>
#include <exception>
#include <utility>

#include "base/log.h"

namespace starling {
namespace {

// While it lives, this thread takes no signals; a thread that it starts takes none for as long as that one lives.
class SignalBlock {
 public:
  SignalBlock() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  ~SignalBlock() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalBlock(const SignalBlock&) = delete;
  SignalBlock& operator=(const SignalBlock&) = delete;

 private:
  sigset_t before_{};
};

void runGuarded(const std::function<void()>& body) {
  try {
    body();
  } catch (const std::exception& fault) {
    logOnce(LogLevel::kWarning, "thread", fault.what());
  }
}

}  // namespace

Result<std::thread> startThread(std::function<void()> body) {
  const SignalBlock block;
  try {
    return std::thread([body = std::move(body)] { runGuarded(body); });
  } catch (const std::exception& fault) {  // no thread or no memory is left
    return Status::error(fault.what());
  }
}

}  // namespace starling
