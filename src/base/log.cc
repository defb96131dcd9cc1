#include "base/log.h"

#include <atomic>
#include <cstdio>
#include <mutex>
#include <set>

namespace starling {
namespace {

std::atomic<LogLevel> g_level{LogLevel::kWarning};
std::atomic<LogSink> g_sink{nullptr};

}  // namespace

void setLogLevel(LogLevel level) { g_level = level; }

LogLevel logLevel() { return g_level; }

void setLogSink(LogSink sink) { g_sink = sink; }

void log(LogLevel level, std::string_view message) {
  if (level > g_level.load()) return;
  if (LogSink sink = g_sink.load(); sink != nullptr) {
    sink(level, message);
    return;
  }
  // One write per line, so that lines of several ranks do not mix.
  const std::string line = "starling: " + std::string(message) + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

void logOnce(LogLevel level, std::string_view topic, std::string_view message) {
  static std::mutex mutex;
  static std::set<std::string, std::less<>> told;
  {
    const std::lock_guard lock(mutex);
    if (!told.emplace(topic).second) return;
  }
  log(level, message);
}

}  // namespace starling
