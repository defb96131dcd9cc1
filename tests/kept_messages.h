// What tests share that look at what is logged.
#pragma once

#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"

namespace starling {

// Keeps the messages of this process while it lives, in place of stderr. There is one at a time. THREADS: any may log.
class KeptMessages {
 public:
  KeptMessages() {
    lines().clear();
    setLogSink([](LogLevel, std::string_view message) {
      const std::lock_guard lock(mutex());
      lines().emplace_back(message);
    });
  }
  ~KeptMessages() { setLogSink(nullptr); }
  KeptMessages(const KeptMessages&) = delete;
  KeptMessages& operator=(const KeptMessages&) = delete;

  std::vector<std::string> all() const {
    const std::lock_guard lock(mutex());
    return lines();
  }

 private:
  static std::mutex& mutex() {
    static std::mutex one;
    return one;
  }
  static std::vector<std::string>& lines() {
    static std::vector<std::string> kept;
    return kept;
  }
};

}  // namespace starling
