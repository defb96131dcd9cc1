#include "store/background_thread.h"

#include <gtest/gtest.h>

#include <csignal>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "../kept_messages.h"

namespace starling {
namespace {

TEST(BackgroundThread, takesNoSignalsAndLeavesThoseOfItsStarterAlone) {
  sigset_t before;
  pthread_sigmask(SIG_SETMASK, nullptr, &before);
  sigset_t inside;
  sigemptyset(&inside);
  Result<std::thread> thread = startThread([&inside] { pthread_sigmask(SIG_SETMASK, nullptr, &inside); });
  ASSERT_TRUE(thread.isOk()) << thread.status().message();
  thread.value().join();
  sigset_t after;
  pthread_sigmask(SIG_SETMASK, nullptr, &after);
  for (const int signal : {SIGINT, SIGTERM, SIGUSR1, SIGALRM}) {
    EXPECT_EQ(sigismember(&inside, signal), 1) << signal;
    EXPECT_EQ(sigismember(&after, signal), sigismember(&before, signal)) << signal;
  }
}

TEST(BackgroundThread, exceptionEndsTheThreadAndNotTheProgram) {
  const KeptMessages messages;
  Result<std::thread> thread = startThread([] { throw std::bad_alloc(); });
  ASSERT_TRUE(thread.isOk()) << thread.status().message();
  thread.value().join();
  EXPECT_EQ(messages.all().size(), 1U);
}

}  // namespace
}  // namespace starling
